package reconcile_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

var server *cluster.Server

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	if given := flag.Lookup("test.parallel"); given.Value.String() == given.DefValue {
		// Most of the time a test waits: for a rollout, for an answer that doesn't come.
		if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	failed := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	bin, err := cluster.Bin()
	if err != nil {
		return failed(err)
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	if server, err = cluster.Start(context.Background(), dir, bin); err != nil {
		return failed(err)
	}
	defer server.Stop()
	return ansible.Main(m)
}
