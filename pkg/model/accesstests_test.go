package model_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// testText is a valid AccessTest, for the cases to break.
const testText = `apiVersion: ringfence.dev/v1alpha1
kind: AccessTest
metadata: {name: cases}
spec:
  cases:
  - name: first
    from: {workload: shop/web}
    to: {workload: Deployment/shop/api, port: 8080}
    request: {method: GET, path: /a, headers: {X-A: b}, token: None, sni: Web.example.org}
    expect: {enforced: Denied}
    reason: it says so
  - name: second
    from: {pods: {namespace: shop, serviceAccount: sa, labels: {app: x}, injected: true, trustDomain: example.org}}
    to: {workload: shop/edge, leadsTo: shop/web}
    request: {hostRef: web, hostPort: 8443}
    expect: {permissive: Allowed, open: Unknown}
  - name: third
    from: {external: {address: 203.0.113.7}}
    to: {workload: shop/edge}
    request: {host: "a.example.org:80"}
    expect: {enforced: Allowed}
`

func TestAccessTest(t *testing.T) {
	hosts := map[string][]model.Host{"web": {host(t, "web.example.org"), host(t, "*.example.net")}}
	docs, findings := model.ParseDocuments("tests.yaml", []byte(testText))
	require.Empty(t, findings)
	tests, findings := model.ParseAccessTests(docs, hosts)
	require.Empty(t, findings)
	ref := resource.Ref{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindAccessTest, Name: "cases"}
	origin := func(line int, field string) model.Origin {
		return model.Origin{File: "tests.yaml", Line: line, Object: ref, Field: field}
	}
	assert.Equal(t, []model.AccessTest{{Name: "cases", Cases: []model.AccessCase{
		{
			Name: "first", Reason: "it says so", Origin: origin(6, "spec.cases[0]"),
			From: model.AccessSource{Workload: model.ObjectName{Namespace: "shop", Name: "web"}},
			To:   model.ObjectName{Kind: "Deployment", Namespace: "shop", Name: "api"}, Port: 8080,
			Request: model.AccessRequest{Method: "GET", Path: "/a", Headers: map[string]string{"x-a": "b"}, NoToken: true, SNI: "web.example.org"},
			Expect:  [3]model.Answer{model.Enforced: model.Denied},
		},
		{
			Name: "second", Origin: origin(12, "spec.cases[1]"),
			From:    model.AccessSource{Pods: &model.AccessPods{Namespace: "shop", ServiceAccount: "sa", Labels: map[string]string{"app": "x"}, Injected: true, TrustDomain: "example.org"}},
			To:      model.ObjectName{Namespace: "shop", Name: "edge"},
			LeadsTo: model.ObjectName{Namespace: "shop", Name: "web"},
			Request: model.AccessRequest{HostRef: "web", Hosts: []string{"web.example.org:8443", "any.example.net:8443"}},
			Expect:  [3]model.Answer{model.Permissive: model.Allowed, model.Open: model.Unknown},
		},
		{
			Name: "third", Origin: origin(17, "spec.cases[2]"),
			From:    model.AccessSource{Address: netip.MustParseAddr("203.0.113.7")},
			To:      model.ObjectName{Namespace: "shop", Name: "edge"},
			Request: model.AccessRequest{Hosts: []string{"a.example.org:80"}},
			Expect:  [3]model.Answer{model.Enforced: model.Allowed},
		},
	}}}, tests)
}

func host(t *testing.T, name string) model.Host {
	t.Helper()
	h, err := model.ParseHost(name)
	require.NoError(t, err)
	return h
}

