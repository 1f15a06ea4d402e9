package truth_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

func TestLogic(t *testing.T) {
	self := func(v truth.Value) truth.Value { return v }
	const yes, no, unknown = truth.Yes, truth.No, truth.Unknown
	type list = []truth.Value
	for _, c := range []struct {
		of       list
		any, all truth.Value
	}{
		{list{}, no, yes},
		{list{unknown}, unknown, unknown},
		{list{no, unknown}, unknown, no},
		{list{yes, unknown}, yes, unknown},
		{list{unknown, no, yes}, yes, no},
	} {
		assert.Equal(t, c.any, truth.Any(c.of, self), "any of %v", c.of)
		assert.Equal(t, c.all, truth.All(c.of, self), "all of %v", c.of)
	}
	for v, want := range map[truth.Value]truth.Value{yes: no, no: yes, unknown: unknown} {
		assert.Equal(t, want, truth.Not(v))
	}
	assert.Equal(t, yes, truth.Of(true))
	assert.Equal(t, "unknown", truth.Value(0).String())
}
