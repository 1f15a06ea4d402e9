package parity

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// istiod is the chart whose name is nobody else's.
const istiod = "istiod"

// charts are Istio's whose version is istiod's.
var charts = []string{istiod, "base", "cni", "gateway"}

// charts returns the charts of Istio by which objects were rendered, and those that
// Argo CD and Flux are told to render.
func (c *checker) charts() []sighting {
	out := c.labelled()
	releases := c.releases()
	repositories := map[string]bool{}
	for _, r := range releases {
		repositories[r.repository] = repositories[r.repository] || r.chart == istiod
	}
	for _, r := range releases {
		if r.chart == istiod || strings.Contains(strings.ToLower(r.repository), "istio") || r.repository != "" && repositories[r.repository] {
			out = append(out, r.sightings()...)
		}
	}
	return out
}

// The labels that Helm's charts put on their objects.
const (
	labelChart  = "helm.sh/chart"
	labelPartOf = "app.kubernetes.io/part-of"
	labelIstio  = "istio"
)

// labelled returns the charts that objects say they come from. All objects of a
// chart say the same, so that it is seen once in a file.
func (c *checker) labelled() []sighting {
	type place struct{ file, label string }
	var out []sighting
	seen := map[place]bool{}
	for o := range c.Resources.All() {
		if !o.Mentions(labelChart) {
			continue
		}
		labels := o.Labels()
		name, version := chartOf(labels)
		file, _ := position(o)
		at := place{file, labels[labelChart]}
		if name == "" || seen[at] {
			continue
		}
		seen[at] = true
		out = append(out, sighting{
			object: o, field: resource.Path{"metadata", "labels", labelChart}, text: labels[labelChart],
			what: "chart " + name, version: plain(version), chart: true,
		})
	}
	return out
}

// chartOf returns the chart of Istio's that labels name. Others have charts of the
// names base and gateway, too: Istio's say that they are part of it, and before
// 1.24 a gateway has the label istio.
func chartOf(labels map[string]string) (name, version string) {
	for _, name := range charts {
		version, ok := strings.CutPrefix(labels[labelChart], name+"-")
		version = strings.ReplaceAll(version, "_", "+") // a label can't hold what a version may
		_, gateway := labels[labelIstio]
		if ok && exactVersion.MatchString(version) && (name == istiod || gateway || labels[labelPartOf] == labelIstio) {
			return name, version
		}
	}
	return "", ""
}

// release is a chart that some tool is told to render.
type release struct {
	object *resource.Object
	// at leads to the version.
	at resource.Path
	// repository is an address, or the name of an object that has it.
	chart, version, repository string
	// tags are those of images in the values.
	tags []sighting
}

// sightings returns the versions of a release.
func (r release) sightings() []sighting {
	s := sighting{object: r.object, field: r.at, text: r.version, what: "chart " + r.chart, chart: true}
	switch {
	case r.version == "":
		s.why = "has no version, so that it is whatever is newest"
	case strings.Contains(r.version, "sha256:"):
		s.why = "has a digest, which says nothing of its version"
	case !exactVersion.MatchString(r.version):
		s.why = fmt.Sprintf("has the version %q, which may become any of several", r.version)
	default:
		s.version = plain(r.version)
	}
	return append([]sighting{s}, r.tags...)
}

// releases returns the releases of charts with the names of Istio's.
func (c *checker) releases() []release {
	var out []release
	for _, kind := range []struct {
		name string
		at   resource.Path
	}{{"Application", resource.Path{"spec"}}, {"ApplicationSet", resource.Path{"spec", "template", "spec"}}} {
		for _, o := range c.Resources.Kind("argoproj.io", kind.name) {
			out = append(out, argo(o, kind.at.Child("source")))
			for i := range resource.List(o.Content(), kind.at.Child("sources")...) {
				out = append(out, argo(o, kind.at.Child("sources").Index(i)))
			}
		}
	}
	for _, o := range c.Resources.Kind("helm.toolkit.fluxcd.io", "HelmRelease") {
		out = append(out, c.flux(o))
	}
	return slices.DeleteFunc(out, func(r release) bool { return !slices.Contains(charts, r.chart) })
}

