# kpt and a function of its catalogue for the end-to-end tests and measurements: included by the Makefile, and
# of use alone, as in `make -f tools/kpt.mk kpt` in the root.

# What the Makefile has set stays.
GOBUILDFLAGS ?= -trimpath -buildvcs=false
GOBUILD      ?= CGO_ENABLED=0 go build $(GOBUILDFLAGS)
export GOWORK := off

.DELETE_ON_ERROR:
.PHONY: kpt kpt-test catalog engine

kpt: bin/kpt ## Build kpt's commands for functions into bin/

bin/kpt: $(wildcard tools/kpt/*.go) tools/kpt/go.mod tools/kpt/go.sum
	@mkdir -p bin
	@echo "compiling kpt: about 4 CPU minutes the first time; Go's cache and $@ keep the result"
	cd tools/kpt && $(GOBUILD) -mod=readonly -ldflags "-s -w" -o ../../$@ .
	@touch $@

# The flags are those of bin/kpt, or all of kpt would be compiled once more.
kpt-test: bin/kpt ## Give the functions' examples to kpt's own test runner
	cd tools/kpt && go test $(GOBUILDFLAGS) -vet=off $(GOTESTFLAGS) ./...

catalog: bin/set-namespace ## Build a function of kpt's catalogue into bin/, to measure against

bin/set-namespace: tools/catalog/go.mod tools/catalog/go.sum
	@mkdir -p bin
	cd tools/catalog && $(GOBUILD) -mod=readonly -ldflags "-s -w" -o ../../$@ \
	  github.com/kptdev/krm-functions-catalog/functions/go/set-namespace
	@touch $@

engine: ## Install a Docker engine for the tests of images where there is none
	sh tools/engine.sh
