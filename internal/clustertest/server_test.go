package clustertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/internal/clustertest"
)

var (
	policies    = schema.GroupVersionResource{Group: "security.istio.io", Version: "v1", Resource: "authorizationpolicies"}
	gateways    = schema.GroupVersionResource{Group: "networking.istio.io", Version: "v1", Resource: "gateways"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	jobs        = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	accounts    = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
)

func client(tb testing.TB, s *clustertest.Server) dynamic.Interface {
	tb.Helper()
	out, err := dynamic.NewForConfig(s.RESTConfig())
	require.NoError(tb, err)
	return out
}

func parse(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	out := &unstructured.Unstructured{}
	text = strings.ReplaceAll(text, "\t", "  ")
	json, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(tb, err)
	require.NoError(tb, out.UnmarshalJSON(json))
	return out
}

const policy = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {selector: {matchLabels: {app: web}}, rules: [{}]}
`

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}
status: {readyReplicas: 2}
`

func TestObjectsLive(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{TLS: true, Token: "secret"})
	c := client(t, s).Resource(policies).Namespace("shop")
	ctx := t.Context()

	created, err := c.Create(ctx, parse(t, policy), metav1.CreateOptions{FieldManager: "one"})
	require.NoError(t, err)
	assert.NotEmpty(t, created.GetUID())
	assert.WithinDuration(t, time.Now(), created.GetCreationTimestamp().Time, time.Minute)
	assert.Equal(t, int64(1), created.GetGeneration())
	assert.Equal(t, map[string][]string{"one": {"f:metadata", "f:spec"}}, writers(created))

	read, err := c.Get(ctx, "web", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, created, read)

	same, err := c.Update(ctx, read.DeepCopy(), metav1.UpdateOptions{FieldManager: "two"})
	require.NoError(t, err)
	assert.Equal(t, read, same, "what changes nothing makes no version")

	labelled := read.DeepCopy()
	labelled.SetLabels(map[string]string{"app": "web", "more": "yes"})
	labelled, err = c.Update(ctx, labelled, metav1.UpdateOptions{FieldManager: "two"})
	require.NoError(t, err)
	assert.NotEqual(t, read.GetResourceVersion(), labelled.GetResourceVersion())
	assert.Equal(t, int64(1), labelled.GetGeneration(), "metadata make no generation")
	assert.Equal(t, map[string][]string{"one": {"f:metadata", "f:spec"}, "two": {"f:metadata"}}, writers(labelled))

	taken := labelled.DeepCopy()
	require.NoError(t, unstructured.SetNestedMap(taken.Object, map[string]any{"action": "DENY"}, "spec"))
	taken.SetLabels(nil)
	taken, err = c.Update(ctx, taken, metav1.UpdateOptions{FieldManager: "two"})
	require.NoError(t, err)
	assert.Equal(t, int64(2), taken.GetGeneration())
	assert.Equal(t, map[string][]string{"one": {"f:spec"}, "two": {"f:spec"}}, writers(taken))
	assert.JSONEq(t, `{"f:spec": {}}`, fieldsOf(taken, "one"), "that there is a spec remains of the one who made it first")

	uid, version := taken.GetUID(), taken.GetResourceVersion()
	require.NoError(t, c.Delete(ctx, "web", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version}}))
	_, err = c.Get(ctx, "web", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err))
	assert.EqualError(t, err, `authorizationpolicies.security.istio.io "web" not found`)
}

// writers returns what each manager owns, by the fields at the top.
func writers(o *unstructured.Unstructured) map[string][]string {
	out := map[string][]string{}
	for _, entry := range o.GetManagedFields() {
		fields := map[string]any{}
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			fields = map[string]any{err.Error(): nil}
		}
		out[entry.Manager] = append(out[entry.Manager], slices.Sorted(maps.Keys(fields))...)
	}
	return out
}

func code(err error) int32 {
	if status, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return status.Status().Code
	}
	return 0
}

