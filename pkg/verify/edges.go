package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// edges asks the judge, who knows no model, whether the objects admit exactly the
// model's edges. It proves what the other rules only derive again, and is asked
// where they find nothing wrong: else it would say the same in other words.
func edges(in policy.Input) finding.List {
	p := proof{Input: in, picked: map[*resource.Object]bool{}, judged: map[resource.Key]*access.Workload{}}
	destinations, gateways := p.destinations(), p.gateways()
	if len(destinations)+len(gateways) == 0 {
		return nil
	}
	p.gated = len(gateways) > 0
	p.read()
	var out finding.List
	for _, d := range destinations {
		out.Add(p.destination(d)...)
	}
	for _, g := range gateways {
		out.Add(p.gateway(g)...)
	}
	for _, u := range p.mesh.Unjudged {
		if u.Ref.Kind == "Gateway" { // whose servers nobody is asked about above
			out.Add(finding.New(finding.EdgeUnknown, u.Ref, "", "what gateways serve for it isn't known: %s", u.Reason))
		}
	}
	return out
}

// proof compares what the model says with what the objects do.
type proof struct {
	policy.Input
	objects []*resource.Object
	picked  map[*resource.Object]bool
	gated   bool // gateways are among what is compared
	mesh    *access.Mesh
	judged  map[resource.Key]*access.Workload
	// identities are pods to ask as, one for each principal of the model; principals has the model's order.
	identities map[model.Principal]*access.Workload
	principals []model.Principal
}

func (p *proof) pick(objects ...*resource.Object) {
	for _, o := range objects {
		if o != nil && !p.picked[o] {
			p.picked[o] = true
			p.objects = append(p.objects, o)
		}
	}
}

// destinations returns the owner's workloads whose policies are enforced, and
// picks their pods and those of their callers.
func (p *proof) destinations() []*model.Workload {
	var out []*model.Workload
	for w := range p.MyWorkloads() {
		if !w.Protected || !w.Profile.Enforces() {
			continue
		}
		out = append(out, w)
		p.pickWorkload(w)
		for _, c := range w.Callers {
			switch {
			case c.Workload != nil:
				p.pickWorkload(c.Workload)
			case c.Gateway != nil:
				p.pick(p.Resources.Get(policy.DeploymentRef(c.Gateway.Namespace, c.Gateway.Deployment)))
			}
		}
	}
	return out
}

func (p *proof) pickWorkload(w *model.Workload) {
	for _, t := range p.templates(w) {
		p.pick(t.Object)
	}
}

// templates returns the pod templates of a workload that are here; another owner's may not be.
func (p *proof) templates(w *model.Workload) []*resource.PodTemplate {
	out, _ := p.Templates(w)
	return slices.DeleteFunc(out, func(t *resource.PodTemplate) bool { return t == nil })
}

func (p *proof) gateways() []*model.Gateway {
	var out []*model.Gateway
	for g := range p.MyGateways() {
		o := p.Resources.Get(policy.DeploymentRef(g.Namespace, g.Deployment))
		if g.HostPolicy && g.Profile.Enforces() && o != nil && len(g.Hosts) > 0 {
			p.pick(o)
			out = append(out, g)
		}
	}
	return out
}

// deciding are the kinds of which every object counts. Of pods, Services and
// Gateways those of the model's entries do: there may be thousands of others.
var deciding = []struct{ group, kind string }{
	{"", "Namespace"},
	{"networking.k8s.io", "NetworkPolicy"},
	{"security.istio.io", "AuthorizationPolicy"},
	{"security.istio.io", "PeerAuthentication"},
	{"security.istio.io", "RequestAuthentication"},
	{"networking.istio.io", "DestinationRule"},
	{"networking.istio.io", "EnvoyFilter"},
	{"networking.istio.io", "Sidecar"},
	{"extensions.istio.io", "WasmPlugin"},
}

