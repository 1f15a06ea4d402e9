# Needs Go and make; everything else is built from the module proxy by the targets that want it.
# Works with GNU Make 3.81 and later.

# Linked into bin/ringfence as main.version; a release sets it.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# Extra flags for `go test`, as in `make test GOTESTFLAGS='-run TestDemo -v'`.
GOTESTFLAGS  ?=
TEST_TIMEOUT ?= 20m
E2E_TIMEOUT  ?= 30m
# How long each fuzz target runs: a duration, or a count such as 10000x.
FUZZTIME     ?= 30s
# Which benchmarks `make bench` runs, and its extra flags.
BENCH        ?= .
BENCHFLAGS   ?=

# No C compiler is needed, and the build cache is shared by all targets. `make test CGO_ENABLED=1
# GOTESTFLAGS=-race` needs one.
CGO_ENABLED ?= 0
export CGO_ENABLED
# The modules of tools/ and test/ are none of a surrounding workspace's business.
export GOWORK := off

# -buildvcs=false: the version is stamped above, and a clone owned by someone else still builds.
GOBUILDFLAGS := -trimpath -buildvcs=false
LDFLAGS      := -s -w
# What goes into bin/ needs no C library, whatever CGO_ENABLED is for the tests.
GOBUILD      := CGO_ENABLED=0 go build $(GOBUILDFLAGS)

