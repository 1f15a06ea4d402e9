package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Selection names generated policies by what they carry, without a model: what is
// to go must be able to go when the model can't be read.
type Selection struct {
	Owner string
	// Model is empty for every model of the owner's.
	Model string
	// Section and Name are of the model's entry; an empty Name is every entry, and an empty Section every section.
	Section, Name string
	// Namespace is empty for all of them.
	Namespace string
	// Only is the policy of one tenant workload; zero for all.
	Only resource.Key
}

// Remove takes the selected policies away. One that carries the labels and that
// the client's field manager didn't write is left alone, and reported.
func Remove(ctx context.Context, c *Client, s Selection) (Outcome, error) {
	r := &run{client: c, journal: newJournal()}
	var err error
	for attempt := range attempts {
		var again againError
		if err = r.removeAll(ctx, s); !errors.As(err, &again) {
			break
		}
		err = again.error
		if sleep(ctx, pauses[min(attempt, len(pauses)-1)]) != nil {
			break
		}
	}
	return Outcome{Findings: r.findings, Changes: r.journal.changes()}, err
}

func (r *run) removeAll(ctx context.Context, s Selection) error {
	var live []*unstructured.Unstructured
	for _, k := range []kind{authorizationPolicies, peerAuthentications} {
		if err := r.client.list(ctx, k, s.Namespace, s.labels(), func(o *unstructured.Unstructured) { live = append(live, o) }); err != nil {
			return fmt.Errorf("looking for the policies of owner %q: %w", s.Owner, err)
		}
	}
	r.findings, r.state = nil, newState(live)
	r.journal.read(r.state)
	slices.SortFunc(r.state.all, func(a, b *object) int { return a.ref.Compare(b.ref) })
	for _, o := range r.state.all {
		if !s.has(o) {
			continue
		}
		if !wrote(o.live, r.client.manager) {
			r.findings.Add(finding.New(finding.ObjectNotOurs, o.ref, "metadata.managedFields",
				"it has the labels of owner %q, and it was written by %s: it is left alone", s.Owner, strings.Join(writers(o.live), ", ")))
			continue
		}
		o.content = nil
		if err := r.writeOne(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (s Selection) labels() string {
	set := labels.Set{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelOwner: s.Owner}
	if s.Model != "" {
		set[v1alpha1.LabelModel] = s.Model
	}
	return labels.SelectorFromSet(set).String()
}

func (s Selection) has(o *object) bool {
	section, name := entryOf(o.live.GetAnnotations()[v1alpha1.AnnotationSource])
	if s.Section != "" && s.Section != section || s.Name != "" && s.Name != name {
		return false
	}
	only := s.Only
	return only == (resource.Key{}) || o.ref.Namespace == only.Namespace && o.ref.Name == policy.TenantPolicyName(only.Name)
}