func (p *proof) read() {
	labels := map[string][]string{} // the values of the pods' labels, by namespace
	var all []string
	for _, o := range p.objects {
		for _, value := range o.PodTemplate().Labels {
			if namespace := o.Ref().Namespace; value != "true" && !slices.Contains(labels[namespace], value) {
				labels[namespace], all = append(labels[namespace], value), append(all, value)
			}
		}
	}
	for _, k := range deciding {
		p.pick(p.Resources.Kind(k.group, k.kind)...)
	}
	for _, o := range p.Resources.Kind("", "Service") {
		if slices.ContainsFunc(labels[o.Ref().Namespace], o.Mentions) {
			p.pick(o)
		}
	}
	if p.gated {
		for _, o := range p.Resources.Kind("networking.istio.io", "Gateway") {
			if slices.ContainsFunc(all, o.Mentions) || !o.Mentions("selector") {
				p.pick(o)
			}
		}
	}
	p.mesh = access.Of(p.objects, Settings(p.Istio))
	for _, w := range p.mesh.Workloads {
		p.judged[w.Ref.Key()] = w
	}
	p.identities = map[model.Principal]*access.Workload{}
	for _, g := range p.Gateways {
		p.imagine(g.Selector, g.Identity.All()...)
	}
	for _, w := range p.Workloads {
		p.imagine(w.Selector, w.Identity.All()...)
		for _, c := range w.Callers {
			p.imagine(nil, c.Principals()...)
		}
	}
}

func (p *proof) imagine(labels map[string]string, principals ...model.Principal) {
	for _, principal := range principals {
		if p.identities[principal] == nil {
			p.principals = append(p.principals, principal)
			p.identities[principal] = p.mesh.Imagine(access.Pods{
				Namespace: principal.Namespace(), ServiceAccount: principal.ServiceAccount(),
				TrustDomain: principal.TrustDomain().String(), Labels: labels, Injected: true,
			})
		}
	}
}

// nobody is a ServiceAccount that no model can name, for it is no valid name.
const nobody = "(any other)"

// destination compares who reaches a workload's pods with the model's callers.
func (p *proof) destination(w *model.Workload) finding.List {
	var out finding.List
	templates := p.templates(w)
	ports, _ := p.ResolvePorts(w, templates) // what it finds is reported where the policy is derived
	named := map[int32]bool{}
	for _, port := range ports {
		named[port.Number()] = true
	}
	for _, t := range templates {
		to := p.judged[t.Object.Ref().Key()]
		if to == nil {
			continue // it can't be read, which is reported
		}
		for _, port := range ports {
			out.Add(p.port(w, to, port.Number())...)
		}
		for _, number := range p.mesh.Ports(to) {
			if ask := p.mesh.Ask(to, number); !named[number] && max(ask(p.stranger(w.Namespace, true)), ask(p.stranger(w.Namespace, false))) == truth.Yes {
				out.Add(finding.New(finding.EdgePort, to.Ref, "", "pods that the model doesn't name reach port %d, of which its workload %q says nothing", number, w.Name))
			}
		}
	}
	return out
}

func (p *proof) stranger(namespace string, injected bool) *access.Workload {
	return p.mesh.Imagine(access.Pods{Namespace: namespace, ServiceAccount: nobody, Injected: injected})
}

func (p *proof) port(w *model.Workload, to *access.Workload, number int32) finding.List {
	var out finding.List
	ask := p.mesh.Ask(to, number)
	due := map[model.Principal]bool{}
	var open, unknown []*access.Workload
	for _, c := range w.Callers {
		if c.Absent() {
			continue
		}
		for _, principal := range c.Principals() {
			due[principal] = true
		}
		for _, from := range p.pods(c) {
			switch v := p.mesh.Judge(access.Request{From: access.Subject{Workload: from}, To: to, Port: number}); {
			case v.Allowed == truth.Yes, decisive(v).Stage == access.Network && p.judged[from.Ref.Key()] != from:
				// NetworkPolicies know pods by labels that a principal doesn't tell.
			case v.Allowed == truth.Unknown:
				unknown = append(unknown, from)
			default:
				out.Add(finding.New(finding.EdgeDenied, to.Ref, "", "%s (%s) is a caller of workload %q and doesn't reach its port %d: %s", c, from, w.Name, number, decisive(v)))
			}
		}
	}
	judge := func(from *access.Workload) {
		switch ask(from) {
		case truth.Yes:
			open = append(open, from)
		case truth.Unknown:
			unknown = append(unknown, from)
		case truth.No:
		}
	}
	for _, principal := range p.principals {
		if !due[principal] {
			judge(p.identities[principal])
		}
	}
	for _, from := range []*access.Workload{p.stranger(w.Namespace, true), p.stranger(w.Namespace, false), p.stranger(w.Namespace+"-other", true), nil} {
		judge(from)
	}
	if len(open) > 0 {
		step := p.last(access.Request{From: access.Subject{Workload: open[0]}, To: to, Port: number})
		out.Add(finding.New(finding.EdgeOpen, to.Ref, "", "%s%s reaches port %d of workload %q and is no caller of it in the model: %s", subject(open[0]), more(open), number, w.Name, step))
	}
	if len(unknown) > 0 {
		step := p.last(access.Request{From: access.Subject{Workload: unknown[0]}, To: to, Port: number})
		out.Add(finding.New(finding.EdgeUnknown, to.Ref, "", "whether %s%s reaches port %d of workload %q isn't known: %s", subject(unknown[0]), more(unknown), number, w.Name, step))
	}
	return out
}

