package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/access/report"
)

// shop is a server that one client may call, and a policy that may hold anything.
func shop(policy string) string {
	return `
{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {selector: {app: cart}, ports: [{name: http, port: 80, targetPort: 8080}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: cart, namespace: shop}, spec: {template: {metadata: {labels: {app: cart, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: cart, containers: [{name: main}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {metadata: {labels: {app: web, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: web, containers: [{name: main}]}}}}
---
{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: cart, namespace: shop}, spec: {selector: {matchLabels: {app: cart}}, ` + policy + `}}
`
}

// ingress is a gateway that serves everything.
const ingress = `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: ingress, namespace: shop}, spec: {template: {metadata: {labels: {app: ingress, sidecar.istio.io/inject: "true"}, annotations: {inject.istio.io/templates: gateway}}, spec: {containers: [{name: istio-proxy, image: auto}]}}}}
---
{apiVersion: networking.istio.io/v1, kind: Gateway, metadata: {name: ingress, namespace: shop}, spec: {selector: {app: ingress}, servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: ["*"]}]}}
---
`

const onlyWeb = `rules: [{from: [{source: {principals: [cluster.local/ns/shop/sa/web]}}]}]`

// written returns the path of a file with a text.
func written(tb testing.TB, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "rendered.yaml")
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// accessed runs "ringfence access".
func accessed(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run("ringfence", append([]string{"access"}, args...), krm.Streams{In: strings.NewReader(stdin), Out: &out, Err: &err})
	return status, out.String(), err.String()
}

// TestAccessStatus is what scripts rely on, and what people read where something is wrong.
func TestAccessStatus(t *testing.T) {
	known := written(t, shop(onlyWeb))
	unparsable := written(t, shop(`rules: [{from: [{source: {principles: [a]}}]}]`))
	header := written(t, shop(`rules: [{when: [{key: "request.headers[x]", values: [a]}]}]`))
	environment := written(t, `{apiVersion: ringfence.dev/v1alpha1, kind: Environment, metadata: {name: test}, spec: {tier: dev, securityProfile: enforced, istio: {version: 1.31.4, trustDomain: example.org, revision: blue}}}`)
	misspelt := written(t, `{apiVersion: ringfence.dev/v1alpha1, kind: Environment, metadata: {name: test}, spec: {tier: dev, securityProfile: enforced, istio: {trustdomaine: example.org}}}`)
	for name, c := range map[string]struct {
		reason, stdin  string
		args           []string
		status         int
		stdout, stderr []string
	}{
		"known":            {reason: "all is", args: []string{"matrix", known}, stdout: []string{"shop/cart:8080\n  yes      shop/web\n"}},
		"standard-input":   {reason: "named by a dash", stdin: shop(onlyWeb), args: []string{"matrix", "-"}, stdout: []string{"shop/cart:8080\n  yes      shop/web\n"}},
		"unparsable":       {reason: "a policy that can't be read", args: []string{"matrix", unparsable}, status: uncertain, stdout: []string{"unknown"}, stderr: []string{"not judged: " + unparsable + ":8: AuthorizationPolicy shop/cart", "principles"}},
		"unparsable-json":  {reason: "the list is in the output, too", args: []string{"matrix", "-o", "json", unparsable}, status: uncertain, stdout: []string{`"unjudged": [`, "principles"}, stderr: []string{"principles"}},
		"unknown":          {reason: "nothing is known of headers", args: []string{"matrix", header}, status: uncertain, stdout: []string{"unknown  everybody"}},
		"environment":      {reason: "its settings are printed", args: []string{"matrix", "--environment", environment, known}, stdout: []string{"Istio 1.31.4; trust domain example.org", "revision blue"}},
		"flags-win":        {reason: "over the Environment", args: []string{"matrix", "--environment", environment, "--trust-domain", "cluster.local", "--revision", "", known}, stdout: []string{"trust domain cluster.local", "revision default", "yes      shop/web"}},
		"any-host":         {reason: "there is no other", stdin: ingress, args: []string{"matrix", "-"}, stdout: []string{"  no       any host: "}},
		"any-other-host":   {reason: "one is named, of which it isn't known where it leads", stdin: ingress + `{apiVersion: networking.istio.io/v1, kind: VirtualService, metadata: {name: shop, namespace: shop}, spec: {hosts: [shop.example.org], gateways: [ingress], http: [{route: [{destination: {host: cart}}]}]}}`, args: []string{"matrix", "-"}, status: uncertain, stdout: []string{"  no       any other host: "}},
		"no-environment":   {reason: "the file is another", args: []string{"matrix", "--environment", known, known}, status: failed, stderr: []string{known, "0 documents of kind Environment", "--trust-domain"}},
		"bad-environment":  {reason: "it is read strictly", args: []string{"matrix", "--environment", misspelt, known}, status: failed, stderr: []string{misspelt, "Environment test", "trustdomaine"}},
		"bad-trust-domain": {reason: "it is no ID", args: []string{"matrix", "--trust-domain", "spiffe://cluster.local", known}, status: failed, stderr: []string{"spiffe://cluster.local", "without spiffe://"}},
		"no-yaml":          {reason: "the line is named", stdin: "a: b\nc: d: e\n", args: []string{"matrix", "-"}, status: failed, stderr: []string{"standard input", "line 2"}},
		"nothing":          {reason: "what to name", args: []string{"matrix"}, status: misused, stderr: []string{"standard input", "ringfence access matrix --help"}},
		"missing":          {reason: "the file is named", args: []string{"matrix", "missing.yaml"}, status: failed, stderr: []string{`"missing.yaml"`}},
		"unknown-output":   {reason: "what there is", args: []string{"matrix", "-o", "jsn", known}, status: misused, stderr: []string{`"jsn"`, `did you mean "json"?`}},
		"unknown-flag":     {reason: "where to read on", args: []string{"matrix", "--form", "x", known}, status: misused, stderr: []string{"--form", "ringfence access matrix --help"}},
		"misspelt-name":    {reason: "what may be meant", args: []string{"matrix", "--to", "shop/crat", known}, status: failed, stderr: []string{`"shop/crat"`, `did you mean "shop/cart"?`}},
		"unlike-any-name":  {reason: "what there is", args: []string{"matrix", "--from", "frontend", known}, status: failed, stderr: []string{"shop/cart, shop/web"}},
		"help-of-matrix":   {reason: "with its flags", args: []string{"matrix", "--help"}, stdout: []string{"--output", "--environment", "Example:"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := accessed(c.stdin, c.args...)
			assert.Equal(t, c.status, status, "%s\n%s", c.reason, stderr)
			for _, text := range c.stdout {
				assert.Contains(t, stdout, text, c.reason)
			}
			for _, text := range c.stderr {
				assert.Contains(t, stderr, text, c.reason)
			}
			if status == failed || status == misused {
				assert.Empty(t, stdout, "nothing that a pipe could take for a result")
			}
		})
	}
}