func fieldsOf(o *unstructured.Unstructured, manager string) string {
	for _, entry := range o.GetManagedFields() {
		if entry.Manager == manager {
			return string(entry.FieldsV1.GetRawBytes())
		}
	}
	return ""
}

func TestWriteIsRefused(t *testing.T) {
	uid, version := types.UID("other"), "1"
	for name, test := range map[string]struct {
		do      func(context.Context, dynamic.Interface) error
		options clustertest.Options
		is      func(error) bool
		want    string
	}{
		"create-twice": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(policies).Namespace("shop").Create(ctx, parse(t, policy), metav1.CreateOptions{})
				return err
			},
			is: apierrors.IsAlreadyExists, want: `authorizationpolicies.security.istio.io "web" already exists`,
		},
		"create-with-a-version": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				o := parse(t, policy)
				o.SetResourceVersion("1")
				_, err := c.Resource(policies).Namespace("shop").Create(ctx, o, metav1.CreateOptions{})
				return err
			},
			is: func(err error) bool { return code(err) == http.StatusInternalServerError }, want: "resourceVersion should not be set on objects to be created",
		},
		"create-in-another-namespace": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(policies).Namespace("other").Create(ctx, parse(t, policy), metav1.CreateOptions{})
				return err
			},
			is: apierrors.IsBadRequest, want: "the namespace of the provided object does not match the namespace sent on the request",
		},
		"create-in-no-namespace": {
			options: clustertest.Options{RequireNamespaces: true},
			do: func(ctx context.Context, c dynamic.Interface) error {
				o := parse(t, policy)
				o.SetNamespace("missing")
				_, err := c.Resource(policies).Namespace("missing").Create(ctx, o, metav1.CreateOptions{})
				return err
			},
			is: apierrors.IsNotFound, want: `namespaces "missing" not found`,
		},
		"create-with-a-bad-label": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				o := parse(t, policy)
				o.SetName("new")
				o.SetLabels(map[string]string{"app": "a/b"})
				_, err := c.Resource(policies).Namespace("shop").Create(ctx, o, metav1.CreateOptions{})
				return err
			},
			is: apierrors.IsInvalid, want: `AuthorizationPolicy.security.istio.io "new" is invalid: metadata.labels: Invalid value: "a/b"`,
		},
		"create-with-a-bad-name": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				o := parse(t, policy)
				o.SetName("A_B")
				_, err := c.Resource(policies).Namespace("shop").Create(ctx, o, metav1.CreateOptions{})
				return err
			},
			is: apierrors.IsInvalid, want: `AuthorizationPolicy.security.istio.io "A_B" is invalid: metadata.name: Invalid value: "A_B"`,
		},
		"create-of-another-kind": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(gateways).Namespace("shop").Create(ctx, parse(t, policy), metav1.CreateOptions{})
				return err
			},
			is: apierrors.IsBadRequest, want: "does not match the expected ones (networking.istio.io/v1, Gateway)",
		},
		"update-of-a-stale-version": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				o := parse(t, policy)
				o.SetResourceVersion("1000")
				_, err := c.Resource(policies).Namespace("shop").Update(ctx, o, metav1.UpdateOptions{})
				return err
			},
			is:   apierrors.IsConflict,
			want: `Operation cannot be fulfilled on authorizationpolicies.security.istio.io "web": the object has been modified; please apply your changes to the latest version and try again`,
		},
		"update-of-a-crd-without-version": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(policies).Namespace("shop").Update(ctx, parse(t, policy), metav1.UpdateOptions{})
				return err
			},
			is:   apierrors.IsInvalid,
			want: `authorizationpolicies.security.istio.io "web" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
		},
		"update-of-another-uid": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				o := parse(t, policy)
				o.SetResourceVersion("1")
				o.SetUID("other")
				_, err := c.Resource(policies).Namespace("shop").Update(ctx, o, metav1.UpdateOptions{})
				return err
			},
			is: apierrors.IsConflict, want: "AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ",
		},
		"update-of-nothing": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				o := parse(t, policy)
				o.SetName("missing")
				o.SetResourceVersion("1")
				_, err := c.Resource(policies).Namespace("shop").Update(ctx, o, metav1.UpdateOptions{})
				return err
			},
			is: apierrors.IsNotFound, want: `authorizationpolicies.security.istio.io "missing" not found`,
		},
		"update-of-a-job's-template": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				o, err := c.Resource(jobs).Namespace("shop").Get(ctx, "once", metav1.GetOptions{})
				require.NoError(t, err)
				require.NoError(t, unstructured.SetNestedField(o.Object, "sa", "spec", "template", "spec", "serviceAccountName"))
				_, err = c.Resource(jobs).Namespace("shop").Update(ctx, o, metav1.UpdateOptions{})
				return err
			},
			is: apierrors.IsInvalid, want: "field is immutable",
		},
		"delete-of-another-uid": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				return c.Resource(policies).Namespace("shop").Delete(ctx, "web", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
			},
			is: apierrors.IsConflict, want: `Operation cannot be fulfilled on AuthorizationPolicy.security.istio.io "web": the UID in the precondition (other) does not match the UID in record`,
		},
		"delete-of-a-stale-version": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				return c.Resource(jobs).Namespace("shop").Delete(ctx, "once", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &version}})
			},
			is: apierrors.IsConflict, want: "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record",
		},
		"delete-of-nothing": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				return c.Resource(policies).Namespace("shop").Delete(ctx, "missing", metav1.DeleteOptions{})
			},
			is: apierrors.IsNotFound, want: `authorizationpolicies.security.istio.io "missing" not found`,
		},
		"missing-crd": {
			options: clustertest.Options{Without: []string{"networking.istio.io"}},
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(gateways).Namespace("shop").List(ctx, metav1.ListOptions{})
				return err
			},
			is: apierrors.IsNotFound, want: "the server could not find the requested resource",
		},
		"missing-version": {
			options: clustertest.Options{Without: []string{"networking.istio.io/v1"}},
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(gateways).Namespace("shop").Get(ctx, "a", metav1.GetOptions{})
				return err
			},
			is: apierrors.IsNotFound, want: "the server could not find the requested resource",
		},
		"list-by-an-unknown-field": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(policies).List(ctx, metav1.ListOptions{FieldSelector: "spec.x=y"})
				return err
			},
			is: apierrors.IsBadRequest, want: "field label not supported: spec.x",
		},
		"strategic-merge-patch": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(policies).Namespace("shop").Patch(ctx, "web", types.StrategicMergePatchType, []byte("{}"), metav1.PatchOptions{})
				return err
			},
			is: apierrors.IsUnsupportedMediaType, want: "application/merge-patch+json",
		},
		"dry-run-of-something": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				o := parse(t, policy)
				o.SetName("new")
				_, err := c.Resource(policies).Namespace("shop").Create(ctx, o, metav1.CreateOptions{DryRun: []string{"Some"}})
				return err
			},
			is: apierrors.IsInvalid, want: `CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]`,
		},
		"watch": {
			do: func(ctx context.Context, c dynamic.Interface) error {
				_, err := c.Resource(policies).Watch(ctx, metav1.ListOptions{})
				return err
			},
			is: apierrors.IsMethodNotSupported, want: "watch is not supported on resources of kind",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := clustertest.New(t, test.options)
			s.Load(t, "somebody", policy+`---
{apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: shop}, spec: {template: {spec: {containers: []}}}}`)
			before := s.Objects()
			err := test.do(t.Context(), client(t, s))
			require.ErrorContains(t, err, test.want)
			assert.True(t, test.is(err), "%#v", err)
			assert.Equal(t, before, s.Objects())
		})
	}
}

func TestDryRunStoresNothing(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	s.Load(t, "somebody", policy)
	c := client(t, s).Resource(policies).Namespace("shop")
	ctx, all := t.Context(), []string{metav1.DryRunAll}
	before := s.Objects()

	o := parse(t, policy)
	o.SetName("new")
	created, err := c.Create(ctx, o, metav1.CreateOptions{DryRun: all})
	require.NoError(t, err)
	assert.NotEmpty(t, created.GetUID())
	assert.Empty(t, created.GetResourceVersion())

	o, err = c.Get(ctx, "web", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, unstructured.SetNestedField(o.Object, "DENY", "spec", "action"))
	updated, err := c.Update(ctx, o, metav1.UpdateOptions{DryRun: all})
	require.NoError(t, err)
	assert.Equal(t, int64(2), updated.GetGeneration())
	assert.Equal(t, o.GetResourceVersion(), updated.GetResourceVersion())

	_, err = c.Patch(ctx, "web", types.MergePatchType, []byte(`{"spec": null}`), metav1.PatchOptions{DryRun: all})
	require.NoError(t, err)
	require.NoError(t, c.Delete(ctx, "web", metav1.DeleteOptions{DryRun: all}))
	assert.Equal(t, before, s.Objects())
	for _, r := range s.Requests() {
		assert.False(t, r.Writes(), "%s %s", r.Method, r.Path)
	}
}

func TestStatusIsWrittenApart(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	c := client(t, s).Resource(deployments).Namespace("shop")
	ctx := t.Context()

	o, err := c.Create(ctx, parse(t, deployment), metav1.CreateOptions{FieldManager: "role"})
	require.NoError(t, err)
	assert.NotContains(t, o.Object, "status")

	o.Object["status"] = map[string]any{"readyReplicas": int64(1)}
	require.NoError(t, unstructured.SetNestedField(o.Object, int64(5), "spec", "replicas"))
	o, err = c.UpdateStatus(ctx, o, metav1.UpdateOptions{FieldManager: "controller"})
	require.NoError(t, err)
	assert.Equal(t, int64(1), o.GetGeneration())
	assert.Equal(t, map[string][]string{"role": {"f:spec"}, "controller": {"f:status"}}, writers(o))

	o.Object["status"] = map[string]any{"readyReplicas": int64(9)}
	require.NoError(t, unstructured.SetNestedField(o.Object, int64(3), "spec", "replicas"))
	o, err = c.Update(ctx, o, metav1.UpdateOptions{FieldManager: "role"})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"readyReplicas": int64(1)}, o.Object["status"])
	assert.Equal(t, int64(2), o.GetGeneration())
	replicas, _, err := unstructured.NestedInt64(o.Object, "spec", "replicas")
	require.NoError(t, err)
	assert.Equal(t, int64(3), replicas)
}

func TestPatch(t *testing.T) {
	for name, test := range map[string]struct {
		kind    types.PatchType
		patch   string
		options metav1.PatchOptions
		want    map[string]any
		refused string
	}{
		"merge":         {kind: types.MergePatchType, patch: `{"spec": {"rules": null, "action": "DENY"}}`, want: map[string]any{"selector": web, "action": "DENY"}},
		"json":          {kind: types.JSONPatchType, patch: `[{"op": "add", "path": "/spec/rules/-", "value": {"when": []}}]`, want: map[string]any{"selector": web, "rules": []any{map[string]any{}, map[string]any{"when": []any{}}}}},
		"json-fails":    {kind: types.JSONPatchType, patch: `[{"op": "test", "path": "/spec/action", "value": "DENY"}]`, refused: "the server rejected our request due to an error in our request"},
		"merge-of-text": {kind: types.MergePatchType, patch: `text`, refused: "error decoding patch"},
		"stale":         {kind: types.MergePatchType, patch: `{"metadata": {"resourceVersion": "1000"}, "spec": null}`, refused: "the object has been modified"},
		"apply-of-another-manager-without-force": {
			kind: types.ApplyPatchType, options: metav1.PatchOptions{FieldManager: "us"},
			patch:   `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: web}, spec: {rules: []}}`,
			refused: `Apply failed with 1 conflict: conflict with "somebody" using security.istio.io/v1: .spec.rules`,
		},
		"apply-leaves-what-it-does-not-name": {
			kind: types.ApplyPatchType, options: metav1.PatchOptions{FieldManager: "us", Force: &yes},
			patch: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: web}, spec: {action: ALLOW}}`,
			want:  map[string]any{"selector": web, "rules": []any{map[string]any{}}, "action": "ALLOW"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := clustertest.New(t, clustertest.Options{})
			s.Load(t, "somebody", policy)
			got, err := client(t, s).Resource(policies).Namespace("shop").Patch(t.Context(), "web", test.kind, []byte(test.patch), test.options)
			if test.refused != "" {
				require.ErrorContains(t, err, test.refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got.Object["spec"])
		})
	}
}

