#!/bin/bash
# Tests jobs that parties do not agree on, and jobs that fail: the error and the status of each
# process.
#
#     party-00 (its ids, edges, job, policy) ==\
#                                               == coordinator: refuses with both values, and all
#     party-01 (others) =======================/   processes end with 2
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

refused() { # L REGEX...: all processes end with 2, and their errors match every REGEX
	local name regex
	# shellcheck disable=SC2046
	ends 2 coordinator $(names "$1")
	for name in coordinator $(names "$1"); do
		for regex in "${@:2}"; do says "$name" "$regex"; done
	done
	failed_runs "$1"
}

# All processes end with 2. This party's error matches every REGEX. The others report only that this
# party ended the job.
refused_by() { # L PARTY REGEX...
	local name regex
	# shellcheck disable=SC2046
	ends 2 coordinator $(names "$1")
	for regex in "${@:3}"; do says "$2" "$regex"; done
	for name in coordinator $(names "$1"); do
		[[ $name == "$2" ]] || says "$name" "$2 (says|declined the job): .*; see its log"
	done
	failed_runs "$1"
}

failed_runs() { # L
	local name
	for name in coordinator $(names "$1"); do
		[[ $(run_of "$name" '.status') == failed &&
			$(run_of "$name" .exit_status) == 2 ]] ||
			fail "$name/run.json: $(run_of "$name" '{status, exit_status} | tostring')"
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
		[[ $(grep -c '"level": *"error"' "$T/out/$name/log.jsonl") == 1 ]] ||
			fail "$name logs its error more than once"
	done
	no_leftovers
}

start_job() { # L
	coordinator
	parties "$1"
}

fingerprints='fingerprints? [0-9a-f]{16} and [0-9a-f]{16}'

test_another_set_of_ids() {
	federation 3
	local name
	for name in $(names 3); do seq 1000 1149 | with_ids "$name"; done
	sed -i 's/\b1007\b/2007/' "$T"/data/party-01/{ids.txt,edges.tsv}
	start_job 3
	refused 3 'ids' 'party-00' 'party-01' "$fingerprints"
	sed -i 's/\b2007\b/1007/' "$T"/data/party-01/{ids.txt,edges.tsv}
	start_job 3
	completes 3
}

test_another_number_of_nodes() {
	federation 2
	"$BIN/coterie" synth --nodes 140 --features 36 --clusters 3 --seed 5 --out "$T/fewer" \
		>/dev/null
	edit party-01 \
		".data.features = \"fewer/$(cd "$T/fewer" &&
		ls features.*)\" | .data.edges = \"fewer/edges.tsv\" | del(.data.ids)"
	start_job 2
	refused 2 'party-00' 'party-01' '\b150\b' '\b140\b'
}

test_another_graph() {
	federation 2
	head -n -1 "$T/data/party-01/edges.tsv" >"$T/fewer"
	mv "$T/fewer" "$T/data/party-01/edges.tsv"
	start_job 2
	refused 2 'graph' 'party-00' 'party-01' "$fingerprints" 'own'
}

test_another_job_than_agreed() {
	federation 2
	jq '.clusters = 4' "$T/job.json" >"$T/agreed.json"
	coordinator
	party party-00
	party party-01 --job "$T/agreed.json"
	refused_by 2 party-01 'clusters' '\b4\b' '\b3\b'
	coordinator --set clusters=4
	party party-00
	party party-01 --job "$T/agreed.json"
	completes 2
}

test_too_few_in_each_sum() {
	federation 4
	edit party-02 '.policy.min_parties = 3'
	start_job 4
	refused_by 4 party-02 'min_parties' '\b3\b' '\b2\b'
	coordinator --set method=flat
	parties 4
	completes 4
}

test_method_that_policy_does_not_allow() {
	federation 2
	edit party-01 '.policy.methods = ["tree"]'
	coordinator --set method=basic
	parties 2
	refused_by 2 party-01 'basic' 'methods'
}

# The coordinator and the parties log the memory that a job needs before it begins. A process with a
# smaller limit declines or ends the job.
test_memory() {
	federation 2
	start_job 2
	completes 2
	for name in coordinator party-00 party-01; do
		(($(run_of "$name" .memory_estimate_bytes) > 1000000 && $(run_of "$name" \
			.memory_peak_bytes) > 1000000)) ||
			fail "$name/run.json: $(run_of "$name" \
			'[.memory_estimate_bytes, .memory_peak_bytes]')"
		says "$name" 'this job will take about [0-9]+ MB of memory here'
	done
	edit party-01 '.policy.max_memory = 1000000'
	start_job 2
	ends 4 coordinator party-00 party-01
	says party-01 'this job takes about [0-9]+ MB of memory at party-01, policy.max_memory '\
'is 1 MB: raise it'
	says coordinator 'party-01 declined the job: the job needs more memory than its limit'
	edit party-01 'del(.policy.max_memory)'
	edit coordinator '.max_memory = 1000000'
	start_job 2
	ends 4 coordinator party-00 party-01
	says coordinator \
		'this job takes about [0-9]+ MB of memory at coordinator, max_memory is 1 MB'
}

test_single_party_that_does_not_allow_it() {
	federation 1
	edit job '.allow_single = true'
	start_job 1
	refused_by 1 party-00 'allow_single'
}

