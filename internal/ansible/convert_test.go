package ansible

import (
	"encoding/json"
	"os/user"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConvert holds what ansible-core's own conversion gives, but for the cases
// whose reason says otherwise.
func TestConvert(t *testing.T) {
	env := func(name string) (string, bool) {
		value, ok := map[string]string{"HOME": "/home/me", "DIR": "conf"}[name]
		return value, ok
	}
	type dict = map[string]any
	type list = []any
	cases := map[string]struct {
		reason string
		to     Type
		value  any
		want   any
		fails  error
	}{
		"text":                       {to: String, value: " a ", want: " a "},
		"text-by-default":            {to: "", value: "a", want: "a"},
		"text-of-whole-number":       {to: String, value: int64(5), want: "5"},
		"text-of-large-number":       {to: String, value: json.Number("123456789012345678901234567890"), want: "123456789012345678901234567890"},
		"text-of-float":              {to: String, value: 1.10, want: "1.1"},
		"text-of-integral-float":     {to: String, value: 1000000.0, want: "1000000.0"},
		"text-of-large-float":        {to: String, value: 1e16, want: "1e+16"},
		"text-of-truth":              {to: String, value: true, want: "True"},
		"no-text-of-list":            {reason: "theirs is Python's notation, which nobody means", to: String, value: list{"a"}, fails: errText},
		"no-text-of-mapping":         {to: String, value: dict{"a": "b"}, fails: errText},
		"bool":                       {to: Bool, value: true, want: true},
		"bool-of-word":               {to: Bool, value: " Yes ", want: true},
		"bool-of-letter":             {to: Bool, value: "F", want: false},
		"bool-of-number":             {to: Bool, value: int64(1), want: true},
		"bool-of-float":              {to: Bool, value: 0.0, want: false},
		"no-bool-of-other-number":    {to: Bool, value: int64(2), fails: errBool},
		"no-bool-of-fraction":        {to: Bool, value: 0.5, fails: errBool},
		"no-bool-of-other-word":      {to: Bool, value: "maybe", fails: errBool},
		"no-bool-of-empty-text":      {to: Bool, value: "", fails: errBool},
		"no-bool-of-list":            {to: Bool, value: list{}, fails: errBool},
		"int":                        {to: Int, value: int64(-3), want: int64(-3)},
		"int-of-text":                {to: Int, value: " 30 ", want: int64(30)},
		"int-of-integral-float":      {to: Int, value: 3.0, want: int64(3)},
		"int-of-integral-float-text": {to: Int, value: "3.0", want: int64(3)},
		"no-int-of-fraction":         {to: Int, value: 3.5, fails: errInt},
		"no-int-of-fraction-text":    {to: Int, value: "3.5", fails: errInt},
		"no-int-of-truth":            {reason: "theirs is 1", to: Int, value: true, fails: errInt},
		"no-int-beyond-64-bits":      {to: Int, value: json.Number("9223372036854775808"), fails: errInt},
		"no-int-of-infinity":         {to: Int, value: "inf", fails: errInt},
		"no-int-of-hexadecimals":     {to: Int, value: "0x", fails: errInt},
		"float":                      {to: Float, value: 0.5, want: 0.5},
		"float-of-int":               {to: Float, value: int64(2), want: 2.0},
		"float-of-large-number":      {to: Float, value: json.Number("10000000000000000000"), want: 1e19},
		"float-of-text":              {to: Float, value: " 1e3", want: 1000.0},
		"no-float-of-infinity":       {reason: "JSON has none", to: Float, value: "Infinity", fails: errFloat},
		"no-float-of-nan":            {to: Float, value: "nan", fails: errFloat},
		"no-float-of-truth":          {to: Float, value: true, fails: errFloat},
		"list":                       {to: List, value: list{int64(1)}, want: list{int64(1)}},
		"list-of-text":               {reason: "theirs keeps the blanks", to: List, value: "a, b", want: list{"a", "b"}},
		"list-of-one":                {to: List, value: "a", want: list{"a"}},
		"list-of-empty-text":         {reason: "theirs has one empty entry", to: List, value: "", want: list{}},
		"list-of-json":               {reason: "theirs splits it at the commas", to: List, value: `["a", "b"]`, want: list{"a", "b"}},
		"list-of-bracket":            {to: List, value: "[a, b", want: list{"[a", "b"}},
		"list-of-number":             {to: List, value: int64(8080), want: list{"8080"}},
		"no-list-of-mapping":         {to: List, value: dict{}, fails: errList},
		"dict":                       {to: Dict, value: dict{"a": "b"}, want: dict{"a": "b"}},
		"dict-of-json":               {to: Dict, value: `{"a": {"b": 1}}`, want: dict{"a": dict{"b": int64(1)}}},
		"dict-of-pairs":              {to: Dict, value: "a=1, b=2", want: dict{"a": "1", "b": "2"}},
		"dict-of-pairs-with-blanks":  {to: Dict, value: "a=1 b=2=3", want: dict{"a": "1", "b": "2=3"}},
		"dict-of-quoted-pairs":       {to: Dict, value: `a='1, 2' b="it's" c=\'`, want: dict{"a": "1, 2", "b": "it's", "c": "'"}},
		"no-dict-of-broken-json":     {to: Dict, value: `{"a": `, fails: errDict},
		"no-dict-of-two-objects":     {to: Dict, value: `{"a": 1} {}`, fails: errDict},
		"no-dict-of-word":            {to: Dict, value: "word", fails: errDict},
		"no-dict-of-half-pairs":      {to: Dict, value: "a=1, word", fails: errDict},
		"no-dict-of-nothing":         {to: Dict, value: "", fails: errDict},
		"no-dict-of-list":            {to: Dict, value: list{}, fails: errDict},
		"path":                       {to: Path, value: "a/~b", want: "a/~b"},
		"path-of-home":               {to: Path, value: "~", want: "/home/me"},
		"path-below-home":            {to: Path, value: "~/x", want: "/home/me/x"},
		"path-with-variables":        {to: Path, value: "/$DIR/${DIR}/$NONE", want: "/conf/conf/$NONE"},
		"path-of-unknown-user":       {to: Path, value: "~nobody-of-this-name/x", want: "~nobody-of-this-name/x"},
		"no-path-of-list":            {to: Path, value: list{}, fails: errText},
		"raw":                        {to: Raw, value: list{nil}, want: list{nil}},
		"no-such-type":               {to: "json", value: "a", fails: errUnknown},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := convert(c.value, c.to, env)
			require.ErrorIs(t, err, c.fails, c.reason)
			if c.fails == nil {
				assert.Equal(t, c.want, got, c.reason)
			}
		})
	}
}

