#!/bin/bash
# Tests that coterie refuses invalid jobs and labels. Each row is a command, which must end with
# status 4. Its error must match three patterns: the place, the value, and the remedy.
# tests/python/bad_input.py has such rows for tables and other files.
#
#     row "the input" 'place' 'value' 'remedy' -- coterie COMMAND
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

ROWS=0 POINTS=0

row() { # NAME WHERE VALUE TO-DO -- ARG...
	local name=$1 wanted=("$2" "$3" "$4") status=0 regex
	[[ $2 && $3 && $4 ]] || fail "$name: a pattern is empty, which all sentences match"
	shift 5
	timeout $((PATIENCE * 20)) "$BIN/coterie" "$@" </dev/null >said 2>&1 || status=$?
	ROWS=$((ROWS + 1))
	((status == 4)) || fault "$name: status $status, expected 4: $(tail -n 1 said)"
	[[ ! -e o ]] || fault "$name: left o behind"
	for regex in "${wanted[@]}"; do
		if grep -Eq -- "$regex" \
			said; then POINTS=$((POINTS + 1)); else fault \
			"$name: does not say '$regex': $(tail -n 1 said)"; fi
	done
}

counts() { # EXPECTED: number of rows in the table; each row has three points
	((ROWS == $1 && POINTS == 3 * $1)) ||
		fault "$POINTS points of $ROWS rows, expected $((3 * $1)) of $1"
}

test_jobs_and_labels() {
	cd "$T" || exit 1
	"$BIN/coterie" synth --points --nodes 60 --features 3 --clusters 3 --out d >/dev/null
	echo '{ "kind": "kmeans", "clusters": 1 }' >k1.json
	row 'k = 1' 'clusters' 'is 1' 'expected a whole number from 2' -- run --data d --job \
		k1.json --parties 2 --out o
	echo '{ "kind": "kmeens", "clusters": 3 }' >kind.json
	row 'a kind that there is not' 'kind\.json: job\.kind' '"kmeens"' \
		'expected one of .*"kmeans"' -- run --data d --job kind.json --parties 2 --out o
	echo '{ "kind": "kmeans", "k": 3 }' >key.json
	row 'k for clusters' 'key\.json: job\.k' 'is unknown' 'expected one of: kind, clusters' -- \
		run --data d --job key.json --parties 2 --out o
	echo '{ "kind": "kmeans", "clusters": "3" }' >text.json
	row 'a number in quotes' 'text\.json: job\.clusters' 'is "3"' \
		'expected a whole number from 2' -- run --data d --job text.json --parties 2 --out o
	seq 60 | sed 's/$/.0/' >floats.txt
	row 'floats as labels' 'floats\.txt:1' '"1\.0"' 'expected a whole number' -- eval --truth \
		floats.txt d/labels.txt
	seq 59 >short.txt
	row 'one label too few' 'short\.txt' '59' '60' -- eval --truth short.txt d/labels.txt
	counts 6
}

run_tests "$@"
