//go:build !linux

package engine

import "syscall"

// apart asks for nothing: elsewhere there is no dockerd to start.
func apart() *syscall.SysProcAttr { return nil }
