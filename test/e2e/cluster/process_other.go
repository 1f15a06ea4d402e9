//go:build !linux

package cluster

import "syscall"

// endWithParent asks for nothing: only Linux ends a process with its parent.
func endWithParent() *syscall.SysProcAttr { return nil }
