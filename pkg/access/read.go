package access

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// message reads an object's spec as Istio does, but for unknown fields: an API
// server drops those in silence, and then the object says less than its author
// meant. An absent spec is an empty one.
func message(o *resource.Object, out proto.Message) error {
	data, err := spec(o)
	if err != nil || data == nil {
		return err
	}
	if err := protojson.Unmarshal(data, out); err != nil {
		_, what, found := strings.Cut(err.Error(), "): ") // before it stands a position in a text that nobody sees
		if !found {
			what = err.Error()
		}
		return fmt.Errorf("spec: %s", what)
	}
	return nil
}

// strict reads an object's spec into a type of ours, likewise.
func strict(o *resource.Object, out any) error {
	data, err := spec(o)
	if err != nil || data == nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(out); err != nil {
		return fmt.Errorf("spec: %w", err)
	}
	return nil
}

func spec(o *resource.Object) ([]byte, error) {
	value := o.Content()["spec"]
	if value == nil {
		return nil, nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("serialising its spec: %w", err)
	}
	return data, nil
}
