package netpol_test

import (
	"testing"

	"github.com/mattfenwick/cyclonus/pkg/kube"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// TestNotIn pins the one difference between the peer and Kubernetes that
// peer.New words away: where this fails, it needn't any more.
func TestNotIn(t *testing.T) {
	in := metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"web"}}}}
	selector, err := metav1.LabelSelectorAsSelector(&in)
	require.NoError(t, err)
	without := labels.Set{"tier": "front"}
	assert.True(t, selector.Matches(without), "Kubernetes' own code")
	assert.False(t, kube.IsLabelsMatchLabelSelector(without, in), "the peer")
}
