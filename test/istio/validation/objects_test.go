package validation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestObjects asks the judges about every Istio object that the project holds.
func TestObjects(t *testing.T) {
	j := newJudges(t)
	for name, source := range map[string]struct {
		objects func(testing.TB) []object
		// least is how many there are at the least: if they become fewer, something isn't found any more.
		least int
	}{
		"compositions": {compositions, 70},
		"answers":      {answers, 60},
		"written":      {written, 25},
	} {
		t.Run(name, func(t *testing.T) {
			objects := source.objects(t)
			for _, o := range objects {
				for _, complaint := range j.judge(o) {
					t.Error(complaint)
				}
			}
			t.Logf("%d objects", len(objects))
			assert.GreaterOrEqual(t, len(objects), source.least)
		})
	}
}
