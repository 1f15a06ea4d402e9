package tenantpolicy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// The field of Istio's ProxyConfig that lets containers wait for the proxy, in
// both spellings that Istio reads; the two together it refuses.
var holds = []string{"holdApplicationUntilProxyStarts", "hold_application_until_proxy_starts"}

// holdApplication returns a proxy configuration (YAML) with containers waiting
// for the proxy, and all else in it kept. One that says so already comes back
// as it is.
func holdApplication(config string) (string, error) {
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(config), &fields); err != nil { // finds what a node alone lets pass: a key twice
		return "", fmt.Errorf("it is no mapping in YAML: %w", err)
	}
	if len(fields) == 0 {
		return holds[0] + ": true", nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(config), &document); err != nil {
		return "", fmt.Errorf("reading it: %w", err)
	}
	mapping := document.Content[0]
	if mapping.Kind != yaml.MappingNode {
		return "", errors.New("it is no mapping in YAML")
	}
	at := -1
	for i := 0; i < len(mapping.Content); i += 2 {
		if slices.Contains(holds, mapping.Content[i].Value) {
			at = i + 1
		}
	}
	switch {
	case at < 0:
		// In the style of its neighbours: JSON stays JSON.
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: holds[0], Style: mapping.Content[0].Style}
		mapping.Content = append(mapping.Content, key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	case isTrue(mapping.Content[at]):
		return config, nil
	default:
		old := mapping.Content[at]
		mapping.Content[at] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true", LineComment: old.LineComment}
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(mapping), encoder.Close()); err != nil {
		return "", fmt.Errorf("writing it: %w", err)
	}
	merged := strings.TrimSuffix(out.String(), "\n")
	if strings.HasSuffix(config, "\n") {
		merged += "\n"
	}
	return merged, nil
}

func isTrue(node *yaml.Node) bool {
	var on bool
	return node.Decode(&on) == nil && on
}
