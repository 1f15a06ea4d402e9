package ansible

import (
	"fmt"
	"runtime/debug"
)

// panicked is a panic that became an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Recover makes an error of a panic, which Main reports as a bug of the module.
// A module defers it in each goroutine that it starts, for Main can't recover
// there: `defer ansible.Recover(&err)`.
func Recover(err *error) { //nolint:gocritic // a deferred function has no other way to give an error back
	if value := recover(); value != nil { //nolint:revive // this is the deferred function
		*err = &panicked{value: value, stack: debug.Stack()}
	}
}
