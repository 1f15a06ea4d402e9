package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestProgress(t *testing.T) {
	cases := map[string]struct {
		object string
		want   string
		failed bool
	}{
		"deployment-done": {object: `
kind: Deployment
metadata: {generation: 2}
spec: {replicas: 2}
status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2}`},
		"deployment-without-replicas-has-one": {object: `
kind: Deployment
metadata: {generation: 1}
status: {observedGeneration: 1}`, want: "0 of 1 pods are new"},
		"deployment-of-no-replicas-is-done": {object: `
kind: Deployment
metadata: {generation: 1}
spec: {replicas: 0}
status: {observedGeneration: 1}`},
		"deployment-not-seen-yet": {object: `
kind: Deployment
metadata: {generation: 3}
spec: {replicas: 1}
status: {observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1}`, want: "its controller hasn't seen the change yet"},
		"deployment-with-old-pods": {object: `
kind: Deployment
metadata: {generation: 2}
spec: {replicas: 2}
status: {observedGeneration: 2, replicas: 3, updatedReplicas: 2, availableReplicas: 2}`, want: "1 old pods are still there"},
		"deployment-not-available": {object: `
kind: Deployment
metadata: {generation: 2}
spec: {replicas: 2}
status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 1}`, want: "1 of 2 new pods are available"},
		"deployment-past-its-deadline": {object: `
kind: Deployment
metadata: {generation: 2}
spec: {replicas: 1}
status:
  observedGeneration: 2
  conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: no pod became ready}]`, want: "its deadline has passed: no pod became ready", failed: true},
		"statefulset-in-part": {object: `
kind: StatefulSet
metadata: {generation: 2}
spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 2}}}
status: {observedGeneration: 2, updatedReplicas: 1, readyReplicas: 3}`},
		"statefulset-not-ready": {object: `
kind: StatefulSet
metadata: {generation: 2}
spec: {replicas: 3}
status: {observedGeneration: 2, updatedReplicas: 3, readyReplicas: 2}`, want: "2 of 3 new pods are available"},
		"statefulset-on-delete-waits-for-nobody": {object: `
kind: StatefulSet
metadata: {generation: 2}
spec: {replicas: 3, updateStrategy: {type: OnDelete}}
status: {observedGeneration: 2}`},
		"daemonset-on-some-nodes": {object: `
kind: DaemonSet
metadata: {generation: 2}
status: {observedGeneration: 2, desiredNumberScheduled: 4, updatedNumberScheduled: 3, numberAvailable: 4}`, want: "3 of 4 pods are new"},
		"cronjob-waits-for-nobody": {object: `
kind: CronJob
metadata: {generation: 2}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{}
			text, err := yaml.YAMLToJSON([]byte("apiVersion: v1\n" + c.object))
			require.NoError(t, err)
			require.NoError(t, o.UnmarshalJSON(text))
			state, failed := progress(o)
			assert.Equal(t, c.want, state)
			assert.Equal(t, c.failed, failed)
		})
	}
}
