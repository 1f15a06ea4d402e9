# The API server of the end-to-end tests: included by the Makefile, and of use alone, as in
# `make -f tools/cluster.mk cluster-tools` in the root.

# What the Makefile has set stays.
GOBUILDFLAGS ?= -trimpath -buildvcs=false
GOBUILD      ?= CGO_ENABLED=0 go build $(GOBUILDFLAGS)
export GOWORK := off

.DELETE_ON_ERROR:
.PHONY: cluster-tools

cluster-tools: bin/kube-apiserver bin/etcd bin/crds/istio.yaml ## Build the API server of the end-to-end tests into bin/

# The version that the server reports, and by which it chooses its features, is a link-time value;
# tools/apiserver/go.mod is the only place that pins it.
KUBERNETES        := k8s.io/kubernetes
KUBERNETES_VERSION = k8s.io/component-base/version
bin/kube-apiserver: tools/apiserver/go.mod tools/apiserver/go.sum
	@mkdir -p bin
	@echo "compiling kube-apiserver: about 12 CPU minutes the first time; Go's cache and $@ keep the result"
	cd tools/apiserver && version=$$(go list -m -f '{{.Version}}' $(KUBERNETES)) && \
	  major=$${version#v} && major=$${major%%.*} && minor=$${version#v*.} && minor=$${minor%%.*} && \
	  $(GOBUILD) -mod=readonly -ldflags "-s -w -X $(KUBERNETES_VERSION).gitVersion=$$version \
	    -X $(KUBERNETES_VERSION).gitMajor=$$major -X $(KUBERNETES_VERSION).gitMinor=$$minor" \
	  -o ../../$@ $(KUBERNETES)/cmd/kube-apiserver
	@touch $@

bin/etcd: tools/etcd/go.mod tools/etcd/go.sum
	@mkdir -p bin
	@echo "compiling etcd: about a CPU minute the first time"
	cd tools/etcd && $(GOBUILD) -mod=readonly -ldflags "-s -w" -o ../../$@ go.etcd.io/etcd/server/v3
	@touch $@

# Of the version of istio.io/api that the generators are built with.
bin/crds/istio.yaml: go.mod go.sum
	@mkdir -p $(@D)
	go mod download istio.io/api
	cat "$$(go list -m -f '{{.Dir}}' istio.io/api)/kubernetes/customresourcedefinitions.gen.yaml" > $@