var (
	yes = true
	web = map[string]any{"matchLabels": map[string]any{"app": "web"}}
)

func TestApplyCreates(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	got, err := client(t, s).Resource(policies).Namespace("shop").Apply(t.Context(), "web", parse(t, policy), metav1.ApplyOptions{FieldManager: "us"})
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"us": {"f:metadata", "f:spec"}}, writers(got))
	assert.Equal(t, got, s.Object("AuthorizationPolicy", "shop", "web"))
}

func TestVersionsShareObjects(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	s.Load(t, "somebody", `{apiVersion: networking.istio.io/v1beta1, kind: Gateway, metadata: {name: a, namespace: shop}, spec: {servers: []}}`)
	c := client(t, s).Resource(gateways).Namespace("shop")
	got, err := c.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "networking.istio.io/v1", got.GetAPIVersion())
	got.Object["spec"] = map[string]any{"servers": []any{"x"}}
	got, err = c.Update(t.Context(), got, metav1.UpdateOptions{FieldManager: "us"})
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"somebody": {"f:spec"}, "us": {"f:spec"}}, writers(got))
	assert.JSONEq(t, `{"f:spec": {"f:servers": {}}}`, fieldsOf(got, "us"))
}

func TestList(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	s.Load(t, "somebody", `
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: one, labels: {app: web}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: one, labels: {app: db}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: two, labels: {app: web}}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: one}}
`)
	c := client(t, s)
	for name, test := range map[string]struct {
		namespace string
		options   metav1.ListOptions
		want      []string
	}{
		"all":         {want: []string{"one/a", "one/b", "two/a"}},
		"a-namespace": {namespace: "one", want: []string{"one/a", "one/b"}},
		"labels":      {options: metav1.ListOptions{LabelSelector: "app in (web),app!=db"}, want: []string{"one/a", "two/a"}},
		"fields":      {options: metav1.ListOptions{FieldSelector: "metadata.name=a,metadata.namespace=two"}, want: []string{"two/a"}},
		"none":        {namespace: "three"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, limit := range []int64{0, 1, 2, 3} {
				var got []string
				test.options.Limit, test.options.Continue = limit, ""
				for {
					list, err := c.Resource(pods).Namespace(test.namespace).List(t.Context(), test.options)
					require.NoError(t, err)
					for _, o := range list.Items {
						assert.Equal(t, "Pod", o.GetKind())
						got = append(got, o.GetNamespace()+"/"+o.GetName())
					}
					if test.options.Continue = list.GetContinue(); test.options.Continue == "" {
						break
					}
					assert.Len(t, list.Items, int(limit))
					assert.Positive(t, *list.GetRemainingItemCount())
				}
				assert.Equal(t, test.want, got)
			}
		})
	}
}

