#!/bin/bash
# A process dies during a job (kill -9) and is started again. The job goes on as its next attempt,
# with new keys, and ends with the labels of an undisturbed run.
#
# shellcheck source=attempts.sh
source "${0%/*}/attempts.sh"

party_dies_in() { # STEP
	prepare "$1"
	strikes_in party-01 "$1"
	wired
	in_phase party-01 "$1"
	kills party-01
	ADDRESS=$RELAY party party-01
	# In step "result" party-01 had its result. No other process waits for party-01.
	if [[ $1 == result ]]; then
		ended party-01
		[[ $STATUS == 0 || $STATUS == 2 ]] ||
			fail "party-01 ended with status $STATUS, expected 0 or 2"
		((STATUS == 0)) || says party-01 'refused by coordinator: the job is done'
		ends 0 coordinator party-00 party-02
		for name in "${EVERYONE[@]}"; do
			same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
		done
		return 0
	fi
	same_as_undisturbed
	# party-01 died before any of its messages had arrived
	if [[ $1 == offer && $(run_of coordinator .attempt) == 1 ]]; then
		says coordinator 'party-01 reconnected from'
		attempt_is 1 "${EVERYONE[@]}"
		return 0
	fi
	attempt_is 2 "${EVERYONE[@]}"
	for name in coordinator party-00 party-02; do
		says "$name" 'attempt 1.* is over: .*party-01'
		[[ $(run_of "$name" '.attempts[0].attempt') == 1 ]] ||
			fail "$name/run.json does not have attempt 1"
		[[ $(run_of "$name" '.attempts[0].cause') == *party-01* ]] ||
			fail "$name/run.json: cause $(run_of "$name" '.attempts[0].cause')"
	done
}

for step in "${STEPS[@]}"; do
	eval "test_party_dies_in_${step//-/_}() { party_dies_in $step; }"
done

coordinator_dies_in() { # STEP
	prepare "$1"
	strikes_in coordinator "$1"
	wired
	HUB=$ADDRESS
	in_phase coordinator "$1"
	kills coordinator
	[[ -e $T/out/coordinator/job.state ]] || fail "no job.state"
	coordinator_again
	same_as_undisturbed
	attempt_is 2 "${EVERYONE[@]}"
	says coordinator 'attempt 1 of a job was under way'
	# the coordinator died before its offer had arrived
	if [[ $1 == offer && $(run_of party-00 '.attempts | length') == 0 ]]; then
		return 0
	fi
	[[ $(run_of party-00 '.attempts[0].cause') == *coordinator* ]] ||
		fail "party-00/run.json: $(run_of party-00 .attempts)"
}

for step in offer keys local level-1 polish; do
	eval "test_coordinator_dies_in_${step//-/_}() { coordinator_dies_in $step; }"
done

# ---- several deaths, at once or repeated ----

test_two_parties_die() {
	prepare level-1
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	kills party-01
	kills party-00
	party party-00
	ADDRESS=$RELAY party party-01
	same_as_undisturbed
	attempt_is 2 "${EVERYONE[@]}"
}

test_party_and_coordinator_die() {
	prepare level-1
	strikes_in party-01 level-1
	wired
	HUB=$ADDRESS
	in_phase party-01 level-1
	kills party-01
	kills coordinator
	ADDRESS=$RELAY party party-01
	coordinator_again
	same_as_undisturbed
	attempt_is 2 "${EVERYONE[@]}"
}

# party-00 and party-01 die. party-01 comes back, dies again while attempt 2 is awaited, and once
# more during attempt 2.
test_party_dies_again_and_again() {
	prepare level-1
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	kills party-00
	kills party-01
	ADDRESS=$RELAY party party-01
	rejoined() { (($(grep -c 'party-01 joined' "$T/coordinator.stderr") == 2)); }
	until_true 10 rejoined || fail "party-01 does not come again"
	kills party-01
	party party-00
	ADDRESS=$RELAY party party-01
	second_try() {
		(($(grep -c '"text":"phase started","phase":"level-1"' \
			"$T/out/party-01/log.jsonl") >= 2))
	}
	until_true 20 second_try || fail "party-01 does not come to level-1 again"
	kills party-01
	ADDRESS=$RELAY party party-01
	same_as_undisturbed
	attempt_is 3 "${EVERYONE[@]}"
	[[ $(run_of party-02 '[.attempts[].attempt] | join(" ")') == "1 2" ]] ||
		fail "party-02/run.json: $(run_of party-02 .attempts)"
}

