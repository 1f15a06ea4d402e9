package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestGraph draws the example platform: what is protected and what isn't, gateways, and what is out of the mesh.
func TestGraph(t *testing.T) {
	dir := filepath.Join("..", "..", "test", "compositions", "testdata", "staging")
	const external = `
{apiVersion: v1, kind: Service, metadata: {name: postgresql, namespace: databases}, spec: {type: ExternalName, externalName: postgresql.example.org}}
---
{apiVersion: networking.istio.io/v1, kind: ServiceEntry, metadata: {name: gitlab, namespace: databases}, spec: {hosts: [gitlab.example.org]}}
`
	for name, c := range map[string]struct {
		reason, stdin   string
		args            []string
		status          int
		stdout, without []string
		stderr          []string
	}{
		"mermaid": {
			reason: "every kind of node and arrow", stdin: external, args: []string{dir, "-"},
			stdout: []string{
				"flowchart LR", `["k8s-root-actor"]:::guarded`, `["argocd-server (open to everybody)"]:::open`, `["istio-ingressgateway-web (gateway)"]:::gateway`,
				`["postgresql (out of the mesh, unaffected)"]:::external`, `["gitlab (out of the mesh, unaffected)"]:::external`,
				`outside ==>|"web.staging.example.org"|`, `anyone -.->|"8080"|`,
			},
		},
		"dot":               {reason: "the same", args: []string{"-o", "dot", dir}, stdout: []string{"digraph access {", `label="web"`, `outside -> `, `label="web.staging.example.org"`}},
		"namespace":         {reason: "with its neighbours", args: []string{"--namespace", "profile-bob", dir}, stdout: []string{"detector", "unknown 8000"}, without: []string{"anyone", "example.org"}},
		"unknown-namespace": {reason: "what may be meant", args: []string{"--namespace", "themeli", dir}, status: failed, stderr: []string{`did you mean "themelio"?`}},
		"unjudged":          {reason: "it is listed", stdin: shop(`rules: [{from: [{source: {principles: [a]}}]}]`), args: []string{"-"}, status: uncertain, stdout: []string{"flowchart"}, stderr: []string{"not judged: ", ":8: AuthorizationPolicy shop/cart"}},
		"unjudged-page":     {reason: "on the page, too", stdin: shop(`rules: [{from: [{source: {principles: [a]}}]}]`), args: []string{"-o", "html", "-"}, status: uncertain, stdout: []string{"<h2>Not judged</h2>", "AuthorizationPolicy shop/cart"}, stderr: []string{"not judged"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := accessed(c.stdin, append([]string{"graph"}, c.args...)...)
			assert.Equal(t, c.status, status, "%s\n%s", c.reason, stderr)
			for _, text := range c.stdout {
				assert.Contains(t, stdout, text, c.reason)
			}
			for _, text := range c.without {
				assert.NotContains(t, stdout, text, c.reason)
			}
			for _, text := range c.stderr {
				assert.Contains(t, stderr, text, c.reason)
			}
			_, again, _ := accessed(c.stdin, append([]string{"graph"}, c.args...)...)
			assert.Equal(t, stdout, again)
		})
	}
}

// TestGraphIsAlone holds the page to itself: it names no other address, and what it embeds can't end its script.
func TestGraphIsAlone(t *testing.T) {
	hostile := strings.ReplaceAll(shop(onlyWeb), "name: web,", `name: "</script><b>",`)
	_, stdout, _ := accessed(hostile, "graph", "-o", "html", "-")
	for _, address := range regexp.MustCompile(`[a-z]+://[^"'\s]*`).FindAllString(stdout, -1) {
		assert.Equal(t, "http://www.w3.org/2000/svg", address, "the name of a vocabulary, which nobody asks for")
	}
	assert.Equal(t, 2, strings.Count(stdout, "</script>"))
	assert.NotContains(t, stdout, "<b>")
}

// TestGraphIsBounded draws pods of which each is reached, perhaps, by all others, and surely by one.
func TestGraphIsBounded(t *testing.T) {
	const size = 400
	text := strings.ReplaceAll(manyShops(size), "  selector:\n    matchLabels:", "  - when:\n    - key: request.headers[x]\n      values: [a]\n  selector:\n    matchLabels:")
	status, stdout, stderr := accessed(text, "graph", "-o", "html", "-")
	assert.Equal(t, succeeded, status)
	assert.Contains(t, stderr, "too many clients to draw them")
	assert.Less(t, len(stdout), 2<<20)
}
