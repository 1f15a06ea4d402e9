package netpol_test

import (
	"bytes"
	"encoding/json"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/resource"
	"github.com/ringfence-dev/ringfence/test/netpol/random"
)

// source is an object in memory.
type source struct{ content map[string]any }

func (s *source) Ref() resource.Ref {
	return resource.Ref{
		APIVersion: resource.String(s.content, "apiVersion"), Kind: resource.String(s.content, "kind"),
		Namespace: resource.String(s.content, "metadata", "namespace"), Name: resource.String(s.content, "metadata", "name"),
	}
}

func (s *source) Decode() (map[string]any, error) { return s.content, nil }

func (s *source) Mentions(text string) bool {
	data, err := json.Marshal(s.content)
	return err != nil || bytes.Contains(data, []byte(text))
}

// meshOf reads a cluster's objects, Namespaces but those that are hidden among them.
func meshOf(c random.Cluster, hidden map[string]bool) (*access.Mesh, error) {
	var objects []random.Object
	for _, n := range c.Namespaces {
		if hidden[n.Name] {
			continue
		}
		labels := map[string]string{}
		for key, value := range n.Labels {
			if key != random.LabelName { // which stands in no manifest
				labels[key] = value
			}
		}
		objects = append(objects, random.Object{"apiVersion": "v1", "kind": "Namespace", "metadata": random.Object{"name": n.Name, "labels": labels}})
	}
	for i := range c.Pods {
		objects = append(objects, deployment(&c.Pods[i]))
	}
	set := resource.NewSet()
	for _, object := range append(objects, c.Policies...) {
		data, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		content := map[string]any{}
		if err := json.Unmarshal(data, &content); err != nil {
			return nil, err
		}
		set.Add(&source{content})
	}
	return access.New(set, access.Settings{}), nil
}

// deployment has a container for each port: within one, two of a number are refused or warned of.
func deployment(p *random.Pod) random.Object {
	var containers []any
	for _, port := range p.Ports {
		declared := random.Object{"containerPort": port.Number, "protocol": port.Protocol}
		if port.Name != "" {
			declared["name"] = port.Name
		}
		containers = append(containers, random.Object{"name": "main", "ports": []any{declared}})
	}
	return random.Object{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": random.Object{"name": p.Name, "namespace": p.Namespace},
		"spec": random.Object{"template": random.Object{"metadata": random.Object{"labels": p.Labels}, "spec": random.Object{"containers": containers}}},
	}
}
