package cluster

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// proxyContainer is the container of Istio's proxy, in a sidecar and in a gateway.
const proxyContainer = "istio-proxy"

// admit does what admission does to a new pod: it runs as the namespace's default
// account unless told otherwise, and Istio injects its proxy.
func (c *Controllers) admit(ctx context.Context, pod *corev1.Pod) error {
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = "default"
	}
	namespace, err := c.client.Get(ctx, Namespace, "", pod.Namespace)
	if err != nil {
		return err
	}
	if injects(namespace.GetLabels()["istio-injection"], pod) {
		inject(pod)
	}
	return nil
}

// injects reports whether Istio's webhook adds a proxy. The pod's label decides,
// unless the namespace is labelled as one where the webhook isn't asked.
func injects(namespace string, pod *corev1.Pod) bool {
	if pod.Spec.HostNetwork || pod.Annotations["inject.istio.io/templates"] == "gateway" || hasProxy(pod) {
		return false
	}
	label := pod.Labels["sidecar.istio.io/inject"]
	switch namespace {
	case "":
		return label == "true"
	case "enabled":
		return label != "false"
	default:
		return false
	}
}

func hasProxy(pod *corev1.Pod) bool {
	return slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(c corev1.Container) bool {
		return c.Name == proxyContainer
	})
}

// inject adds the proxy as the native sidecar that current Istio makes of it.
func inject(pod *corev1.Pod) {
	always := corev1.ContainerRestartPolicyAlways
	pod.Spec.InitContainers = slices.Insert(pod.Spec.InitContainers, 0, corev1.Container{
		Name: proxyContainer, Image: "docker.io/istio/proxyv2:1.32.0", Args: []string{"proxy", "sidecar"},
		Ports:         []corev1.ContainerPort{{Name: "http-envoy-prom", ContainerPort: 15090, Protocol: corev1.ProtocolTCP}},
		RestartPolicy: &always,
	})
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, "sidecar.istio.io/status", `{"initContainers":["istio-proxy"],"containers":null,"revision":"default"}`)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, "security.istio.io/tlsMode", "istio")
}

// runPod does what the kubelet does to a pod that waits: all of it runs and is ready.
func (c *Controllers) runPod(ctx context.Context, pod *corev1.Pod) error {
	if pod.Status.Phase != corev1.PodPending || pod.DeletionTimestamp != nil {
		return nil
	}
	if pace, err := c.paceOf(pod); pace != Prompt || err != nil {
		return err
	}
	now := metav1.Now()
	pod.Status.Phase = corev1.PodRunning
	pod.Status.StartTime = &now
	pod.Status.PodIP = "10.0.1.1"
	pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	pod.Status.Conditions = nil
	for _, condition := range []corev1.PodConditionType{corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: now,
		})
	}
	pod.Status.InitContainerStatuses = containerStatuses(pod.Spec.InitContainers, true, now)
	pod.Status.ContainerStatuses = containerStatuses(pod.Spec.Containers, false, now)
	return c.updateStatus(ctx, Pod, pod, "kubelet")
}

// containerStatuses returns the status of containers that run, or that have done
// their part at the start.
func containerStatuses(containers []corev1.Container, initial bool, now metav1.Time) []corev1.ContainerStatus {
	var statuses []corev1.ContainerStatus
	for _, container := range containers {
		status := corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, ImageID: container.Image, ContainerID: "containerd://" + container.Name, Ready: true,
		}
		runs := !initial || container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
		if runs {
			status.State.Running = &corev1.ContainerStateRunning{StartedAt: now}
		} else {
			status.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: now, FinishedAt: now}
		}
		status.Started = &runs
		statuses = append(statuses, status)
	}
	return statuses
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
