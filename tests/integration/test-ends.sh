#!/bin/bash
# Processes end in time and with a message, after signals at difficult moments and on hosts that
# lack what they need.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# SIGHUP comes before there is anything to reload. The party starts nevertheless.
test_hangup_while_starting() {
	federation 2
	mkfifo "$T/slow.json"
	start party-00 "$BIN/party" --config "$T/slow.json"
	until_true 10 grep -q 'party' "/proc/${PID[party-00]}/comm"
	until_true 10 grep -q 'S (sleeping)' "/proc/${PID[party-00]}/status"
	kill -HUP "${PID[party-00]}"
	jq --arg pki "$T/pki" --arg data "$T/data" --arg out "$T/out/party-00" '
		.identity |= map_values(sub("^pki"; $pki))
		| .data |= map_values(sub("^data"; $data)) | .output = $out' \
		"$T/party-00.json" >"$T/slow.json"
	soon_says party-00 'dialling'
	kill -TERM "${PID[party-00]}"
	ends 0 party-00
	says party-00 'stopped while idle'
}

# The first interrupt ends the job everywhere. A second one must not interrupt that.
test_second_interrupt() {
	federation 3
	strikes_in coordinator level-1
	stretched
	in_phase coordinator level-1
	kill -INT "${PID[coordinator]}"
	kill -INT "${PID[coordinator]}" 2>/dev/null || true
	kill -INT "${PID[coordinator]}" 2>/dev/null || true
	goes_on
	ends 6 coordinator
	[[ $(run_of coordinator .status) == failed ]] ||
		fail "run.json says $(run_of coordinator .status)"
	ends 2 party-00 party-01 party-02
}

# party-00 gets SIGTERM at about the time of the offer. It ends with 6 if its run.json says that the
# job failed, and with 0 if the job is done or if there was no job.
test_stopped_as_the_offer_comes() {
	federation 2
	local i
	for ((i = 0; i < 12; i++)); do
		rm -rf "$T/out"
		coordinator
		start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" \
			--out "$T/out/party-00"
		soon_says party-00 'admitted'
		party party-01
		sleep "0.0$i"
		kill -TERM "${PID[party-00]}"
		ended party-00
		if compgen -G "$T/out/party-00/job-*/run.json" >/dev/null; then
			[[ $(jq -r .status "$T"/out/party-00/job-*/run.json) == failed &&
				$STATUS == 6 ]] ||
				[[ $(jq -r .status "$T"/out/party-00/job-*/run.json) == "done" &&
				$STATUS == 0 ]] ||
				fail "status $STATUS with run.json $(jq -r .status \
				"$T"/out/party-00/job-*/run.json)"
		else
			[[ $STATUS == 0 ]] || fail "status $STATUS without a job"
		fi
		kill -KILL "${PID[coordinator]}" "${PID[party-01]}" 2>/dev/null || true
		wait "${PID[coordinator]}" "${PID[party-01]}" 2>/dev/null || true
	done
}

# Parties train for minutes. When the job ends elsewhere they stop, and can serve the next job.
test_computing_ends_with_the_job() {
	graphs_federation 2
	edit job '.epochs = 3000 | .rounds = 3 | .baselines = "off"'
	coordinator
	edit coordinator ".listen = \"$ADDRESS\""
	for name in $(names 2); do
		edit "$name" '.step_timeout_s = 600'
		serves "$name"
	done
	until_true 30 grep -q '"train"' "$T/party-00.stderr"
	sleep 0.5
	kill -TERM "${PID[coordinator]}"
	ends 6 coordinator
	for name in $(names 2); do
		in_time 3 said "$name" 'job failed: .*coordinator was stopped' ||
			fail "$name still computes"
	done
	edit job '.epochs = 1 | .rounds = 1'
	coordinator
	ends 0 coordinator
}

# The resolver does not answer.
test_name_that_is_looked_up_for_ever() {
	! sanitized || skip "the sanitizer wants to be loaded first"
	federation 2
	cat >"$T/hang.c" <<-EOF
		#include <poll.h>
		int getaddrinfo(void) { for (;;) poll(0, 0, -1); }
	EOF
	gcc -shared -fPIC -w -o "$T/hang.so" "$T/hang.c"
	edit party-00 '.retry_s = 1'
	start party-00 env LD_PRELOAD="$T/hang.so" "$BIN/party" --config "$T/party-00.json" \
		--coordinator hub.example:7431
	soon_says party-00 'dialling hub.example'
	kill -TERM "${PID[party-00]}"
	ended party-00 15
	[[ $STATUS == 0 ]] || fail "status $STATUS"
	# The look-up does not outlast retry_s: the party waits for the address as long as for a
	# handshake, and ends.
	start party-01 env LD_PRELOAD="$T/hang.so" "$BIN/party" --config "$T/party-01.json" --once \
		--coordinator hub.example:7431
	ended party-01 45
	[[ $STATUS == 2 || $STATUS == 3 ]] || fail "status $STATUS"
	says party-01 'was tried for retry_s'
}

