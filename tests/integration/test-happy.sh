#!/bin/bash
# Tests jobs that succeed: all methods, several numbers of parties, seeds, orders of rows, and a
# single party.
#
#     party-00, party-01, ... ==== TLS ==== coordinator -> the planted clusters, at every party
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# The job is done, the planted clusters are found, and all processes have the same labels.
found() { # L [COORDINATOR-ARG...]
	local name
	federation "$1"
	coordinator "${@:2}"
	parties "$1"
	completes "$1"
	at_least "$(acc "$T/out/coordinator/labels.csv")" 0.9 "accuracy"
	for name in $(names "$1"); do
		same_labels "$T/out/coordinator/labels.csv" "$T/out/$name/labels.csv"
		same_labels "$T/out/coordinator/labels.npy" "$T/out/$name/labels.npy"
	done
}

test_tree_of_two() { found 2; }
test_tree_of_three() { found 3; }
test_tree_of_four() { found 4; }
test_tree_of_five() { found 5; }
test_tree_of_nine() { found 9; }
test_flat_of_two() { found 2 --set method=flat; }
test_flat_of_four() { found 4 --set method=flat; }
test_basic_of_two() { found 2 --set method=basic; }
test_basic_of_five() { found 5 --set method=basic; }
test_preset_paper() { found 2 --set preset=paper; }
test_without_polish() { found 4 --set polish=0; }
test_spectral_filter() { found 2 --set filter.kind=spectral; }
test_small_modulus() { found 3 --set secure_sum.modulus_bits=32 --set secure_sum.fraction_bits=12; }
test_small_group() { found 2 --set secure_sum.group=ffdhe2048; }
test_x25519() { found 4 --set secure_sum.group=x25519; }

