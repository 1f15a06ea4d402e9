// Package programtest writes heads of executables, for tests that don't wait for a compiler.
package programtest

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Write writes the head of an executable without a loader.
func Write(t *testing.T, path, system, architecture string) {
	t.Helper()
	if system == "darwin" {
		cpus := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}
		write(t, path, macho.FileHeader{Magic: macho.Magic64, Cpu: cpus[architecture], Type: macho.TypeExec}, uint32(0))
		return
	}
	write(t, path, header(architecture, 0))
}

// Dynamic writes the head of a Linux executable that asks for a loader.
func Dynamic(t *testing.T, path, architecture string) {
	t.Helper()
	write(t, path, header(architecture, 1), elf.Prog64{Type: uint32(elf.PT_INTERP)})
}

func header(architecture string, segments uint16) elf.Header64 {
	machines := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}
	return elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machines[architecture]), Version: uint32(elf.EV_CURRENT),
		Ehsize: 64, Phoff: 64, Phentsize: 56, Phnum: segments,
	}
}

func write(t *testing.T, path string, parts ...any) {
	t.Helper()
	var out bytes.Buffer
	for _, part := range parts {
		require.NoError(t, binary.Write(&out, binary.LittleEndian, part))
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o755))
}