func TestAccessTestRefused(t *testing.T) {
	cases := []struct {
		edit
		findings []string
	}{
		{edit{"{workload: shop/web}", "{workload: web}"}, []string{`tests.yaml:7: AccessTest cases: spec.cases[0].from.workload: case "first": "web" names no object [input-invalid-value]; write <namespace>/<name>, or <kind>/<namespace>/<name>`}},
		{edit{"{workload: shop/web}", "{workload: apps/v1/shop/web}"}, []string{`tests.yaml:7: AccessTest cases: spec.cases[0].from.workload: case "first": "apps/v1/shop/web" names no object [input-invalid-value]; write <namespace>/<name>, or <kind>/<namespace>/<name>`}},
		{edit{"{workload: shop/web}", "{workload: a1/shop/web}"}, []string{`tests.yaml:7: AccessTest cases: spec.cases[0].from.workload: case "first": "a1/shop/web" begins with no kind [input-invalid-value]; write <namespace>/<name>, or <kind>/<namespace>/<name>`}},
		{edit{"{workload: shop/web}", "{workload: shop/Web}"}, []string{`tests.yaml:7: AccessTest cases: spec.cases[0].from.workload: case "first": "Web" is no object name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`}},
		{edit{"{workload: shop/web}", "{}"}, []string{`tests.yaml:7: AccessTest cases: spec.cases[0].from: case "first": it has none of workload, pods, external, node [input-missing]; write one of them`}},
		{edit{"{workload: shop/web}", "{workload: shop/web, node: {}}"}, []string{`tests.yaml:7: AccessTest cases: spec.cases[0].from: case "first": it has workload and node [input-invalid-value]; write one of them alone`}},
		{edit{"address: 203.0.113.7", "address: 203.0.113.0/24"}, []string{`tests.yaml:18: AccessTest cases: spec.cases[2].from.external.address: case "third": "203.0.113.0/24" is no IP address [input-invalid-value]; write one, as in 203.0.113.7`}},
		{edit{"port: 8080", "port: 80800"}, []string{`tests.yaml:8: AccessTest cases: spec.cases[0].to.port: case "first": 80800 is no port number: those are 1 to 65535 [input-invalid-value]; write a valid value`}},
		{edit{"path: /a", `path: "/a?b=c"`}, []string{`tests.yaml:9: AccessTest cases: spec.cases[0].request.path: case "first": "/a?b=c" is no path [input-invalid-value]; write it from its slash on, without the query, which policies don't see`}},
		{edit{"{X-A: b}", "{X-A: b, x-a: c}"}, []string{`tests.yaml:9: AccessTest cases: spec.cases[0].request.headers.x-a: case "first": the header is there already, in other letters [input-duplicate-name]; remove one of the two`}},
		{edit{"{X-A: b}", `{"X A": b}`}, []string{`tests.yaml:9: AccessTest cases: spec.cases[0].request.headers["X A"]: case "first": "X A" is no name of a header: a valid HTTP header must consist of alphanumeric characters or '-' [input-invalid-value]; write a valid value`}},
		{edit{"token: None", "token: Some"}, []string{`tests.yaml:9: AccessTest cases: spec.cases[0].request.token: case "first": "Some" isn't known here [input-invalid-value]; write None`}},
		{edit{"{enforced: Denied}", "{enforced: denied}"}, []string{`tests.yaml:10: AccessTest cases: spec.cases[0].expect.enforced: case "first": "denied" is none of Allowed, Denied, Unknown [input-invalid-value]; write one of them`}},
		{edit{"{enforced: Denied}", "{}"}, []string{`tests.yaml:10: AccessTest cases: spec.cases[0].expect: case "first": it has none of enforced, permissive, open [input-missing]; write one of them`}},
		{edit{"hostRef: web", "host: a.b, hostRef: web"}, []string{`tests.yaml:15: AccessTest cases: spec.cases[1].request.hostRef: case "second": it has host and hostRef [input-invalid-value]; write one of them alone`}},
		{edit{"hostRef: web, hostPort: 8443", "host: a.b, hostPort: 8443"}, []string{`tests.yaml:15: AccessTest cases: spec.cases[1].request.hostPort: case "second": it goes with a hostRef, and there is none [input-invalid-value]; write the port behind the host`}},
		{edit{"a.example.org:80", "https://a.example.org"}, []string{`tests.yaml:20: AccessTest cases: spec.cases[2].request.host: case "third": "https://a.example.org" is no host [input-invalid-value]; write the one that a client would send, as in web.example.org`}},
		{edit{"trustDomain: example.org", "trustDomain: spiffe://example.org"}, []string{`tests.yaml:13: AccessTest cases: spec.cases[1].from.pods.trustDomain: case "second": "spiffe://example.org" is no trust domain [input-invalid-value]; write it as in cluster.local`}},
		{edit{"labels: {app: x}", `labels: {app: "x y"}`}, []string{`tests.yaml:13: AccessTest cases: spec.cases[1].from.pods.labels.app: case "second": "x y" is no label value: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`}},
		{edit{"name: second", "name: first"}, []string{`tests.yaml:12: AccessTest cases: spec.cases[1].name: the name "first" is taken by an earlier case [input-duplicate-name]; rename or remove one of the two`}},
		{edit{"reason: it says so", "because: it says so"}, []string{`tests.yaml:11: AccessTest cases: spec.cases[0].because: case "first": there is no such field; there are name, from, to, request, expect, reason [input-unknown-field]; correct its spelling, or remove it`}},
	}
	for _, c := range cases {
		t.Run(c.new, func(t *testing.T) {
			text := edited(t, testText, []edit{c.edit})
			docs, findings := model.ParseDocuments("tests.yaml", text)
			require.Empty(t, findings)
			_, findings = model.ParseAccessTests(docs, nil)
			assert.Equal(t, c.findings, said(findings))
			requireAgreement(t, v1alpha1.KindAccessTest, text, findings)
		})
	}
}

