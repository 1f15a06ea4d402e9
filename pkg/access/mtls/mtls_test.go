package mtls_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	securityv1beta1 "istio.io/api/security/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/pkg/access/mtls"
)

type given struct{ namespace, spec, created string }

func read(t *testing.T, all []given) []*mtls.Policy {
	t.Helper()
	var out []*mtls.Policy
	for _, g := range all {
		data, err := yaml.YAMLToJSON([]byte(g.spec))
		require.NoError(t, err)
		p := &mtls.Policy{Namespace: g.namespace, Name: "policy", Created: g.created, Spec: &securityv1beta1.PeerAuthentication{}}
		require.NoError(t, protojson.Unmarshal(data, p.Spec))
		out = append(out, p)
	}
	return out
}

// The expected values are those of Istio's reference of PeerAuthentication.
func TestInForce(t *testing.T) {
	const (
		strict     = `{mtls: {mode: STRICT}}`
		permissive = `{mtls: {mode: PERMISSIVE}}`
		web        = `{selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}}`
	)
	cases := map[string]struct {
		policies []given
		want     mtls.Mode
		decide   int
	}{
		"default":                        {nil, mtls.Permissive, 0},
		"mesh":                           {[]given{{"istio-system", strict, ""}}, mtls.Strict, 1},
		"namespace-before-mesh":          {[]given{{"app", permissive, ""}, {"istio-system", strict, ""}}, mtls.Permissive, 1},
		"another-namespace":              {[]given{{"shop", strict, ""}}, mtls.Permissive, 0},
		"workload-before-namespace":      {[]given{{"app", permissive, ""}, {"app", web, ""}}, mtls.Strict, 1},
		"another-workload":               {[]given{{"app", `{selector: {matchLabels: {app: api}}, mtls: {mode: STRICT}}`, ""}}, mtls.Permissive, 0},
		"selector-in-the-root":           {[]given{{"istio-system", web, ""}}, mtls.Permissive, 0},
		"unset-inherits":                 {[]given{{"istio-system", strict, ""}, {"app", `{}`, ""}, {"app", `{selector: {matchLabels: {app: web}}, mtls: {mode: UNSET}}`, ""}}, mtls.Strict, 1},
		"port":                           {[]given{{"app", `{selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}, portLevelMtls: {3000: {mode: DISABLE}}}`, ""}}, mtls.Disable, 1},
		"another-port":                   {[]given{{"app", `{selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}, portLevelMtls: {80: {mode: DISABLE}}}`, ""}}, mtls.Strict, 1},
		"port-unset-is-the-workload":     {[]given{{"app", `{selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}, portLevelMtls: {3000: {}}}`, ""}}, mtls.Strict, 1},
		"port-of-a-namespace-is-nothing": {[]given{{"app", `{portLevelMtls: {3000: {mode: STRICT}}}`, ""}}, mtls.Permissive, 0},
		"two-that-agree":                 {[]given{{"app", web, ""}, {"app", web, ""}}, mtls.Strict, 2},
		"two-that-do-not":                {[]given{{"app", web, ""}, {"app", `{selector: {matchLabels: {app: web}}, mtls: {mode: PERMISSIVE}}`, ""}}, "", 2},
		"oldest":                         {[]given{{"app", permissive, "2026-01-02T00:00:00Z"}, {"app", strict, "2026-01-01T00:00:00Z"}}, mtls.Strict, 1},
		"oldest-unknown":                 {[]given{{"app", permissive, "2026-01-02T00:00:00Z"}, {"app", strict, ""}}, "", 2},
		"contradiction-that-matters-not": {[]given{{"app", permissive, ""}, {"app", strict, ""}, {"app", web, ""}}, mtls.Strict, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := mtls.InForce(read(t, c.policies), "istio-system", "app", map[string]string{"app": "web"}, 3000)
			assert.Equal(t, c.want, got.Mode)
			assert.Len(t, got.Policies, c.decide)
		})
	}
}
