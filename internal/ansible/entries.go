package ansible

import (
	"fmt"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// OwnGateway returns the gateway of a name, which the scope's owner must own.
func OwnGateway(s derive.Scope, name string) (*model.Gateway, error) {
	var mine []string
	for _, g := range s.Gateways {
		if !s.Mine(g.Owner) {
			if g.Name == name {
				return nil, fmt.Errorf("gateway: %q is owner %q's, and the task is owner %q's; call it from the role that owns it", name, g.Owner, s.Owner.Name)
			}
			continue
		}
		if g.Name == name {
			return g, nil
		}
		mine = append(mine, g.Name)
	}
	return nil, fmt.Errorf("gateway: the model has no gateway %q; owner %q has %s", name, s.Owner.Name, listed(mine))
}

// OwnWorkload returns the workload of a name, which the scope's owner must own.
func OwnWorkload(s derive.Scope, name string) (*model.Workload, error) {
	var mine []string
	for _, w := range s.Workloads {
		if !s.Mine(w.Owner) {
			if w.Name == name {
				return nil, fmt.Errorf("workload: %q is owner %q's, and the task is owner %q's; call it from the role that owns it", name, w.Owner, s.Owner.Name)
			}
			continue
		}
		if w.Name == name {
			return w, nil
		}
		mine = append(mine, w.Name)
	}
	return nil, fmt.Errorf("workload: the model has no workload %q; owner %q has %s", name, s.Owner.Name, listed(mine))
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
