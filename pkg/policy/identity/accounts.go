package identity

import (
	"slices"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	fieldPullSecrets = "imagePullSecrets"
	fieldAutomount   = "automountServiceAccountToken"
)

// planAccounts makes the ServiceAccounts of the entries. One that several entries
// share is made by the first of them in the model's order, whoever owns it: two
// builds that held it would overwrite each other.
func planAccounts(in policy.Input, entries []entry, assignments []assignment) policy.Plan {
	var (
		plan    policy.Plan
		unknown []assignment
	)
	makers := makersOf(in)
	pods := map[account][]assignment{}
	for _, a := range assignments {
		pods[a.to()] = append(pods[a.to()], a)
	}
	for _, e := range entries {
		at := accountOf(e.identity.Principal)
		if makers[at] != e.source {
			continue
		}
		h := inherit(in, pods[at])
		if planAccount(in, at, e.source, h, &plan) {
			keepTokens(in, at, h, &plan)
			unknown = append(unknown, h.unknown...)
		}
		// Pods run under the name that a rename leaves until they are replaced: its
		// ServiceAccount must not go before them, as it would with Argo CD's prune.
		for _, p := range e.identity.Previous {
			if old := accountOf(p); makers[old] == "" {
				planAccount(in, old, e.source, h, &plan)
			}
		}
	}
	plan.Findings.Add(lostSecrets(in, unknown)...)
	return plan
}

// makersOf returns the source of each ServiceAccount: the first entry with its
// identity that this environment has and whose owner writes objects.
func makersOf(in policy.Input) map[account]string {
	out := map[account]string{}
	add := func(i model.Identity, owner, source string, absent bool) {
		at := accountOf(i.Principal)
		if o, _ := in.Platform.Owner(owner); out[at] == "" && !absent && o.Tool != model.External {
			out[at] = source
		}
	}
	for _, g := range in.Gateways {
		add(g.Identity, g.Owner, gatewaySource(g), g.Absent)
	}
	for _, w := range in.Workloads {
		add(w.Identity, w.Owner, workloadSource(w), w.Absent)
	}
	return out
}

// heritage is what a ServiceAccount takes over from those that its pods leave.
type heritage struct {
	pods        []assignment
	pullSecrets []string
	// noToken says that one of the old ones mounts no token: the split grants none.
	noToken bool
	// unknown are the pods whose old pull secrets can't be seen and may be needed.
	unknown []assignment
}

func inherit(in policy.Input, pods []assignment) heritage {
	h := heritage{pods: pods}
	for _, a := range pods {
		if !a.moves() {
			continue
		}
		old := in.Resources.Get(a.from().ref())
		if old == nil {
			if needsSecrets(a.PodTemplate) {
				h.unknown = append(h.unknown, a)
			}
			continue
		}
		for _, name := range pullSecrets(old) {
			if !slices.Contains(h.pullSecrets, name) {
				h.pullSecrets = append(h.pullSecrets, name)
			}
		}
		h.noToken = h.noToken || refusesToken(old)
	}
	return h
}

func pullSecrets(o *resource.Object) []string {
	var out []string
	for _, entry := range resource.List(o.Content(), fieldPullSecrets) {
		secret, _ := entry.(map[string]any)
		if name := resource.String(secret, "name"); name != "" {
			out = append(out, name)
		}
	}
	return out
}

func refusesToken(o *resource.Object) bool {
	mounts, set := resource.Map(o.Content())[fieldAutomount].(bool)
	return set && !mounts
}

// planAccount makes or completes one ServiceAccount and reports whether it is
// ours to write. One that the build has from elsewhere stays as its author meant it.
func planAccount(in policy.Input, at account, source string, h heritage, plan *policy.Plan) bool {
	origin := policy.OriginOf(in.Scope)
	object := origin.New(at.ref(), source, h.body())
	o := in.Resources.Get(at.ref())
	if o == nil {
		plan.Create = append(plan.Create, object)
		return true
	}
	for _, twin := range in.Resources.Duplicates(at.ref()) {
		plan.Findings.Add(finding.New(finding.ObjectDuplicate, twin.Ref(), "", "it stands twice in this build, and is the identity of an entry of the model (%s)", source))
	}
	if !policy.Generated(o) {
		return false
	}
	if !origin.Made(o) {
		labels := o.Labels()
		plan.Findings.Add(finding.New(finding.ObjectForeign, o.Ref(), "metadata.labels", "it belongs to owner %q of model %q, and is the identity of an entry of owner %q (%s)",
			labels[v1alpha1.LabelOwner], labels[v1alpha1.LabelModel], in.Owner.Name, source))
		return false
	}
	plan.Annotate(o, object, "what the model derives")
	has := pullSecrets(o)
	for _, name := range h.pullSecrets {
		if !slices.Contains(has, name) {
			plan.Set(o, resource.Path{fieldPullSecrets, resource.Append}, secretReference(name), "the pods' old ServiceAccount has it")
		}
	}
	if h.noToken {
		plan.Set(o, resource.Path{fieldAutomount}, false, "the pods' old ServiceAccount has it")
	}
	return true
}

func (h heritage) body() map[string]any {
	body := map[string]any{}
	if h.noToken {
		body[fieldAutomount] = false
	}
	var secrets []any
	for _, name := range h.pullSecrets {
		secrets = append(secrets, secretReference(name))
	}
	if len(secrets) > 0 {
		body[fieldPullSecrets] = secrets
	}
	return body
}

func secretReference(name string) map[string]any { return map[string]any{"name": name} }

// keepTokens lets pods that had a token keep it where the shared ServiceAccount
// mounts none because of others.
func keepTokens(in policy.Input, at account, h heritage, plan *policy.Plan) {
	if o := in.Resources.Get(at.ref()); !h.noToken && (o == nil || !refusesToken(o)) {
		return
	}
	for _, a := range h.pods {
		if old := in.Resources.Get(a.from().ref()); a.Spec.AutomountServiceAccountToken == nil && (old == nil || !refusesToken(old)) {
			plan.Set(a.Object, a.SpecAt.Child(fieldAutomount), true, "its pods mount a token today, and "+at.String()+" mounts none")
		}
	}
}
