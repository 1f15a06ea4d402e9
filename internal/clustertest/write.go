package clustertest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (s *Server) create(r *request) (*unstructured.Unstructured, error) {
	o, err := r.object()
	if err != nil {
		return nil, err
	}
	return s.insert(r, o, func(o *unstructured.Unstructured) (*unstructured.Unstructured, error) { return managed(r, nil, o) })
}

// insert stores a new object; track fills in its managedFields.
func (s *Server) insert(r *request, o *unstructured.Unstructured, track func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error) {
	if o.GetResourceVersion() != "" {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: "resourceVersion should not be set on objects to be created",
		}}
	}
	if err := s.inNamespace(r, o); err != nil {
		return nil, err
	}
	if o.GetName() == "" && o.GetGenerateName() != "" {
		o.SetName(o.GetGenerateName() + rand.String(5))
	}
	r.name = o.GetName()
	o.SetUID(uuid.NewUUID())
	o.SetCreationTimestamp(metav1.NewTime(time.Now()))
	o.SetDeletionTimestamp(nil)
	r.complete(o)
	if !r.noGeneration {
		o.SetGeneration(1)
	}
	if r.status {
		delete(o.Object, "status")
	}
	if err := s.admit("CREATE", o); err != nil {
		return nil, err
	}
	if list := validation.ValidateObjectMetaAccessor(o, !r.clusterScoped, validation.NameIsDNSSubdomain, field.NewPath("metadata")); len(list) > 0 {
		return nil, apierrors.NewInvalid(r.groupKind(), o.GetName(), list)
	}
	if s.store.get(r.key()) != nil {
		return nil, apierrors.NewAlreadyExists(r.resource(), r.name)
	}
	o, err := track(o)
	if err != nil {
		return nil, err
	}
	if !r.options.dryRun {
		s.store.put(r.key(), o)
	}
	return o, nil
}

// complete sets what a real one sets and a test may look for: the label by which
// policies select a namespace, and the deprecated twin of serviceAccountName.
func (r *request) complete(o *unstructured.Unstructured) {
	for _, path := range podSpecs {
		spec, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
		if spec, ok := spec.(map[string]any); ok && !r.crd {
			twins(spec, "serviceAccountName", "serviceAccount")
		}
	}
	if r.kind.kind != "Namespace" {
		return
	}
	all := o.GetLabels()
	if all == nil {
		all = map[string]string{}
	}
	all["kubernetes.io/metadata.name"] = o.GetName()
	o.SetLabels(all)
}

