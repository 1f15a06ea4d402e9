// Command ringfence holds every function: it runs the one that it is called as,
// or that its first argument or its configuration names. Without arguments it is
// a KRM function itself.
package main

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"golang.org/x/term"

	"github.com/ringfence-dev/ringfence/internal/krm"
)

// unstamped is the version of a build that says none.
const unstamped = "dev"

// version is stamped by the build.
var version = unstamped

func main() {
	// Garbage is collected when memory in use has doubled, and this counts as in use. It
	// is never touched, so that it takes none. Most runs are over before 64 MiB:
	// collecting would be a fifth of their time.
	ballast := make([]byte, 32<<20)
	if info, ok := debug.ReadBuildInfo(); ok && version == unstamped && info.Main.Version != "(devel)" {
		version = cmp.Or(info.Main.Version, unstamped) // go install …@v1.2.3 stamps nothing
	}
	krm.Version = version
	status := run(filepath.Base(os.Args[0]), os.Args[1:], krm.Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Colour: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("NO_COLOR") == "",
	})
	runtime.KeepAlive(ballast)
	os.Exit(status)
}