// TestAccessTestsOfARun takes tests from the functionConfig and from beside it.
func TestAccessTestsOfARun(t *testing.T) {
	parse := func(texts ...string) (model.Request, []string) {
		var documents model.Documents
		for i, text := range append([]string{modelText, environmentText}, texts...) {
			docs, findings := model.ParseDocuments(string(rune('a'+i))+".yaml", []byte(text))
			require.Empty(t, findings)
			for k := range docs {
				if !documents.Add(docs[k]) {
					documents.Config = &docs[k]
				}
			}
		}
		request, findings := model.Parse(documents, v1alpha1.RingfenceSpec{Owner: "shop"})
		return request, said(findings)
	}
	const config = `{apiVersion: ringfence.dev/v1alpha1, kind: Ringfence, metadata: {name: a}, spec: {owner: shop, accessTests: [
  {name: one, spec: {cases: [{name: case, from: {node: {}}, to: {workload: shop/web}, expect: {open: Allowed}}]}}]}}`
	const again = `{apiVersion: ringfence.dev/v1alpha1, kind: AccessTest, metadata: {name: one}, spec: {cases: [{name: case, from: {node: {}}, to: {workload: shop/web}, expect: {open: Allowed}}]}}`

	request, findings := parse(config, testText, again)
	assert.Empty(t, findings)
	require.Len(t, request.Tests, 2)
	assert.Equal(t, "one", request.Tests[0].Name)
	assert.Equal(t, []string{"web.example.org:8443"}, request.Tests[1].Cases[1].Request.Hosts, "the environment's hosts")

	_, findings = parse(config, `{apiVersion: ringfence.dev/v1alpha1, kind: AccessTest, metadata: {name: one}, spec: {cases: [{name: case, from: {node: {}}, to: {workload: shop/web}, expect: {open: Denied}}]}}`)
	assert.Equal(t, []string{`d.yaml:1: AccessTest one: spec.cases[0].expect.open: case "case": it is a second AccessTest "one", and the first says something else there [input-ambiguous]; make them the same, or rename one`}, findings)

	_, findings = parse(`{apiVersion: ringfence.dev/v1alpha1, kind: Ringfence, metadata: {name: a}, spec: {owner: shop, accessTests: [{name: "", spec: {cases: []}}]}}`)
	assert.Equal(t, []string{
		`c.yaml:1: Ringfence a: spec.accessTests[0].name: it is empty [input-invalid-value]; write a value`,
		`c.yaml:1: Ringfence a: spec.accessTests[0].spec.cases: it is empty [input-invalid-value]; write a case, or remove the document`,
	}, findings)
}
