# The browser of the end-to-end tests: included by the Makefile, and of use alone, as in
# `make -f tools/browser.mk browser` in the root.

.PHONY: browser

browser: ## Install a Chromium for the tests of the graph's page where there is none
	sh tools/browser.sh
