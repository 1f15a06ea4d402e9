# The Ansible collection and what tests it; part of the main Makefile.

## Ansible

# A binary per architecture that hosts have, whatever this machine is.
ANSIBLE_SYSTEMS  := linux_amd64 linux_arm64
ANSIBLE_BINARIES := $(ANSIBLE_SYSTEMS:%=out/ansible/%/ringfence)
ANSIBLE_LDFLAGS  := $(LDFLAGS) -X github.com/ringfence-dev/ringfence/internal/ansible.Version=$(VERSION)
# Lists are found, not kept: a folder with a module, a file with a pinned ansible-core.
ANSIBLE_MODULES  := $(notdir $(patsubst %/module.go,%,$(wildcard ansible-modules/*/module.go)))
ANSIBLE_VERSIONS := $(patsubst tools/ansible/%.txt,%,$(wildcard tools/ansible/[0-9]*.txt))

.PHONY: collection library ansible ansible-kubernetes ansible-lint

collection: $(ANSIBLE_BINARIES) ## Build the tarball of the Ansible collection into out/
	go run ./internal/collection -source ansible-modules/collection -binaries out/ansible -license LICENSE -output out

# Each task copies the binary to its host, and then mostly waits for an API server. Without inlining it is a
# tenth smaller.
out/ansible/linux_%/ringfence: FORCE
	@mkdir -p $(@D)
	GOOS=linux GOARCH=$* $(GOBUILD) -gcflags=all=-l -ldflags "$(ANSIBLE_LDFLAGS)" -o $@ ./ansible-modules/ringfence

# One file under many names: a module is called by the name of its file.
library: out/ansible/linux_$(shell go env GOARCH)/ringfence ## Build out/library, the modules for a playbook's own library/
	@rm -rf out/library && mkdir -p out/library
	@for module in $(ANSIBLE_MODULES); do ln $< "out/library/$$module" || exit 1; done
	go run ./internal/ansibledoc -sidecars out/library

ansible: $(ANSIBLE_VERSIONS:%=bin/ansible/%/installed) bin/sshd ## Install each pinned ansible-core (tools/ansible) and link sshd into bin/

ansible-kubernetes: bin/ansible/kubernetes/installed ## Install kubernetes.core and what it needs, to compare with

bin/ansible/%/installed: tools/ansible/%.txt tools/ansible/venv.sh
	sh tools/ansible/venv.sh $< bin/ansible/$*

# A link: its age is that of the machine's sshd.
bin/sshd:
	@mkdir -p bin
	sh tools/ansible/sshd.sh $@

# In a folder of the collection's full name, for the linters resolve the names of its modules. Offline: no
# look at Galaxy and none for a newer linter.
ANSIBLE_LINT := out/lint/ansible_collections/ringfence/mesh
ansible-lint: bin/ansible/lint/installed ## Run ansible-lint, yamllint and ruff on the collection
	@rm -rf out/lint && mkdir -p $(dir $(ANSIBLE_LINT))
	@cp -R ansible-modules/collection $(ANSIBLE_LINT)
	bin/ansible/lint/bin/ruff check --no-cache ansible-modules/collection/plugins/action test/e2e/ansible
	bin/ansible/lint/bin/ruff format --no-cache --check ansible-modules/collection/plugins/action test/e2e/ansible
	cd $(ANSIBLE_LINT) && export PATH="$(CURDIR)/bin/ansible/lint/bin:$$PATH" ANSIBLE_HOME="$(CURDIR)/out/lint/home" \
	  ANSIBLE_COLLECTIONS_PATH="$(CURDIR)/out/lint" && yamllint --strict . && ansible-lint --offline --strict
