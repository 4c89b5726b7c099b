#!/bin/bash
# Sends changed sums, drawn at random (changes.py), over TLS to parties in C. No party takes a
# changed sum, each party names the coordinator, and no message of a job leaves after the change.
# Each test makes $COTERIE_CHANGES changes (12 by default; 125 make 1000 in all).
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/lies.sh
source "${0%/*}/../integration/lies.sh"

CHANGES=${COTERIE_CHANGES:-12}

none_is_taken() { # L: with L parties, every changed sum is refused
	local name found
	edit_parties "$1" '.rejoin_s = 20'
	rm -f "$T/ready"
	start coordinator "$PYTHON" "$ROOT/tests/hostile/changes.py" --config \
		"$T/coordinator.json" --job "$T/job.json" \
		--ready-file "$T/ready" --changes "$CHANGES"
	until_true 60 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator did not become ready"
	# shellcheck disable=SC2034 # serves() dials it
	ADDRESS=$(<"$T/ready")
	for name in $(names "$1"); do serves "$name"; done
	until_true $((60 + 3 * CHANGES)) coordinator_is_gone
	ends 0 coordinator
	tail -n 1 "$T/coordinator.stdout" >"$T/figures"
	jq -c . "$T/figures"
	[[ $(jq .changes "$T/figures") == "$CHANGES" ]] ||
		fail "$(jq .changes "$T/figures") changes of $CHANGES"
	[[ $(jq .taken "$T/figures") == 0 ]] ||
		fail "$(jq .taken "$T/figures") changed sums were taken: $(grep ^taken \
		"$T/coordinator.stdout" | head -n 3)"
	for name in $(names "$1"); do
		kill -TERM "${PID[$name]}" 2>/dev/null || true
		ended "$name"
		found=$(grep -Ec 'job failed: coordinator (sent SUM|.during [a-z0-9-]+.: SUM)' \
			"$T/$name.stderr" || true)
		[[ $found == $(jq ".told[\"$name\"]" "$T/figures") ]] ||
			fail "$name names the coordinator $found times of $(jq ".told[\"$name\"]" \
			"$T/figures"): $(grep 'job failed' "$T/$name.stderr" | grep -v SUM |
			tail -n 2)"
	done
}

coordinator_is_gone() { ! kill -0 "${PID[coordinator]}" 2>/dev/null; }

rows_of() { # KIND OR VARIANT [JQ-PROGRAM]
	needs_python
	rows_federation 3
	rows_job "$1" '. + { min_cluster: 3, restarts: 4, iterations: 3 }'
	[[ -z ${2-} ]] || edit job "$2"
}

test_kmeans() {
	rows_of kmeans
	none_is_taken 3
}
test_range_of_clusters() {
	local name
	rows_of kmeans '.clusters = { from: 2, to: 4 } | .on_loss = "attempt"'
	edit_parties 3 '.policy.allow_loss = 1'
	none_is_taken 3
}
test_noisy_kmeans() {
	rows_of kmeans '.iterations = 5 | .noise = { on: "sums", eps: 4, delta: 1e-5, clip: 50 }'
	none_is_taken 3
}
test_anchor() {
	rows_of anchor
	none_is_taken 3
}
test_dense() {
	rows_of dense '. + { rounds: 2, tolerance: 0 }'
	none_is_taken 3
}
test_noisy_anchor() {
	rows_of anchor '.iterations = 5 | .noise = { on: "sums", eps: 30, delta: 1e-5, clip: 20 }'
	none_is_taken 3
}
test_fedgcn() {
	needs_python
	graphs_federation 3
	edit job '.rounds = 2 | .epochs = 1'
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
	none_is_taken 3
}
test_fedspectral() {
	needs_python
	edges_federation 3
	edit job '. + { variant: "exact", ids: "hashed" }'
	none_is_taken 3
}

sample test_kmeans
run_tests "$@"
