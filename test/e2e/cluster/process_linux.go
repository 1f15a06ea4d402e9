package cluster

import "syscall"

// endWithParent makes the kernel kill a process when the test dies, by SIGKILL too.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
