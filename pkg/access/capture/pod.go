package capture

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// Pod is what injection looks at.
type Pod struct {
	Namespace string
	// NamespaceLabels are taken as none where they are nil, for most namespaces have none that matter.
	NamespaceLabels     map[string]string
	Labels, Annotations map[string]string
	HostNetwork         bool
	// Containers are the names of its containers and sidecars, as rendered.
	Containers []string
}

// Answer is whether something holds, and why.
type Answer struct {
	Holds  truth.Value
	Reason string
}

func yes(reason string) Answer     { return Answer{truth.Yes, reason} }
func no(reason string) Answer      { return Answer{truth.No, reason} }
func unknown(reason string) Answer { return Answer{truth.Unknown, reason} }

const (
	containerProxy = "istio-proxy"

	labelInject    = "sidecar.istio.io/inject"
	labelRevision  = "istio.io/rev"
	labelInjection = "istio-injection" // on a namespace

	annotationTemplates = "inject.istio.io/templates"
	templateGateway     = "gateway"
)

// unserved are the namespaces that Istio leaves alone (pkg/kube/inject.IgnoredNamespaces).
var unserved = []string{"kube-system", "kube-public", "kube-node-lease", "local-path-storage"}

// Proxied answers whether the pod has a proxy in a mesh whose istiod is of a
// revision, "" for the default one. Istio's webhooks select by the namespace's
// labels first and then by the pod's; then the pod's own word counts
// (manifests/charts/istio-control and pkg/kube/inject in Istio).
func Proxied(p Pod, revision string) Answer {
	if slices.Contains(p.Containers, containerProxy) {
		return yes("it has the proxy as a container of its own")
	}
	if p.HostNetwork {
		return no("it uses the node's network, where Istio injects nothing")
	}
	if slices.Contains(unserved, p.Namespace) {
		return no("Istio injects nothing in namespace " + p.Namespace)
	}
	if selected := selected(p, revision); selected.Holds != truth.Yes {
		return selected
	}
	asked, by := p.Labels[labelInject], "its label "
	if _, ok := p.Labels[labelInject]; !ok {
		asked, by = p.Annotations[labelInject], "its annotation "
	}
	switch asked {
	case "false":
		return no(by + labelInject + " is false")
	case "true":
		return yes(by + labelInject + " is true")
	default:
		return yes("its namespace's pods are injected, or its label " + labelRevision + " asks for it")
	}
}

// selected answers whether one of Istio's webhooks sees the pod.
func selected(p Pod, revision string) Answer {
	injection, hasInjection := p.NamespaceLabels[labelInjection]
	ofNamespace, namespaceHas := revisionOf(p.NamespaceLabels)
	ofPod, podHas := revisionOf(p.Labels)
	inject := p.Labels[labelInject]
	switch {
	case inject == "false":
		return no("its label " + labelInject + " is false")
	case hasInjection && injection != "enabled":
		return no("its namespace's label " + labelInjection + " is " + injection)
	case hasInjection && revision != "":
		return no("its namespace's label " + labelInjection + " is the default revision's, and there is none")
	case hasInjection:
		return yes("")
	case namespaceHas && ofNamespace != revision:
		return unknown("its namespace asks for revision " + p.NamespaceLabels[labelRevision] + ", which isn't the mesh's")
	case namespaceHas:
		return yes("")
	case podHas && ofPod != revision:
		return unknown("it asks for revision " + p.Labels[labelRevision] + ", which isn't the mesh's")
	case podHas:
		return yes("")
	case inject == "true" && revision == "":
		return yes("")
	case inject == "true":
		return no("with a revision and no default tag the label " + labelInject + " alone injects nothing")
	default:
		return no("neither it nor its namespace asks for a proxy")
	}
}

func revisionOf(labels map[string]string) (revision string, ok bool) {
	revision, ok = labels[labelRevision]
	if revision == "default" {
		revision = ""
	}
	return revision, ok
}

// Gateway reports whether the pod's proxy is all there is in it: it is injected as
// a gateway, and nothing has to be captured.
func Gateway(p Pod) bool {
	return slices.Contains(list(p.Annotations[annotationTemplates]), templateGateway) ||
		len(p.Containers) == 1 && p.Containers[0] == containerProxy
}

// list returns the entries of a list with commas.
func list(text string) []string {
	var out []string
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			out = append(out, entry)
		}
	}
	return out
}
