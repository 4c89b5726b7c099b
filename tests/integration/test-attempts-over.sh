#!/bin/bash
# Tests jobs that have no next attempt. If a job was done when a process died, it stays done. If the
# dead process does not come back, dies too often, or comes back with another job, the job fails
# everywhere with one cause.
#
# shellcheck source=attempts.sh
source "${0%/*}/attempts.sh"

# ---- a process dies when the job is done ----

# All processes have sent DONE. The coordinator's messages to party-01 are lost from the first
# message of TYPE on. So the coordinator waits, its job marked as done, and party-01 reconnects
# again and again. With TYPE TOLD the loss begins at the last TOLD.
done_but_for_a_word() { # [TYPE]
	local number
	prepare level-1
	every '.reconnect_s = 10'
	number=$(jq '[.traffic[] | select(.peer == "party-01" and .type == "TOLD")
		| .messages_sent] | add' \
		"$T/undisturbed/coordinator/run.json")
	[[ ${1-$DONE} != "$DONE" ]] || number=1
	turned 3 "hub/${1-$DONE}/$number/stay"
	HUB=$ADDRESS
	marked() { grep -q ' done$' "$T/out/coordinator/job.state" 2>/dev/null; }
	until_true 20 marked || fail "job.state is not marked as done"
}

test_coordinator_dies_when_all_are_done() {
	local before
	done_but_for_a_word
	kills coordinator
	[[ $(run_of coordinator .status) == "done" ]] ||
		fail "run.json has status $(run_of coordinator .status) behind the mark"
	before=$(run_of coordinator .job_id)
	coordinator_again
	same_as_undisturbed
	attempt_is 1 "${EVERYONE[@]}"
	says coordinator 'the job was done when coordinator ended'
	says coordinator 'party-01 came back'
	says party-01 'the job is done; .*; the heads of the other ledgers are unknown'
	grep -q '^done before this start: results in .*; the same command now begins a new job$' \
		"$T/coordinator.stdout" ||
		fail "the coordinator says: $(<"$T/coordinator.stdout")"
	[[ $(run_of coordinator .job_id) == "$before" ]] || fail "run.json is of another job"
	coordinator_again
	ADDRESS=$HUB parties 3
	completes 3
	[[ $(run_of coordinator .job_id) != "$before" ]] || fail "no new job"
	grep -q '^done: results in ' "$T/coordinator.stdout" ||
		fail "the coordinator says: $(<"$T/coordinator.stdout")"
}

# A coordinator that no party waits for ends by itself. SIGTERM does not make a finished job fail.
# If the job was marked as done an hour ago, a new job begins.
test_coordinator_tells_nobody() {
	done_but_for_a_word
	kills coordinator
	kills party-01
	coordinator_again
	ends 0 coordinator party-00 party-02
	[[ $(run_of coordinator .status) == "done" && ! -e $T/out/coordinator/job.state ]] ||
		fail "run.json: $(run_of coordinator .status)"
	done_again() {
		printf 'coterie job state v2\n%s done\n' "$(tail -n 1 "$T/was")" \
			>"$T/out/coordinator/job.state"
	}
	coordinator
	parties 3
	in_phase party-01 level-1
	until_true 20 cp "$T/out/coordinator/job.state" "$T/was" 2>/dev/null || fail "no job.state"
	completes 3
	sed -i 's/ done$//' "$T/was"
	done_again
	coordinator_again
	kill -TERM "${PID[coordinator]}"
	within_2_s 0 coordinator
	done_again
	touch -d '1 hour ago' "$T/out/coordinator/job.state"
	coordinator_again
	says coordinator 'a new job begins, .* previous one was done: .* left 36[0-9][0-9] s ago'
	kill -TERM "${PID[coordinator]}"
	within_2_s 6 coordinator
}

# SIGTERM does not make a job fail that is done for the other parties.
test_sigterm_at_the_coordinator_when_all_are_done() {
	done_but_for_a_word
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator party-00 party-02
	[[ $(run_of coordinator .status) == "done" && ! -e $T/out/coordinator/job.state ]] ||
		fail "run.json: $(run_of coordinator .status)"
	kills party-01
}

# A restarted party does not know that the job is done. The coordinator refuses the party, and
# reports to it that the party's first process had the results.
test_party_dies_when_all_are_done() {
	done_but_for_a_word
	kills party-01
	ADDRESS=$(<"$T/turncoat.ready") party party-01
	ends 2 party-01
	says party-01 'refused by coordinator: the job is done; party-01 reported .* its results'
	ends 0 coordinator party-00 party-02
	says coordinator 'party-01 came back: the job is done'
	for name in "${EVERYONE[@]}"; do
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
}

