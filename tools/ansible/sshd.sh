#!/bin/sh
# Links an OpenSSH server into bin/; the tests run it on the loopback address. Where there is none, root
# installs it in a Debian container. Elsewhere that would start a server for everybody, so it only says what
# is missing.
set -eu

link=$1

find_sshd() {
	PATH="$PATH:/usr/sbin:/usr/local/sbin:/sbin" command -v sshd
}

if ! sshd=$(find_sshd) && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && [ ! -d /run/systemd/system ]; then
	echo "installing the package openssh-server"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq -o DPkg::Lock::Timeout=300 update
	apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends openssh-server >/dev/null
	sshd=$(find_sshd) || true
fi
if [ -z "$sshd" ]; then
	echo "there is no sshd here: install OpenSSH's server (on Debian, as root: apt-get install openssh-server)" >&2
	exit 1
fi
ln -sf "$sshd" "$link"
