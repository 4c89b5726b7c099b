#!/bin/bash
# Connections are lost during a job, and the job is not affected: it succeeds, with the labels of an
# undisturbed run. A party or a coordinator that does not reconnect ends the job for all.
#
#     party-00 ==============\
#     party-01 == relay 30 ms == coordinator     the relay cuts connections at once or in the middle
#     party-02 == relay 30 ms ==/                of a piece, or passes nothing for a while
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=wire.sh
source "${0%/*}/wire.sh"

WIRE_MS=$(longer 30)
STEPS=(offer keys local level-1 joint polish result) # joint is a step of the method basic

same_as_undisturbed() {
	local name
	completes 3
	for name in coordinator party-00 party-01 party-02; do
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
}

reconnects() { # NAME PEER: prints NAME's reconnects of PEER
	run_of "$1" ".peers[] | select(.name == \"$2\") | .reconnects"
}

came_back() { # PARTY...: both sides report the reconnect
	local name
	for name; do
		(($(reconnects coordinator "$name") >= 1)) ||
			fail "coordinator/run.json has no reconnect of $name"
		(($(reconnects "$name" coordinator) >= 1)) || fail "$name/run.json has no reconnect"
		says coordinator "waiting for $name, for up to"
		says coordinator "$name reconnected from"
		says "$name" 'reconnected to'
	done
}

prepare() { # STEP: runs a job that has a long STEP
	more=()
	[[ $1 != joint ]] || more=(--set method=basic --set polish=0)
	prepare_only "${more[@]}"
	wired "${more[@]}"
}

# [ARG...]: makes the job and runs it undisturbed
prepare_only() { alike long_job 60 "$@"; }

