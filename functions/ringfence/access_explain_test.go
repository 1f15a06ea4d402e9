package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access/report"
)

// TestExplain asks the example platform as people would, wrongly too.
func TestExplain(t *testing.T) {
	dir := filepath.Join("..", "..", "test", "compositions", "testdata", "staging")
	for name, c := range map[string]struct {
		reason         string
		args           []string
		status         int
		stdout, stderr []string
	}{
		"allowed":          {reason: "its policy names the caller", args: []string{"themelio/web", "themelio/k8s-root-actor"}, stdout: []string{"themelio/k8s-root-actor:3000: yes", "transport    yes      mutual TLS as cluster.local/ns/themelio/sa/web", "[AuthorizationPolicy themelio/k8s-root-actor-allow-web spec.rules[0]]"}},
		"denied":           {reason: "nobody's policy names it", args: []string{"waldur-site-agent-cloud/waldur-site-agent-cloud-report", "themelio/gitlab-root-actor:3000"}, stdout: []string{"gitlab-root-actor:3000: no", "no       "}},
		"outside":          {reason: "it has no certificate", args: []string{"external:192.0.2.1", "themelio/web"}, stdout: []string{"a client outside of the cluster at 192.0.2.1 to themelio/web:3000: no", "STRICT refuses plaintext"}},
		"node":             {reason: "neither has a node", args: []string{"node", "themelio/web"}, stdout: []string{"a node to themelio/web:3000: no"}},
		"gateway":          {reason: "on to the pods", args: []string{"external", "istio-system/istio-ingressgateway-web", "--host", "web.staging.example.org"}, stdout: []string{"istio-ingressgateway-web:8080: yes", "route        yes", "\n  istio-system/istio-ingressgateway-web to themelio/web:3000: yes"}},
		"gateway-host":     {reason: "no policy admits it", args: []string{"external", "istio-system/istio-ingressgateway-web", "--host", "evil.example.org"}, stdout: []string{"istio-ingressgateway-web:8080: no", "authorize    no"}},
		"gateway-no-host":  {reason: "the hosts that there are", args: []string{"external", "istio-system/istio-ingressgateway-web"}, status: uncertain, stderr: []string{"--host", "web.staging.example.org"}},
		"imagined":         {reason: "as if it had the account and a proxy", args: []string{"pods:themelio/web,injected,app=web", "themelio/k8s-root-actor"}, stdout: []string{"themelio/k8s-root-actor:3000: yes"}},
		"imagined-bare":    {reason: "the account alone proves nothing", args: []string{"pods:themelio/web", "themelio/k8s-root-actor"}, stdout: []string{"themelio/k8s-root-actor:3000: no"}},
		"header":           {reason: "a policy looks at it", args: []string{"istio-system/istio-ingressgateway-web", "profile-bob/detector", "--header", "kubeflow-userid=bob@example.org"}, status: uncertain, stdout: []string{"unknown"}},
		"service-port":     {reason: "it is none of the pods'", args: []string{"themelio/web", "themelio/k8s-root-actor:80"}, stderr: []string{"port 80", "declared are 3000"}, stdout: []string{":80: no"}},
		"misspelt-word":    {reason: "what may be meant", args: []string{"nod", "themelio/web"}, status: failed, stderr: []string{`did you mean "node"?`, "pods:NAMESPACE/SERVICEACCOUNT"}},
		"misspelt-from":    {reason: "what may be meant", args: []string{"themelio/wbe", "themelio/web"}, status: failed, stderr: []string{`"themelio/wbe"`, `did you mean "themelio/web"?`}},
		"misspelt-to":      {reason: "what may be meant", args: []string{"themelio/web", "themelio/k8s-rot-actor"}, status: failed, stderr: []string{`did you mean "themelio/k8s-root-actor"?`}},
		"bad-port":         {reason: "it has a number", args: []string{"themelio/web", "themelio/web:http"}, status: failed, stderr: []string{`"http" is no port`, "1 to 65535"}},
		"bad-address":      {reason: "it is no name", args: []string{"external:example.org", "themelio/web"}, status: failed, stderr: []string{`"example.org" is no IP address`}},
		"bad-pods":         {reason: "the account is wanted", args: []string{"pods:themelio", "themelio/web"}, status: failed, stderr: []string{`"themelio" is no NAMESPACE/SERVICEACCOUNT`}},
		"bad-label":        {reason: "what there is", args: []string{"pods:themelio/web,injectd", "themelio/web"}, status: failed, stderr: []string{`"injectd" is neither injected nor a label`}},
		"bad-header":       {reason: "it has a value", args: []string{"themelio/web", "themelio/web", "--header", "x"}, status: misused, stderr: []string{`--header "x"`, "NAME=VALUE"}},
		"query":            {reason: "no policy sees it", args: []string{"themelio/web", "themelio/web", "--path", "/a?b=c"}, status: misused, stderr: []string{`write --path "/a"`}},
		"no-port-declared": {reason: "one has to be said", args: []string{"themelio/web", "waldur-site-agent-cloud/waldur-site-agent-cloud-report"}, status: failed, stderr: []string{"declares a port", "as in"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := accessed("", append(append([]string{"explain"}, c.args...), dir)...)
			assert.Equal(t, c.status, status, "%s\n%s%s", c.reason, stdout, stderr)
			for _, text := range c.stdout {
				assert.Contains(t, stdout, text, c.reason)
			}
			for _, text := range c.stderr {
				assert.Contains(t, stderr, text, c.reason)
			}
			assert.NotContains(t, stdout, "\x1b", "colours are for terminals")
			if status == failed || status == misused {
				assert.Empty(t, stdout)
			}
		})
	}
	status, _, stderr := accessed("", "explain", "themelio/web")
	assert.Equal(t, misused, status)
	assert.Contains(t, stderr, "there are 1 arguments")
}

func TestExplainJSON(t *testing.T) {
	dir := filepath.Join("..", "..", "test", "compositions", "testdata", "staging")
	status, stdout, _ := accessed("", "explain", "-o", "json", "external", "istio-system/istio-ingressgateway-web", "--host", "web.staging.example.org", dir)
	require.Equal(t, succeeded, status)
	var e report.Explanation
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&e))
	assert.Equal(t, "yes", e.Answer.Answer)
	require.Len(t, e.Hops, 1)
	assert.Equal(t, "themelio/web", e.Hops[0].To)
	assert.Equal(t, "web-allow-ingress-gateway", e.Hops[0].Steps[3].Object.Name)
}
