package accesstest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// entry is what a model says of an object that makes pods. One of the two is set.
type entry struct {
	workload *model.Workload
	gateway  *model.Gateway
}

// entry returns what the model says of an object, whose pods are w where it is
// here; nothing of one that the model doesn't name.
func (s Suite) entry(n model.ObjectName, w *access.Workload) entry {
	if s.Platform == nil {
		return entry{}
	}
	for _, candidate := range s.Platform.Workloads {
		if w != nil && candidate.PodTemplates != nil && candidate.Namespace == n.Namespace && candidate.PodTemplates.Matches(labels.Set(w.Labels())) {
			return entry{workload: candidate}
		}
	}
	for _, w := range s.Platform.Workloads {
		for _, ref := range w.TargetRefs {
			if names(n, ref.Kind, ref.Namespace, ref.Name) {
				return entry{workload: w}
			}
		}
	}
	for _, g := range s.Platform.Gateways {
		if names(n, "Deployment", g.Namespace, g.Deployment) {
			return entry{gateway: g}
		}
	}
	return entry{}
}

// rung returns the profile of a destination: its override's, or its environment's.
func (s Suite) rung(n model.ObjectName, w *access.Workload) model.Profile {
	switch e := s.entry(n, w); {
	case e.workload != nil:
		return e.workload.Profile
	case e.gateway != nil:
		return e.gateway.Profile
	case s.Platform != nil:
		return s.Platform.Profile
	default:
		return s.Profile
	}
}

// absent says who of the model isn't deployed here, and who deploys whom elsewhere.
func (s Suite) absent(e entry) (text string, owner model.Owner) {
	var name, kind string
	var gone bool
	switch {
	case e.workload != nil:
		name, kind, gone = e.workload.Name, "workload", e.workload.Absent
		owner, _ = s.Platform.Owner(e.workload.Owner)
	case e.gateway != nil:
		name, kind, gone = e.gateway.Name, "gateway", e.gateway.Absent
		owner, _ = s.Platform.Owner(e.gateway.Owner)
	}
	if gone {
		return fmt.Sprintf("Environment %q has no %s %q", s.Platform.Environment, kind, name), owner
	}
	return "", owner
}

// source returns who asks, where the status is Passed.
func (s Suite) source(from model.AccessSource) (access.Subject, Status, string) {
	switch {
	case from.Pods != nil:
		return access.Subject{Workload: s.Mesh.Imagine(access.Pods(*from.Pods))}, Passed, ""
	case from.Workload.IsZero():
		return access.Subject{Node: from.Node, Address: from.Address}, Passed, ""
	}
	w, status, text := s.workload(from.Workload, s.imagine)
	return access.Subject{Workload: w}, status, text
}

// imagine returns pods as the model describes them, for somebody whose object
// another build or another tool makes.
func (s Suite) imagine(e entry) *access.Workload {
	var pods access.Pods
	var identity model.Identity
	switch {
	case e.workload != nil:
		identity = e.workload.Identity
		pods.Labels, pods.Injected = e.workload.Selector, e.workload.Enrolled()
	case e.gateway != nil:
		identity = e.gateway.Identity
		pods.Labels, pods.Injected = e.gateway.Selector, true // its pods are a proxy and nothing else
	}
	pods.Namespace, pods.ServiceAccount = identity.Principal.Namespace(), identity.Principal.ServiceAccount()
	pods.TrustDomain = identity.Principal.TrustDomain().Name()
	return s.Mesh.Imagine(pods)
}

// workload returns the pods of a name, where the status is Passed. Where no object
// makes them and the model knows them, imagine may.
func (s Suite) workload(n model.ObjectName, imagine func(entry) *access.Workload) (*access.Workload, Status, string) {
	switch found := s.Mesh.Named(n.Kind, n.Namespace, n.Name); len(found) {
	case 1:
		return found[0], Passed, ""
	case 0:
	default:
		var kinds []string
		for _, w := range found {
			kinds = append(kinds, w.Ref.Kind)
		}
		slices.Sort(kinds)
		return nil, Wrong, fmt.Sprintf("several objects are called %s, of the kinds %s: put the kind before it", n, strings.Join(slices.Compact(kinds), ", "))
	}
	e := s.entry(n, nil)
	known := e != entry{}
	absent, owner := s.absent(e)
	switch {
	case absent != "":
		return nil, Skipped, absent
	case known && imagine != nil && (s.Partial || owner.Tool != model.GitOps):
		return imagine(e), Passed, ""
	case s.Partial:
		return nil, Skipped, fmt.Sprintf("%s isn't among the objects", n)
	case known && owner.Tool != model.GitOps:
		return nil, Skipped, fmt.Sprintf("%s is deployed by %s, not by a build", n, owner.Tool)
	}
	return nil, Wrong, fmt.Sprintf("no object %s makes pods", n)
}

// port returns the port that is asked, or what is wrong with it.
func (s Suite) port(w *access.Workload, port int32) (number int32, wrong string) {
	ports := s.Mesh.Served(w)
	var list []string
	for _, p := range ports {
		list = append(list, strconv.Itoa(int(p)))
	}
	switch {
	case port == 0 && len(ports) == 1:
		return ports[0], ""
	case port == 0 && len(ports) == 0:
		return 0, fmt.Sprintf("no container and no Service declares a port of %s: say which one", w)
	case port == 0:
		return 0, fmt.Sprintf("%s has the ports %s: say which one", w, strings.Join(list, ", "))
	case len(ports) > 0 && !slices.Contains(ports, port): // else a slip in the number would pass for a denial
		return 0, fmt.Sprintf("nothing declares port %d of %s; there are %s, which are the pods' own and not a Service's", port, w, strings.Join(list, ", "))
	}
	return port, ""
}
