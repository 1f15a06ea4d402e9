package validation_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"istio.io/istio/pkg/config/analysis/analyzers"
	"istio.io/istio/pkg/config/analysis/local"
)

// expected is what the analyzers say of every environment, and why that is as it should be.
var expected = map[string]string{
	"IST0102 Namespace argocd": "nothing in it is to have a proxy",
	"IST0102 Namespace themelio": "workloads are enrolled one by one, by a label of their pods, so that a namespace of many owners " +
		"doesn't get proxies all at once",
	"IST0102 Namespace waldur-site-agent-cloud":                "as themelio: some of its workloads stay without a proxy",
	"IST0118 Service istio-system/istio-ingressgateway-argocd": "status-port is what Istio's own chart of a gateway calls port 15021",
	"IST0118 Service istio-system/istio-ingressgateway-web":    "status-port is what Istio's own chart of a gateway calls port 15021",
}

// analyze says of files what `istioctl analyze --all-namespaces` says of a cluster that holds them: the
// codes of its messages, each with its object, and the messages in full. Of files themselves istioctl
// would judge neither pods nor Services nor Namespaces.
func analyze(tb testing.TB, i istiod, files []file) map[string]string {
	tb.Helper()
	var sources []local.ReaderSource
	for _, f := range append(live(tb, i, files), i.objects) {
		sources = append(sources, local.ReaderSource{Name: f.name, Reader: bytes.NewReader(f.text)})
	}
	analyzer := local.NewSourceAnalyzer(analyzers.AllCombined(), "", "istio-system", nil)
	require.NoError(tb, analyzer.AddTestReaderKubeSource(sources))
	stop := make(chan struct{})
	defer close(stop)
	result, err := analyzer.Analyze(stop)
	require.NoError(tb, err)
	assert.Greater(tb, len(result.ExecutedAnalyzers), 40)
	assert.Empty(tb, result.SkippedAnalyzers)
	out := map[string]string{}
	for _, m := range result.Messages {
		out[fmt.Sprintf("%s %s", m.Type.Code(), m.Resource.Origin.FriendlyName())] += m.String() + "\n"
	}
	return out
}

// surprises returns what messages have beyond what is expected, and what is expected and isn't there.
func surprises(messages map[string]string) (more, fewer []string) {
	for message := range messages {
		if expected[message] == "" {
			more = append(more, message)
		}
	}
	for message := range expected {
		if messages[message] == "" {
			fewer = append(fewer, message)
		}
	}
	slices.Sort(more)
	slices.Sort(fewer)
	return more, fewer
}

// TestAnalyzers analyzes each environment as it is composed.
func TestAnalyzers(t *testing.T) {
	i := newIstiod(t)
	for _, environment := range composed(t) {
		t.Run(environment, func(t *testing.T) {
			messages := analyze(t, i, build(t, environment))
			more, fewer := surprises(messages)
			for _, message := range more {
				t.Error(messages[message])
			}
			assert.Empty(t, fewer, "these are expected and don't come any more")
		})
	}
}

// TestAnalyzersFind adds something wrong to an environment, of which the analyzers have to say so.
func TestAnalyzersFind(t *testing.T) {
	i := newIstiod(t)
	for name, c := range map[string]struct{ text, want string }{
		"policy-without-workload": {`
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: stray, namespace: themelio}
spec: {selector: {matchLabels: {app: wbe}}}`, "IST0127 AuthorizationPolicy themelio/stray"},
		"policy-for-a-workload-without-proxy": {`
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: outside, namespace: argocd}
spec: {selector: {matchLabels: {app.kubernetes.io/name: argocd-server}}}`, "IST0127 AuthorizationPolicy argocd/outside"},
		"policy-names-an-absent-namespace": {`
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: far, namespace: themelio}
spec: {selector: {matchLabels: {app: web}}, rules: [{from: [{source: {namespaces: [nowhere]}}]}]}`, "IST0101 AuthorizationPolicy themelio/far"},
		"gateway-port-not-served": {`
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: odd, namespace: themelio}
spec: {selector: {app: istio-ingressgateway-web}, servers: [{port: {number: 9090, name: http, protocol: HTTP}, hosts: [odd.example.org]}]}`, "IST0162 Gateway themelio/odd"},
		"gateway-without-pods": {`
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: lost, namespace: themelio}
spec: {selector: {app: ingress}, servers: [{port: {number: 8080, name: http, protocol: HTTP}, hosts: [lost.example.org]}]}`, "IST0101 Gateway themelio/lost"},
		"route-to-nobody": {`
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: gone, namespace: themelio}
spec: {gateways: [web], hosts: [web.staging.example.org], http: [{route: [{destination: {host: gone.themelio.svc.cluster.local}}]}]}`, "IST0101 VirtualService themelio/gone"},
		"invalid": {`
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: invalid, namespace: themelio}
spec: {selector: {matchLabels: {app: web}}, rules: [{from: [{source: {ipBlocks: [10.0.0.0/40]}}]}]}`, "IST0106 AuthorizationPolicy themelio/invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			messages := analyze(t, i, append(build(t, "staging"), file{"added", []byte(c.text + "\n")}))
			more, fewer := surprises(messages)
			assert.Equal(t, []string{c.want}, more, messages)
			assert.Empty(t, fewer)
		})
	}
	t.Run("one-that-is-expected-is-missed", func(t *testing.T) {
		_, fewer := surprises(analyze(t, i, []file{{"argocd", []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: argocd}\n")}}))
		assert.Len(t, fewer, len(expected)-1)
	})
}
