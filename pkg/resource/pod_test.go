package resource_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// TestTypesAreKubernetes holds what Ringfence reads of a pod against the API's own types.
func TestTypesAreKubernetes(t *testing.T) {
	for _, pair := range [][2]any{
		{resource.PodSpec{}, corev1.PodSpec{}},
		{resource.ServiceSpec{}, corev1.ServiceSpec{}},
		{resource.Subject{}, rbacv1.Subject{}},
	} {
		assertPartOf(t, reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1]))
	}
	assert.EqualValues(t, corev1.ProtocolTCP, resource.ProtocolTCP)
	assert.EqualValues(t, corev1.ContainerRestartPolicyAlways, resource.RestartAlways)
}

// assertPartOf checks that each field of a type is one of the API's type, with its key and its shape.
func assertPartOf(t *testing.T, ours, theirs reflect.Type) {
	t.Helper()
	if ours.PkgPath() != "github.com/ringfence-dev/ringfence/pkg/resource" {
		for theirs.Kind() == reflect.Pointer && ours.Kind() != reflect.Pointer {
			theirs = theirs.Elem()
		}
		if ours.Kind() == reflect.Slice && theirs.Kind() == reflect.Slice {
			assertPartOf(t, ours.Elem(), theirs.Elem())
			return
		}
		assert.Equal(t, ours.Kind(), theirs.Kind(), "%s and %s", ours, theirs)
		return
	}
	for field := range ours.Fields() {
		other, ok := theirs.FieldByName(field.Name)
		if assert.True(t, ok, "%s has no field %s", theirs, field.Name) {
			assert.Equal(t, jsonName(other), jsonName(field), "%s.%s", ours, field.Name)
			assertPartOf(t, field.Type, other.Type)
		}
	}
}

func jsonName(f reflect.StructField) string {
	name := f.Tag.Get("json")
	for i, r := range name {
		if r == ',' {
			return name[:i]
		}
	}
	return name
}
