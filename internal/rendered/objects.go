package rendered

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// document is what stands between two "---".
type document struct {
	file string
	add  func(*Item)
}

// take takes the objects of a value that begins on a line.
func (d document) take(line int, value any) error {
	switch value := value.(type) {
	case nil:
		return nil
	case []any:
		for i, entry := range value {
			if err := d.take(0, entry); err != nil {
				return fmt.Errorf("entry %d: %w", i, err)
			}
		}
		return nil
	case map[string]any:
		return d.object(line, value)
	default:
		return errors.New("it is no object: only rendered manifests belong here") // its value may be a secret
	}
}

// object takes one object, or those of a list: of what has items, no name, and a
// kind that ends in List.
func (d document) object(line int, content map[string]any) error {
	version, kind := resource.String(content, "apiVersion"), resource.String(content, "kind")
	if version == "" || kind == "" {
		return errors.New("it has no apiVersion or no kind: only rendered manifests belong here, and no values or other files")
	}
	ref := resource.Ref{
		APIVersion: version, Kind: kind,
		Namespace: resource.String(content, "metadata", "namespace"), Name: resource.String(content, "metadata", "name"),
	}
	if single, ok := strings.CutSuffix(kind, "List"); ok && ref.Name == "" {
		if items, has := content["items"]; has {
			return d.list(version, single, items)
		}
	}
	if ignored(ref, content) {
		return nil
	}
	text, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("%s holds what JSON can't: %w", ref, err)
	}
	d.add(&Item{ref: ref, file: d.file, line: line, json: text})
	return nil
}

// list takes the entries of a list. Those of a list of one kind needn't say which it is.
func (d document) list(version, kind string, value any) error {
	items, ok := value.([]any)
	if !ok && value != nil {
		return errors.New("its items are no list")
	}
	for i, entry := range items {
		content, ok := entry.(map[string]any)
		if !ok {
			return fmt.Errorf("items[%d] is no object", i)
		}
		if _, said := content["kind"]; !said && kind != "" {
			content = maps.Clone(content)
			content["apiVersion"], content["kind"] = version, kind
		}
		if err := d.object(0, content); err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return nil
}

// groupKustomize is of what kustomize reads and never prints.
const groupKustomize = "kustomize.config.k8s.io"

// ignored reports what is input of a tool and never reaches a cluster.
func ignored(ref resource.Ref, content map[string]any) bool {
	if group := ref.Group(); group == v1alpha1.Group || group == groupKustomize {
		return true
	}
	return resource.String(content, "metadata", "annotations", v1alpha1.AnnotationLocalConfig) == "true"
}
