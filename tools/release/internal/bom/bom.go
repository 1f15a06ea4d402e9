// Package bom makes bills of materials in CycloneDX's JSON, from what the linker has written into an executable.
package bom

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/CycloneDX/cyclonedx-go"
)

// Subject is what a bill is about: a file or an image that holds the executable.
type Subject struct {
	Name, Version, Description string
	Type                       cyclonedx.ComponentType
	// SHA256 is the digest of the whole, in hexadecimal.
	SHA256 string
}

// Generator runs cyclonedx-gomod, the executable at this path.
type Generator string

// Read returns the bill of an executable at path, of the given version.
func (g Generator) Read(ctx context.Context, path, version string) (Bill, error) {
	var out, problems bytes.Buffer
	// Neither serial number nor time: they differ in each run.
	command := exec.CommandContext(ctx, string(g), "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", version, path)
	command.Stdout, command.Stderr = &out, &problems
	if err := command.Run(); err != nil {
		return Bill{}, fmt.Errorf("reading the modules of %s: %w: %s", path, err, bytes.TrimSpace(problems.Bytes()))
	}
	if err := checkComplete(out.Bytes()); err != nil {
		return Bill{}, fmt.Errorf("reading the modules of %s: %w", path, err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return Bill{}, fmt.Errorf("reading the executable: %w", err)
	}
	return Bill{out.Bytes(), Sum(program)}, nil
}

func checkComplete(data []byte) error {
	bill, err := decode(data)
	if err != nil {
		return err
	}
	if bill.Metadata == nil || bill.Metadata.Component == nil {
		return errors.New("the bill names no executable")
	}
	if bill.Components == nil || len(*bill.Components) == 0 {
		return errors.New("the bill names no module")
	}
	return nil
}

// Bill is the bill of an executable.
type Bill struct {
	data []byte
	sum  string
}

// For returns the bill of a subject that holds the executable, as JSON.
func (b Bill) For(s Subject) ([]byte, error) {
	bill, err := decode(b.data)
	if err != nil {
		return nil, err
	}
	// A hash of the generator's own executable would tie the bill to the machine that compiled it.
	if bill.Metadata.Tools != nil && bill.Metadata.Tools.Tools != nil {
		for i := range *bill.Metadata.Tools.Tools {
			(*bill.Metadata.Tools.Tools)[i].Hashes = nil
		}
	}
	program := *bill.Metadata.Component
	program.Type = cyclonedx.ComponentTypeApplication
	program.Hashes = hashes(b.sum)
	program.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}}
	components := append([]cyclonedx.Component{program}, *bill.Components...)
	bill.Components = &components
	bill.Metadata.Component = &cyclonedx.Component{
		BOMRef: s.Name, Type: s.Type, Name: s.Name, Version: s.Version, Description: s.Description,
		Hashes: hashes(s.SHA256), Licenses: program.Licenses,
	}
	contains := append([]cyclonedx.Dependency{{Ref: s.Name, Dependencies: &[]string{program.BOMRef}}}, deref(bill.Dependencies)...)
	bill.Dependencies = &contains
	var out bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	if err := encoder.Encode(bill); err != nil {
		return nil, fmt.Errorf("encoding the bill of %q: %w", s.Name, err)
	}
	return out.Bytes(), nil
}

func deref(list *[]cyclonedx.Dependency) []cyclonedx.Dependency {
	if list == nil {
		return nil
	}
	return *list
}

func decode(data []byte) (*cyclonedx.BOM, error) {
	var out cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(data), cyclonedx.BOMFileFormatJSON).Decode(&out); err != nil {
		return nil, fmt.Errorf("reading the bill: %w", err)
	}
	return &out, nil
}

func hashes(sum string) *[]cyclonedx.Hash {
	return &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: sum}}
}

// Sum returns the SHA-256 digest of data, in hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
