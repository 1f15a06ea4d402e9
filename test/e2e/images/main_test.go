package images

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/test/e2e/engine"
	"github.com/ringfence-dev/ringfence/test/e2e/kpt"
)

// FolderVariable names the folder of the images, if it isn't out/images of this repository.
const FolderVariable = "RINGFENCE_IMAGES"

var running struct {
	sync.Once
	engine *engine.Engine
	err    error
}

// TestMain ends the engine that a test has started.
func TestMain(m *testing.M) {
	status := m.Run()
	if running.engine != nil {
		if err := running.engine.Stop(); err != nil {
			fmt.Fprintf(os.Stderr, "stopping the engine: %v\n", err)
			status = 1
		}
	}
	os.Exit(status)
}

// other is an architecture that this machine isn't of.
var other = map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]

// loaded returns the references of all images, by their names. They are in an engine.
func loaded(t *testing.T) map[string]string {
	t.Helper()
	references := references(t)
	running.Do(func() {
		if running.engine, running.err = engine.Start(); running.err == nil {
			t.Logf("Docker engine %s, storage driver %s", running.engine.Version, running.engine.Driver)
			running.err = load(t, references)
		}
	})
	require.NoError(t, running.err)
	return references
}

// references reads the names and references of what make images has built.
func references(t *testing.T) map[string]string {
	t.Helper()
	var images []struct {
		Name      string `json:"name"`
		Reference string `json:"reference"`
	}
	require.NoError(t, json.Unmarshal([]byte(kpt.Read(t, built(t, "images.json"))), &images))
	out := map[string]string{}
	for _, image := range images {
		out[image.Name] = image.Reference
	}
	return out
}

// built returns the path of something that make images has built.
func built(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv(FolderVariable)
	if folder == "" {
		folder = filepath.Join(kpt.Root(t), "out", "images")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		require.FailNow(t, "something is not built", "%v: run `make images` in the root of the repository", err)
	}
	return path
}

func tarball(t *testing.T, architecture string) string {
	t.Helper()
	return built(t, "images-linux-"+architecture+".tar")
}

// load puts the images of both architectures into the engine, the other one's under tags of their own.
func load(t *testing.T, references map[string]string) error {
	t.Helper()
	var steps [][]string
	if other != "" {
		steps = append(steps, []string{"load", "--input", tarball(t, other)})
		for _, reference := range references {
			steps = append(steps, []string{"tag", reference, foreign(reference)})
		}
	}
	steps = append(steps, []string{"load", "--input", tarball(t, runtime.GOARCH)})
	for _, step := range steps {
		if out := kpt.Try(t, "", "docker", step...); out.Status != 0 {
			return fmt.Errorf("%s: %s", out.Command, strings.TrimSpace(out.Stderr))
		}
	}
	return nil
}

// foreign is the tag of an image of the other architecture.
func foreign(reference string) string { return reference + "-" + other }
