package envoy

import "syscall"

// endWithParent makes the kernel kill Envoy when the test dies, by SIGKILL too.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