# Parties that serve many jobs have a directory for each attempt, and serve the next job.
test_daemons_stay() {
	local name attempt
	prepare level-1
	coordinator
	edit coordinator ".listen = \"$ADDRESS\""
	strikes_in party-01 level-1
	relay relay 30
	for name in party-00 party-01 party-02; do
		ADDRESS=$RELAY serves "$name" --out "$T/out/$name"
	done
	in_phase party-01 level-1
	kills party-01
	ADDRESS=$RELAY serves party-01 --out "$T/out/party-01"
	ends 0 coordinator
	for name in party-00 party-02; do
		[[ $(jq -r .status "$T"/out/"$name"/job-*-1/run.json) == failed ]] ||
			fail "$name: attempt 1"
	done
	coordinator
	ends 0 coordinator
	for name in party-00 party-01 party-02; do
		[[ $(cat "$T"/out/"$name"/job-*/labels.csv |
			wc -l) == $((2 * $(wc -l <"$T/undisturbed/$name/labels.csv"))) ]] ||
			fail "$name does not have the labels of two jobs"
		for attempt in "$T"/out/"$name"/job-*/labels.csv; do
			same_labels "$T/undisturbed/$name/labels.csv" "$attempt"
		done
		kill -TERM "${PID[$name]}"
		ends 0 "$name"
	done
	no_leftovers
}

# fedsc caches nothing, so the second attempt repeats all work.
test_party_dies_in_fedsc() {
	rows_federation 3
	every '.rejoin_s = 30'
	coordinator
	parties 3
	ends 0 "${EVERYONE[@]}"
	mv "$T/out" "$T/undisturbed"
	mkdir "$T/out"
	strikes_in party-01 landmarks
	wired
	in_phase party-01 landmarks
	kills party-01
	ADDRESS=$RELAY party party-01
	ends 0 "${EVERYONE[@]}"
	attempt_is 2 "${EVERYONE[@]}"
	for name in party-00 party-01 party-02; do # the coordinator has no labels
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
}

test_party_dies_in_fedspectral() {
	edges_federation 3
	every '.rejoin_s = 30'
	strikes_in party-01 lanczos
	wired
	in_phase party-01 lanczos
	kills party-01
	ADDRESS=$RELAY party party-01
	completes 3
	attempt_is 2 "${EVERYONE[@]}"
}

# ---- a new attempt uses the cache ----

# The local work is expensive and is finished when the exchange breaks off.
cached() { # [ACTION...]: runs ACTION before the party is started again
	prepare polish
	strikes_in party-01 polish
	wired
	in_phase party-01 polish
	ls "$T"/out/party-01/state/cache/embedding-*.cache \
		"$T"/out/party-01/state/cache/clusters-*.cache >/dev/null ||
		fail "party-01 has no cache"
	kills party-01
	"$@"
	ADDRESS=$RELAY party party-01
	same_as_undisturbed # also checks that no cache is left
	attempt_is 2 "${EVERYONE[@]}"
}

cache_of() { # NAME: prints how many cached pieces NAME found in the last attempt
	run_of "$1" '[.facts.cached_embedding, .facts.cached_clusters] | map(. // 0) | add'
}

test_only_the_exchange_is_repeated() {
	cached :
	for name in party-00 party-01 party-02; do
		[[ $(cache_of "$name") == 2 ]] ||
			fail "$name found $(cache_of "$name") of 2 pieces in its cache"
		says "$name" 'found in the cache'
	done
}