// TestMatrixOutputs holds the formats against each other: what is admitted is the same in each.
func TestMatrixOutputs(t *testing.T) {
	dir := filepath.Join("..", "..", "test", "compositions", "testdata", "staging")
	_, text, _ := accessed("", "matrix", "-o", "json", dir)
	var matrix report.Matrix
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&matrix))
	want := map[[3]string]bool{}
	clients := 0
	for _, c := range matrix.Clients {
		clients += len(c.Workloads)
	}
	for _, a := range matrix.Access {
		for _, i := range a.Clients {
			from := matrix.Clients[i].Workloads
			if matrix.Clients[i].Outside {
				from = append(from, "(outside)")
			}
			for _, f := range from {
				for _, to := range matrix.Servers[a.Servers].Ports {
					want[[3]string{f, to, a.Answer}] = true
				}
			}
		}
	}
	_, text, _ = accessed("", "matrix", "-o", "csv", "--all", dir)
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comment = '#'
	lines, err := reader.ReadAll()
	require.NoError(t, err)
	got, denied := map[[3]string]bool{}, 0
	for _, line := range lines[1:] {
		switch {
		case line[2] != "":
		case line[3] == "no":
			denied++
		default:
			got[[3]string{line[0], line[1], line[3]}] = true
		}
	}
	assert.Equal(t, want, got)
	ports := 0
	for _, s := range matrix.Servers {
		ports += len(s.Ports)
	}
	assert.Equal(t, (clients+1)*ports, len(got)+denied, "each pair is one line")
	assert.True(t, got[[3]string{"themelio/web", "themelio/k8s-root-actor:3000", "yes"}])
	again, second, _ := accessed("", "matrix", "-o", "csv", "--all", dir)
	assert.Equal(t, uncertain, again)
	assert.Equal(t, text, second)
}
