# Images and releases: included by the Makefile, and of use alone, as in `make -f tools/release.mk images` in the root.

# What the Makefile has set stays.
VERSION      ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
GOBUILDFLAGS ?= -trimpath -buildvcs=false
LDFLAGS      ?= -s -w
GOBUILD      ?= CGO_ENABLED=0 go build $(GOBUILDFLAGS)
export GOWORK := off

# Everything is said to be made when the commit was: the same commit gives the same bytes.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
REVISION          ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
# `make release RELEASE=yes` refuses a version that isn't a tag's.
RELEASE ?=

RELEASE_SYSTEMS  := linux_amd64 linux_arm64 darwin_amd64 darwin_arm64
RELEASE_BINARIES := $(RELEASE_SYSTEMS:%=out/binaries/%/ringfence)
COLLECTION        = out/ringfence-mesh-$(shell sed -n 's/^version: *//p' ansible-modules/collection/galaxy.yml).tar.gz
RELEASE_TOOL      = SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) bin/release

.DELETE_ON_ERROR:
.PHONY: images release release-test changelog workflow-lint FORCE

## Releases

images: bin/release $(filter out/binaries/linux_%,$(RELEASE_BINARIES)) ## Build the images of all functions, without Docker, into out/images
	$(RELEASE_TOOL) images -binaries out/binaries -version $(VERSION) -revision $(REVISION) -output out/images

# The collection is a target of the main Makefile.
release: images bin/cyclonedx-gomod $(RELEASE_BINARIES) ## Make archives, images, SBOMs and checksums of VERSION in out/release
	$(MAKE) collection VERSION=$(VERSION)
	$(RELEASE_TOOL) pack -binaries out/binaries -version $(VERSION) -revision $(REVISION) -output out/release \
	  -images out/images -collection $(COLLECTION) -collection-binaries out/ansible -sbom bin/cyclonedx-gomod \
	  -changelog CHANGELOG.md -license LICENSE -readme README.md $(if $(RELEASE),-release)
	cd out/release && sha256sum --check --quiet checksums.txt

release-test: ## Test what makes images and releases, the changelog and the workflows
	cd tools/release && go test $(GOTESTFLAGS) ./...

changelog: bin/release ## Check the changelog and print what it says of VERSION
	@bin/release changelog -file CHANGELOG.md -version $(VERSION)

# Go itself knows what is stale.
bin/release: FORCE
	@mkdir -p bin
	cd tools/release && $(GOBUILD) -ldflags "$(LDFLAGS)" -o ../../$@ .

bin/cyclonedx-gomod: tools/release/go.mod tools/release/go.sum
	@mkdir -p bin
	cd tools/release && $(GOBUILD) -ldflags "$(LDFLAGS)" -o ../../$@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
	@touch $@

# linux_amd64 says what to compile for.
out/binaries/%/ringfence: FORCE
	@mkdir -p $(@D)
	system=$* && GOOS=$${system%_*} GOARCH=$${system#*_} $(GOBUILD) -ldflags "$(LDFLAGS) -X main.version=$(VERSION)" \
	  -o $@ ./functions/ringfence

## Workflows

workflow-lint: bin/actionlint bin/zizmor ## Run actionlint and zizmor on the workflows
	bin/actionlint
	bin/zizmor --offline --pedantic --strict-collection --no-progress .github

bin/actionlint: tools/release/go.mod tools/release/go.sum
	@mkdir -p bin
	cd tools/release && $(GOBUILD) -ldflags "$(LDFLAGS)" -o ../../$@ github.com/rhysd/actionlint/cmd/actionlint
	@touch $@

# A wheel is a zip archive, and unpacking one by its module loses the permission to execute.
bin/zizmor: tools/zizmor/requirements.txt
	@rm -rf bin/.zizmor && mkdir -p bin/.zizmor
	python3 -m pip --disable-pip-version-check --quiet download --require-hashes --no-deps --only-binary :all: \
	  --dest bin/.zizmor --requirement tools/zizmor/requirements.txt
	python3 -m zipfile -e bin/.zizmor/*.whl bin/.zizmor
	chmod 755 bin/.zizmor/zizmor-*.data/scripts/zizmor
	bin/.zizmor/zizmor-*.data/scripts/zizmor --version
	mv bin/.zizmor/zizmor-*.data/scripts/zizmor $@
	@rm -rf bin/.zizmor
	@touch $@
