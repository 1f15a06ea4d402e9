package parity

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// images are Istio's own whose version is istiod's: the proxy, the control plane and the node agent.
var images = []string{"proxyv2", "pilot", "install-cni"}

// annotationProxyImage replaces the image of a pod's proxy.
const annotationProxyImage = "sidecar.istio.io/proxyImage"

// images returns the images of Istio in every object, of whatever kind: rollouts
// and the like hold pod templates as well.
func (c *checker) images() []sighting {
	var out []sighting
	for o := range c.Resources.All() {
		if slices.ContainsFunc(images, o.Mentions) {
			out = append(out, imagesIn(o, nil, o.Content())...)
		}
		out = append(out, injected(o)...)
	}
	return out
}

// imagesIn looks for images below a path.
func imagesIn(o *resource.Object, at resource.Path, value any) []sighting {
	var out []sighting
	switch value := value.(type) {
	case []any:
		for i, entry := range value {
			out = append(out, imagesIn(o, at.Index(i), entry)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			path := at.Child(key)
			text, isText := value[key].(string)
			if !isText {
				out = append(out, imagesIn(o, path, value[key])...)
				continue
			}
			if version, why, ok := imageVersion(text); ok && (key == "image" || key == annotationProxyImage) {
				out = append(out, sighting{object: o, field: path, text: text, what: "image " + text, version: version, why: why})
			}
		}
	}
	return out
}

// imageVersion returns the version of an image of Istio's from whatever registry,
// or why nothing tells it.
func imageVersion(image string) (version, why string, ok bool) {
	name, _, digest := strings.Cut(image, "@")
	path := name[:strings.LastIndex(name, "/")+1]
	name, tag, tagged := strings.Cut(name[len(path):], ":")
	switch {
	case path == "" || !slices.Contains(images, name):
		return "", "", false
	case tag != "":
		return plain(tag), "", true
	case digest:
		return "", "has a digest and no tag, which says nothing of its version", true
	case tagged:
		return "", "has an empty tag", true
	default:
		return "", "has no tag, so that it is whatever is newest", true
	}
}

// injector is the ConfigMap by which istiod makes the proxies of all pods that
// have no image of their own; with a revision its name goes on.
const injector = "istio-sidecar-injector"

// injected returns the versions in the values that istiod injects by.
func injected(o *resource.Object) []sighting {
	if ref := o.Ref(); ref.Kind != "ConfigMap" || ref.Group() != "" || !strings.HasPrefix(ref.Name, injector) {
		return nil
	}
	var values map[string]any
	if err := json.Unmarshal([]byte(resource.String(o.Content(), "data", "values")), &values); err != nil {
		return nil // the chart writes JSON; what is none is no chart's
	}
	at := resource.Path{"data", "values"}
	return append(tagsIn(o, at, values), imagesIn(o, at, values)...)
}

// tagsIn returns the tags of images in the values of a chart of Istio's, wherever they stand.
func tagsIn(o *resource.Object, at resource.Path, value any) []sighting {
	var out []sighting
	switch value := value.(type) {
	case []any:
		for i, entry := range value {
			out = append(out, tagsIn(o, at.Index(i), entry)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			path := at.Child(key)
			if text := scalar(value[key]); key == "tag" && text != "" {
				out = append(out, tagSighting(o, path, text))
				continue
			}
			out = append(out, tagsIn(o, path, value[key])...)
		}
	}
	return out
}

func tagSighting(o *resource.Object, path resource.Path, tag string) sighting {
	return sighting{object: o, field: path, text: tag, what: "the tag of images " + tag, version: plain(tag)}
}

// scalarAt returns the text or number at a path of an object, or "".
func scalarAt(o *resource.Object, path ...string) string {
	value, _ := resource.Field(o.Content(), path...)
	return scalar(value)
}

// scalar returns a text, or a number as a text: 1.31 without quotes is one.
func scalar(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case int64:
		return strconv.FormatInt(value, 10)
	case float64:
		return fmt.Sprint(value)
	default:
		return ""
	}
}
