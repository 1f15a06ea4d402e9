#!/bin/sh
# Makes a Python environment of what a requirements file pins, hashes included. `installed` in it is newer
# than the file once all is there. PYTHON names an interpreter; without it, the first is taken that every
# pinned ansible-core runs on: https://docs.ansible.com/ansible/latest/reference_appendices/release_and_maintenance.html
set -eu

requirements=$1
directory=$2

for python in ${PYTHON:-python3 python3.12 python3.11}; do
	if "$python" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then
		echo "installing $requirements into $directory ($("$python" --version))"
		rm -rf "$directory"
		mkdir -p "$(dirname "$directory")"
		"$python" -m venv "$directory"
		"$directory/bin/python" -m pip --require-virtualenv --disable-pip-version-check --no-input --quiet \
			install --require-hashes --only-binary :all: --requirement "$requirements"
		touch "$directory/installed"
		exit 0
	fi
done
echo "no Python 3.11 or 3.12 with venv was found as ${PYTHON:-python3, python3.12 or python3.11}: install one" \
	"(on Debian: apt-get install python3 python3-venv) or name one, as in 'make ansible PYTHON=/opt/bin/python3.12'" >&2
exit 1
