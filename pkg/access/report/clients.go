package report

import (
	"slices"
)

// Clients are workloads that reach the same.
type Clients struct {
	// Workloads by name: "<namespace>/<name>".
	Workloads []string `json:"workloads"`
	// Outside says that everybody outside of the cluster is one of them.
	Outside bool `json:"outside,omitempty"`
}

func (c Clients) names() []string {
	if c.Outside {
		return append(slices.Clone(c.Workloads), outside)
	}
	return c.Workloads
}

// outside is what everybody outside of the cluster is called.
const outside = "(outside)"

// everybody is what all clients are called, and everyPod all but those outside.
const (
	everybody = "everybody, outside of the cluster too"
	everyPod  = "every pod of the cluster"
)

// whoever names groups of clients in as few words as they need. whole says that
// nobody is left out of all.
func whoever(all []Clients, groups []int, whole bool) []string {
	in := make([]bool, len(all))
	for _, i := range groups {
		in[i] = true
	}
	var names, others []string
	left, isOutside := 0, false
	for i, c := range all {
		if in[i] {
			names, isOutside = append(names, c.Workloads...), isOutside || c.Outside
		} else {
			left += len(c.Workloads)
		}
	}
	few := whole && left <= most && len(names) > 2*left
	for i, c := range all {
		if few && !in[i] {
			others = append(others, c.Workloads...)
		}
	}
	slices.Sort(names)
	slices.Sort(others)
	switch {
	case few && isOutside && len(others) == 0:
		return []string{everybody}
	case few && isOutside:
		return append([]string{everybody + ", but not " + others[0]}, others[1:]...)
	case few && len(others) == 0:
		return []string{everyPod + ", nobody outside"}
	case few:
		return append([]string{everyPod + " but " + others[0]}, others[1:]...)
	case isOutside:
		names = append(names, "everybody outside of the cluster")
	}
	return names
}
