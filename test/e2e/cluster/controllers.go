package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// Pace is how far the rollout of a Deployment gets.
type Pace int

const (
	// Prompt rolls out within a second.
	Prompt Pace = iota
	// Stuck makes new pods, which never become ready; the old ones stay.
	Stuck
	// Overdue is Stuck beyond the Deployment's progress deadline.
	Overdue
	// Idle does nothing at all, as if there were no controller.
	Idle
)

// Controllers stand in for the controllers of Deployments and ReplicaSets, for
// the kubelet, for Istio's injection and for the garbage collector.
type Controllers struct {
	client *Client
	log    *slog.Logger
	caches map[schema.GroupVersionKind]cache.SharedIndexInformer
	wake   chan struct{} // holds one, so that no change is missed
	ended  chan struct{} // closed at the end

	mu    sync.Mutex
	paces map[cache.ObjectName]Pace
}

// SetPace sets the pace of a Deployment, or with no name of all in a namespace
// that have none of their own.
func (c *Controllers) SetPace(namespace, name string, pace Pace) {
	c.mu.Lock()
	c.paces[cache.NewObjectName(namespace, name)] = pace
	c.mu.Unlock()
	c.changed()
}

func (c *Controllers) pace(namespace, name string) Pace {
	c.mu.Lock()
	defer c.mu.Unlock()
	if pace, ok := c.paces[cache.NewObjectName(namespace, name)]; ok {
		return pace
	}
	return c.paces[cache.NewObjectName(namespace, "")]
}

func startControllers(ctx context.Context, client *Client, logFile string) (*Controllers, error) {
	file, err := os.Create(logFile)
	if err != nil {
		return nil, fmt.Errorf("opening the log of the controllers: %w", err)
	}
	c := &Controllers{
		client: client, log: slog.New(slog.NewTextHandler(file, nil)),
		caches: map[schema.GroupVersionKind]cache.SharedIndexInformer{},
		wake:   make(chan struct{}, 1), ended: make(chan struct{}),
		paces: map[cache.ObjectName]Pace{},
	}
	for _, kind := range append([]schema.GroupVersionKind{Deployment, InferenceService}, collected...) {
		if err := c.watch(ctx, kind); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	go func() {
		defer close(c.ended)
		c.run(ctx)
		_ = file.Close() // a log that nobody reads any more
	}()
	return c, nil
}

// watch keeps what there is of a kind, and wakes at each change.
func (c *Controllers) watch(ctx context.Context, kind schema.GroupVersionKind) error {
	objects, err := c.client.Kind(ctx, kind, "")
	if err != nil {
		return err
	}
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return objects.Watch(ctx, options)
		},
	}
	informer := cache.NewSharedIndexInformer(source, &unstructured.Unstructured{}, 0, cache.Indexers{byUID: uidOf, byOwner: ownerOf})
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { c.changed() }, UpdateFunc: func(any, any) { c.changed() }, DeleteFunc: func(any) { c.changed() },
	}); err != nil {
		return fmt.Errorf("watching each %s: %w", kind.Kind, err)
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("watching each %s: %w", kind.Kind, ctx.Err())
	}
	c.caches[kind] = informer
	return nil
}

func (c *Controllers) changed() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run lets each controller do its next step whenever something has changed, so
// that a rollout passes through the states that a real one has.
func (c *Controllers) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
		}
		if c.step(ctx) != nil {
			time.AfterFunc(100*time.Millisecond, c.changed)
		}
	}
}

func (c *Controllers) step(ctx context.Context) error {
	err := errors.Join(
		each(ctx, c, Deployment, c.rollOut),
		each(ctx, c, ReplicaSet, c.replicate),
		each(ctx, c, Pod, c.runPod),
		c.collect(ctx),
	)
	if err != nil && ctx.Err() == nil {
		c.log.Warn("a step failed; it is done again", "error", err)
	}
	return err
}

// each does a step with all objects of a kind. That others change or delete an
// object meanwhile is none of its errors: that wakes the controllers again.
func each[T any](ctx context.Context, c *Controllers, kind schema.GroupVersionKind, do func(context.Context, *T) error) error {
	var failed []error
	for _, entry := range c.caches[kind].GetStore().List() {
		object, err := typed[T](entry)
		if err == nil {
			err = do(ctx, object)
		}
		if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
			failed = append(failed, fmt.Errorf("%s: %w", kind.Kind, err))
		}
	}
	return errors.Join(failed...)
}
