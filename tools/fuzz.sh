#!/bin/sh
# Runs each fuzz target of the given packages for FUZZTIME (`go help testflag`: 30s, 10000x).
# The output of a target is printed only where it fails, so that the closing lines of `go test` in a
# CI log are those of the tests.
set -eu

: "${FUZZTIME:=30s}"
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# `go test -list` prints the names of a package, then its "ok" line.
go test -list '^Fuzz' "$@" >"$output" || { cat "$output" >&2; exit 1; }
targets=$(awk '/^Fuzz/ { names[++n] = $1 } /^ok/ { for (i = 1; i <= n; i++) print $2 "," names[i]; n = 0 }' "$output")

failed=0
count=0
for target in $targets; do
	package=${target%,*}
	name=${target#*,}
	count=$((count + 1))
	if go test -run '^$' -fuzz "^$name\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 10x "$package" >"$output" 2>&1; then
		verdict=passed
	elif grep -q '^    context deadline exceeded$' "$output" && ! grep -q 'Failing input written' "$output"; then
		# The end of the fuzzing time itself reported as a failure: golang/go issue 75804.
		verdict="passed (golang/go issue 75804)"
	else
		verdict=FAILED
		failed=$((failed + 1))
		cat "$output" >&2
	fi
	echo "fuzz $package $name: $verdict;$(sed -n 's/^fuzz: elapsed: [^,]*,\( execs: [0-9]*\).*/\1/p' "$output" | tail -n 1)"
done
echo "fuzz: $count targets, $failed of them failed"
[ "$failed" -eq 0 ]