func TestDeletionTakesWhatIsOwned(t *testing.T) {
	orphan := metav1.DeletePropagationOrphan
	for name, test := range map[string]struct {
		policy *metav1.DeletionPropagation
		left   bool
	}{
		"by-default": {}, "but-orphans": {policy: &orphan, left: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := clustertest.New(t, clustertest.Options{})
			s.Load(t, "somebody", deployment)
			owner := s.Object("Deployment", "shop", "web")
			s.Load(t, "controller", `{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop,
				ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: `+string(owner.GetUID())+`, controller: true}]}}`)
			err := client(t, s).Resource(deployments).Namespace("shop").Delete(t.Context(), "web", metav1.DeleteOptions{PropagationPolicy: test.policy})
			require.NoError(t, err)
			assert.Empty(t, s.Objects("Deployment"))
			assert.Equal(t, test.left, s.Object("Pod", "shop", "web-1") != nil)
		})
	}
}

func TestFinalizersHoldADeletionUp(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	s.Load(t, "somebody", strings.Replace(policy, "name: web,", "name: web, finalizers: [a/b],", 1))
	c := client(t, s).Resource(policies).Namespace("shop")
	require.NoError(t, c.Delete(t.Context(), "web", metav1.DeleteOptions{}))
	o, err := c.Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	assert.NotNil(t, o.GetDeletionTimestamp())
	o.SetFinalizers(nil)
	_, err = c.Update(t.Context(), o, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Empty(t, s.Objects())
}

func TestNamespaceGoesWithItsContent(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{RequireNamespaces: true})
	s.Load(t, "somebody", `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}`)
	c := client(t, s)
	_, err := c.Resource(policies).Namespace("shop").Create(t.Context(), parse(t, policy), metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, c.Resource(namespaces).Delete(t.Context(), "shop", metav1.DeleteOptions{}))
	assert.Empty(t, s.Objects())
}

