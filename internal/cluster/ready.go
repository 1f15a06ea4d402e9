package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// proxyContainer is what Istio calls the container of its proxy.
const proxyContainer = "istio-proxy"

// group is pods that a policy's principals are to come from, or whom it protects.
type group struct {
	name, namespace string
	selector        map[string]string
	identity        model.Identity
	// protected says that they are whom the policy protects.
	protected bool
	// sidecar says that they need one: an application's pods, and no gateway's.
	sidecar bool
	// templates are the objects that make them, where those are the scope's: this run,
	// or one before it, may have changed them a moment ago.
	templates []resource.Ref
}

// ready looks whether live pods are ready for the policies that are about to be
// written: whoever calls must have a proxy and run under the identity that the
// policy trusts (DD-0025, phases 2 and 5). It gives pods time that the scope's own
// rollouts are about to replace; for others' nobody knows what it would wait for.
func (r *run) ready(ctx context.Context, policies, templates []*object) error {
	groups := r.groups(policies)
	if len(groups) == 0 {
		return nil
	}
	if r.client.DryRun() && len(templates) > 0 {
		return nil // their pods will be others by then
	}
	wait := r.task.Unready == Refuse && r.task.Wait.Rollouts > 0 && !r.client.DryRun()
	var found finding.List
	look := func() (string, error) {
		found = nil
		waiting := ""
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			findings, err := r.look(ctx, groups[name])
			if err != nil {
				return "", err
			}
			if findings.Failed() && wait && len(groups[name].templates) > 0 {
				waiting = "pods of " + name + " aren't ready"
			}
			found.Add(findings...)
		}
		return waiting, nil
	}
	if wait {
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			for _, ref := range groups[name].templates {
				if err := r.rollout(ctx, ref); err != nil {
					return err
				}
			}
		}
	}
	if err := r.poll(ctx, look, func(string) error { return nil }); err != nil {
		return err
	}
	if r.task.Unready == Report {
		for i := range found {
			found[i].Severity = finding.Warning
		}
	}
	r.findings.Add(found...)
	return nil
}

// groups returns the pods that policies are about, by their names.
func (r *run) groups(policies []*object) map[string]group {
	out := map[string]group{}
	for _, o := range policies {
		section, name := entryOf(resource.String(o.content, "metadata", "annotations", v1alpha1.AnnotationSource))
		switch section {
		case policy.SectionGateways:
			for _, g := range r.task.Scope.Gateways {
				if g.Name == name {
					add(out, r.gatewayGroup(g))
				}
			}
		case policy.SectionWorkloads:
			for _, w := range r.task.Scope.Workloads {
				if w.Name != name {
					continue
				}
				protected := r.workloadGroup(w)
				protected.protected, protected.name = true, protected.name+" itself"
				add(out, protected)
				for _, c := range w.Callers {
					switch {
					case c.Absent():
					case c.Workload != nil:
						add(out, r.workloadGroup(c.Workload))
					case c.Gateway != nil:
						add(out, r.gatewayGroup(c.Gateway))
					}
				}
			}
		}
	}
	return out
}

func add(groups map[string]group, g group) { groups[g.name] = g }

func (r *run) gatewayGroup(g *model.Gateway) group {
	var templates []resource.Ref
	if r.task.Scope.Mine(g.Owner) && g.TargetRef.IsZero() {
		templates = []resource.Ref{policy.DeploymentRef(g.Namespace, g.Deployment)}
	}
	selector := g.Selector
	if !g.TargetRef.IsZero() {
		selector = map[string]string{"gateway.networking.k8s.io/gateway-name": g.TargetRef.Name}
	}
	return group{name: "gateway " + g.Name, namespace: g.Namespace, selector: selector, identity: g.Identity, templates: templates}
}

func (r *run) workloadGroup(w *model.Workload) group {
	var templates []resource.Ref
	if r.task.Scope.Mine(w.Owner) {
		templates = w.TargetRefs
	}
	return group{name: "workload " + w.Name, namespace: w.Namespace, selector: w.Selector, identity: w.Identity, sidecar: true, templates: templates}
}

// look reports the live pods of a group that aren't ready.
func (r *run) look(ctx context.Context, g group) (finding.List, error) {
	var out finding.List
	err := r.client.list(ctx, pods, g.namespace, labels.SelectorFromSet(g.selector).String(), func(o *unstructured.Unstructured) {
		phase := resource.String(o.Object, "status", "phase")
		if o.GetDeletionTimestamp() != nil || phase == "Succeeded" || phase == "Failed" {
			return
		}
		ref := refOf(o)
		if g.sidecar && !hasProxy(o) {
			f := finding.New(finding.PodUnready, ref, "spec.containers", "it is of %s, a caller, and has no proxy (%s): its requests carry no principal and would be refused", g.name, proxyContainer)
			if g.protected {
				f = finding.New(finding.PodUnprotected, ref, "spec.containers", "it is of %s and has no proxy (%s): nothing would enforce its policy", strings.TrimSuffix(g.name, " itself"), proxyContainer)
			}
			out.Add(f)
			return
		}
		account := resource.String(o.Object, "spec", "serviceAccountName")
		if account == "" {
			account = "default"
		}
		trusted := slices.ContainsFunc(g.identity.All(), func(p model.Principal) bool {
			return p.Namespace() == g.namespace && p.ServiceAccount() == account
		})
		if !trusted && !g.protected {
			out.Add(finding.New(finding.PodUnready, ref, "spec.serviceAccountName", "it is of %s and runs as %q, and the model's identity is %q", g.name, account, g.identity.Principal.ServiceAccount()).
				WithValues(account, g.identity.Principal.ServiceAccount()))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("looking at the pods of %s: %w", g.name, err)
	}
	return out, nil
}

// hasProxy reports whether Istio injected a pod: as a container, or as a native sidecar.
func hasProxy(o *unstructured.Unstructured) bool {
	for _, field := range []string{"containers", "initContainers"} {
		for _, entry := range resource.List(o.Object, "spec", field) {
			container, _ := entry.(map[string]any)
			if container["name"] == proxyContainer && (field == "containers" || container["restartPolicy"] == resource.RestartAlways) {
				return true
			}
		}
	}
	return false
}
