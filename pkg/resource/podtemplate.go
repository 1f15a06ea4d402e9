package resource

import (
	"cmp"
	"iter"
	"maps"
	"strings"
)

// Labels that KServe puts on the pods of a predictor, whatever the InferenceService says.
const (
	LabelInferenceService = "serving.kserve.io/inferenceservice"
	LabelComponent        = "component"
	ComponentPredictor    = "predictor"
)

// PodTemplate is the pod template of an object, whatever its kind.
type PodTemplate struct {
	Object *Object
	Kind   PodKind
	// Labels and Annotations are those that pods get; for an InferenceService with what KServe adds.
	Labels, Annotations map[string]string
	// Spec is the pod spec.
	Spec PodSpec
	// LabelsAt, AnnotationsAt and SpecAt lead to the fields in the object.
	LabelsAt, AnnotationsAt, SpecAt Path
}

// ServiceAccount returns the name of the ServiceAccount that the pods run as.
func (t *PodTemplate) ServiceAccount() string {
	return cmp.Or(t.Spec.ServiceAccountName, t.Spec.DeprecatedServiceAccount, "default")
}

// AllContainers yields the containers with the path of each: the init containers
// that restart (sidecars) first, then the containers.
func (t *PodTemplate) AllContainers() iter.Seq2[Path, *Container] {
	return func(yield func(Path, *Container) bool) {
		for i := range t.Spec.InitContainers {
			c := &t.Spec.InitContainers[i]
			if c.RestartPolicy != RestartAlways {
				continue
			}
			if !yield(t.SpecAt.Child("initContainers").Index(i), c) {
				return
			}
		}
		for i := range t.Spec.Containers {
			if !yield(t.SpecAt.Child("containers").Index(i), &t.Spec.Containers[i]) {
				return
			}
		}
	}
}

// PodTemplate returns the pod template of an object, or nil when its kind has
// none. An object whose pod template can't be read has none either, and its Set
// keeps the error.
func (o *Object) PodTemplate() *PodTemplate {
	if !o.templated {
		o.template, o.templated = o.readPodTemplate(), true
	}
	return o.template
}

func (o *Object) readPodTemplate() *PodTemplate {
	kind, ok := PodKindOf(o.Ref())
	if !ok {
		return nil
	}
	content := o.Content()
	if content == nil {
		return nil
	}
	at := Path(kind.Template)
	t := &PodTemplate{
		Object: o, Kind: kind,
		LabelsAt: at.Child("metadata", "labels"), AnnotationsAt: at.Child("metadata", "annotations"), SpecAt: at.Child("spec"),
	}
	if kind.Kind == InferenceService {
		t.LabelsAt, t.AnnotationsAt, t.SpecAt = at.Child("labels"), at.Child("annotations"), at
	}
	t.Labels = StringMap(content, t.LabelsAt...)
	t.Annotations = StringMap(content, t.AnnotationsAt...)
	if kind.Kind == InferenceService {
		t.inferenceService(content)
	}
	if !o.ReadInto(&t.Spec, t.SpecAt...) {
		return nil
	}
	return t
}

// inferenceService adds what KServe does: the object's own labels and annotations
// go to the pods, the predictor's win, and two labels are KServe's alone.
func (t *PodTemplate) inferenceService(content map[string]any) {
	labels := StringMap(content, "metadata", "labels")
	maps.Copy(labels, t.Labels)
	labels[LabelInferenceService] = t.Object.Ref().Name
	labels[LabelComponent] = ComponentPredictor
	t.Labels = labels

	annotations := StringMap(content, "metadata", "annotations")
	maps.DeleteFunc(annotations, func(key, _ string) bool {
		return strings.HasPrefix(key, "config.kubernetes.io/") || strings.HasPrefix(key, "internal.config.kubernetes.io/")
	})
	maps.Copy(annotations, t.Annotations)
	t.Annotations = annotations
}

// PodTemplates yields the pod templates of a set, in its order.
func (s *Set) PodTemplates() iter.Seq[*PodTemplate] {
	return func(yield func(*PodTemplate) bool) {
		for o := range s.All() {
			if t := o.PodTemplate(); t != nil && !yield(t) {
				return
			}
		}
	}
}

// Selects reports whether matchLabels select pods with these labels. No labels select none here,
// for a selector of ours is never empty.
func Selects(matchLabels, labels map[string]string) bool {
	for key, value := range matchLabels {
		if got, ok := labels[key]; !ok || got != value {
			return false
		}
	}
	return len(matchLabels) > 0
}