// podSpecs are where the kinds that a server itself has keep the spec of a pod.
var podSpecs = [][]string{{"spec"}, {"spec", "template", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"}}

// twins gives two fields the value of the first that has one, as the conversions
// of v1.PodSpec do.
func twins(spec map[string]any, name, deprecated string) {
	for _, value := range []any{spec[name], spec[deprecated]} {
		if value, ok := value.(string); ok && value != "" {
			spec[name], spec[deprecated] = value, value
			return
		}
	}
}

// inNamespace puts an object where its path says, if that is a place to be.
func (s *Server) inNamespace(r *request, o *unstructured.Unstructured) error {
	if r.clusterScoped {
		o.SetNamespace("")
		return nil
	}
	if namespace := o.GetNamespace(); namespace != "" && namespace != r.namespace {
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	o.SetNamespace(r.namespace)
	namespaces := s.kindNamed("Namespace")
	if s.options.RequireNamespaces && s.store.get(namespaces.key("", r.namespace)) == nil {
		return apierrors.NewNotFound(namespaces.resource(), r.namespace)
	}
	return nil
}

func (s *Server) update(r *request) (*unstructured.Unstructured, error) {
	o, err := r.object()
	if err != nil {
		return nil, err
	}
	if o.GetName() != r.name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", o.GetName(), r.name))
	}
	before := s.store.get(r.key())
	if before == nil {
		return nil, apierrors.NewNotFound(r.resource(), r.name)
	}
	before.SetGroupVersionKind(r.gvk)
	switch version := o.GetResourceVersion(); {
	case version == "" && r.crd:
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: r.group, Kind: r.plural}, r.name,
			field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
	case version == "":
		o.SetResourceVersion(before.GetResourceVersion())
	}
	return s.replace(r, before, o, func(o *unstructured.Unstructured) (*unstructured.Unstructured, error) { return managed(r, before, o) })
}

// replace stores an object in place of another; track fills in its managedFields.
func (s *Server) replace(r *request, before, o *unstructured.Unstructured, track func(*unstructured.Unstructured) (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error) {
	if err := s.inNamespace(r, o); err != nil {
		return nil, err
	}
	if uid := o.GetUID(); uid != "" && uid != before.GetUID() {
		return nil, apierrors.NewConflict(r.resource(), r.name,
			fmt.Errorf("StorageError: invalid object, Code: 4, Key: /registry/%s/%s/%s/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %v, UID in object meta: %v",
				r.group, r.plural, r.namespace, r.name, uid, before.GetUID()))
	}
	if version := o.GetResourceVersion(); version != "" && version != before.GetResourceVersion() {
		return nil, apierrors.NewConflict(r.resource(), r.name, errModified)
	}
	o = r.merged(before, o)
	if err := s.admit("UPDATE", o); err != nil {
		return nil, err
	}
	if !r.noGeneration && !reflect.DeepEqual(desired(before), desired(o)) {
		o.SetGeneration(before.GetGeneration() + 1)
	}
	list := validation.ValidateObjectMetaAccessorUpdate(o, before, field.NewPath("metadata"))
	if list = append(list, r.changed(before, o)...); len(list) > 0 {
		return nil, apierrors.NewInvalid(r.groupKind(), r.name, list)
	}
	after, err := track(o)
	if err != nil {
		return nil, err
	}
	if same(before, after) || r.options.dryRun {
		return after, nil
	}
	if before.GetDeletionTimestamp() != nil && len(after.GetFinalizers()) == 0 {
		s.store.remove(r.key())
		return after, nil
	}
	s.store.put(r.key(), after)
	return after, nil
}

// merged returns what a request changes of an object, with what it can't change.
func (r *request) merged(before, o *unstructured.Unstructured) *unstructured.Unstructured {
	if r.subresource != "" {
		out := before.DeepCopy()
		out.Object[r.subresource] = o.Object[r.subresource]
		out.SetResourceVersion(o.GetResourceVersion())
		return out
	}
	if r.status {
		delete(o.Object, "status")
		if status, ok := before.Object["status"]; ok {
			o.Object["status"] = status
		}
	}
	o.SetUID(before.GetUID())
	o.SetCreationTimestamp(before.GetCreationTimestamp())
	o.SetDeletionTimestamp(before.GetDeletionTimestamp())
	o.SetGeneration(before.GetGeneration())
	r.complete(o)
	return o
}

// desired is what of an object counts for its generation.
func desired(o *unstructured.Unstructured) map[string]any {
	out := maps.Clone(o.Object)
	delete(out, "metadata")
	delete(out, "status")
	return out
}

// same reports whether a write changed nothing; then the object keeps its version.
func same(before, after *unstructured.Unstructured) bool {
	without := func(o *unstructured.Unstructured) map[string]any {
		out := o.DeepCopy()
		out.SetManagedFields(nil)
		return out.Object
	}
	if !reflect.DeepEqual(without(before), without(after)) {
		return false
	}
	owners := func(o *unstructured.Unstructured) []metav1.ManagedFieldsEntry {
		out := o.GetManagedFields()
		for i := range out {
			out[i].Time = nil
		}
		return out
	}
	if !reflect.DeepEqual(owners(before), owners(after)) {
		return false
	}
	after.SetManagedFields(before.GetManagedFields())
	return true
}

// changed returns the fields that were changed and can't be.
func (r *request) changed(before, o *unstructured.Unstructured) field.ErrorList {
	var out field.ErrorList
	for _, path := range r.immutable {
		old, _, oldErr := unstructured.NestedFieldNoCopy(before.Object, path...)
		now, _, nowErr := unstructured.NestedFieldNoCopy(o.Object, path...)
		if errors.Join(oldErr, nowErr) != nil || !reflect.DeepEqual(old, now) {
			out = append(out, field.Invalid(field.NewPath(path[0], path[1:]...), now, validation.FieldImmutableErrorMsg))
		}
	}
	return out
}

func (s *Server) delete(r *request) (any, error) {
	o := s.store.get(r.key())
	if o == nil {
		return nil, apierrors.NewNotFound(r.resource(), r.name)
	}
	o.SetGroupVersionKind(r.gvk)
	if err := r.expected(o); err != nil {
		return nil, err
	}
	if err := s.admit("DELETE", o.DeepCopy()); err != nil {
		return nil, err
	}
	if len(o.GetFinalizers()) > 0 {
		if now := metav1.Now(); o.GetDeletionTimestamp() == nil {
			o.SetDeletionTimestamp(&now)
			o.SetGeneration(o.GetGeneration() + 1)
			if !r.options.dryRun {
				s.store.put(r.key(), o)
			}
		}
		return o, nil
	}
	if !r.options.dryRun {
		s.store.remove(r.key())
		s.collect(r, o)
	}
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: r.name, Group: r.group, Kind: r.plural, UID: o.GetUID()},
	}, nil
}

