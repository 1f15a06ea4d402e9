package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// refOf reads the identity of a parsed object. What is missing or null is empty;
// what is no string is an error, because an API server would refuse it and
// nobody could say which object it is.
func refOf(n *yaml.Node) (ref resource.Ref, err error) {
	if n.Kind != yaml.MappingNode {
		return ref, fmt.Errorf("%s where an object is wanted", kindOf(n))
	}
	read := func(in *yaml.Node, prefix, field string) string {
		v := lookup(in, field)
		if v == nil || v.ShortTag() == yaml.NodeTagNull {
			return ""
		}
		switch {
		case isText(v):
			return v.Value
		case v.Kind == yaml.ScalarNode:
			err = cmp.Or(err, fmt.Errorf("%s%s is %s, not a string: quote it", prefix, field, kindOf(v)))
		default:
			err = cmp.Or(err, fmt.Errorf("%s%s is %s, not a string", prefix, field, kindOf(v)))
		}
		return ""
	}
	ref.APIVersion = read(n, "", "apiVersion")
	ref.Kind = read(n, "", "kind")
	metadata := lookup(n, "metadata")
	if metadata != nil && metadata.Kind == yaml.MappingNode {
		ref.Name = read(metadata, "metadata.", "name")
		ref.Namespace = read(metadata, "metadata.", "namespace")
	} else if metadata != nil && metadata.ShortTag() != yaml.NodeTagNull {
		err = cmp.Or(err, fmt.Errorf("metadata is %s, not a mapping", kindOf(metadata)))
	}
	return ref, err
}

// lookup returns the value of a key in a mapping, nil where it has none.
func lookup(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// isText reports whether a scalar is a string in JSON: what looks like a date
// is one.
func isText(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	switch n.ShortTag() {
	case yaml.NodeTagNull, yaml.NodeTagBool, yaml.NodeTagInt, yaml.NodeTagFloat:
		return false
	}
	return true
}

// kindOf says in a message what n is.
func kindOf(n *yaml.Node) string {
	switch tag := n.ShortTag(); {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing (null)"
	case tag == yaml.NodeTagBool:
		return fmt.Sprintf("the truth value %s", n.Value)
	case tag == yaml.NodeTagInt || tag == yaml.NodeTagFloat:
		return fmt.Sprintf("the number %s", n.Value)
	}
	return fmt.Sprintf("the string %q", n.Value)
}

// refuseList returns an error for an object that holds objects: nobody would
// judge those.
func refuseList(ref resource.Ref, hasItems bool) error {
	switch {
	case ref.Kind == "ResourceList" && strings.HasPrefix(ref.APIVersion, listGroup):
		return errors.New("a ResourceList among objects: its objects would escape; " +
			"hand it to the function on its own, or give its items as objects of their own")
	case ref.Kind == "List" || strings.HasSuffix(ref.Kind, "List") && hasItems:
		return fmt.Errorf("kind %s holds further objects, which would escape: give its items as objects of their own", ref.Kind)
	}
	return nil
}
