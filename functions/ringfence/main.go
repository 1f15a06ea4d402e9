// Command ringfence holds every function: it runs the one that it is called as,
// or that its first argument or its configuration names. Without arguments it is
// a KRM function itself.
package main

import (
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/ringfence-dev/ringfence/internal/krm"
)

// version is stamped by the build.
var version = "dev"

func main() {
	krm.Version = version
	os.Exit(run(filepath.Base(os.Args[0]), os.Args[1:], krm.Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Colour: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("NO_COLOR") == "",
	}))
}
