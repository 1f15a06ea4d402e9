module github.com/ringfence-dev/ringfence

go 1.26.0

require (
	github.com/spiffe/go-spiffe/v2 v2.9.0
	golang.org/x/net v0.62.0
	gopkg.in/yaml.v3 v3.0.1
	k8s.io/apimachinery v0.37.2
)

require (
	github.com/go-logr/logr v1.4.3 // indirect
	github.com/kr/text v0.2.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/utils v0.0.0-20260626114624-be93311217bd // indirect
)
