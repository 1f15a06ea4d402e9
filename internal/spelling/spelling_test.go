package spelling

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDidYouMean(t *testing.T) {
	known := []string{"model", "owner", "state"}
	for name, c := range map[string]struct{ name, want string }{
		"swapped":   {"mdoel", ` (did you mean "model"?)`},
		"added":     {"owners", ` (did you mean "owner"?)`},
		"case":      {"State", ` (did you mean "state"?)`},
		"unlike":    {"kubeconfig", ""},
		"very-long": {strings.Repeat("model", 100_000), ""},
		"empty":     {"", ""},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, DidYouMean(c.name, known)) })
	}
	assert.Empty(t, DidYouMean("model", nil))
}
