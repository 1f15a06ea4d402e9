# Measurements: included by the Makefile, and of use alone, as in `make -f tools/performance.mk performance`
# in the root.

# What the Makefile has set stays.
PERFORMANCEFLAGS ?=
export GOWORK := off

.PHONY: performance

# What isn't in bin/ is reported as not measured: `make build tools kpt catalog` makes all of it. About half an hour;
# PERFORMANCEFLAGS="--sizes 100 --large= --streams=" takes a minute.
performance: ## Measure the executables in bin/ against kustomize alone, and print the table of docs/performance.md
	cd test/performance && go run . --bin ../../bin $(PERFORMANCEFLAGS)