func TestAdmission(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	s.Admit(func(operation string, o *unstructured.Unstructured) error {
		if o.GetName() == "web" && operation == "UPDATE" {
			return errors.New("no")
		}
		o.SetAnnotations(map[string]string{"seen": operation})
		return nil
	})
	c := client(t, s).Resource(policies).Namespace("shop")
	o, err := c.Create(t.Context(), parse(t, policy), metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"seen": "CREATE"}, o.GetAnnotations())
	_, err = c.Update(t.Context(), o, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsForbidden(err))
	assert.EqualError(t, err, `admission webhook "clustertest" denied the request: no`)
}

func TestForbid(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	s.Forbid("list", "namespaces", "")
	s.Forbid("*", "authorizationpolicies", "shop")
	config := s.RESTConfig()
	config.Impersonate.UserName = "ann"
	c, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	_, err = c.Resource(namespaces).List(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsForbidden(err))
	require.EqualError(t, err, `namespaces is forbidden: User "ann" cannot list resource "namespaces" in API group "" at the cluster scope`)
	_, err = c.Resource(policies).Namespace("shop").Create(t.Context(), parse(t, policy), metav1.CreateOptions{})
	require.EqualError(t, err, `authorizationpolicies.security.istio.io is forbidden: User "ann" cannot create resource "authorizationpolicies" in API group "security.istio.io" in the namespace "shop"`)
	_, err = c.Resource(policies).Namespace("other").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
}

