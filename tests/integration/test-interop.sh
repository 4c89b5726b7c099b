#!/bin/bash
# Runs a coordinator in Python (tests/interop) with parties in C. Jobs of kinds kmeans and kcagc
# (basic) give the labels of the C coordinator.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"


interop() { # starts the coordinator in Python and waits until it listens
	rm -f "$T/ready"
	start coordinator "$PYTHON" "$ROOT/tests/interop/coordinator.py" --config \
		"$T/coordinator.json" --job "$T/job.json" \
		--ready-file "$T/ready"
	until_true 60 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator in Python did not become ready"
	# shellcheck disable=SC2034 # party() dials it
	ADDRESS=$(<"$T/ready")
}

test_kmeans() {
	needs_python
	local name l=3
	rows_federation 3
	echo '{ "kind": "kmeans", "clusters": 3, "seed": 7 }' >"$T/job.json"
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do mv "$T/out/$name/labels.csv" "$T/$name.csv"; done
	interop
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names "$l"); do
		same_labels "$T/$name.csv" "$T/out/$name/labels.csv"
		"$BIN/coterie" ledger --state "$T/out/$name/state" verify >/dev/null ||
			fail "$name's ledger"
	done
}

test_deviations_of_columns() {
	needs_python
	local name
	rows_federation 3
	echo '{ "kind": "kmeans", "clusters": 3, "seed": 7, "standardize": "joint" }' >"$T/job.json"
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do mv "$T/out/$name/labels.csv" "$T/$name.csv"; done
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
	interop
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do same_labels "$T/$name.csv" "$T/out/$name/labels.csv"; done
}

# Uses the effective job, because the coordinator in Python knows no defaults.
test_kcagc() {
	needs_python
	local name
	federation 3
	edit job '.method = "basic" | .clusters = 12'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do mv "$T/out/$name/labels.csv" "$T/$name.csv"; done
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
	interop
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do same_labels "$T/$name.csv" "$T/out/$name/labels.csv"; done
}

test_two_parties() {
	needs_python
	rows_federation 2
	echo '{ "kind": "kmeans", "clusters": 5, "seed": 9 }' >"$T/job.json"
	interop
	parties 2
	ends 0 coordinator party-00 party-01
}

# Imitates a coordinator of a later release. A parameter that parties do not know ends the job with
# an error that names it, and leaves no files. So does an unknown value, or a default of another
# schema.
declined() { # JQ-PROGRAM PARAMETER SENTENCE
	needs_python
	rows_federation 2
	rows_job kmeans "$1"
	interop
	parties 2
	ends 2 coordinator party-00 party-01
	says coordinator "ending 18, code 2, job\\.$2"
	says party-00 "$3"
	[[ ! -e $T/out/party-00/labels.csv ]] || fail 'labels in spite of it'
}
test_unknown_parameter() {
	declined '.noise.future = 1' 'noise\.future' 'job\.noise\.future is unknown'
}
test_unknown_value() { declined '.standardize = "future"' standardize 'job\.standardize is'; }

sample test_kmeans test_kcagc test_unknown_parameter
run_tests "$@"