test_record_says_what_was_run() {
	federation 4
	coordinator --seed 11 --set restarts=3
	parties 4
	completes 4
	local name
	for name in coordinator $(names 4); do
		[[ $(run_of \
			"$name" '.schema_version, .error, .job.seed, .job.restarts, .job.clusters,
				.attempt' | xargs) == "1 null 11 3 3 1" ]] ||
			fail "$name/run.json: $(run_of "$name" -c .)"
		[[ $(run_of "$name" \
			'.parties | join(" ")') == "party-00 party-01 party-02 party-03" ]] ||
			fail "$name/run.json: parties are $(run_of "$name" -c .parties)"
		[[ $(run_of "$name" \
			'.elapsed_s > 0 and .rounds > 0 and (.leaks | length > 0)') == true ]] ||
			fail "$name/run.json: elapsed_s, rounds or leaks"
		# Compute, wait and wire times of the phases add up to the elapsed time.
		[[ $(run_of "$name" '([.phases[] | .compute_s, .wait_s, .wire_s] | min >= 0) and
			(([.phases[] | .compute_s + .wait_s + .wire_s] | add) - .elapsed_s
			| fabs) <= 0.05 + 0.1 * .elapsed_s') == true ]] ||
			fail "$name/run.json: phases do not fill $(run_of "$name" \
			.elapsed_s) s: $(run_of "$name" '.phases | tostring')"
	done
	[[ $(run_of \
		party-00 '[.phases[].name]
			| tostring') == \
			'["offer","keys","local","level-1","level-2","polish","result"]' ]] ||
		fail "party-00 went through $(run_of party-00 '[.phases[].name] | tostring')"
	# The coordinator counts as many bytes of MASKED as the parties.
	for name in $(names 4); do
		[[ $(run_of "$name" \
			'[.traffic[] | select(.type == "MASKED") | .bytes_sent] | add') == \
			$(run_of \
			coordinator "[.traffic[] | select(.type == \"MASKED\" and
				.peer == \"$name\") | .bytes_received] | add") ]] ||
			fail "$name and the coordinator count MASKED bytes differently"
	done
	[[ $(jq -s 'length > 0' "$T/out/coordinator/log.jsonl") == true ]] ||
		fail "log.jsonl is not one JSON value per line"
}

test_same_seed_same_labels() {
	federation 3
	local run
	for run in 1 2; do
		coordinator --seed 3 --set restarts=8 --set secure_sum.group=ffdhe2048
		parties 3
		completes 3
		mv "$T/out" "$T/run-$run"
	done
	same_labels "$T/run-1/coordinator/labels.csv" "$T/run-2/coordinator/labels.csv"
}

test_number_of_threads_changes_nothing() {
	federation 2
	local run
	for run in 1 3; do
		edit party-00 ".threads = $run"
		edit coordinator ".threads = $run"
		coordinator
		parties 2
		completes 2
		mv "$T/out" "$T/run-$run"
	done
	same_labels "$T/run-1/coordinator/labels.csv" "$T/run-3/coordinator/labels.csv"
}

# party-01's rows are in another order. The set of ids is the same, so the job runs. Each party gets
# the labels in its own order.
test_ids_in_another_order() {
	federation 3
	local n dir name
	n=$(wc -l <"$T/pooled/labels.txt")
	for name in $(names 3); do seq -f 'id-%04g' 0 $((n - 1)) | with_ids "$name"; done
	coordinator
	parties 3
	completes 3
	mv "$T/out" "$T/first"

	dir=$T/data/party-01
	reverse_rows "$dir" "$n"
	coordinator
	parties 3
	completes 3
	same_labels "$T/first/coordinator/labels.csv" "$T/out/coordinator/labels.csv"
	same_labels "$T/first/party-00/labels.csv" "$T/out/party-00/labels.csv"
	! cmp -s "$T/first/party-01/labels.csv" "$T/out/party-01/labels.csv" ||
		fail "party-01 did not get its own order"
	same_labels <(sort "$T/first/party-01/labels.csv") <(sort "$T/out/party-01/labels.csv")
	[[ $(sed -n 2p "$T/out/party-01/labels.csv") == "id-$(printf %04d $((n - 1)))",* ]] ||
		fail "party-01's first row is $(sed -n 2p "$T/out/party-01/labels.csv")"
}

reverse_rows() { # DIR N: moves row i to row N - 1 - i, in features.mtx and ids.txt
	[[ -e $1/features.mtx ]] || fail "the slice is no .mtx"
	awk -v n="$2" '/^%/ || !seen++ { print; next } { $1 = n + 1 - $1; print }' \
		"$1/features.mtx" >"$1/new"
	mv "$1/new" "$1/features.mtx"
	tac "$1/ids.txt" >"$1/new"
	mv "$1/new" "$1/ids.txt"
}

# A single party has all data, so the federated result equals the centralised result of AGC.
test_single_party_equals_centralised() {
	federation 1
	edit party-00 '.policy.allow_single = true'
	edit job '.allow_single = true | .preset = "paper" | .local_clusters = "k"
		| .local_restarts = 10
		| .iterations = 100'
	coordinator
	parties 1
	completes 1
	"$BIN/coterie-lab" agc --data "$T/pooled" --job "$T/job.json" --out "$T/agc" >/dev/null
	same_labels "$T/agc/labels.csv" "$T/out/party-00/labels.csv"
}

test_graphs_of_their_own() {
	federation 2
	head -n -3 "$T/data/party-01/edges.tsv" >"$T/fewer"
	mv "$T/fewer" "$T/data/party-01/edges.tsv"
	coordinator --set graphs=own
	parties 2
	completes 2
}

# Heartbeats are due every second. A party that computes for more than 1.5 s still sends them, and
# does not count as silent.
test_long_computation_is_no_silence() {
	local restarts
	federation 2 --nodes 6000 --features 400
	for restarts in 20 60 200; do # until the local computation takes long enough
		coordinator --set "local_restarts=$restarts" --set local_clusters=60 --set \
			iterations=50
		parties 2
		completes 2
		[[ $(run_of \
			party-00 '[.phases[] | select(.name == "local") | .compute_s]
				| add > 1.5') != true ]] || return 0
	done
	skip "this machine computes too fast to tell: $(run_of party-00 \
		'[.phases[] | select(.name == "local")] | tostring')"
}

test_slow_wire() {
	federation 3
	coordinator
	relay relay 30
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	completes 3
	[[ $(run_of party-01 '[.peers[].rtt_ms] | max >= 0') == true ]] ||
		fail "no round trip was measured"
}

# Parties may be started first. They dial until the coordinator listens.
test_party_waits_for_the_coordinator() {
	federation 2
	coordinator
	kill -TERM "${PID[coordinator]}"
	ends 6 coordinator
	parties 2
	soon_says party-00 "refused|retry|again"
	edit coordinator ".listen = \"$ADDRESS\""
	coordinator
	completes 2
}

# Without --once a party serves one job after the other, each with a directory of its own.
test_party_serves_several_jobs() {
	federation 2
	local name seed
	coordinator
	edit coordinator ".listen = \"$ADDRESS\""
	for name in $(names 2); do
		serves "$name" --out "$T/out/$name"
	done
	ends 0 coordinator
	for seed in 2 3; do
		coordinator --seed "$seed"
		ends 0 coordinator
	done
	for name in $(names 2); do
		kill -TERM "${PID[$name]}"
		ends 0 "$name"
		[[ $(jq .job.seed "$T/out/$name"/job-*/run.json | sort | xargs) == "2 3 7" ]] ||
			fail "$name has the records of seeds $(jq .job.seed \
			"$T/out/$name"/job-*/run.json | xargs)"
		[[ $(cat "$T/out/$name"/job-*/labels.csv | wc -l) == 453 ]] ||
			fail "$name lacks labels"
	done
	no_leftovers
}

test_names_of_other_hosts() {
	federation 2
	edit coordinator '.listen = "localhost:0"'
	coordinator
	ADDRESS=localhost:${ADDRESS##*:} parties 2
	completes 2
}

test_data_of_the_user() {
	local data=${COTERIE_DATA:-$ROOT/../shared/data}
	[[ -d $data/cora ]] || skip "no data: set COTERIE_DATA"
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$data/cora" --job \
		"$ROOT/configs/jobs/kcagc-cora.json" \
		--parties 4 --seed 1 --out "$T/out" >"$T/launch.stdout" 2>"$T/launch.stderr" ||
		fail "launch ended with status $?"
	at_least \
		"$("$BIN/coterie" eval --truth "$data/cora/labels.txt" \
		"$T/out/coordinator/labels.csv" | jq .acc)" 0.6 "accuracy on cora"
	no_leftovers
}

# Only the daemon's user may read its files, for any umask of the caller.
test_files_are_for_their_user() {
	federation 2
	umask 000
	coordinator
	party party-00
	party party-01
	completes 2
	umask 022
	local open
	open=$(find "$T"/out/coordinator/* "$T"/out/party-0?/* -perm /077 -print | head -3)
	[[ -z $open ]] || fail "others may read or write: $open"
}

sample test_tree_of_three test_flat_of_two test_basic_of_two test_preset_paper \
	test_record_says_what_was_run test_single_party_equals_centralised
run_tests "$@"
