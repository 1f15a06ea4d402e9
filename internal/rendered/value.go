package rendered

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// valueOf returns a YAML value as JSON has it.
func valueOf(root *yaml.Node, limit int64) (value any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("the YAML library failed: %v", panicked)
		}
	}()
	x := expansion{limit: limit, sizes: map[*yaml.Node]int64{}}
	if _, err := x.prepare(root); err != nil {
		return nil, err
	}
	err = root.Decode(&value)
	if faults, ok := errors.AsType[*yaml.TypeError](err); ok {
		err = errors.New(strings.Join(faults.Errors, "; ")) // it has a line for each
	}
	return value, err
}

// expansion prepares the nodes of one document: each once, however often aliases name it.
type expansion struct {
	limit int64
	sizes map[*yaml.Node]int64 // by the nodes that are prepared; underway for those on the way to this one
}

const underway = -1

var errItself = errors.New("an alias stands within what it names")

// prepare makes a node what Kubernetes' own reader makes of it, where yaml.v3
// differs: dates are texts, and so are the keys of mappings. It returns the size
// of the node with its aliases expanded, and refuses one that is beyond the limit:
// a few lines of aliases of aliases can stand for more than there is memory.
func (x *expansion) prepare(n *yaml.Node) (int64, error) {
	if n.Kind == yaml.AliasNode {
		return x.prepare(n.Alias)
	}
	switch size, known := x.sizes[n]; {
	case known && size == underway:
		return 0, errItself
	case known:
		return size, nil
	}
	x.sizes[n] = underway
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	size := int64(len(n.Value)) + 1
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			asText(child)
		}
		s, err := x.prepare(child)
		if err != nil {
			return 0, err
		}
		if size += s; size > x.limit {
			return 0, fmt.Errorf("with its aliases expanded it has more than %d bytes", x.limit)
		}
	}
	x.sizes[n] = size
	return size, nil
}

func asText(key *yaml.Node) {
	if key.Kind != yaml.ScalarNode {
		return
	}
	switch key.ShortTag() {
	case "!!bool", "!!int", "!!float", "!!timestamp":
		key.Tag = "!!str"
	}
}
