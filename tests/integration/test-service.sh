#!/bin/bash
# A daemon reports its state to others: to systemd through its socket, and to a user through
# on_event.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# Plays systemd: writes each datagram as a line to $T/told.
receiver() {
	start receiver python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    m = s.recv(4096).decode()
    with open(sys.argv[2], "a") as f: print(m, file=f)' "$T/notify" "$T/told"
	until_true 10 test -S "$T/notify"
}

# NAME [COMMAND]: lets NAME run a program for each event. The program appends its arguments and its
# stdin, a JSON object, to $T/NAME.events as two lines in one write, and runs COMMAND.
hook() {
	printf '#!/bin/sh\nobject=$(cat)\nprintf "%%s\\n%%s\\n" "$*" "$object" >>%s\n%s\n' \
		"$T/$1.events" "${2-}" >"$T/$1.hook"
	chmod 755 "$T/$1.hook"
	edit "$1" ".on_event = \"$1.hook\""
}

told() { grep -Eq -- "$1" "$T/told" 2>/dev/null; }
event() { grep -Eq -- "$2" "$T/$1.events" 2>/dev/null; } # NAME REGEX

test_systemd_is_told() {
	federation 2
	receiver
	NOTIFY_SOCKET=$T/notify WATCHDOG_USEC=400000 coordinator
	until_true 10 told '^READY=1$' || fail "the coordinator listens and did not say READY"
	until_true 10 told '^WATCHDOG=1$' || fail "no WATCHDOG"
	parties 2
	completes 2
	until_true 10 told '^STATUS=job [0-9a-f]{32}: result$' ||
		fail "no STATUS with job and phase: $(cat "$T/told")"
	until_true 10 told '^STOPPING=1$' || fail "no STOPPING"
	rm "$T/told"
	ADDRESS=127.0.0.1:1
	NOTIFY_SOCKET=$T/notify party party-00
	until_true 10 told '^READY=1$' || fail "the party did not say READY"
	kill "${PID[party-00]}"
	ends 0 party-00
	until_true 10 told '^STOPPING=1$' || fail "no STOPPING of the party"
}

# From the beginning of a job to its end, every log line has the job's number.
test_job_in_every_line() {
	local name allowed
	for allowed in kcagc fedsc; do
		federation 2
		edit party-00 ".policy.jobs = [\"$allowed\"]"
		coordinator
		parties 2
		ends '0|1|2|4' coordinator party-00 party-01
		for name in coordinator party-00 party-01; do
			jq -es 'map(.job != null) | .[index(true):] | all' \
				"$T/out/$name/log.jsonl" >/dev/null ||
				fail "$name: lines without a job: $(jq -c \
				'select(.job == null) | .text' "$T/out/$name/log.jsonl")"
		done
		rm -r "$T/out" "$T/pki" "$T/data" "$T/pooled"
	done
}

test_failed_job() {
	federation 2
	hook coordinator
	hook party-00
	edit party-00 '.policy.jobs = ["fedsc"]'
	coordinator
	parties 2
	ends '1|2|4' party-00 party-01 coordinator
	event coordinator '^job-failed coordinator [0-9a-f]{32}$' ||
		fail "the coordinator's person was not told"
	event party-00 '^job-failed party-00 [0-9a-f]{32}$' ||
		fail "the party's person was not told"
	event party-00 '"text":"job failed: .*policy.jobs' || fail "without the sentence"
	[[ $(wc -l <"$T/coordinator.events") == 2 ]] ||
		fail "not one event: $(cat "$T/coordinator.events")"
}

test_person_is_awaited() {
	federation 2
	hook party-00
	edit party-00 '.policy.confirm = true'
	coordinator
	parties 2
	until_true 20 event party-00 '^consent-awaited party-00 [0-9a-f]{32}$' ||
		fail "nobody was told"
	"$BIN/coterie" approve --state "$T/out/party-00/state" \
		"$(awk 'NR == 1 { print $3 }' "$T/party-00.events")" >/dev/null
	ends 0 coordinator party-00 party-01
	[[ $(wc -l <"$T/party-00.events") == 2 ]] ||
		fail "other events: $(cat "$T/party-00.events")"
}

# A program takes 0.5 s and fails. The party waits for the program before it ends, and logs its
# status.
test_program_that_fails() {
	federation 2
	hook party-00 'sleep 0.5; exit 3'
	edit party-00 '.policy.jobs = ["fedsc"]'
	coordinator
	parties 2
	ends '1|2|4' party-00 party-01 coordinator
	says party-00 'on_event: .*party-00.hook for job-failed ended with 3'
	grep -q 'ended with 3' "$T/out/party-00/log.jsonl" || fail "the log has it not"
}

test_certificate() {
	federation 2
	hook party-00
	"$BIN/coterie" pki request --name party-00 --dir "$T/short" >/dev/null
	"$BIN/coterie" pki sign --ca "$T/pki" --days 10 --out "$T/short/party-00.crt" \
		"$T/short/party-00.csr" >/dev/null
	edit party-00 '.identity.certificate = "short/party-00.crt"
		| .identity.key = "short/party-00.key" | .retry_s = 0'
	# shellcheck disable=SC2034
	ADDRESS=127.0.0.1:1
	start party-00 "$BIN/party" --config "$T/party-00.json"
	until_true 20 event party-00 '^certificate party-00$' || fail "nobody was told"
	event party-00 '"text":".*this certificate expires in (9|10) days' || fail "of what?"
	kill "${PID[party-00]}"
	ends 0 party-00
}

test_no_program() {
	federation 2
	edit party-00 '.on_event = "nowhere"'
	start party-00 "$BIN/party" --config "$T/party-00.json" --check-config
	ends 4 party-00
	says party-00 'on_event: .*/nowhere cannot be run: No such file'
}

run_tests "$@"