// expected checks the preconditions of a deletion.
func (r *request) expected(o *unstructured.Unstructured) error {
	named := schema.GroupResource{Group: r.group, Resource: r.kind.kind}
	if uid := r.options.preconditions.UID; uid != nil && *uid != o.GetUID() {
		return apierrors.NewConflict(named, r.name, fmt.Errorf(
			"the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *uid, o.GetUID()))
	}
	if version := r.options.preconditions.ResourceVersion; version != nil && *version != o.GetResourceVersion() {
		return apierrors.NewConflict(named, r.name, fmt.Errorf(
			"the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *version, o.GetResourceVersion()))
	}
	return nil
}

// collect does at once what the controllers for garbage and namespaces do in time.
func (s *Server) collect(r *request, owner *unstructured.Unstructured) {
	for at, o := range s.store.dependents(owner) {
		if r.options.propagation == metav1.DeletePropagationOrphan {
			o.SetOwnerReferences(nil)
			s.store.put(at, o)
			continue
		}
		s.store.remove(at)
	}
	if r.kind.kind != "Namespace" {
		return
	}
	for at := range s.store.objects {
		if at.namespace == r.name {
			s.store.remove(at)
		}
	}
}

// object reads the object in a request's body.
func (r *request) object() (*unstructured.Unstructured, error) {
	if r.media() != "application/json" {
		return nil, unsupportedMedia("application/json")
	}
	return r.decode(r.body)
}

// decode reads an object, which must be of the request's kind.
func (r *request) decode(text []byte) (*unstructured.Unstructured, error) {
	content := map[string]any{}
	if err := decode(text, &content); err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{Object: content}
	if gvk := o.GroupVersionKind(); gvk != r.gvk {
		if r.crd && gvk.GroupVersion() == r.gvk.GroupVersion() {
			return nil, apierrors.NewInvalid(gvk.GroupKind(), o.GetName(),
				field.ErrorList{field.Invalid(field.NewPath("kind"), gvk.Kind, "must be "+r.gvk.Kind)})
		}
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) or the kind (%s) does not match the expected ones (%s, %s)",
			o.GetAPIVersion(), o.GetKind(), r.gvk.GroupVersion(), r.gvk.Kind))
	}
	if _, _, err := unstructured.NestedMap(content, "metadata"); err != nil {
		return nil, apierrors.NewBadRequest("the object provided is unrecognized: " + err.Error())
	}
	return o, nil
}

func unsupportedMedia(accepted string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + accepted,
	}}
}
