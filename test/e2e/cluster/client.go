package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// Client reads and writes objects of any kind as one user. Its methods may be
// called at once.
type Client struct {
	dynamic dynamic.Interface
	http    *http.Client
	server  string

	mu        sync.Mutex
	resources map[schema.GroupVersionKind]metav1.APIResource
}

// NewClient returns a client that asks as whom the access says.
func NewClient(access Access) (*Client, error) {
	config := access.Config()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("making a client of %s: %w", access.Server, err)
	}
	objects, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("making a client of %s: %w", access.Server, err)
	}
	return &Client{
		dynamic: objects, http: client, server: access.Server,
		resources: map[schema.GroupVersionKind]metav1.APIResource{},
	}, nil
}

// Kind returns the objects of a kind in a namespace, or everywhere when that is empty.
func (c *Client) Kind(ctx context.Context, kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	resource, err := c.resource(ctx, kind)
	if err != nil {
		return nil, err
	}
	objects := c.dynamic.Resource(kind.GroupVersion().WithResource(resource.Name))
	if namespace == "" || !resource.Namespaced {
		return objects, nil
	}
	return objects.Namespace(namespace), nil
}

// Get returns an object as it is.
func (c *Client) Get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	objects, err := c.Kind(ctx, kind, namespace)
	if err != nil {
		return nil, err
	}
	return objects.Get(ctx, name, metav1.GetOptions{})
}

// Apply applies the objects of a YAML text as a field manager, which takes over
// what others hold. Those that name no namespace go into the given one.
func (c *Client) Apply(ctx context.Context, manager, namespace string, text []byte) error {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading objects to apply: %w", err)
		case len(object.Object) == 0:
			continue // nothing but comments
		}
		objects, err := c.Kind(ctx, object.GroupVersionKind(), cmp.Or(object.GetNamespace(), namespace))
		if err != nil {
			return err
		}
		if _, err := objects.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: manager, Force: true}); err != nil {
			return fmt.Errorf("applying %s %q: %w", object.GetKind(), object.GetName(), err)
		}
	}
}

// Clear deletes all objects of some kinds in a namespace.
func (c *Client) Clear(ctx context.Context, namespace string, kinds ...schema.GroupVersionKind) error {
	for _, kind := range kinds {
		objects, err := c.Kind(ctx, kind, namespace)
		if err != nil {
			return err
		}
		if err := objects.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("clearing %s of each %s: %w", namespace, kind.Kind, err)
		}
	}
	return nil
}

// resource asks the server once how it serves a kind.
func (c *Client) resource(ctx context.Context, kind schema.GroupVersionKind) (metav1.APIResource, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if resource, ok := c.resources[kind]; ok {
		return resource, nil
	}
	served, err := c.served(ctx, kind.GroupVersion())
	if err != nil {
		return metav1.APIResource{}, fmt.Errorf("asking how %s is served: %w", kind, err)
	}
	for _, resource := range served.APIResources {
		if resource.Kind == kind.Kind && !strings.Contains(resource.Name, "/") {
			c.resources[kind] = resource
			return resource, nil
		}
	}
	return metav1.APIResource{}, fmt.Errorf("%s serves no %s of %s", c.server, kind.Kind, kind.GroupVersion())
}

// served returns what the server serves of a version of an API group.
func (c *Client) served(ctx context.Context, version schema.GroupVersion) (metav1.APIResourceList, error) {
	var list metav1.APIResourceList
	path := "/apis/" + version.String()
	if version.Group == "" {
		path = "/api/" + version.Version
	}
	text, err := c.get(ctx, path)
	if err != nil {
		return list, err
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return list, fmt.Errorf("reading %s: %w", path, err)
	}
	return list, nil
}

// get returns what the server answers on a path, unless that is anything but 200.
func (c *Client) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s: %s", path, response.Status, body)
	}
	return body, nil
}
