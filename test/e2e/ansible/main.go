// Package ansible runs playbooks with real ansible-playbook: each pinned version
// (tools/ansible), on the local connection and over ssh to the loopback address,
// with the collection installed from its tarball. Nothing of the user's own
// configuration takes part.
//
// A package that uses it hands its tests to Main:
//
//	func TestMain(m *testing.M) { os.Exit(ansible.Main(m)) }
package ansible

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// session is what all tests of a process share.
var session struct {
	// root is the repository; folder is temporary, with a short path.
	root, folder string
	// tarball is the collection.
	tarball  string
	versions []string

	mu          sync.Mutex
	collections map[string]string
}

// Main runs the tests of a package and cleans up after them. It returns the exit
// status that os.Exit wants.
func Main(m *testing.M) int {
	if err := setUp(); err != nil {
		fmt.Fprintf(os.Stderr, "preparing ansible-playbook: %v\n", err)
		return 1
	}
	defer os.RemoveAll(session.folder) //nolint:errcheck // it is a temporary folder
	return m.Run()
}

func setUp() error {
	root, err := repository()
	if err != nil {
		return err
	}
	session.root, session.collections = root, map[string]string{}
	if session.versions, err = versions(root); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(root, "bin", "sshd")); err != nil {
		return fmt.Errorf("%w; run 'make ansible'", err)
	}
	tarballs, err := filepath.Glob(filepath.Join(root, "out", "ringfence-mesh-*.tar.gz"))
	if err != nil {
		return err
	}
	if len(tarballs) != 1 {
		return fmt.Errorf("out/ has %d tarballs of the collection instead of one; run 'make clean collection'", len(tarballs))
	}
	session.tarball = tarballs[0]
	// A control socket of ssh must lie at a path of at most 107 bytes.
	session.folder, err = os.MkdirTemp("/tmp", "ringfence-")
	return err
}

// repository returns the folder of the whole repository.
func repository() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "tools", "ansible")); err == nil {
			return folder, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("no folder above has tools/ansible")
		}
		folder = parent
	}
}

// versions returns the pinned versions of ansible-core, each of which must be installed.
func versions(root string) ([]string, error) {
	pinned, err := filepath.Glob(filepath.Join(root, "tools", "ansible", "[0-9]*.txt"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, file := range pinned {
		version := strings.TrimSuffix(filepath.Base(file), ".txt")
		if _, err := os.Stat(filepath.Join(root, "bin", "ansible", version, "installed")); err != nil {
			return nil, fmt.Errorf("ansible-core %s: %w; run 'make ansible'", version, err)
		}
		out = append(out, version)
	}
	if len(out) == 0 {
		return nil, errors.New("tools/ansible pins no version of ansible-core")
	}
	slices.Sort(out)
	return out, nil
}

// Path returns the path of a file of the repository.
func Path(names ...string) string {
	return filepath.Join(append([]string{session.root}, names...)...)
}
