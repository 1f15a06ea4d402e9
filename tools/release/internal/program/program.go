// Package program reads the executables of a release before they go into it.
package program

import (
	"debug/elf"
	"debug/macho"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Name is that of the executable in the folder of its platform, OS_ARCHITECTURE.
const Name = "ringfence"

// Platforms are those that a release has an executable for.
var Platforms = []Platform{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}}

// Platform is a system and an architecture, in Go's words.
type Platform struct{ OS, Architecture string }

func (p Platform) String() string { return p.OS + "_" + p.Architecture }

// Path returns where the platform's executable lies below a folder.
func (p Platform) Path(folder string) string { return filepath.Join(folder, p.String(), Name) }

var (
	elfMachines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
	machoCPUs   = map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}
)

// Read returns the platform's executable below a folder. It is of that
// platform, and on Linux it needs no loader, for an image has none.
func Read(folder string, p Platform) ([]byte, error) {
	path := p.Path(folder)
	var err error
	switch p.OS {
	case "linux":
		err = checkELF(path, elfMachines[p.Architecture])
	case "darwin":
		err = checkMachO(path, machoCPUs[p.Architecture])
	default:
		err = fmt.Errorf("no such system as %q", p.OS)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not an executable of %s: %w", path, p, err)
	}
	return os.ReadFile(path)
}

func checkELF(path string, want elf.Machine) error {
	file, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if file.Machine != want {
		return fmt.Errorf("it is one of %s", strings.TrimPrefix(file.Machine.String(), "EM_"))
	}
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return fmt.Errorf("it needs a loader; build it with CGO_ENABLED=0")
	}
	return nil
}

func checkMachO(path string, want macho.Cpu) error {
	file, err := macho.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if file.Cpu != want {
		return fmt.Errorf("it is one of %s", strings.TrimPrefix(file.Cpu.String(), "Cpu"))
	}
	return nil
}
