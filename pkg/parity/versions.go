package parity

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The inventory's variables.
const (
	variableVersion      = "istio_version"
	variableChartVersion = "istio_chart_version"
)

// sighting is a place in which a version of Istio stands.
type sighting struct {
	object *resource.Object
	field  resource.Path
	// text is what stands there, and what says of what it is the version: "image docker.io/istio/proxyv2:1.31.4".
	text, what string
	// version is empty where nothing tells it; then why says why.
	version, why string
	chart        bool
}

// wanted is a version, and who says that it is the one.
type wanted struct{ version, by string }

// versions compares every version of Istio's charts and images that is rendered:
// all are to be one (DD-0025, section 2).
func (c *checker) versions() {
	image := wanted{c.Istio.Version, "the inventory's " + variableVersion}
	chart := wanted{c.options.ChartVersion, "the inventory's " + variableChartVersion}
	switch {
	case image.version == "":
		image = chart
	case chart.version == "":
		chart = image
	case !sameVersion(image.version, chart.version):
		c.findings.Add(finding.New(finding.ParityVersion, resource.Ref{}, variableChartVersion, "it is %q and %s is %q, and every chart and image is to be of one version",
			chart.version, variableVersion, image.version).WithValues(nil, chart.version))
	}
	for _, s := range append(c.images(), c.charts()...) {
		want := image
		if s.chart {
			want = chart
			c.checked.Charts++
		} else {
			c.checked.Images++
		}
		if want.version == "" && s.version != "" { // the first one, for want of another
			want = wanted{s.version, fmt.Sprintf("that of %s in %s", s.what, s.object.Ref())}
			image, chart = want, want
			c.untold(s)
		}
		c.compareVersion(s, want)
	}
}

func (c *checker) compareVersion(s sighting, want wanted) {
	switch {
	case s.version == "":
		c.report(s.object, finding.New(finding.ParityVersionUnknown, resource.Ref{}, s.field.String(), "%s %s", s.what, s.why).WithValues(s.text, maybe(want.version)))
	case !sameVersion(s.version, want.version):
		c.report(s.object, finding.New(finding.ParityVersion, resource.Ref{}, s.field.String(), "%s is of version %q, and %s is %q", s.what, s.version, want.by, want.version).
			WithValues(s.text, want.version))
	}
}

// untold reports that nobody says which version is meant. What is rendered may be right.
func (c *checker) untold(s sighting) {
	f := finding.New(finding.ParityVersionUnknown, resource.Ref{}, variableVersion, "neither the inventory nor the Environment says it, and %s is rendered", s.what)
	f.Severity = finding.Warning
	c.findings.Add(f.WithRemedy("set it").WithValues(s.version, nil))
}

// maybe returns nil for nothing, as a finding has it.
func maybe(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// variants are the endings of tags that name how an image was built, not what is in it.
var variants = []string{"-distroless", "-debug"}

// sameVersion compares two versions, variants of images and a leading "v" aside.
func sameVersion(a, b string) bool { return plain(a) == plain(b) }

func plain(version string) string {
	version = strings.TrimPrefix(version, "v")
	for _, variant := range variants {
		version = strings.TrimSuffix(version, variant)
	}
	return version
}

// exactVersion is one version. With fewer than three numbers Helm takes any of several.
var exactVersion = regexp.MustCompile(`^v?\d+\.\d+\.\d+([-+][-+.0-9A-Za-z]+)?$`)