# The coordinator dies before it relays to party-01 the last TOLD, by which another party confirms
# what it received. A later report that the job is done does not replace TOLD.
test_done_without_the_word_of_others() {
	done_but_for_a_word "$TOLD"
	kills coordinator
	coordinator_again
	ends 0 coordinator party-00 party-02
	ends 2 party-01
	says party-01 'the job is done'
	says party-01 'labels.csv: the job has no result'
	[[ $(run_of party-01 .status) == failed ]] ||
		fail "party-01/run.json: status $(run_of party-01 .status)"
}

# A party gets no results if the coordinator alone claims that the job is done.
test_done_is_not_believed() {
	prepare level-1
	strikes_in party-01 level-1
	wired
	HUB=$ADDRESS
	in_phase party-01 level-1
	kills coordinator
	sed -i '2s/$/ done/' "$T/out/coordinator/job.state"
	coordinator_again
	ends 0 coordinator
	ends 2 party-00 party-01 party-02
	for name in party-00 party-01 party-02; do
		says "$name" 'the job is done'
		[[ $(run_of "$name" .status) == failed ]] ||
			fail "$name/run.json: status $(run_of "$name" .status)"
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
}

# ---- the job does not go on ----

# Each NAME ends with STATUS and a failed job. Its log and its run.json match REGEX, and give the
# cause that ended attempt 1 at most once.
fails_with() { # STATUS REGEX NAME...
	local name
	for name in "${@:3}"; do
		ended "$name"
		[[ $STATUS == "$1" ]] || fail "$name ended with status $STATUS, expected $1"
		says "$name" "$2"
		[[ $(run_of "$name" .status) == failed ]] ||
			fail "$name/run.json: status $(run_of "$name" .status)"
		[[ $(run_of "$name" .exit_status) == "$1" ]] ||
			fail "$name/run.json: $(run_of "$name" .exit_status)"
		grep -Eqi -- "$2" <<<"$(run_of "$name" .error)" ||
			fail "$name/run.json: $(run_of "$name" .error)"
		! grep -Eq 'attempt 1 ended.*attempt 1 ended' <<<"$(run_of "$name" .error)" ||
			fail "$name says it twice: $(run_of "$name" .error)"
	done
}

test_party_that_never_comes_back() {
	prepare level-1
	every '.rejoin_s = 4'
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	kills party-01
	fails_with 3 'party-01' coordinator party-00 party-02
	says coordinator 'did not reconnect for attempt 2 .*, 4 s: party-01; attempt 1 ended'
	says party-00 'did not reconnect for attempt 2 within rejoin_s, 4 s: party-01'
	no_leftovers party-01
}

test_coordinator_that_never_comes_back() {
	prepare level-1
	every '.rejoin_s = 3'
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	kills coordinator
	fails_with \
		3 'attempt 2 of the job was not offered within rejoin_s, 3 s; attempt 1 ended: '\
'coordinator' \
		party-00 party-01 party-02
	no_leftovers coordinator
}

test_max_attempts() {
	second_try() { (($(grep -c '"phase": *"level-1"' "$T/out/party-01/log.jsonl") >= 2)); }
	prepare level-1
	edit coordinator '.max_attempts = 2'
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	kills party-01
	ADDRESS=$RELAY party party-01
	soon_says coordinator 'attempt 2 begins'
	until_true 20 second_try || fail "party-01 does not come to level-1 again"
	kills party-01
	fails_with 3 'party-01.*attempt 2; attempt 1 ended: party-01' coordinator party-00 party-02
	no_leftovers party-01
}

test_coordinator_too_often() {
	prepare level-1
	# parties must still be reconnecting when the coordinator starts, even if it starts slowly
	every '.reconnect_s = 20'
	edit coordinator '.max_attempts = 1'
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	[[ ! -e $T/out/coordinator/job.state ]] || fail "there is a job.state, with max_attempts 1"
	kills coordinator
	edit coordinator '.max_attempts = 2'
	HUB=$ADDRESS
	coordinator_again
	ends 2 party-00 party-01 party-02
	says party-00 'no such job is under way'
}

# The coordinator dies a second time. Its job.state says attempt 2, which was the last attempt.
test_coordinator_twice() {
	prepare level-1
	edit coordinator '.max_attempts = 2'
	strikes_in coordinator level-1
	wired
	HUB=$ADDRESS
	in_phase coordinator level-1
	kills coordinator
	coordinator_again
	soon_says coordinator 'attempt 2 begins'
	soon_says coordinator '"phase":"level-1"'
	kills coordinator
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" \
		--out "$T/out/coordinator"
	ends 2 coordinator party-00 party-01 party-02
	says coordinator 'was started again after attempt 2 of a job, and max_attempts is 2'
	for name in party-00 party-01 party-02; do
		says "$name" 'was started again after attempt 2'
	done
	no_leftovers coordinator
}

