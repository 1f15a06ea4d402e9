# The pre-commit of the end-to-end tests: included by the Makefile, and of use alone, as in
# `make -f tools/pre-commit.mk pre-commit` in the root.

.DELETE_ON_ERROR:
.PHONY: pre-commit

pre-commit: bin/pre-commit/installed ## Install the pinned pre-commit into bin/

bin/pre-commit/installed: tools/pre-commit.txt tools/ansible/venv.sh
	sh tools/ansible/venv.sh $< $(@D)
