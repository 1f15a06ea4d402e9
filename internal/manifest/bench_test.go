package manifest

import (
	"bytes"
	"fmt"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/kio"
)

// deployments writes a list as kustomize hands it to a function.
func deployments(n int) []byte {
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i := range n {
		fmt.Fprintf(&b, `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    annotations:
      config.k8s.io/id: '%[1]d'
      config.kubernetes.io/index: '%[1]d'
      internal.config.kubernetes.io/annotations-migration-resource-id: '%[1]d'
      kustomize.config.k8s.io/id: |
        group: apps
        kind: Deployment
        name: web-%[1]d
        version: v1
    labels:
      app: web-%[1]d
      ringfence.dev/owner: themelio
    name: web-%[1]d
    namespace: themelio
  spec:
    replicas: 2
    selector:
      matchLabels:
        app: web-%[1]d
    template:
      metadata:
        labels:
          app: web-%[1]d
      spec:
        containers:
        - args:
          - --listen=:8080
          - "--greeting=hello: \"you\""
          env:
          - name: LOG_LEVEL
            value: "info"
          - name: POD_NAMESPACE
            valueFrom:
              fieldRef:
                fieldPath: metadata.namespace
          image: registry.example.com/themelio/web:1.%[1]d
          name: web
          ports:
          - containerPort: 8080
            name: http
          resources: {}
          volumeMounts:
          - mountPath: /tmp
            name: tmp
        serviceAccountName: web
        volumes:
        - emptyDir: {}
          name: tmp
`, i)
	}
	b.WriteString("functionConfig:\n  apiVersion: ringfence.dev/v1alpha1\n  kind: Ringfence\n  metadata:\n    name: all\n")
	return b.Bytes()
}

func BenchmarkReadWrite(b *testing.B) {
	ways := map[string]func([]byte) error{
		"manifest": func(data []byte) error {
			d, err := ReadList(data)
			if err != nil {
				return err
			}
			for _, it := range d.Items() {
				_ = it.Ref()
			}
			_, err = d.WriteTo(new(bytes.Buffer))
			return err
		},
		// One object in a hundred is edited, and one added.
		"manifest-edited": func(data []byte) error {
			d, err := ReadList(data)
			if err != nil {
				return err
			}
			for i, it := range d.Items() {
				if i%100 == 0 {
					if err := it.Edit(annotate); err != nil {
						return err
					}
				}
			}
			_, err = d.WriteTo(new(bytes.Buffer))
			return err
		},
		"kyaml": func(data []byte) error {
			rw := kio.ByteReadWriter{Reader: bytes.NewReader(data), Writer: new(bytes.Buffer), KeepReaderAnnotations: true}
			items, err := rw.Read()
			if err != nil {
				return err
			}
			return rw.Write(items)
		},
	}
	for _, n := range []int{100, 1000, 10000} {
		data := deployments(n)
		for _, way := range sortedKeys(ways) {
			b.Run(fmt.Sprintf("%s/%d", way, n), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := ways[way](data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkMentions(b *testing.B) {
	d, err := ReadList(deployments(1000))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(d.data)))
	for b.Loop() {
		for _, it := range d.Items() {
			if it.Mentions("k8s-root-actor") {
				b.Fatal("found what is not there")
			}
		}
	}
}
