package policy

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Reconcile plans what makes the objects of one section equal the wanted ones:
// missing ones are created, ours are set to our spec, those of ours that are no
// longer wanted are removed. unwanted names objects that the section would have
// on another rung: a stranger of such a name is not left to stand in for ours.
//
// A stranger of a wanted or unwanted name is adopted when it is an ALLOW policy
// that admits everything (the before-state that the whole design replaces), and
// an error otherwise.
//
// ServiceAccounts are of the same sections and are left alone: pods run as them on
// every rung, so that the identity unit alone knows when one may go.
func Reconcile(existing *resource.Set, origin Origin, section string, wanted []Object, unwanted []resource.Ref) Plan {
	var plan Plan
	named := map[*resource.Object]bool{}
	for _, object := range wanted {
		for _, o := range existing.Named(object.Ref) {
			named[o] = true
		}
		plan.Add(reconcileOne(existing, origin, object))
	}
	for _, ref := range unwanted {
		for _, o := range existing.Named(ref) {
			if !named[o] {
				named[o] = true
				plan.Add(removeOne(o, origin))
			}
		}
	}
	for o := range existing.All() {
		if !named[o] && origin.Made(o) && SectionOf(o) == section && !isServiceAccount(o) {
			plan.Remove = append(plan.Remove, Removal{Object: o, Reason: notDerived})
		}
	}
	return plan
}

const notDerived = "the model no longer derives it here"

// removeOne takes out an object of an unwanted name.
func removeOne(o *resource.Object, origin Origin) Plan {
	if origin.Made(o) { // of this section or not: someone may have changed the annotation that says so
		return Plan{Remove: []Removal{{Object: o, Reason: notDerived}}}
	}
	reason, foreign := adoptable(o)
	if foreign != nil {
		return Plan{Findings: finding.List{*foreign}}
	}
	return Plan{
		Remove: []Removal{{Object: o, Reason: reason}},
		Findings: finding.List{finding.New(finding.ObjectAdopted, o.Ref(), "",
			"%s; it is removed, for this environment derives no policy of this name", reason)},
	}
}

func reconcileOne(existing *resource.Set, origin Origin, object Object) Plan {
	var plan Plan
	o := existing.Get(object.Ref)
	if o == nil {
		plan.Create = append(plan.Create, object)
		return plan
	}
	for _, twin := range existing.Duplicates(object.Ref) {
		plan.Findings.Add(finding.New(finding.ObjectDuplicate, twin.Ref(), "", "a second object has the name of a generated one"))
	}
	reason := object.Source + " of the model"
	if !origin.Made(o) {
		adopted, err := adoptable(o)
		if err != nil {
			plan.Findings.Add(*err)
			return plan
		}
		reason = "adopted: " + adopted
		plan.Findings.Add(finding.New(finding.ObjectAdopted, o.Ref(), "spec", "%s; it is replaced by what the model derives", adopted))
	}
	plan.Set(o, resource.Path{"apiVersion"}, object.Ref.APIVersion, reason)
	for _, key := range slices.Sorted(maps.Keys(object.Labels)) {
		plan.Set(o, resource.Path{"metadata", "labels", key}, object.Labels[key], reason)
	}
	plan.Annotate(o, object, reason)
	for _, key := range annotationsThatVoid {
		plan.Set(o, resource.Path{"metadata", "annotations", key}, nil, "with this annotation the object would have no effect")
	}
	for _, key := range slices.Sorted(maps.Keys(object.Body)) {
		plan.Set(o, resource.Path{key}, object.Body[key], reason)
	}
	return plan
}

// annotationDryRun makes Istio log what a policy would do, and do nothing.
const annotationDryRun = "istio.io/dry-run"

// annotationsThatVoid are those that keep an object from having any effect:
// Istio's, and the one of what kustomize and kpt don't emit. Other annotations,
// and labels, of others are no business of ours.
var annotationsThatVoid = []string{annotationDryRun, v1alpha1.AnnotationLocalConfig}

// adoptable says why a stranger may be taken over, or returns why it may not.
func adoptable(o *resource.Object) (string, *finding.Finding) {
	if o.Ref().Kind == kindAuthorizationPolicy && !Generated(o) {
		if a, err := readAuthorization(o); err == nil && a.Allows() && a.OnlyEmptyRules() {
			return "an ALLOW policy of someone else that admits every request", nil
		}
	}
	if Generated(o) {
		labels := o.Labels()
		f := finding.New(finding.ObjectForeign, o.Ref(), "metadata.labels", "it belongs to owner %q of model %q",
			labels[v1alpha1.LabelOwner], labels[v1alpha1.LabelModel])
		return "", &f
	}
	f := finding.New(finding.ObjectForeign, o.Ref(), "", "it has the name of a generated object and someone else wrote it (%s: %s)",
		v1alpha1.LabelManagedBy, cmp.Or(o.Labels()[v1alpha1.LabelManagedBy], "no such label"))
	return "", &f
}

func isServiceAccount(o *resource.Object) bool {
	return o.Ref().Kind == "ServiceAccount" && o.Ref().Group() == ""
}

// SectionOf returns the section of the model that a generated object says it was
// derived from, or what else stands there.
func SectionOf(o *resource.Object) string {
	section, _, _ := strings.Cut(o.Annotations()[v1alpha1.AnnotationSource], "/")
	return section
}