# Lists are found, not kept: a new folder is a new unit, a new go.mod a new test module.
UNITS        := $(filter-out ringfence,$(notdir $(patsubst %/,%,$(wildcard functions/*/))))
UNIT_LINKS   := $(addprefix bin/,$(UNITS))
# test/istio compiles all of Istio, and vetting it would compile it once more: it is `make oracle`'s alone.
TEST_MODULES := $(filter-out test/istio,$(patsubst %/go.mod,%,$(wildcard test/go.mod test/*/go.mod)))
# Those that want no more than Go; the others want an API server and Ansible, and are `make e2e`'s.
UNIT_MODULES := $(filter-out test/e2e,$(TEST_MODULES))
TOOL_MODULES := tools $(patsubst %/go.mod,%,$(wildcard tools/*/go.mod))

# Our executables and the pinned kustomize come first, whatever else the machine has.
WITH_BIN = PATH="$(CURDIR)/bin:$$PATH"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build tools lint-tools generate check-generated demo test e2e oracle fmt fmt-check vet golangci lint \
        tidy tidy-check vuln fuzz bench clean FORCE

help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

## Executables

build: bin/ringfence $(UNIT_LINKS) ## Build bin/ringfence and a link to it for each function
	@for link in bin/*; do \
	  case " $(UNITS) " in *" $${link#bin/} "*) continue;; esac; \
	  if [ -L "$$link" ] && [ "$$(readlink "$$link")" = ringfence ]; then rm "$$link"; fi; \
	done

# Go itself knows what is stale, embedded files included; it neither compiles nor links without need.
bin/ringfence: FORCE
	@mkdir -p bin
	$(GOBUILD) -ldflags "$(LDFLAGS) -X main.version=$(VERSION)" -o $@ ./functions/ringfence

$(UNIT_LINKS): | bin/ringfence
	ln -sf ringfence $@

tools: bin/kustomize ## Build the pinned kustomize (tools/go.mod) into bin/

lint-tools: bin/golangci-lint bin/govulncheck ## Build the pinned linters (tools/lint/go.mod) into bin/

# The version that kustomize reports is a link-time value; tools/go.mod is the only place that pins it.
KUSTOMIZE := sigs.k8s.io/kustomize/kustomize/v5
bin/kustomize: tools/go.mod tools/go.sum
	@mkdir -p bin
	cd tools && version=$$(go list -m -f '{{.Version}}' $(KUSTOMIZE)) && $(GOBUILD) \
	  -ldflags "$(LDFLAGS) -X sigs.k8s.io/kustomize/api/provenance.version=$$version" -o ../$@ $(KUSTOMIZE)
	@touch $@

bin/golangci-lint: tools/lint/go.mod tools/lint/go.sum
	@mkdir -p bin
	cd tools/lint && $(GOBUILD) -ldflags "$(LDFLAGS)" -o ../../$@ \
	  github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

bin/govulncheck: tools/lint/go.mod tools/lint/go.sum
	@mkdir -p bin
	cd tools/lint && $(GOBUILD) -ldflags "$(LDFLAGS)" -o ../../$@ golang.org/x/vuln/cmd/govulncheck
	@touch $@

## Using it

# Shares the flags of `build`, so that nothing is compiled twice. Network: Go modules alone.
demo: build ## Render and verify every overlay and print the table
	$(WITH_BIN) bin/ringfence verify --output out overlays

## Checks

# Every module is tested, even after a failure in an earlier one.
test: build tools ## Run all tests: the root module and each module under test/
	@status=0; for module in . $(UNIT_MODULES); do \
	  echo "go test ./... in $$module"; \
	  (cd "$$module" && $(WITH_BIN) go test -timeout $(TEST_TIMEOUT) $(GOTESTFLAGS) ./...) || status=1; \
	done; exit $$status

# A real API server, real ansible-playbook in two versions over local and ssh, a real Envoy, real kpt, and the
# images in a Docker engine, and the page of the graph in a browser.
e2e: build tools cluster-tools collection library ansible bin/envoy kpt kpt-test engine browser images pre-commit ## Run the end-to-end tests (test/e2e), with all that they need
	cd test/e2e && $(WITH_BIN) go test -timeout $(E2E_TIMEOUT) $(GOTESTFLAGS) ./...

oracle: ## Compare the judge with Istio's own code, and have that code validate what the project writes
	cd test/istio && go test -trimpath -vet=off -v -timeout $(TEST_TIMEOUT) . -args -sets 1000
	cd test/istio && go test -trimpath -vet=off -v -timeout $(TEST_TIMEOUT) ./validation

lint: fmt-check vet golangci ## Run gofmt, go vet and golangci-lint

fmt: ## Format all Go code
	gofmt -s -w .

fmt-check: ## Fail if a Go file is not formatted
	@unformatted=$$(gofmt -s -l .) || exit 1; if [ -n "$$unformatted" ]; then \
	  echo "not formatted; run 'make fmt':" >&2; echo "$$unformatted" >&2; exit 1; fi

vet: ## Run go vet
	@for module in . $(TEST_MODULES) tools/release; do (cd "$$module" && go vet ./...) || exit 1; done

golangci: bin/golangci-lint ## Run golangci-lint (.golangci.yaml)
	bin/golangci-lint run ./...

tidy: ## Tidy go.mod and go.sum, those of the tools too
	@for module in . $(TOOL_MODULES) $(TEST_MODULES) test/istio; do (cd "$$module" && go mod tidy) || exit 1; done

tidy-check: ## Fail if a go.mod or go.sum is not tidy
	@status=0; for module in . $(TOOL_MODULES) $(TEST_MODULES) test/istio; do \
	  (cd "$$module" && go mod tidy -diff) || { echo "$$module is not tidy; run 'make tidy'" >&2; status=1; }; \
	done; exit $$status

generate: ## Regenerate all generated files
	$(WITH_BIN) go generate ./...

check-generated: ## Fail if a generated file is stale
	sh tools/check-generated.sh

vuln: bin/govulncheck ## Look for known vulnerabilities in what we ship
	sh tools/vuln.sh ./...

fuzz: ## Run each fuzz target for FUZZTIME
	$(WITH_BIN) FUZZTIME=$(FUZZTIME) sh tools/fuzz.sh ./...

bench: ## Run the benchmarks that BENCH matches
	$(WITH_BIN) go test -run '^$$' -bench '$(BENCH)' -benchmem $(BENCHFLAGS) ./...

include tools/browser.mk tools/cluster.mk tools/envoy.mk tools/kpt.mk tools/performance.mk tools/pre-commit.mk tools/release.mk ansible-modules/collection.mk

clean: ## Remove what the targets made here; Go's own caches stay
	rm -rf bin out
