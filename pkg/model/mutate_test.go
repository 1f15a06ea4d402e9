package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/internal/modeltest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// Random models are valid; with a few values moved, lost or replaced they are
// either still, or refused in words, and the schema agrees.
func TestMutatedModels(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := modeltest.Random(r)
		request, findings := parse(t, []byte(c.Model), []byte(c.Environment))
		request.Owner = request.Platform.Owners[0] // the case's own; the harness asks for another
		requireValid(t, request)
		requireAgreement(t, "AccessModel", []byte(c.Model), findings)
		requireAgreement(t, "Environment", []byte(c.Environment), findings)
		for range 15 {
			model, environment := mutated(t, r, c.Model), []byte(c.Environment)
			if r.IntN(3) == 0 {
				model, environment = []byte(c.Model), mutated(t, r, c.Environment)
			}
			request, findings := parse(t, model, environment)
			requireSayable(t, findings)
			requireAgreement(t, "AccessModel", model, findings)
			requireAgreement(t, "Environment", environment, findings)
			about := findings.AtLeast(finding.Error)
			about = slices.DeleteFunc(about, func(f finding.Finding) bool { return f.Object.IsZero() }) // of the owner that the harness asks for
			if len(about) > 0 {
				refused++
				continue
			}
			accepted++
			if request.Platform != nil && len(request.Platform.Owners) > 0 {
				request.Owner = request.Platform.Owners[0]
				requireValid(t, request)
			}
		}
	}
	require.Greater(t, accepted, 30, "mutations that leave a model valid")
	require.Greater(t, refused, 300, "mutations that don't")
}

// mutated changes one to three places of a YAML text.
func mutated(t *testing.T, r *rand.Rand, text string) []byte {
	t.Helper()
	var root yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &root))
	for range 1 + r.IntN(3) {
		nodes := collect(&root, nil)
		node, other := nodes[r.IntN(len(nodes))], nodes[r.IntN(len(nodes))]
		step := 1
		if node.Kind == yaml.MappingNode {
			step = 2
		}
		at := 0
		if n := len(node.Content) / step; n > 0 {
			at = r.IntN(n) * step
		}
		switch r.IntN(7) {
		case 0: // an entry is lost
			if len(node.Content) > 0 {
				node.Content = slices.Delete(node.Content, at, at+step)
			}
		case 1: // an entry stands twice
			if len(node.Content) > 0 {
				node.Content = append(node.Content, node.Content[at:at+step]...)
			}
		case 2: // a value of another place
			copied := deep(other)
			*node = *copied
		case 3: // an odd value
			odd := []string{"", "~", "y", "8000", "1.5", "true", "*", "a b", "A_b", "-", "default", "istio-system", "cluster.local/ns/a/sa/b", "2024-01-02", "[]", "{}", "enforced", "0", "65536"}
			*node = yaml.Node{Kind: yaml.ScalarNode, Value: odd[r.IntN(len(odd))], Style: []yaml.Style{0, yaml.DoubleQuotedStyle}[r.IntN(2)]}
		case 4: // a list or mapping is empty
			if len(node.Content) > 0 {
				node.Content = nil
			}
		case 5: // keys change places
			if node.Kind == yaml.MappingNode && len(node.Content) > 2 {
				node.Content[0], node.Content[at] = node.Content[at], node.Content[0]
			}
		default: // a scalar is misspelt
			if node.Kind == yaml.ScalarNode && node.Value != "" {
				letters := []rune(node.Value)
				i := r.IntN(len(letters))
				node.Value = string(slices.Delete(letters, i, i+1))
			}
		}
	}
	out, err := yaml.Marshal(&root)
	require.NoError(t, err)
	return out
}

// collect returns the nodes below the root of a document.
func collect(node *yaml.Node, nodes []*yaml.Node) []*yaml.Node {
	for _, child := range node.Content {
		nodes = collect(child, append(nodes, child))
	}
	return nodes
}

func deep(node *yaml.Node) *yaml.Node {
	out := *node
	out.Content = nil
	for _, child := range node.Content {
		out.Content = append(out.Content, deep(child))
	}
	return &out
}