test_too_few_descriptors() {
	federation 2
	start coordinator bash \
		-c "ulimit -n 20; exec '$BIN/coordinator' --config '$T/coordinator.json' --job \
'$T/job.json'"
	ends 5 coordinator
	says coordinator 'needs 52 open files, its limit .* is 20'
	start party-00 bash -c "ulimit -n 9; exec '$BIN/party' --config '$T/party-00.json'"
	ended party-00
	[[ $STATUS == 5 || $STATUS == 4 || $STATUS == 127 ]] || fail "status $STATUS"
	# A soft limit that is too low is raised.
	start coordinator bash \
		-c "ulimit -S -n 20; exec '$BIN/coordinator' --config '$T/coordinator.json' --job \
'$T/job.json' --ready-file '$T/ready'"
	soon_says coordinator 'listening'
}

# RLIMIT_FSIZE acts as a full disk at party-00. The job fails and the coordinator names party-00,
# whose process stays. The next job succeeds.
test_files_that_may_not_grow() {
	local name
	federation 2
	coordinator
	edit coordinator ".listen = \"$ADDRESS\""
	serves party-00
	soon_says party-00 'admitted'
	prlimit --pid "${PID[party-00]}" --fsize=0:
	serves party-01
	ends '1|2' coordinator
	says coordinator 'party-00'
	! gone party-00 || fail "party-00 did not stay: $(tail -n 1 "$T/party-00.stderr")"
	prlimit --pid "${PID[party-00]}" --fsize=unlimited:
	coordinator
	ends 0 coordinator
}

# job_timeout_s of party-00 ends a job that takes too long, because party-02 is stopped and the
# others wait for it.
test_job_that_takes_too_long() {
	federation 3
	edit party-00 '.job_timeout_s = 2'
	strikes_in coordinator level-1
	stretched
	in_phase coordinator level-1
	kill -STOP "${PID[party-02]}"
	goes_on
	STATUS=
	ended party-00
	[[ $STATUS == 3 ]] || fail "party-00 ended with status $STATUS"
	says party-00 'the job exceeded job_timeout_s, 2 s, while waiting for coordinator'
	kill -CONT "${PID[party-02]}"
	for name in coordinator party-01 party-02; do ended "$name"; done
}

# Holds back party-02's results. party-01 has sent DONE and waits for the coordinator's DONE.
awaits_the_last_word() {
	federation 3
	edit_all 3 '.heartbeat_s = 60'
	strikes_in party-02 result
	coordinator
	relay relay 1
	party party-00
	party party-01 --log-level debug
	ADDRESS=$RELAY party party-02
	soon_says party-01 'DONE to coordinator'
	[[ -s $T/out/party-01/labels.csv ]] || fail 'party-01 has no labels yet'
}

# The job may be done for other parties already, so a party that gets SIGTERM waits for DONE and
# keeps its labels.
test_stopped_after_its_last_message() {
	awaits_the_last_word
	kill -TERM "${PID[party-01]}"
	kill -TERM "${PID[party-01]}"
	goes_on
	completes 3
}

# A party that gets SIGTERM waits for DONE for 10 s at most. Then it removes its labels, and the job
# fails for all.
test_stopped_while_the_last_word_does_not_come() {
	awaits_the_last_word
	kill -TERM "${PID[party-01]}"
	ended party-01 10
	[[ $STATUS == 6 ]] || fail "party-01 ended with status $STATUS"
	[[ ! -e $T/out/party-01/labels.csv && $(run_of party-01 .status) == failed ]] ||
		fail 'party-01 has labels of a job that failed'
	goes_on
	ends 2 coordinator party-00 party-02
	says coordinator 'party-01 says: it was stopped'
	[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/coordinator/labels.csv ]] ||
		fail 'labels of a job that failed'
}

# The record of a finished job cannot be written. Labels stay, and the exit status reports the
# failure.
test_record_that_cannot_be_written() {
	local name
	federation 3
	strikes_in coordinator level-1
	stretched
	in_phase coordinator level-1
	for name in coordinator party-00; do
		rm "$T/out/$name/run.json"
		mkdir "$T/out/$name/run.json" # rename cannot replace a directory
	done
	goes_on
	ends 1 coordinator party-00
	ends 0 party-01 party-02
	for name in coordinator party-00; do
		says "$name" 'the job is done, but its record was not .*: .*run.json.* \(exit 1: '
		[[ -s $T/out/$name/labels.csv ]] || fail "$name has no labels"
	done
}

sample test_stopped_as_the_offer_comes test_stopped_after_its_last_message \
	test_record_that_cannot_be_written
run_tests "$@"