// argo reads one source of an Argo CD Application.
func argo(o *resource.Object, at resource.Path) release {
	field := func(name string) string { return scalarAt(o, at.Child(name)...) }
	helm := at.Child("helm")
	r := release{object: o, at: at.Child("targetRevision"), chart: field("chart"), version: field("targetRevision"), repository: field("repoURL")}
	values := helm.Child("valuesObject")
	r.tags = tagsIn(o, values, resource.Map(o.Content(), values...))
	r.tags = append(r.tags, tagsInText(o, helm.Child("values"))...)
	for i, entry := range resource.List(o.Content(), helm.Child("parameters")...) {
		parameter, _ := entry.(map[string]any)
		name, value := resource.String(parameter, "name"), resource.String(parameter, "value")
		if (name == "tag" || strings.HasSuffix(name, ".tag")) && value != "" {
			r.tags = append(r.tags, tagSighting(o, helm.Child("parameters").Index(i).Child("value"), value))
		}
	}
	return r
}

// tagLine is a tag in values that are given as a text.
var tagLine = regexp.MustCompile(`(?m)^[ \t]*"?tag"?[ \t]*:[ \t]*["']?([-+.0-9A-Za-z_]+)`)

// tagsInText returns the tags in values that are given as a text.
func tagsInText(o *resource.Object, at resource.Path) []sighting {
	var out []sighting
	for _, match := range tagLine.FindAllStringSubmatch(resource.String(o.Content(), at...), -1) {
		out = append(out, tagSighting(o, at, match[1]))
	}
	return out
}

const groupFluxSource = "source.toolkit.fluxcd.io"

// flux reads a HelmRelease: the chart that it has, or that of the OCIRepository which it names.
func (c *checker) flux(o *resource.Object) release {
	text := func(path ...string) string { return scalarAt(o, path...) }
	values := resource.Path{"spec", "values"}
	r := release{object: o, tags: tagsIn(o, values, resource.Map(o.Content(), values...))}
	source := func(kind string, at ...string) *resource.Object {
		namespace := text(append(at, "namespace")...)
		if namespace == "" {
			namespace = o.Ref().Namespace
		}
		return c.Resources.Get(resource.Ref{APIVersion: groupFluxSource + "/v1", Kind: kind, Namespace: namespace, Name: text(append(at, "name")...)})
	}
	if text("spec", "chartRef", "kind") == "OCIRepository" {
		repository := source("OCIRepository", "spec", "chartRef")
		if repository == nil {
			return r // nothing says which chart it is
		}
		return r.oci(repository)
	}
	at := resource.Path{"spec", "chart", "spec"}
	r.at = at.Child("version")
	r.chart, r.version = text(at.Child("chart")...), text(r.at...)
	r.repository = text(at.Child("sourceRef", "name")...)
	if repository := source("HelmRepository", at.Child("sourceRef")...); repository != nil {
		r.repository = resource.String(repository.Content(), "spec", "url")
	}
	return r
}

// oci completes a release by the OCIRepository that holds its chart.
func (r release) oci(repository *resource.Object) release {
	text := func(path ...string) string { return scalarAt(repository, path...) }
	r.object, r.repository, r.at = repository, text("spec", "url"), resource.Path{"spec", "ref", "tag"}
	r.chart = r.repository[strings.LastIndex(r.repository, "/")+1:]
	for _, kind := range []string{"digest", "semver", "tag"} { // in Flux's order
		if version := text("spec", "ref", kind); version != "" {
			r.at, r.version = resource.Path{"spec", "ref", kind}, version
			break
		}
	}
	return r
}
