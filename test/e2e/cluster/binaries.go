package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// BinVariable names the folder of the executables, if it isn't bin/ of this repository.
const BinVariable = "RINGFENCE_BIN"

// What Start needs of that folder.
const (
	etcd      = "etcd"
	apiServer = "kube-apiserver"
	istioCRDs = "crds/istio.yaml"
)

// Bin returns the folder of the executables: the one that the environment names,
// or bin/ of the repository that the working directory is in.
func Bin() (string, error) {
	if bin := os.Getenv(BinVariable); bin != "" {
		return filepath.Abs(bin)
	}
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for bin/: %w", err)
	}
	for dir := start; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tools", "cluster.mk")); err == nil {
			return filepath.Join(dir, "bin"), nil
		}
	}
	return "", fmt.Errorf("looking for bin/: %s isn't in the repository; name the folder in %s", start, BinVariable)
}

func checkBinaries(bin string) error {
	for _, name := range []string{etcd, apiServer, istioCRDs} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			return fmt.Errorf("%w: run `make cluster-tools` in the root of the repository", err)
		}
	}
	return nil
}