# A killed party keeps its cache only while another attempt may come. A party that gets SIGTERM
# deletes its cache. The process after a killed one changes the status in run.json from running to
# failed.
test_cache_without_another_attempt() {
	local state=$T/out/party-01/state
	has_cache() { compgen -G "$state/cache/embedding-*.cache" >/dev/null; }
	has_no_cache() { [[ ! -e $state/cache ]]; }
	prepare polish
	strikes_in party-01 polish
	wired
	in_phase party-01 polish
	has_cache || fail "party-01 has no cache"
	kills coordinator
	kills party-01
	[[ $(run_of party-01 .status) == running ]] ||
		fail "party-01/run.json: status $(run_of party-01 .status)"
	cp -r "$state/cache" "$T/kept"
	serves party-01 --out "$T/out/party-01"
	soon_says party-01 'dialling'
	[[ $(run_of party-01 '"\(.status) \(.exit_status)"') == "failed 5" ]] ||
		fail "party-01/run.json: status $(run_of party-01 .status)"
	says party-01 'run.json was left by a killed process'
	has_cache || fail "party-01 has no cache, and another attempt may come"
	kill -TERM "${PID[party-01]}"
	ends 0 party-01
	has_no_cache || fail "party-01 has ended, and left its cache"
	cp -r "$T/kept" "$state/cache"
	edit party-01 '.rejoin_s = 1 | .reconnect_s = 1'
	serves party-01 --out "$T/out/party-01"
	until_true 10 has_no_cache || fail "party-01 keeps its cache though no attempt can follow"
	cp -r "$T/kept" "$state/cache"
	edit party-01 '.rejoin_s = 0'
	kills party-01
	serves party-01 --out "$T/out/party-01"
	soon_says party-01 'dialling'
	has_no_cache || fail "party-01 has a cache, and rejoin_s is 0"
	for name in party-00 party-02; do kills "$name"; done
}

# party-01 had its labels and the other parties did not, so all parties compute new ones.
test_labels_of_the_attempt_before() {
	local earlier
	prepare level-1
	strikes_in party-01 result
	wired
	in_phase party-01 result
	until_true 20 test -s "$T/out/party-01/labels.npy" || fail "party-01 has no labels"
	kills party-01 lost # no process learns that party-01 has its labels
	ADDRESS=$RELAY party party-01
	same_as_undisturbed
	attempt_is 2 "${EVERYONE[@]}"
	earlier=$(echo "$T"/out/party-01/job-*-1)
	[[ $(jq -r .status "$earlier/run.json") == failed ]] ||
		fail "attempt 1 is $(jq -r .status "$earlier/run.json")"
	! compgen -G "$earlier/labels.*" >/dev/null || fail "labels of attempt 1 are still there"
}

