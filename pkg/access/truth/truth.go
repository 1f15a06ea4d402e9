// Package truth is a logic of three values, for a judge who doesn't know everything.
package truth

// Value is whether something holds, as far as it can be known. The order of the
// values makes "and" the smaller and "or" the larger of two; the zero value is Unknown.
type Value int8

// The values.
const (
	No      Value = -1
	Unknown Value = 0
	Yes     Value = 1
)

// String returns "no", "unknown" or "yes".
func (v Value) String() string { return [...]string{"no", "unknown", "yes"}[v+1] }

// Not returns the contrary.
func Not(v Value) Value { return -v }

// Of returns Yes or No.
func Of(holds bool) Value {
	if holds {
		return Yes
	}
	return No
}

// Any returns whether one of the entries holds: none of none does.
func Any[T any](entries []T, holds func(T) Value) Value {
	out := No
	for _, entry := range entries {
		if out = max(out, holds(entry)); out == Yes {
			break
		}
	}
	return out
}

// All returns whether every entry holds: all of none do.
func All[T any](entries []T, holds func(T) Value) Value {
	out := Yes
	for _, entry := range entries {
		if out = min(out, holds(entry)); out == No {
			break
		}
	}
	return out
}
