package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kptdev/kpt/pkg/test/runner"
)

// TestExamples gives the functions' examples to kpt's own runner, which says that they are in its form. The
// end-to-end tests run them in more ways.
func TestExamples(t *testing.T) {
	bin, err := filepath.Abs("../../bin")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cases, err := runner.ScanTestCases("../../functions")
	if err != nil {
		t.Fatal(err)
	}
	if len(*cases) == 0 {
		t.Fatal("there are no examples")
	}
	for _, c := range *cases {
		t.Run(c.Path, func(t *testing.T) {
			r, err := runner.NewRunner(t, c, c.Config.TestType)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Run(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