long_job() { # RECONNECT_S [ARG...]
	federation 3 --signal 0.3
	# reconnect_s is longer than any process is stopped, even on a busy machine.
	edit_all 3 ".reconnect_s = $1 | .step_timeout_s = 300"
	edit job '.polish = 4'
	undisturbed "${@:2}"
	rm -f "$T"/*.std*
}

# Cuts all connections of the relay in this step, TIMES times.
cut_in() { # STEP SIGNAL TIMES
	local i
	prepare "$1"
	in_phase coordinator "$1"
	for ((i = 0; i < $3; i++)); do
		kill "-$2" "${PID[relay]}"
		((i + 1 == $3)) || sleep 0.15
	done
	same_as_undisturbed
	# SIGUSR2 need not cut both connections. A party that had no offer yet does not reconnect,
	# but connects anew.
	[[ $1$2 != *USR2 && $1 != offer ]] || return 0
	came_back party-01 party-02
}

for step in "${STEPS[@]}"; do
	eval "test_cut_in_${step//-/_}() { cut_in $step HUP 1; }"
done

test_cut_again_and_again() { cut_in level-1 HUP 12; }

test_cut_in_the_middle_of_a_piece() { cut_in polish USR2 3; }

# The last messages are RESULT, DONE, DONE. The cut may fall anywhere among them, and the job is
# done. If the last acknowledgement is lost, the coordinator waits for a party that has no reason to
# reconnect. So reconnect_s is short.
test_cut_at_the_end() {
	local delay WIRE_MS=30
	federation 3 --signal 0.3
	edit_all 3 '.reconnect_s = 4'
	undisturbed
	for delay in 0.02 0.05 0.08 0.11 0.14 0.17; do
		wired
		in_phase coordinator result
		sleep "$delay"
		kill -HUP "${PID[relay]}"
		same_as_undisturbed
		kill -KILL "${PID[relay]}"
		unset 'PID[relay]'
		rm -rf "$T/out"
		mkdir "$T/out"
	done
}

# Waits between repeated cuts, longer each time. Otherwise a slow machine would be cut again before
# it has reconnected, and make no progress.
pause() { # MS TURN
	local ms=$(($1 + 20 * $2))
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
}

# Cuts connections again and again, from level-1 to the end of the job.
test_cut_all_the_time() {
	local i WIRE_MS=30
	prepare level-1
	for ((i = 0; ; i++)); do
		! gone coordinator || break
		kill -HUP "${PID[relay]}"
		pause 400 "$i"
	done
	same_as_undisturbed
}

# A flipped bit is found, and acts like a broken connection: the job goes on. The first flip is in
# an established connection. Later flips may be in a handshake, where the error message differs.
test_damaged_on_the_way() {
	local i
	damaged() { (($(grep -c damaged "$T/relay.stdout") > i)) || gone coordinator; }
	prepare level-1
	in_phase coordinator level-1
	for ((i = 0; i < 4; i++)); do
		kill -WINCH "${PID[relay]}"
		until_true 15 damaged || fail "a damaged connection goes on"
	done
	same_as_undisturbed
	cat "$T"/*.stderr | grep 'damaged on the way' >"$T/null" || fail "nobody noticed"
}

# Cuts connections while large vectors are under way.
test_cut_in_large_sums() {
	# shellcheck disable=SC2034
	local WIRE_MS=30
	more=(--set method=basic --set polish=0 --set starts=40 --set iterations=25)
	federation 3 --nodes 6000 --features 30 --signal 0.2
	edit_all 3 '.reconnect_s = 20'
	undisturbed "${more[@]}"
	wired "${more[@]}"
	in_phase coordinator joint
	for ((i = 0; i < 60; i++)); do
		kill -HUP "${PID[relay]}"
		pause 170 "$i"
		# enough: 100000 bytes or more were sent again
		! grep -qE '\([0-9]{6,} bytes sent again' "$T"/party-0[12].stderr || break
	done
	same_as_undisturbed
	((i < 60)) || fail "nobody sent much again"
}

# No connection is closed, but nothing arrives. Only missing heartbeats show the loss.
test_silence_and_back() {
	prepare level-1
	in_phase coordinator level-1
	kill -USR1 "${PID[relay]}"
	soon_says party-01 'dialling again'
	soon_says party-02 'dialling again'
	kill -USR1 "${PID[relay]}" # the relay passes on data again
	same_as_undisturbed
	came_back party-01 party-02
}

# ---- stopped processes ----

test_party_stands_still_for_3_s() {
	prepare level-1
	in_phase party-01 level-1
	kill -STOP "${PID[party-01]}"
	sleep 3
	kill -CONT "${PID[party-01]}"
	same_as_undisturbed
	came_back party-01
}

test_coordinator_stands_still_for_3_s() {
	prepare level-1
	in_phase party-01 level-1
	kill -STOP "${PID[coordinator]}"
	sleep 3
	kill -CONT "${PID[coordinator]}"
	same_as_undisturbed
}

# ---- processes that do not reconnect ----

impatient() { # [RECONNECT_S]
	alike long_job "${1:-2}"
	wired
	in_phase coordinator level-1
}

test_party_that_never_comes_back() {
	impatient
	kill -KILL "${PID[relay]}"
	unset 'PID[relay]'
	ends 3 coordinator party-00 party-01 party-02
	says coordinator 'party-0[12] did not come back within reconnect_s, 2 s'
	says party-00 'party-0[12] did not come back within reconnect_s, 2 s'
	says party-01 'coordinator could not be reached again within reconnect_s, 2 s'
	no_leftovers
}

test_party_that_was_killed() {
	impatient
	kill -KILL "${PID[party-00]}"
	ended party-00
	ends 3 coordinator party-01 party-02
	for name in coordinator party-01 party-02; do
		says "$name" 'party-00 did not come back within reconnect_s, 2 s'
		[[ $(run_of "$name" .exit_status) == 3 ]] ||
			fail "$name/run.json: $(run_of "$name" .exit_status)"
	done
}

# A restarted process does not have the job, so the other processes do not wait for the old process.
test_party_that_was_started_again() {
	impatient 60 # enough for a busy machine to start a process
	kill -KILL "${PID[party-00]}"
	ended party-00
	soon_says coordinator 'waiting for party-00, for up to'
	party party-00
	ends 2 coordinator party-00 party-01 party-02
	for name in coordinator party-01 party-02; do
		says "$name" 'party-00 was started again'
	done
}

test_reconnect_s_0_ends_at_once() {
	federation 3 --signal 0.3
	edit job '.polish = 4'
	edit_all 3 '.reconnect_s = 0'
	wired
	in_phase coordinator level-1
	kill -HUP "${PID[relay]}"
	ends 2 coordinator party-00 party-01 party-02
	says party-00 'party-0[12].*(cut off|broke)'
}

# ---- events while a party is away ----

away() { # the relay passes nothing for now
	impatient $((2 + 4 * BUSY))
	kill -USR1 "${PID[relay]}"
	soon_says coordinator 'waiting for party-01, for up to'
	soon_says party-01 'dialling again'
}

within_2_s() { # STATUS NAME
	ended "$2" 2
	[[ $STATUS == "$1" ]] || fail "$2 ended with status $STATUS, expected $1"
}

test_sigterm_while_a_party_is_away() {
	away
	kill -TERM "${PID[coordinator]}"
	within_2_s 6 coordinator
	[[ $(run_of coordinator .exit_status) == 6 ]] ||
		fail "the coordinator's run.json: $(run_of coordinator .exit_status)"
	ends 2 party-00
	says party-00 'coordinator was stopped'
}

test_sigterm_at_a_party_that_is_away() {
	away
	kill -TERM "${PID[party-01]}"
	within_2_s 6 party-01
	ends 3 coordinator party-00
}

# The job ends while party-01 and party-02 are away. They learn the cause when they reconnect.
test_abort_reaches_who_was_away() {
	federation 3 --signal 0.3
	edit job '.polish = 4'
	edit_all 3 '.reconnect_s = 20'
	wired
	in_phase coordinator level-1
	kill -USR1 "${PID[relay]}"
	soon_says coordinator 'waiting for party-01, for up to'
	soon_says coordinator 'waiting for party-02, for up to'
	kill -TERM "${PID[party-00]}"
	ends 6 party-00
	soon_says party-01 'dialling again'
	kill -USR1 "${PID[relay]}"
	ends 2 coordinator party-01 party-02
	for name in coordinator party-01 party-02; do
		says "$name" 'party-00 says: it was stopped'
	done
}

# ---- strangers that reconnect under a party's name ----

# A stranger has another key for the same name, from the same CA. It does not disturb the job.
test_another_key_of_the_same_name() {
	prepare_only
	openssl genpkey -algorithm ed25519 -out "$T/other.key" 2>/dev/null
	openssl req -new -key "$T/other.key" -subj /CN=party-01 -out "$T/other.csr" 2>/dev/null
	openssl x509 -req -in "$T/other.csr" -CA "$T/pki/ca.crt" -CAkey "$T/pki/ca.key" -days 2 \
		-out "$T/other.crt" \
		-extfile <(printf 'subjectAltName=DNS:party-01\nextendedKeyUsage=clientAuth\n') \
		2>/dev/null
	wired
	in_phase coordinator level-1
	# otherwise the job may be over before the stranger connects
	kill -STOP "${PID[party-00]}"
	hello "$VERSION" "$VERSION" | tls '' -cert "$T/other.crt" -key "$T/other.key"
	soon_says coordinator 'party-01 is already connected|a job is under way'
	kill -CONT "${PID[party-00]}"
	same_as_undisturbed
}

# Makes a certificate for NAME's own key, valid for SECONDS from now.
short_lived() { # NAME SECONDS
	mkdir "$T/ca.d"
	touch "$T/ca.d/index"
	echo 01 >"$T/ca.d/serial"
	cat >"$T/ca.d/config" <<-EOF
		[ca]
		default_ca = us
		[us]
		new_certs_dir = $T/ca.d
		database = $T/ca.d/index
		serial = $T/ca.d/serial
		default_md = default
		policy = any
		x509_extensions = party
		[any]
		commonName = supplied
		[party]
		subjectAltName = DNS:$1
		extendedKeyUsage = clientAuth
	EOF
	openssl req -new -key "$T/pki/$1.key" -subj "/CN=$1" -out "$T/ca.d/csr" 2>/dev/null
	openssl ca -batch -notext -config "$T/ca.d/config" -cert "$T/pki/ca.crt" -keyfile \
		"$T/pki/ca.key" \
		-enddate "$(date -u -d "+$2 seconds" +%Y%m%d%H%M%SZ)" -in "$T/ca.d/csr" -out \
		"$T/pki/$1.crt" 2>/dev/null
}

# An established connection survives the end of its certificate, but no new connection can be made.
# After SIGHUP with a renewed certificate a new connection is made, and the job goes on.
test_certificate_that_expires_in_a_job() {
	prepare_only
	cp "$T/pki/party-01.crt" "$T/renewed.crt"
	edit_all 3 ".reconnect_s = $((120 + 10 * BUSY))"
	short_lived party-01 $((4 + BUSY)) # valid until the party has connected
	wired
	in_phase coordinator level-1
	kill -STOP "${PID[party-02]}" # makes the job last
	until_true 20 has_expired "$T/pki/party-01.crt" || fail "it does not expire"
	! said coordinator 'expired' || fail "it was held against the connection that stands"
	kill -HUP "${PID[relay]}"
	soon_says coordinator 'shows a certificate .*expired'
	mv "$T/renewed.crt" "$T/pki/party-01.crt"
	kill -HUP "${PID[party-01]}"
	kill -CONT "${PID[party-02]}"
	same_as_undisturbed
	says coordinator 'party-01 reconnected from'
}

# A session with party-01's own key resumes a job that does not exist. It is refused.
test_resume_of_another_job() {
	prepare level-1
	in_phase coordinator level-1
	kill -STOP "${PID[party-00]}" # otherwise the job may be over first
	frame 6 0 0 "$(u 8 0)$(u 8 0)$(u 4 1)$(u 4 0)" | tls party-01
	soon_says coordinator 'another job than the one under way'
	kill -CONT "${PID[party-00]}"
	same_as_undisturbed
}

# One party is away when the others are lost too. Each party has its own reconnect_s, and all
# parties reconnect. The coordinator is stopped in between, so that it notices the losses and checks
# absent parties in one turn of its loop.
test_all_are_lost_while_one_is_away() {
	local i name others=(party-01 party-02 party-03 party-04 party-05)
	federation 6 --signal 0.3
	edit_all 6 '.reconnect_s = 60'
	coordinator
	relay relay 40
	ADDRESS=$RELAY party party-00
	for name in "${others[@]}"; do party "$name"; done
	in_phase party-00 level-1
	kill -STOP "${PID[party-00]}"
	soon_says coordinator 'waiting for party-00, for up to'
	for name in "${others[@]}"; do kill -STOP "${PID[$name]}"; done
	for ((i = 0; i < 20; i++)); do
		kill -STOP "${PID[coordinator]}"
		sleep 0.15
		kill -CONT "${PID[coordinator]}"
		sleep 0.02
	done
	for name in "${others[@]}"; do soon_says coordinator "waiting for $name, for up to"; done
	for name in party-00 "${others[@]}"; do kill -CONT "${PID[$name]}"; done
	completes 6
	for name in party-00 "${others[@]}"; do
		(($(reconnects coordinator "$name") >= 1)) ||
			fail "coordinator/run.json has no reconnect of $name"
	done
}

sample test_cut_in_the_middle_of_a_piece test_another_key_of_the_same_name
run_tests "$@"