func TestHomeOf(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	me, err := user.Current()
	require.NoError(t, err)
	assert.Equal(t, me.HomeDir, homeOf("", none), "the user's own, where HOME isn't set")
	assert.Equal(t, me.HomeDir, homeOf(me.Username, none))
	got, err := convert("~"+me.Username+"/x", Path, none)
	require.NoError(t, err)
	assert.Equal(t, strings.TrimSuffix(me.HomeDir, "/")+"/x", got)
}

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want any
		bad  bool
	}{
		"whole-number":  {text: `[1, -2]`, want: []any{int64(1), int64(-2)}},
		"other-numbers": {text: `[1.0, 1e2]`, want: []any{1.0, 100.0}},
		"large-number":  {text: `{"a": 18446744073709551616}`, want: map[string]any{"a": json.Number("18446744073709551616")}},
		"last-of-two":   {text: `{"a": 1, "a": 2}`, want: map[string]any{"a": int64(2)}},
		"nan":           {text: `NaN`, bad: true},
		"too-large":     {text: `[{"a": 1e999}]`, bad: true},
		"two-values":    {text: `{} {}`, bad: true},
		"rest":          {text: `{}]`, bad: true},
		"nothing":       {text: ``, bad: true},
		"deep":          {text: strings.Repeat("[", 100_000), bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decode([]byte(c.text))
			if c.bad {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}