test_damaged_cache() {
	damage() {
		local f
		for f in "$T"/out/party-01/state/cache/*.cache; do
			printf 'x' | dd of="$f" bs=1 seek=100 conv=notrunc status=none
		done
	}
	cached damage
	says party-01 'state/cache/embedding-[0-9a-f]+.cache is damaged'
	says party-01 'state/cache/clusters-[0-9a-f]+.cache is damaged'
	[[ $(cache_of party-01) == 0 ]] || fail "party-01 used a damaged cache"
	[[ $(cache_of party-00) == 2 ]] ||
		fail "party-00 found $(cache_of party-00) of 2 pieces in its cache"
}

# Two attempts over two versions of the data would reveal the difference, so the party declines the
# second.
test_other_data_in_another_attempt() {
	local name
	prepare polish
	strikes_in party-01 polish
	wired
	in_phase party-01 polish
	kills party-01
	other_features
	ADDRESS=$RELAY party party-01
	ends 2 "${EVERYONE[@]}"
	party_says 'attempt 2 is offered over other data than attempt 1 of this job'
	for name in "${EVERYONE[@]}"; do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
	no_leftovers
}

other_features() { # replaces the features of party-01 by those of another seed
	local f
	f=$(ls "$T"/data/party-01/features.*)
	"$BIN/coterie" synth --nodes 150 --features 12 --clusters 3 --seed 6 --out "$T/other" \
		>/dev/null
	cp "$T"/other/features.* "$f"
}

# A party has recorded attempt 2 as served, as after a crash right after its offer. The coordinator
# does not know that. So the party declines attempt 2, and attempt 3 succeeds.
test_attempt_that_was_served_before() {
	prepare level-1
	strikes_in coordinator level-1
	wired
	HUB=$ADDRESS
	in_phase coordinator level-1
	kills coordinator
	# appends the line of attempt 2 as versions without checksums wrote it
	awk '$2 == 1 { print $1, 2 }' "$T/out/party-01/state/served" >"$T/line"
	cat "$T/line" >>"$T/out/party-01/state/served"
	coordinator_again
	same_as_undisturbed
	attempt_is 3 "${EVERYONE[@]}"
	party_says 'attempt 2 was served before'
}

# The last line of state/served, of another job, has no newline, as after a power loss. The next
# record starts a line of its own, so new processes know that attempt 2 was served.
test_served_with_a_torn_line() {
	local name
	everyone_again() {
		for name in "${EVERYONE[@]}"; do kills "$name"; done
		cp "$T/of-attempt-1" "$T/out/coordinator/job.state"
		coordinator_again
		ADDRESS=$RELAY parties 3
	}
	prepare level-1
	strikes_in coordinator level-1
	wired
	HUB=$ADDRESS
	in_phase coordinator level-1
	cp "$T/out/coordinator/job.state" "$T/of-attempt-1"
	printf '%032d 1 0123abc' 7 >>"$T/out/party-01/state/served"
	everyone_again
	soon_says coordinator 'attempt 2 begins'
	soon_says coordinator '"phase":"level-1"'
	says party-01 'state/served: its last line was cut short'
	everyone_again
	same_as_undisturbed
	says party-01 'attempt 2 was served before: its masks must not be used twice'
	attempt_is 3 "${EVERYONE[@]}"
}

# A damaged line of state/served could belong to any job. The party serves nothing until the
# operator has replaced the file.
test_served_with_a_damaged_line() {
	local served=$T/out/party-01/state/served n
	prepare level-1
	coordinator
	parties 3
	completes 3
	n=$(wc -l <"$served")
	cp "$served" "$T/kept"
	for damage in '2s/^./x/' '2s/ [0-9] / 8 /' '1s/[0-9a-f]$//' '1s/.*/nothing of ours/' \
		'1s/^/\x00/'; do
		sed "$damage" "$T/kept" >"$served"
		coordinator
		parties 3
		ended party-01
		ends '2|4' coordinator party-00 party-02
		says party-01 "state/served: line ${damage:0:1} is damaged, so it is not known \
what was served before: put a backup in its place"
		says coordinator 'party-01 declined the job'
		[[ $(run_of party-01 .status) == failed && ! -e $T/out/party-01/labels.csv ]] ||
			fail "party-01 went on, with $damage"
	done
	cp "$T/kept" "$served"
	coordinator
	parties 3
	completes 3
	[[ $(wc -l <"$served") == $((2 * n)) ]] ||
		fail "served has $(wc -l <"$served") lines, and had $n"
}

# ---- a coordinator forges job.state ----

# Parties have their own limit of attempts, whatever number the coordinator offers.
test_attempts_without_end() {
	prepare level-1
	strikes_in coordinator level-1
	wired
	HUB=$ADDRESS
	in_phase coordinator level-1
	kills coordinator
	edit coordinator '.max_attempts = 16'
	sed -i -E 's/ 1 ([0-9a-f]{64})/ 5 \1/' "$T/out/coordinator/job.state"
	coordinator_again
	ends '1|2' "${EVERYONE[@]}"
	party_says 'attempt 6 is offered, policy.max_attempts of party-0[0-2] is 3'
}

# A finished job is not done again under another attempt number.
test_done_again() {
	prepare level-1
	strikes_in coordinator level-1
	wired
	HUB=$ADDRESS
	in_phase coordinator level-1
	kills coordinator
	sed -E 's/ 1 ([0-9a-f]{64})/ 2 \1/' "$T/out/coordinator/job.state" >"$T/job.state"
	coordinator_again
	ends 0 "${EVERYONE[@]}"
	cp "$T/job.state" "$T/out/coordinator/job.state"
	coordinator_again
	parties 3
	ends '1|2' "${EVERYONE[@]}"
	party_says 'job [0-9a-f]{32} is done: no further attempt is served'
}

# All attempts at a job add the same noise to the rows. So party-01's record and ledger count its
# eps once.
test_noise_of_another_attempt() {
	local booked
	rows_federation 3
	rows_job kmeans '. + { noise: { on: "data", eps: 1, delta: 1e-5, clip: 10 } }'
	every '.rejoin_s = 30'
	strikes_in party-01 kmeans
	stretched
	HUB=$ADDRESS
	in_phase party-01 kmeans
	kills coordinator
	coordinator_again
	ends 0 "${EVERYONE[@]}"
	attempt_is 2 "${EVERYONE[@]}"
	[[ $(run_of party-01 .facts.eps_spent) == 1 ]] ||
		fail "party-01 spent $(run_of party-01 .facts.eps_spent)"
	booked=$("$BIN/coterie" ledger export --state "$T/out/party-01/state" --csv |
		awk -F, 'NR > 1 { n += $(NF - 6) } END { print n }')
	[[ $booked == 1 ]] || fail "the ledger has eps $booked"
}

# Noise in sums also depends on what the coordinator asks for. After a restart an honest coordinator
# asks for the same, so nothing is spent again.
test_noise_in_sums_of_another_attempt() {
	rows_federation 3
	rows_job kmeans '. + { noise: { on: "sums", eps: 1, delta: 1e-5, clip: 10 } }'
	every '.rejoin_s = 30'
	strikes_in party-01 landmarks
	stretched
	HUB=$ADDRESS
	in_phase party-01 landmarks
	kills coordinator
	coordinator_again
	ends 0 "${EVERYONE[@]}"
	attempt_is 2 "${EVERYONE[@]}"
	[[ $(run_of party-01 .facts.eps_spent) == 1 ]] ||
		fail "party-01 spent $(run_of party-01 .facts.eps_spent)"
}

# ---- a process is stopped for too long, and continues ----

stands_still() { # NAME
	prepare level-1
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	kill -STOP "${PID[$1]}"
	goes_on
	"$2"
	kill -CONT "${PID[$1]}"
	same_as_undisturbed
	attempt_is 2 "${EVERYONE[@]}"
}

test_party_stands_still_too_long() {
	given_up() { soon_says coordinator 'attempt 1 of 3 is over: party-01 did not come back'; }
	stands_still party-01 given_up
}

test_coordinator_stands_still_too_long() {
	given_up() {
		soon_says party-00 'attempt 1 is over: coordinator could not be reached again'
	}
	stands_still coordinator given_up
}

# ---- a coordinator that is away for too long ----

test_coordinator_comes_too_late() {
	prepare level-1
	every '.reconnect_s = 60' # so that parties try to rejoin the job that they know
	strikes_in coordinator level-1
	wired
	# shellcheck disable=SC2034 # for coordinator_again
	HUB=$ADDRESS
	in_phase coordinator level-1
	kills coordinator
	touch -d '1 hour ago' "$T/out/coordinator/job.state"
	coordinator_again
	says coordinator 'job.state was left 36[0-9][0-9] s ago, longer than 90 s'
	ends 2 party-00 party-01 party-02
	says party-00 'no such job is under way'
	kill "${PID[coordinator]}"
	ends 6 coordinator
}

test_coordinator_says_that_it_lives() {
	prepare local
	strikes_in coordinator local
	wired
	in_phase coordinator local
	touch -d '1 hour ago' "$T/out/coordinator/job.state"
	touch -d '1 minute ago' "$T/reference"
	lately() { [[ $T/out/coordinator/job.state -nt $T/reference ]]; }
	until_true 10 lately || fail "job.state is not touched"
	[[ $(stat -c %a "$T/out/coordinator/job.state") == 600 ]] ||
		fail "job.state: mode $(stat -c %a "$T/out/coordinator/job.state")"
	goes_on
	completes 3
}

sample test_two_parties_die test_noise_of_another_attempt
run_tests "$@"