test_another_job_is_no_next_attempt() {
	prepare level-1
	every '.reconnect_s = 60' # so that parties try to rejoin the job that they know
	strikes_in coordinator level-1
	wired
	HUB=$ADDRESS
	in_phase coordinator level-1
	kills coordinator
	coordinator_again --set polish=2
	says coordinator 'job.state is of another job or other parties'
	ends 2 party-00 party-01 party-02
	says party-00 'no such job is under way'
	kill "${PID[coordinator]}"
	ends 6 coordinator
}

# A malicious coordinator changes parameters and corrects the hash in job.state, to claim that the
# job is the same. The parties of attempt 1 refuse it.
test_changed_parameters_are_refused() {
	local old
	prepare level-1
	strikes_in coordinator level-1
	wired
	HUB=$ADDRESS
	in_phase coordinator level-1
	old=$(cut -d ' ' -f 1,2 <(tail -n 1 "$T/out/coordinator/job.state"))
	kills coordinator
	rm "$T/out/coordinator/job.state"
	edit job '.polish = 2'
	hash_of() { # sets $new to the hash that another coordinator records for $T/job.json
		mkdir -p "$T/else"
		jq --arg out "$T/else" '.output = $out | .listen = "127.0.0.1:0"' \
			"$T/coordinator.json" >"$T/else.json"
		start else "$BIN/coordinator" --config "$T/else.json" --job "$T/job.json" \
			--ready-file "$T/else.ready"
		until_true 10 test -s "$T/else.ready" || fail "no other coordinator"
		for name in party-00 party-01 party-02; do
			jq ".output = \"$T/else/$name\" | .state = null | del(.state)" \
				"$T/$name.json" >"$T/else-$name.json"
			start "else-$name" "$BIN/party" --config "$T/else-$name.json" --once \
				--coordinator "$(<"$T/else.ready")"
		done
		until_true 10 test -s "$T/else/job.state" || fail "no other job.state"
		new=$(cut -d ' ' -f 3 <(tail -n 1 "$T/else/job.state"))
		for name in else else-party-00 else-party-01 else-party-02; do kills "$name"; done
	}
	hash_of
	printf 'coterie job state v2\n%s %s %064d\n' "$old" "$new" 0 >"$T/out/coordinator/job.state"
	coordinator_again
	ends 2 coordinator party-00 party-01 party-02
	party_says 'attempt 2 was offered with other parties or parameters'
}

# ---- SIGTERM ----

within_2_s() { # STATUS NAME...
	local name
	for name in "${@:2}"; do
		ended "$name" 2
		[[ "|$1|" == *"|$STATUS|"* ]] || fail "$name ended with status $STATUS, expected $1"
	done
}

# All processes but party-01 wait for attempt 2.
awaited() {
	prepare level-1
	every '.rejoin_s = 15'
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	kills party-01
	soon_says coordinator 'attempt 1 of 3 is over'
	soon_says coordinator 'party-00 joined'
	until_true 10 all_again || fail "party-00 and party-02 do not come again"
}
all_again() { (($(grep -c 'joined from' "$T/coordinator.stderr") == 5)); }

test_sigterm_at_the_coordinator_while_attempt_2_is_awaited() {
	awaited
	kill -TERM "${PID[coordinator]}"
	within_2_s 6 coordinator
	within_2_s 2 party-00 party-02
	for name in coordinator party-00 party-02; do
		says "$name" 'coordinator was stopped'
		says "$name" 'attempt 1 ended: party-01'
	done
	[[ $(run_of coordinator .exit_status) == 6 ]] ||
		fail "the coordinator's run.json: $(run_of coordinator .exit_status)"
	no_leftovers party-01
}

test_sigterm_at_a_party_while_attempt_2_is_awaited() {
	awaited
	kill -TERM "${PID[party-00]}"
	within_2_s 6 party-00
	within_2_s 2 coordinator party-02
	for name in coordinator party-02; do
		says "$name" 'party-00 left before attempt 2 began'
	done
	[[ $(run_of party-00 .exit_status) == 6 ]] ||
		fail "party-00/run.json: $(run_of party-00 .exit_status)"
	no_leftovers party-01
}

test_sigterm_at_a_party_that_is_returning() {
	prepare level-1
	every '.rejoin_s = 1'
	strikes_in party-01 level-1
	wired
	in_phase party-01 level-1
	kills coordinator
	soon_says party-00 'dialling again'
	kill -TERM "${PID[party-00]}"
	within_2_s 6 party-00
	ends 3 party-01 party-02
	no_leftovers coordinator
}

sample test_done_is_not_believed test_max_attempts
run_tests "$@"
