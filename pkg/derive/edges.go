package derive

import "github.com/ringfence-dev/ringfence/pkg/model"

// Edge says that the holders of some principals may reach a destination.
type Edge struct {
	// From names the caller as the model does: "workload web", "gateway x", "principal y".
	From string
	// Principals that the caller shows, new ones first.
	Principals []model.Principal
	// To is the destination.
	To    *model.Workload
	Ports []model.Port
}

// Edges returns who may call whom where policies are enforced, in the model's
// order. A destination below the enforced rung admits everybody and has none;
// neither has one that admits nobody.
func Edges(p *model.Platform) []Edge {
	var out []Edge
	for _, w := range p.Workloads {
		if w.Absent || !w.Protected || !w.Profile.Enforces() {
			continue
		}
		for _, c := range w.Callers {
			if !c.Absent() {
				out = append(out, Edge{From: c.String(), Principals: c.Principals(), To: w, Ports: w.Ports})
			}
		}
	}
	return out
}
