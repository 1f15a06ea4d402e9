package verify

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const productionTier = model.ProductionTier

// gatewayAllows: no gateway ALLOW policy contains an empty rule or omits the
// host operation (static test 6). It holds on every rung: before any policy of
// ours is there, an empty rule admits nobody who isn't admitted without it, and
// on the way up it would void ours.
func gatewayAllows(in policy.Input) finding.List {
	policies, out := policy.Authorizations(in.Resources)
	for _, g := range in.Gateways {
		for _, a := range policies {
			if !g.Absent && a.Decides() && a.AppliesTo(in, g) {
				out.Add(policy.OpenRules(a, g)...)
			}
		}
	}
	return out
}

// sharedAccounts are ServiceAccounts that no gateway may run under (static test 7).
var sharedAccounts = []string{"default", "istiod", "istio-ingress"}

// gatewayIdentities: a gateway runs under its own ServiceAccount (static test 7).
// Gateways that the model doesn't know are held to it as well.
func gatewayIdentities(in policy.Input) finding.List {
	var out finding.List
	known := map[resource.Key]*model.Gateway{}
	accounts := map[string]string{}
	for _, g := range in.Gateways {
		known[policy.DeploymentRef(g.Namespace, g.Deployment).Key()] = g
		for _, p := range g.Identity.All() {
			accounts[p.Namespace()+"/"+p.ServiceAccount()] = g.Name
		}
	}
	for _, o := range gatewayCandidates(in) {
		t := o.PodTemplate()
		if t == nil {
			continue
		}
		g := known[o.Ref().Key()]
		if g == nil && !RunsGateway(t) {
			continue
		}
		account := t.ServiceAccount()
		holder := accounts[o.Ref().Namespace+"/"+account]
		add := func(format string, args ...any) {
			f := finding.New(finding.IdentityGateway, o.Ref(), t.SpecAt.Child("serviceAccountName").String(), format, args...)
			if g != nil {
				f = f.WithValues(account, g.Identity.Principal.ServiceAccount())
			}
			out.Add(f)
		}
		switch {
		case slices.Contains(sharedAccounts, account):
			add("the gateway runs as ServiceAccount %q, which others share", account)
		case g == nil && holder != "":
			add("it runs as ServiceAccount %q, the identity of gateway %q, and the model doesn't know it", account, holder)
		case g != nil && holder != g.Name:
			add("gateway %q runs as ServiceAccount %q and its identity is %q", g.Name, account, g.Identity.Principal.ServiceAccount())
		}
	}
	return out
}

// gatewayCandidates returns the objects that may run a gateway, without reading those that can't.
func gatewayCandidates(in policy.Input) []*resource.Object {
	names := map[resource.Key]bool{}
	for _, g := range in.Gateways {
		names[policy.DeploymentRef(g.Namespace, g.Deployment).Key()] = true
	}
	var out []*resource.Object
	for _, kind := range resource.PodKinds {
		for _, o := range in.Resources.Kind(kind.Group, kind.Kind) {
			if names[o.Ref().Key()] || o.Mentions("istio-proxy") || o.Mentions(annotationTemplates) {
				out = append(out, o)
			}
		}
	}
	return out
}

const annotationTemplates = "inject.istio.io/templates"

// RunsGateway reports whether a pod template is a gateway's: injected as one, or
// with the proxy as a container of its own.
func RunsGateway(t *resource.PodTemplate) bool {
	for template := range strings.SplitSeq(t.Annotations[annotationTemplates], ",") {
		if strings.TrimSpace(template) == "gateway" {
			return true
		}
	}
	for _, c := range t.Spec.Containers {
		if c.Name == "istio-proxy" && slices.Contains(c.Args, "router") {
			return true
		}
	}
	return false
}
