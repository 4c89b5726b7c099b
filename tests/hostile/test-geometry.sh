#!/bin/bash
# Counts the distances that a coordinator of kcagc learns if it sends false cells, sets or
# directions (geometry.py). With method flat it learns as many as an honest coordinator learns with
# basic. If the job has min_cell, it learns none.
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/python.sh
source "${0%/*}/../integration/python.sh"

effective() { # JQ-PROGRAM: writes the effective job, as the coordinator in C writes it
	needs_python
	federation 3
	edit job ". + { polish: 0, projection: { dims: \"k\" }, joint_norm: false } | $1"
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
}

maps() { # STATUS [ARG...]: sets $KNOWN, the number of known pairs of $OF
	rm -rf "$T/ready" "$T/out"
	start coordinator "$PYTHON" "$ROOT/tests/hostile/geometry.py" --config \
		"$T/coordinator.json" --job "$T/job.json" \
		--ready-file "$T/ready" --truth "$T/data" "${@:2}"
	until_true 60 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator did not become ready"
	# shellcheck disable=SC2034 # party() dials it
	ADDRESS=$(<"$T/ready")
	parties 3
	# shellcheck disable=SC2046
	ends "$1" $(names 3)
	ends 0 coordinator
	tail -n 1 "$T/coordinator.stdout"
	KNOWN=$(tail -n 1 "$T/coordinator.stdout" | jq .known)
	OF=$(tail -n 1 "$T/coordinator.stdout" | jq .of)
}

test_basic() {
	effective '.method = "basic"'
	maps 0
	[[ $KNOWN == "$OF" ]] ||
		fail "of basic $KNOWN pairs of $OF are known, and the map is said to be whole"
}

test_flat_and_cells_of_one_node() {
	effective '.method = "flat"'
	maps 0
	local honest=$KNOWN
	((honest < OF / 2)) || fail "cells keep nothing back: $honest of $OF"
	maps 0 --lie cells
	[[ $KNOWN == "$OF" ]] || fail "cells of one node: $KNOWN of $OF"
}

# A tree of three parties is one group, so the lie about cells works as with method flat.
test_tree_and_cells_of_one_node() {
	effective '.method = "tree"'
	maps 0
	local honest=$KNOWN
	maps 0 --lie cells
	echo "tree: honest $honest, cells of one node $KNOWN, of $OF pairs"
	[[ $KNOWN == "$OF" ]] || fail "cells of one node: $KNOWN of $OF"
}

# An honest coordinator must not know all pairs. With --lie single it knows at least as many.
products() { # METHOD
	needs_python
	federation 3 --features 300
	echo "{ \"kind\": \"kcagc\", \"clusters\": 3, \"seed\": 7, \"method\": \"$1\",
		\"secure_sum\": { \"modulus_bits\": 64 } }" >"$T/job.json"
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
	maps 0
	local honest=$KNOWN
	maps 0 --lie single
	echo "$1: honest $honest, single nodes $KNOWN, of $OF pairs"
	((honest < OF && KNOWN >= honest)) || fail "$1: honest $honest, single nodes $KNOWN, of $OF"
	LIE=$KNOWN
}

test_landmark() {
	products landmark
	((LIE < OF / 4)) || fail "landmark: $LIE of $OF pairs by as many products as the job has"
	edit job '.min_cell = 3 | .polish = 0'
	maps 2 --lie single
	any_party_said 'coordinator sent LANDMARKS with .* fewer than job.min_cell, 3' ||
		fail "nobody says why"
}

test_gcc() {
	products gcc
	at_least "$LIE" $((OF * 9 / 10)) "pairs known of $OF"
}

test_min_cell() {
	effective '.method = "flat" | .min_cell = 3'
	maps 2 --lie cells
	[[ $KNOWN == 0 ]] || fail "$KNOWN of $OF in spite of min_cell"
	any_party_said 'coordinator sent CELLS with .* fewer than job.min_cell, 3' ||
		fail "nobody says why"
}

sample test_min_cell
run_tests "$@"