func TestHooks(t *testing.T) {
	for name, test := range map[string]struct {
		hook   clustertest.Hook
		check  func(error) bool
		stored bool
	}{
		"fail":  {hook: clustertest.Fail(apierrors.NewInternalError(errors.New("etcd is away"))), check: apierrors.IsInternalError},
		"hang":  {hook: clustertest.Hang, check: func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
		"reset": {hook: clustertest.Reset, check: func(err error) bool { return strings.Contains(err.Error(), "connection reset") }},
		"lose":  {hook: clustertest.Lose, check: func(err error) bool { return strings.Contains(err.Error(), "connection reset") }, stored: true},
		"warn":  {hook: clustertest.Warn("old"), check: func(err error) bool { return err == nil }, stored: true},
		"only-the-first-none-times": {
			hook: clustertest.Times(0, clustertest.Reset), check: func(err error) bool { return err == nil }, stored: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := clustertest.New(t, clustertest.Options{})
			s.On(http.MethodPost, "/authorizationpolicies$", test.hook)
			s.On(http.MethodPost, "/gateways$", clustertest.Reset)
			var warned warnings
			config := s.RESTConfig()
			config.WarningHandler = &warned
			c, err := dynamic.NewForConfig(config)
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			_, err = c.Resource(policies).Namespace("shop").Create(ctx, parse(t, policy), metav1.CreateOptions{})
			assert.True(t, test.check(err), "%v", err)
			assert.Equal(t, test.stored, s.Object("AuthorizationPolicy", "shop", "web") != nil)
			assert.Equal(t, name == "warn", len(warned) == 1)
			require.Len(t, s.Requests(), 1)
			assert.True(t, s.Requests()[0].Writes())
			s.ForgetRequests()
			assert.Empty(t, s.Requests())
		})
	}
}

