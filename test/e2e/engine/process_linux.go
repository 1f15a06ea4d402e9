package engine

import "syscall"

// apart gives the engine a network of its own, and makes the kernel end it when the test
// dies, by a timeout or SIGKILL too.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGTERM}
}
