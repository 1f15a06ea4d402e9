package identity

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// publicImages begin the names of images that anybody may pull. A registry whose
// projects decide for themselves (quay.io, ghcr.io, gcr.io) is none.
var publicImages = []string{
	"docker.io/library/",
	"docker.io/istio/", "istio/", "gcr.io/istio-release/", "registry.istio.io/",
	"registry.k8s.io/", "mcr.microsoft.com/", "public.ecr.aws/",
}

// needsSecrets reports whether pods may need pull secrets of their ServiceAccount.
// Secrets of the pod template replace those (Kubernetes' admission of pods). An
// InferenceService may name no image: its ServingRuntime does.
func needsSecrets(t *resource.PodTemplate) bool {
	if len(t.Spec.ImagePullSecrets) > 0 {
		return false
	}
	containers := slices.Concat(t.Spec.InitContainers, t.Spec.Containers)
	for i := range containers {
		if !pulledByAnybody(containers[i].Image) {
			return true
		}
	}
	return len(containers) == 0
}

// pulledByAnybody also says yes to "auto", where Istio puts the proxy's image,
// and to names without a slash: official images, or ones loaded into a local cluster.
func pulledByAnybody(image string) bool {
	return !strings.Contains(image, "/") ||
		slices.ContainsFunc(publicImages, func(prefix string) bool { return strings.HasPrefix(image, prefix) })
}

// lostSecrets warns of pull secrets that the split may lose. Almost no build
// holds "default", and yet that is the ServiceAccount which clusters give pull
// secrets to; so there is one warning for each that pods leave, however many do,
// and none where images are public or the new ServiceAccount is written by hand.
func lostSecrets(in policy.Input, unknown []assignment) finding.List {
	var (
		order   []account
		leavers = map[account][]string{}
		next    = map[account][]string{}
	)
	add := func(list []string, name string) []string {
		if slices.Contains(list, name) {
			return list
		}
		return append(list, name)
	}
	for _, a := range unknown {
		old := a.from()
		if leavers[old] == nil {
			order = append(order, old)
		}
		leavers[old] = add(leavers[old], a.entry.name)
		next[old] = add(next[old], a.to().name)
	}
	var out finding.List
	for _, old := range order {
		out.Add(finding.New(finding.IdentityPullSecrets, old.ref(), fieldPullSecrets,
			"%s doesn't hold it, so whether it has imagePullSecrets can't be seen, and %s would be left without them", in.Place(), strings.Join(leavers[old], ", ")).
			WithRemedy("put imagePullSecrets on the pod templates, or add to the build this ServiceAccount or those that replace it (%s)", strings.Join(next[old], ", ")))
	}
	return out
}