type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

func TestEditBetweenRequests(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{})
	s.Load(t, "us", policy)
	c := client(t, s).Resource(policies).Namespace("shop")
	o, err := c.Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	s.Edit(t, "them", "AuthorizationPolicy", "shop", "web", func(o *unstructured.Unstructured) {
		o.Object["spec"] = map[string]any{"action": "DENY"}
	})
	_, err = c.Update(t.Context(), o, metav1.UpdateOptions{})
	assert.True(t, apierrors.IsConflict(err))
	edited := s.Object("AuthorizationPolicy", "shop", "web")
	assert.Equal(t, map[string][]string{"us": {"f:metadata", "f:spec"}, "them": {"f:spec"}}, writers(edited))
	assert.Equal(t, int64(2), edited.GetGeneration())
	s.Remove("AuthorizationPolicy", "shop", "web")
	assert.Empty(t, s.Objects())
}

func TestKubeconfig(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{TLS: true, Token: "secret"})
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig(t))
	require.NoError(t, err)
	c, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	_, err = c.Resource(accounts).Namespace("shop").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)

	config.BearerToken = "other"
	c, err = dynamic.NewForConfig(config)
	require.NoError(t, err)
	_, err = c.Resource(accounts).Namespace("shop").List(t.Context(), metav1.ListOptions{})
	assert.True(t, apierrors.IsUnauthorized(err))
}

func TestDiscovery(t *testing.T) {
	s := clustertest.New(t, clustertest.Options{Without: []string{"networking.istio.io/v1", "serving.kserve.io"}})
	config := s.RESTConfig()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	for path, want := range map[string]string{
		"/version":                        `"gitVersion":"v1.35.4"`,
		"/api":                            `"versions":["v1"]`,
		"/api/v1":                         `{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["create","delete","get","list","patch","update"]}`,
		"/apis":                           `{"name":"networking.istio.io","versions":[{"groupVersion":"networking.istio.io/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"networking.istio.io/v1beta1","version":"v1beta1"}}`,
		"/apis/security.istio.io":         `"preferredVersion":{"groupVersion":"security.istio.io/v1","version":"v1"}`,
		"/apis/networking.istio.io/v1":    "404 page not found",
		"/apis/serving.kserve.io":         "404 page not found",
		"/apis/serving.kserve.io/v1beta1": "404 page not found",
		"/apis/security.istio.io/v1":      `"groupVersion":"security.istio.io/v1","resources":[{"name":"authorizationpolicies"`,
		"/somewhere":                      "404 page not found",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, http.NoBody)
		require.NoError(t, err)
		response, err := client.Do(request)
		require.NoError(t, err)
		text := new(strings.Builder)
		require.NoError(t, response.Write(text))
		require.NoError(t, response.Body.Close())
		assert.Contains(t, text.String(), want, path)
	}
}
