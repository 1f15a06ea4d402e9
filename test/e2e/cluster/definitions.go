package cluster

import (
	"context"
	_ "embed" // for the definition
	"fmt"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed inferenceservice.yaml
var inferenceServiceCRD []byte

// defineKinds adds Istio's and KServe's kinds, and returns when all are served.
func (s *Server) defineKinds(ctx context.Context, bin string) error {
	istio, err := os.ReadFile(filepath.Join(bin, istioCRDs))
	if err != nil {
		return fmt.Errorf("reading Istio's definitions: %w", err)
	}
	for _, text := range [][]byte{istio, inferenceServiceCRD} {
		if err := s.Client.Apply(ctx, manager, "", text); err != nil {
			return err
		}
	}
	definitions, err := s.Client.Kind(ctx, CustomResourceDefinition, "")
	if err != nil {
		return err
	}
	list, err := definitions.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing the definitions: %w", err)
	}
	for _, object := range list.Items {
		var d definition
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &d); err != nil {
			return fmt.Errorf("reading the definition %q: %w", object.GetName(), err)
		}
		for _, kind := range d.served() {
			if err := s.await(ctx, func(ctx context.Context) error { return s.serves(ctx, kind) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// serves lists a kind, for a kind is made known a moment before it is served.
func (s *Server) serves(ctx context.Context, kind schema.GroupVersionKind) error {
	objects, err := s.Client.Kind(ctx, kind, "")
	if err != nil {
		return err
	}
	_, err = objects.List(ctx, metav1.ListOptions{Limit: 1})
	return err
}

// definition is what a CustomResourceDefinition says of the names of its kind.
type definition struct {
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
		} `json:"versions"`
	} `json:"spec"`
}

func (d definition) served() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, version := range d.Spec.Versions {
		if version.Served {
			kinds = append(kinds, schema.GroupVersionKind{Group: d.Spec.Group, Version: version.Name, Kind: d.Spec.Names.Kind})
		}
	}
	return kinds
}
