package cluster

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// DefaultFieldManager is who an API server says wrote our objects.
const DefaultFieldManager = "ringfence"

const (
	// requestTimeout is how long one request may take. An API server that hangs is one that fails.
	requestTimeout = 30 * time.Second
	// pageSize bounds the memory of a list: what isn't needed of a page is dropped before the next.
	pageSize = 250
)

// Options of a Client.
type Options struct {
	// FieldManager is DefaultFieldManager when empty.
	FieldManager string
	// DryRun has the API server carry out writes without storing them.
	DryRun bool
	// Warn gets the warnings that the API server sends with its answers; may be nil.
	Warn func(message string)
}

// Client reads and writes single objects.
type Client struct {
	dynamic dynamic.Interface
	host    string
	manager string
	dryRun  []string
}

// New returns a client for an API server.
func New(config *rest.Config, o Options) (*Client, error) {
	config = rest.CopyConfig(config)
	config.Timeout = requestTimeout
	config.WarningHandler = warnings{o.Warn}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("using the connection to %s: %w", config.Host, err)
	}
	c := &Client{dynamic: client, host: config.Host, manager: o.FieldManager}
	if c.manager == "" {
		c.manager = DefaultFieldManager
	}
	if o.DryRun {
		c.dryRun = []string{metav1.DryRunAll}
	}
	return c, nil
}

// DryRun reports whether writes are tried out only.
func (c *Client) DryRun() bool { return len(c.dryRun) > 0 }

type warnings struct{ warn func(string) }

func (w warnings) HandleWarningHeader(_ int, _, text string) {
	if w.warn != nil && text != "" {
		w.warn(text)
	}
}

func (c *Client) resource(k kind, apiVersion, namespace string) dynamic.ResourceInterface {
	r := c.dynamic.Resource(k.in(apiVersion))
	if namespace == "" {
		return r
	}
	return r.Namespace(namespace)
}

// get returns an object, nil where there is none.
func (c *Client) get(ctx context.Context, ref resource.Ref) (*unstructured.Unstructured, error) {
	k, ok := kindOf(ref.Group(), ref.Kind)
	if !ok {
		return nil, fmt.Errorf("reading %s: it is of a kind that Ringfence doesn't handle", ref)
	}
	var out *unstructured.Unstructured
	err := retry(ctx, func() (err error) {
		out, err = c.resource(k, ref.APIVersion, ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
		return err
	})
	switch {
	case err == nil:
		return out, nil
	case apierrors.IsNotFound(err) && !missingKind(err):
		return nil, nil
	case missingKind(err) && k.optional:
		return nil, nil
	}
	return nil, c.failure("read", ref, err)
}

// list calls visit with each object of a kind in a namespace, "" for all of them.
func (c *Client) list(ctx context.Context, k kind, namespace, labelSelector string, visit func(*unstructured.Unstructured)) error {
	ref := resource.Ref{APIVersion: k.apiVersion(), Kind: k.kind, Namespace: namespace, Name: "*"}
	options := metav1.ListOptions{LabelSelector: labelSelector, Limit: pageSize}
	for {
		var page *unstructured.UnstructuredList
		err := retry(ctx, func() (err error) {
			page, err = c.resource(k, "", namespace).List(ctx, options)
			return err
		})
		if missingKind(err) && k.optional {
			return nil
		}
		if err != nil {
			return c.failure("list", ref, err)
		}
		for i := range page.Items {
			item := &page.Items[i]
			if item.GetKind() == "" { // the items of a list may leave it out
				item.SetAPIVersion(k.apiVersion())
				item.SetKind(k.kind)
			}
			visit(item)
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return nil
		}
	}
}

// create writes a new object and returns it as stored.
func (c *Client) create(ctx context.Context, content map[string]any) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: content}
	ref := refOf(object)
	k, ok := kindOf(ref.Group(), ref.Kind)
	if !ok {
		return nil, fmt.Errorf("creating %s: it is of a kind that Ringfence doesn't handle", ref)
	}
	out, err := c.resource(k, ref.APIVersion, ref.Namespace).Create(ctx, object, metav1.CreateOptions{
		FieldManager: c.manager, DryRun: c.dryRun, FieldValidation: metav1.FieldValidationStrict,
	})
	if err != nil {
		return nil, c.failure("create", ref, err)
	}
	return out, nil
}

// update replaces an object, whose resourceVersion says what it replaces, and
// returns it as stored.
func (c *Client) update(ctx context.Context, content map[string]any) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: content}
	ref := refOf(object)
	k, ok := kindOf(ref.Group(), ref.Kind)
	if !ok || object.GetResourceVersion() == "" {
		return nil, fmt.Errorf("updating %s: it isn't as read from an API server", ref)
	}
	out, err := c.resource(k, ref.APIVersion, ref.Namespace).Update(ctx, object, metav1.UpdateOptions{
		FieldManager: c.manager, DryRun: c.dryRun, FieldValidation: metav1.FieldValidationStrict,
	})
	if err != nil {
		return nil, c.failure("update", ref, err)
	}
	return out, nil
}

// remove deletes an object if it still is the one that was read.
func (c *Client) remove(ctx context.Context, object *unstructured.Unstructured) error {
	ref := refOf(object)
	k, ok := kindOf(ref.Group(), ref.Kind)
	if !ok {
		return fmt.Errorf("deleting %s: it is of a kind that Ringfence doesn't handle", ref)
	}
	uid, version := object.GetUID(), object.GetResourceVersion()
	err := c.resource(k, ref.APIVersion, ref.Namespace).Delete(ctx, ref.Name, metav1.DeleteOptions{
		DryRun: c.dryRun, Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
	if apierrors.IsNotFound(err) && !missingKind(err) {
		return nil // somebody was faster
	}
	if err != nil {
		return c.failure("delete", ref, err)
	}
	return nil
}

func refOf(o *unstructured.Unstructured) resource.Ref {
	return resource.Ref{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()}
}
