#!/bin/sh
# Sees to it that there is a Chromium for the tests of the page that `ringfence access graph` writes: the one that
# RINGFENCE_BROWSER names, or one on PATH. Installs Debian's where there is none and we may; elsewhere it says what is wanted.
set -eu

for name in "${RINGFENCE_BROWSER:-chromium}" chromium chromium-browser google-chrome; do
	if command -v "$name" >/dev/null; then
		echo "the tests' browser: $("$name" --version 2>/dev/null)"
		exit 0
	fi
done
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
	echo "the tests of the graph's page want a Chromium: install one, or name its executable in RINGFENCE_BROWSER" >&2
	exit 1
fi
# Another apt-get may be at work.
apt-get -o DPkg::Lock::Timeout=300 update
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends chromium fonts-dejavu-core
chromium --version
