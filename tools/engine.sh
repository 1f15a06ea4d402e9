#!/bin/sh
# Sees to it that there is a Docker engine for the tests of images: one that answers at DOCKER_HOST, or a dockerd that
# they can start themselves. Installs Debian's where there is none and we may; elsewhere it says what is wanted.
set -eu

# Debian has it in /usr/sbin, which not everybody's PATH names.
PATH="$PATH:/usr/sbin:/sbin"

if command -v docker >/dev/null && docker version --format '{{.Server.Version}}' >/dev/null 2>&1; then
	echo "a Docker engine answers: $(docker version --format '{{.Server.Version}}')"
	exit 0
fi
if command -v dockerd >/dev/null && command -v docker >/dev/null; then
	echo "no Docker engine answers; the tests start their own: $(dockerd --version)"
	exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
	echo "the tests of images want a Docker engine: start one, set DOCKER_HOST, or install docker and dockerd" >&2
	exit 1
fi
# Another apt-get may be at work.
apt-get -o DPkg::Lock::Timeout=300 update
# The package starts an engine of its own where there is an init system; the tests neither need nor mind it.
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends docker.io
# Newer releases have the client in a package of its own.
command -v docker >/dev/null || apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends docker-cli
dockerd --version
