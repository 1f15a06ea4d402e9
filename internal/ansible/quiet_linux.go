package ansible

import (
	"fmt"
	"io"
	"log"
	"os"
	"syscall"
)

// quiet sends to nowhere what any library prints, and what the runtime says of a
// crash, which may hold arguments.
func quiet() error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("opening the null device: %w", err)
	}
	log.SetOutput(io.Discard)
	os.Stdout, os.Stderr = null, null
	return syscall.Dup3(int(null.Fd()), syscall.Stderr, 0)
}