test_party_that_does_not_know_another() {
	federation 3
	edit party-00 'del(.peers["party-02"])'
	start_job 3
	refused_by 3 party-00 'party-02'
	says coordinator 'party-00 declined the job: it does not pin the key of a party of this '\
'job: party-02'
}

test_party_whose_key_is_not_the_pinned_one() {
	federation 3
	edit party-00 '.peers["party-02"] = .peers["party-01"]'
	start_job 3
	refused_by 3 party-00 'party-02'
}

# There are more clusters than nodes, so nothing is computed.
test_more_clusters_than_nodes() {
	federation 2
	coordinator --set clusters=151
	parties 2
	ends 1 coordinator party-00 party-01
	says coordinator '150.*151|151.*150'
	says party-01 '151'
	no_leftovers
}

test_party_that_does_not_come() {
	federation 3
	edit coordinator '.join_timeout_s = 2'
	coordinator
	party party-00
	party party-01
	ends 3 coordinator
	says coordinator 'party-02'
	ends '2|3' party-00 party-01
	no_leftovers
}

# ---- a value outside the fixed-point bound ----

test_value_outside_the_bound() {
	federation 3
	local features=$T/data/party-01/features.mtx name
	[[ -e $features ]] || fail "the slice is no .mtx"
	awk '/^%/ || !seen++ { print; next } { $3 = $3 * 7654321; print }' "$features" >"$T/large"
	mv "$T/large" "$features"
	edit job '.features = "raw" | .projection.unit_rows = false
		| .secure_sum = { modulus_bits: 32, fraction_bits: 16 }'
	start_job 3
	ends 1 coordinator party-00 party-01 party-02
	for name in coordinator party-00 party-01 party-02; do
		says "$name" 'party-01'
		says "$name" 'bound'
		says "$name" 'secure_sum|fraction_bits|modulus_bits'
	done
	# No log contains 7654321, the value in the features that is outside the bound.
	grep -q ' 7654321$' "$features" || fail "no value of the slice is 7654321"
	! grep -rlE -- '7\.?65432' "$T/out" "$T"/*.stderr || fail "the value is to be seen"
	no_leftovers
	coordinator --set secure_sum.fraction_bits=auto
	parties 3
	completes 3
}

# ---- stopped processes ----

test_stopped_while_idle() {
	federation 2
	coordinator
	party party-00
	soon_says coordinator 'party-00'
	kill -TERM "${PID[party-00]}"
	ends 0 party-00
	kill -TERM "${PID[coordinator]}"
	ends 6 coordinator # its job has not been done
	no_leftovers
}

slow_job() { # NAME PHASE: starts a long job and waits until NAME is in PHASE
	federation 3 --signal 0.2 # hard clusters make the polish long
	edit job '.polish = 9 | .restarts = 6'
	coordinator
	relay relay 60
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	in_phase "$1" "$2"
}

test_coordinator_stopped_in_a_job() {
	slow_job coordinator level-1
	kill -TERM "${PID[coordinator]}"
	ends 6 coordinator
	ends 2 party-00 party-01 party-02
	for name in $(names 3); do says "$name" 'coordinator'; done
	no_leftovers
}

test_party_stopped_in_a_job() {
	slow_job party-01 level-1
	kill -TERM "${PID[party-01]}"
	ends 6 party-01
	ends 2 coordinator party-00 party-02
	for name in coordinator party-00 party-02; do says "$name" 'party-01'; done
	no_leftovers
	coordinator
	parties 3
	completes 3
}

test_interrupted_by_the_keyboard() {
	slow_job coordinator polish
	kill -INT "${PID[coordinator]}"
	ends 6 coordinator
	ends 2 party-00 party-01 party-02
}

test_hangup_reloads() {
	slow_job party-00 level-1
	for name in coordinator party-00; do edit "$name" '.log_level = "debug"'; done
	kill -HUP "${PID[coordinator]}" "${PID[party-00]}"
	completes 3
	for name in coordinator party-00; do says "$name" '"level":"debug"'; done
	says coordinator 'from running to closing'
	says party-00 'from serving to closing'
	! said party-01 '"level":"debug"' || fail "party-01 logs more, and was not told to"
}

# With policy.require_noise nothing leaves the party unless the sums have enough noise even without
# the share of one party. With such noise the job runs.
test_noise_is_required() {
	rows_federation 3
	edit party-01 '.policy.require_noise = true'
	rows_job kmeans
	start_job 3
	refused_by 3 party-01 'discloses sums.* without noise, policy.require_noise .* is true' \
		'job.noise.on .{1,3}sums.{1,3} with job.noise.eps, delta and clip and '\
'job.noise.colluders of 1 or more'
	! "$BIN/coterie" ledger --state "$T/out/party-00/state" export --csv | grep -q MASKED ||
		fail 'a term has left'
	edit job '. + { iterations: 5, noise: { on: "sums", eps: 8, delta: 1e-5, clip: 50,
		colluders: 1 } }'
	start_job 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
}

sample test_another_set_of_ids test_method_that_policy_does_not_allow \
	test_party_whose_key_is_not_the_pinned_one test_noise_is_required
run_tests "$@"
