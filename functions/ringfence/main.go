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
	collectLate()
	if info, ok := debug.ReadBuildInfo(); ok && version == unstamped && info.Main.Version != "(devel)" {
		version = cmp.Or(info.Main.Version, unstamped) // go install …@v1.2.3 stamps nothing
	}
	krm.Version = version
	os.Exit(run(filepath.Base(os.Args[0]), os.Args[1:], krm.Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Colour: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("NO_COLOR") == "",
	}))
}

// collectLate lets the heap grow to 64 MiB before the first garbage collection, and
// as usual from then on. Most runs end before: collecting is a fifth of their time.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(1600) // of the least heap, 4 MiB
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
