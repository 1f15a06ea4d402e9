#!/bin/sh
# Fails if `make generate` changes, adds or removes a file. It compares the tree before with the tree
# after, untracked files included and ignored ones not, so uncommitted work is no hindrance and the
# real index is not touched.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

tree() {
	GIT_INDEX_FILE="$scratch/index" git add --all
	GIT_INDEX_FILE="$scratch/index" git write-tree
}

before=$(tree)
"${MAKE:-make}" generate
after=$(tree)
if [ "$before" != "$after" ]; then
	echo "stale generated files; run 'make generate' and commit:" >&2
	git --no-pager diff --stat --patch "$before" "$after" >&2
	exit 1
fi
