package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The entries are as kube-apiserver 1.35 keeps them.
func TestWriters(t *testing.T) {
	cases := map[string]struct {
		object  string
		writers []string
		ours    bool
	}{
		"created-by-us": {`
spec: {action: ALLOW}
metadata:
  managedFields:
  - {manager: ringfence, fieldsV1: {"f:metadata": {"f:labels": {"f:ringfence.dev/owner": {}}}, "f:spec": {".": {}, "f:action": {}}}}`, []string{"ringfence"}, true},
		"edited-by-hand-in-part": {`
spec: {action: ALLOW, rules: [{}]}
metadata:
  managedFields:
  - {manager: ringfence, fieldsV1: {"f:spec": {".": {}, "f:action": {}}}}
  - {manager: kubectl-edit, fieldsV1: {"f:spec": {"f:rules": {}}}}`, []string{"ringfence", "kubectl-edit"}, true},
		"replaced-whole-by-somebody-else": {`
spec: {action: ALLOW}
metadata:
  managedFields:
  - {manager: ringfence, fieldsV1: {"f:spec": {}}}
  - {manager: argocd-controller, fieldsV1: {"f:spec": {"f:action": {}}}}`, []string{"argocd-controller", "ringfence"}, false},
		"replaced-whole-down-to-the-mappings": {`
spec: {action: DENY, selector: {matchLabels: {app: other}}, rules: [{}]}
metadata:
  managedFields:
  - {manager: ringfence, fieldsV1: {"f:spec": {".": {}, "f:selector": {".": {}, "f:matchLabels": {}}}}}
  - {manager: kubectl-replace, fieldsV1: {"f:spec": {"f:action": {}, "f:rules": {}, "f:selector": {"f:matchLabels": {"f:app": {}}}}}}`, []string{"kubectl-replace", "ringfence"}, false},
		"one-label-of-the-selector-is-ours": {`
spec: {action: DENY, selector: {matchLabels: {app: web}}}
metadata:
  managedFields:
  - {manager: ringfence, fieldsV1: {"f:spec": {".": {}, "f:selector": {".": {}, "f:matchLabels": {".": {}, "f:app": {}}}}}}`, []string{"ringfence"}, true},
		"adopted-by-taking-rules-away": {`
spec: {action: ALLOW, selector: {matchLabels: {app: web}}}
metadata:
  managedFields:
  - {manager: kubectl, time: "2026-12-01T01:00:00Z", fieldsV1: {"f:spec": {".": {}, "f:action": {}, "f:selector": {".": {}, "f:matchLabels": {".": {}, "f:app": {}}}}}}
  - {manager: ringfence, time: "2026-12-01T02:00:00Z", fieldsV1: {"f:metadata": {"f:labels": {"f:ringfence.dev/owner": {}}}}}`, []string{"kubectl", "ringfence"}, true},
		"adopted-and-rewritten-since": {`
spec: {action: DENY, selector: {matchLabels: {app: web}}}
metadata:
  managedFields:
  - {manager: ringfence, time: "2026-12-01T02:00:00Z", fieldsV1: {"f:metadata": {"f:labels": {"f:ringfence.dev/owner": {}}}}}
  - {manager: helm, time: "2026-12-01T03:00:00Z", fieldsV1: {"f:spec": {".": {}, "f:action": {}}}}`, []string{"helm", "ringfence"}, false},
		"status-by-us-alone": {`
spec: {action: ALLOW}
metadata:
  managedFields:
  - {manager: ringfence, subresource: status, fieldsV1: {"f:spec": {"f:action": {}}}}`, nil, false},
		"account-without-a-spec": {`
metadata:
  managedFields:
  - {manager: ringfence, fieldsV1: {"f:metadata": {"f:labels": {".": {}, "f:ringfence.dev/owner": {}}}}}`, []string{"ringfence"}, true},
		"account-of-others": {`
metadata:
  managedFields:
  - {manager: helm, fieldsV1: {"f:metadata": {"f:labels": {".": {}, "f:ringfence.dev/owner": {}}}}}`, []string{"helm"}, false},
		"nobody-knows": {`{}`, nil, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal([]byte(c.object), &o.Object))
			assert.Equal(t, c.writers, writers(o))
			assert.Equal(t, c.ours, wrote(o, "ringfence"))
		})
	}
}