// pods returns the pods of a caller: those that are here, and one imagined for
// each principal that none of them has.
func (p *proof) pods(c model.Caller) []*access.Workload {
	var out []*access.Workload
	if c.Workload != nil {
		for _, t := range p.templates(c.Workload) {
			if w := p.judged[t.Object.Ref().Key()]; w != nil {
				out = append(out, w)
			}
		}
	}
	if c.Gateway != nil {
		if w := p.judged[policy.DeploymentRef(c.Gateway.Namespace, c.Gateway.Deployment).Key()]; w != nil {
			out = append(out, w)
		}
	}
	for _, principal := range c.Principals() {
		if !slices.ContainsFunc(out, func(w *access.Workload) bool { return w.Principal() == principal.String() }) {
			out = append(out, p.identities[principal])
		}
	}
	return out
}

// gateway compares the hosts that a gateway admits with the model's.
func (p *proof) gateway(g *model.Gateway) finding.List {
	to := p.judged[policy.DeploymentRef(g.Namespace, g.Deployment).Key()]
	if to == nil {
		return nil
	}
	var out finding.List
	ports := map[int32]bool{}
	for _, e := range p.mesh.Entries() {
		if e.Gateway == to {
			ports[e.Port] = true
		}
	}
	for _, port := range slices.Sorted(maps.Keys(ports)) {
		judge := func(host string, sni authz.Text) access.Verdict {
			return p.mesh.Judge(access.Request{To: to, Port: port, HTTP: &authz.HTTP{Host: authz.Is(host)}, SNI: sni})
		}
		for _, pattern := range derive.HostPatterns(g) {
			host := concrete(pattern)
			if v := judge(host, authz.Text{}); v.Allowed == truth.No {
				out.Add(finding.New(finding.EdgeDenied, to.Ref, "", "gateway %q serves host %q and doesn't let it in on port %d: %s", g.Name, host, port, decisive(v)))
			}
		}
		// Whoever asks for a name in the TLS handshake may ask for another host thereafter.
		switch v := judge(access.OtherHost, authz.Is(concrete(g.Hosts[0].String()))); v.Allowed {
		case truth.Yes:
			out.Add(finding.New(finding.EdgeOpen, to.Ref, "", "gateway %q lets in host %q on port %d, which is none of the model's: %s", g.Name, access.OtherHost, port, decisive(v)))
		case truth.Unknown:
			out.Add(finding.New(finding.EdgeUnknown, to.Ref, "", "whether gateway %q lets in host %q on port %d, which is none of the model's, isn't known: %s", g.Name, access.OtherHost, port, decisive(v)))
		case truth.No:
		}
	}
	return out
}

// concrete returns a host that a pattern of a policy is for.
func concrete(pattern string) string {
	if rest, wildcard := strings.CutPrefix(pattern, "*"); wildcard {
		return "any" + rest
	}
	return strings.Replace(pattern, ":*", ":8443", 1)
}

func (p *proof) last(r access.Request) access.Step { return decisive(p.mesh.Judge(r)) }

// decisive returns the step of a verdict that says the same as the verdict.
func decisive(v access.Verdict) access.Step {
	for _, s := range slices.Backward(v.Steps) {
		if s.Allowed == v.Allowed {
			return s
		}
	}
	return access.Step{Text: "what may decide says different things"}
}

func subject(w *access.Workload) string { return access.Subject{Workload: w}.String() }

func more(all []*access.Workload) string {
	if len(all) == 1 {
		return ""
	}
	return fmt.Sprintf(" (and %d more kinds of callers)", len(all)-1)
}
