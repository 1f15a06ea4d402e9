package model

import (
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// ParseAccessTests reads AccessTests alone, with the hosts of an Environment by the
// names in its dns.
func ParseAccessTests(docs []Document, hosts map[string][]Host) ([]AccessTest, finding.List) {
	var s testSources
	var findings finding.List
	for _, doc := range docs {
		wire, p := read[v1alpha1.AccessTest](doc)
		s.add(wire.Metadata.Name, wire.Spec, p, "")
	}
	out := s.build(hosts)
	for _, p := range s.collectors {
		findings.Add(p.list...)
	}
	return out, findings
}

// EnvironmentHosts reads the hosts of an Environment that is read without a model.
func EnvironmentHosts(spec v1alpha1.EnvironmentSpec) (map[string][]Host, error) {
	out := map[string][]Host{}
	for name, list := range spec.DNS {
		for _, text := range list {
			host, err := ParseHost(text)
			if err != nil {
				return nil, fmt.Errorf("the host %q of dns.%s can't be used: %w", text, name, err)
			}
			out[name] = append(out[name], host)
		}
	}
	return out, nil
}

// testSources are the AccessTests of one run, each of a name once.
type testSources struct {
	list       []testSource
	collectors []*problems
}

type testSource struct {
	*problems
	base string // path before "spec"
	name string
	spec v1alpha1.AccessTestSpec
}

// add takes a further test: one that says what another of its name does is no other.
func (s *testSources) add(name string, spec v1alpha1.AccessTestSpec, p *problems, base string) {
	if !slices.Contains(s.collectors, p) {
		s.collectors = append(s.collectors, p)
	}
	at := slices.IndexFunc(s.list, func(t testSource) bool { return t.name == name })
	if at < 0 || name == "" {
		s.list = append(s.list, testSource{p, base, name, spec})
		return
	}
	if where, differ := difference(reflect.ValueOf(s.list[at].spec), reflect.ValueOf(spec), base+"spec", &decoder{types: map[reflect.Type]fields{}}); differ {
		p.add(finding.InputAmbiguous, where, "make them the same, or rename one", "it is a second %s %q, and the first says something else there", v1alpha1.KindAccessTest, name)
	}
}

func (s *testSources) build(hosts map[string][]Host) []AccessTest {
	out := make([]AccessTest, 0, len(s.list))
	for _, t := range s.list {
		b := testBuilder{testSource: t, known: hosts}
		at := "metadata.name"
		if t.base != "" {
			at = t.base + "name"
		}
		check(b.report, at, t.name, "object name", validation.IsDNS1123Subdomain)
		out = append(out, AccessTest{Name: t.name, Cases: b.cases()})
	}
	return out
}

// testBuilder reads the cases of one test.
type testBuilder struct {
	testSource
	known map[string][]Host
}

func (b *testBuilder) cases() []AccessCase {
	section := b.base + "spec.cases"
	if len(b.spec.Cases) == 0 {
		b.report(finding.InputInvalidValue, section, "write a case, or remove the document", "it is empty")
	}
	seen := map[string]bool{}
	var out []AccessCase
	for i, wire := range b.spec.Cases {
		at := index(section, i)
		switch {
		case wire.Name == "":
			b.report(finding.InputInvalidValue, at+".name", writeValue, "it is empty")
		case seen[wire.Name]:
			b.report(finding.InputDuplicateName, at+".name", "", "the name %q is taken by an earlier case", wire.Name)
		}
		seen[wire.Name] = true
		c := AccessCase{
			Name: wire.Name, Reason: wire.Reason,
			From: b.from(at+".from", wire.From), To: b.named(at+".to.workload", wire.To.Workload), Port: wire.To.Port,
			Request: b.request(at+".request", wire.Request), Expect: b.expect(at+".expect", wire.Expect),
			Origin: b.origin(at),
		}
		b.port(at+".to.port", wire.To.Port)
		if wire.To.LeadsTo != "" {
			c.LeadsTo = b.named(at+".to.leadsTo", wire.To.LeadsTo)
		}
		out = append(out, c)
	}
	return out
}

func (b *testBuilder) origin(path string) Origin {
	out := Origin{File: b.file, Object: b.object, Field: path}
	if b.file != "" { // see problems.addAt
		out.Line = b.line(path)
	}
	return out
}

func (b *testBuilder) from(path string, wire v1alpha1.AccessSource) AccessSource {
	given := map[string]bool{"workload": wire.Workload != "", "pods": wire.Pods != nil, "external": wire.External != nil, "node": wire.Node != nil}
	var fields []string
	for _, name := range []string{"workload", "pods", "external", "node"} {
		fields = append(fields, name, map[bool]string{true: name}[given[name]])
	}
	if !exactlyOne(b.report, path, fields...) {
		return AccessSource{}
	}
	switch {
	case wire.Pods != nil:
		return AccessSource{Pods: b.pods(path+".pods", *wire.Pods)}
	case wire.External != nil:
		return AccessSource{Address: b.address(path+".external.address", wire.External.Address)}
	case wire.Node != nil:
		return AccessSource{Node: true, Address: b.address(path+".node.address", wire.Node.Address)}
	default:
		return AccessSource{Workload: b.named(path+".workload", wire.Workload)}
	}
}

func (b *testBuilder) pods(path string, wire v1alpha1.AccessPods) *AccessPods {
	check(b.report, path+".namespace", wire.Namespace, "namespace", validation.IsDNS1123Label)
	if wire.ServiceAccount != "" {
		check(b.report, path+".serviceAccount", wire.ServiceAccount, "ServiceAccount name", validation.IsDNS1123Subdomain)
	}
	if wire.TrustDomain != "" {
		if _, err := spiffeid.TrustDomainFromString(wire.TrustDomain); err != nil || strings.Contains(wire.TrustDomain, "/") {
			b.report(finding.InputInvalidValue, path+".trustDomain", "write it as in cluster.local", "%q is no trust domain", wire.TrustDomain)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(wire.Labels)) {
		at := join(path+".labels", key)
		check(b.report, at, key, "label key", validation.IsQualifiedName)
		if problems := validation.IsValidLabelValue(wire.Labels[key]); len(problems) > 0 {
			b.report(finding.InputInvalidValue, at, "", "%q is no label value: %s", wire.Labels[key], rule(problems))
		}
	}
	return &AccessPods{Namespace: wire.Namespace, ServiceAccount: wire.ServiceAccount, Labels: wire.Labels, Injected: wire.Injected, TrustDomain: wire.TrustDomain}
}

func (b *testBuilder) address(path, text string) netip.Addr {
	if text == "" {
		return netip.Addr{}
	}
	out, err := netip.ParseAddr(text)
	if err != nil || out.Zone() != "" {
		b.report(finding.InputInvalidValue, path, "write one, as in 203.0.113.7", "%q is no IP address", text)
		return netip.Addr{}
	}
	return out.Unmap()
}

var kindForm = regexp.MustCompile(`^[A-Za-z]+$`)

// named reads "<namespace>/<name>" or "<kind>/<namespace>/<name>".
func (b *testBuilder) named(path, text string) ObjectName {
	parts := strings.Split(text, "/")
	out := ObjectName{Name: parts[len(parts)-1]}
	const remedy = "write <namespace>/<name>, or <kind>/<namespace>/<name>"
	switch len(parts) {
	case 3:
		if out.Kind = parts[0]; !kindForm.MatchString(out.Kind) {
			b.report(finding.InputInvalidValue, path, remedy, "%q begins with no kind", text)
			return ObjectName{}
		}
		fallthrough
	case 2:
		out.Namespace = parts[len(parts)-2]
	default:
		b.report(finding.InputInvalidValue, path, remedy, "%q names no object", text)
		return ObjectName{}
	}
	check(b.report, path, out.Namespace, "namespace", validation.IsDNS1123Label)
	check(b.report, path, out.Name, "object name", validation.IsDNS1123Subdomain)
	return out
}

func (b *testBuilder) port(path string, n int32) {
	_, given := b.lines[path] // 0 where it isn't
	if _, err := PortNumber(n); given && err != nil {
		b.report(finding.InputInvalidValue, path, "", "%v", err)
	}
}

func (b *testBuilder) request(path string, wire v1alpha1.AccessRequest) AccessRequest {
	out := AccessRequest{HostRef: wire.HostRef, Method: wire.Method, Path: wire.Path, NoToken: wire.Token != "", SNI: strings.ToLower(wire.SNI)}
	if wire.Headers != nil {
		out.Headers = map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(*wire.Headers)) {
			lower := strings.ToLower(name)
			if problems := validation.IsHTTPHeaderName(name); len(problems) > 0 {
				b.report(finding.InputInvalidValue, join(path+".headers", name), "", "%q is no name of a header: %s", name, rule(problems))
			} else if _, twice := out.Headers[lower]; twice {
				b.report(finding.InputDuplicateName, join(path+".headers", name), "remove one of the two", "the header is there already, in other letters")
			}
			out.Headers[lower] = (*wire.Headers)[name]
		}
	}
	if wire.Token != "" {
		oneOf(b.report, path+".token", wire.Token, "None")
	}
	if wire.Path != "" && (!strings.HasPrefix(wire.Path, "/") || strings.ContainsAny(wire.Path, "?#")) {
		b.report(finding.InputInvalidValue, path+".path", "write it from its slash on, without the query, which policies don't see", "%q is no path", wire.Path)
	}
	b.port(path+".hostPort", wire.HostPort)
	switch {
	case wire.Host != "" && wire.HostRef != "":
		b.report(finding.InputInvalidValue, path+".hostRef", "write one of them alone", "it has host and hostRef")
	case wire.HostPort != 0 && wire.HostRef == "":
		b.report(finding.InputInvalidValue, path+".hostPort", "write the port behind the host", "it goes with a hostRef, and there is none")
	case wire.Host != "":
		if strings.ContainsAny(wire.Host, "/*@ ") {
			b.report(finding.InputInvalidValue, path+".host", "write the one that a client would send, as in web.example.org", "%q is no host", wire.Host)
		}
		out.Hosts = []string{wire.Host}
	case wire.HostRef != "":
		out.Hosts = b.hosts(wire)
	}
	return out
}

// hosts returns the hosts of a name of the environment's, as a client writes them.
func (b *testBuilder) hosts(wire v1alpha1.AccessRequest) []string {
	var out []string
	for _, host := range b.known[wire.HostRef] {
		text := host.String()
		if rest, wildcard := strings.CutPrefix(text, "*"); wildcard {
			text = "any" + rest
		}
		if wire.HostPort != 0 {
			text += ":" + strconv.Itoa(int(wire.HostPort))
		}
		out = append(out, text)
	}
	return out
}

func (b *testBuilder) expect(path string, wire v1alpha1.AccessExpectation) [Enforced + 1]Answer {
	var out [Enforced + 1]Answer
	asked := false
	for profile, text := range map[Profile]string{Enforced: wire.Enforced, Permissive: wire.Permissive, Open: wire.Open} {
		if text != "" {
			oneOf(b.report, path+"."+profile.String(), text, string(Allowed), string(Denied), string(Unknown))
			out[profile], asked = Answer(text), true
		}
	}
	if !asked {
		b.report(finding.InputMissing, path, "write one of them", "it has none of enforced, permissive, open")
	}
	return out
}
