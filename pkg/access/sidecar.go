package access

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// sidecar is a Sidecar that says which Services pods know.
type sidecar struct {
	ref   resource.Ref
	match map[string]string
	hosts []string // "<namespace>/<host>"
}

// sidecarOf returns the Sidecars of which one counts for a workload: of those that
// select its pods, else of its namespace's, else of the mesh's the oldest, and
// which that is isn't known (pilot/pkg/model, doGetSidecarScope).
func (m *Mesh) sidecarOf(w *Workload) []sidecar {
	if w.Gateway || len(m.sidecars) == 0 {
		return nil
	}
	var selecting, own, mesh []sidecar
	for _, s := range m.sidecars {
		switch {
		case s.ref.Namespace == w.namespace && len(s.match) > 0:
			if resource.Selects(s.match, w.labels) {
				selecting = append(selecting, s)
			}
		case s.ref.Namespace == w.namespace:
			own = append(own, s)
		case s.ref.Namespace == m.RootNamespace && len(s.match) == 0:
			mesh = append(mesh, s)
		}
	}
	for _, level := range [][]sidecar{selecting, own} {
		if len(level) > 0 {
			return level
		}
	}
	return mesh
}

// hides returns a Sidecar for which the client's proxy doesn't know any of the
// Services that lead to the destination, or may not: then it neither speaks mutual
// TLS nor, perhaps, lets the connection out.
func (j *judge) hides(t *target) (sidecar, bool) {
	for _, s := range j.sidecarOf(j.From.Workload) {
		if len(s.hosts) == 0 {
			continue // it says nothing about what pods know
		}
		if len(t.services) == 0 || !slices.ContainsFunc(t.services, func(to service) bool { return s.knows(j.From.Workload.namespace, to) }) {
			return s, true
		}
	}
	return sidecar{}, false
}

// knows reports whether the proxies of a namespace's pods know a Service: one of
// the hosts is for it, and none with a "~" in front of its namespace.
func (s sidecar) knows(client string, to service) bool {
	known := false
	for _, host := range s.hosts {
		namespace, name, _ := strings.Cut(host, "/")
		namespace, excluded := strings.CutPrefix(namespace, "~")
		switch {
		case namespace == "." && client != to.ref.Namespace, // the client's, of a mesh-wide Sidecar too
			!slices.Contains([]string{"", ".", "*", to.ref.Namespace}, namespace),
			specific(name, hostOf(to)) < 0:
		case excluded:
			return false
		default:
			known = true
		}
	}
	return known
}
