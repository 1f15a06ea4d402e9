package kpt

import "testing"

// TestExamples renders every example with every kpt that there is.
func TestExamples(t *testing.T) {
	t.Parallel()
	kpts := All(t)
	if *update {
		kpts = kpts[:1]
	}
	for _, kpt := range kpts {
		t.Run(Version(t, kpt), func(t *testing.T) {
			t.Parallel()
			for _, e := range Examples(t) {
				t.Run(e.Function+"/"+e.Name, func(t *testing.T) {
					t.Parallel()
					e.Check(t, Variant{Kpt: kpt})
				})
			}
		})
	}
}
