package version

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersion(t *testing.T) {
	for text, want := range map[string]struct {
		release bool
		number  string
	}{
		"v0.1.0":                       {true, "0.1.0"},
		"v1.2.3-rc.1":                  {true, "1.2.3-rc.1"},
		"v1.2.3-rc.1-dirty":            {false, "1.2.3-rc.1-dirty"},
		"v0.1.0-3-g5a570b9":            {false, "0.1.0-3-g5a570b9"},
		"v0.1.0-3-g5a570b9-dirty":      {false, "0.1.0-3-g5a570b9-dirty"},
		"v1.2.3-rc.1-12-g5a570b9abcde": {false, "1.2.3-rc.1-12-g5a570b9abcde"},
		"5a570b9-dirty":                {false, "5a570b9-dirty"},
		"0.1.0":                        {false, "0.1.0"},
		"v1":                           {false, "1"},
		"v01.2.3":                      {false, "v01.2.3"},
		"dev":                          {false, "dev"},
	} {
		v, err := Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want.release, v.IsRelease(), text)
		assert.Equal(t, want.number, v.Number(), text)
		assert.Equal(t, text, v.String())
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "v1.2.3+build", "a/b", "a:b", "-v1", "v1 2", "v1\n"} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
}
