#!/bin/bash
# Strangers, and second sessions of parties, connect while a job runs. The coordinator closes the
# connection and logs the peer's address and the reason. The job goes on.
#
#     party-00 ========\
#     party-01 = relay == coordinator <---- plain TCP, garbage, half frames, 4 GiB lengths,
#     party-02 = relay =/                   no, wrong, expired, unlisted certificates
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=wire.sh
source "${0%/*}/wire.sh"

FROM='127\.0\.0\.1:[0-9]+'

# Starts a job of three parties that has its keys and waits for two parties until the relay goes on.
# So the job cannot end before a test disturbs it, even on a slow machine.
slow_job() {
	federation 3
	edit job '.restarts = 6 | .polish = 6'
	local name
	for name in coordinator $(names 3); do # silence must not count as a lost peer
		edit "$name" '.heartbeat_s = 60 | .step_timeout_s = 60'
	done
	coordinator
	local direct=$ADDRESS
	relay relay 60
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	ADDRESS=$direct
	in_phase coordinator level-1
	kill -STOP "${PID[relay]}"
}

undisturbed() { # REGEX: the coordinator's log matches, with $FROM, and the job succeeds
	soon_says coordinator "$FROM.*($1)|($1).*$FROM"
	! gone coordinator || fail "the job was over before it could be disturbed"
	kill -CONT "${PID[relay]}"
	completes 3
}

test_plain_http() {
	slow_job
	printf 'GET / HTTP/1.1\r\nHost: hub\r\n\r\n' | raw
	undisturbed 'TLS|http'
}

test_garbage() {
	slow_job
	head -c 4096 /dev/urandom | raw
	undisturbed 'TLS'
}

test_four_gigabytes_announced_in_clear() {
	slow_job
	printf '\xff\xff\xff\xff\0\x0f\0\0' | raw
	undisturbed 'TLS'
}

test_half_a_greeting() {
	slow_job
	# A TLS record announces more bytes than follow.
	exec 3<>"/dev/tcp/${ADDRESS%:*}/${ADDRESS##*:}"
	printf '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' >&3
	exec 3<&- 3>&-
	undisturbed 'closed|left|TLS|ended|gone|reset'
}

test_many_connections_that_say_nothing() {
	federation 2
	edit coordinator '.join_timeout_s = 60'
	coordinator
	local fd fds=()
	for _ in {1..100}; do
		exec {fd}<>"/dev/tcp/${ADDRESS%:*}/${ADDRESS##*:}"
		fds+=("$fd")
	done
	parties 2
	completes 2
	for fd in "${fds[@]}"; do exec {fd}<&-; done
}

crowd() { # COUNT: opens COUNT connections to the coordinator; $CROWD has their descriptors
	local fd
	CROWD=()
	for ((i = 0; i < $1; i++)); do
		exec {fd}<>"/dev/tcp/${ADDRESS%:*}/${ADDRESS##*:}"
		CROWD+=("$fd")
	done
}

# If one address opens more connections than allowed, connections are closed, and a running job is
# not disturbed.
test_flood_of_connections_in_a_job() {
	slow_job
	crowd 100
	undisturbed 'too many others of its address have not finished their greeting'
}

# During a flood of connections parties of the same address are still admitted.
test_flood_of_connections_before_a_job() {
	federation 2
	edit coordinator '.join_timeout_s = 60'
	coordinator
	crowd 200
	soon_says coordinator "$FROM.*too many others of its address"
	parties 2
	completes 2
}

# A client that sends single bytes does not complete the handshake in time.
test_slow_loris() {
	federation 2
	edit coordinator '.join_timeout_s = 60'
	coordinator
	exec 3<>"/dev/tcp/${ADDRESS%:*}/${ADDRESS##*:}"
	{
		printf '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'
		while sleep 0.3; do printf '\x00'; done
	} >&3 2>/dev/null &
	local name=loris
	# shellcheck disable=SC2034 # ended with the test
	PID[$name]=$!
	soon_says coordinator "$FROM.*did not finish the TLS handshake within"
	parties 2
	completes 2
}

# Each key update requests another one in return.
test_flood_of_key_updates() {
	tls_tool keyupdates
	slow_job
	timeout $((PATIENCE * 20)) "$TOOLS/keyupdates" "$ADDRESS" "$T/pki/party-01.crt" \
		"$T/pki/party-01.key" "$T/pki/ca.crt" 100000 ||
		fail "it was not closed: $?"
	undisturbed 'party-01.* changed its keys more than 8 times|party-01 is already connected'
}
test_flood_of_key_updates_before_a_job() {
	tls_tool keyupdates
	federation 2
	coordinator
	timeout $((PATIENCE * 20)) "$TOOLS/keyupdates" "$ADDRESS" "$T/pki/party-01.crt" \
		"$T/pki/party-01.key" "$T/pki/ca.crt" 100000 ||
		fail "it was not closed: $?"
	soon_says coordinator "$FROM.*changed its keys more than 8 times"
	parties 2
	completes 2
}

test_silence_is_closed() {
	federation 2
	edit coordinator '.join_timeout_s = 60'
	coordinator
	raw </dev/null
	soon_says coordinator "$FROM"
	parties 2
	completes 2
}

test_old_tls() {
	slow_job
	tls party-01 -tls1_2 </dev/null
	undisturbed 'TLS|version|protocol'
}

test_no_certificate() {
	slow_job
	tls '' </dev/null
	undisturbed 'certificate'
}

test_certificate_of_another_authority() {
	slow_job
	"$BIN/coterie" pki lab --parties 3 --out "$T/other" >/dev/null
	tls '' -cert "$T/other/party-01.crt" -key "$T/other/party-01.key" </dev/null
	undisturbed 'certificate'
}

test_certificate_signed_by_itself() {
	slow_job
	openssl req -x509 -newkey ed25519 -nodes -keyout "$T/self.key" -out "$T/self.crt" -subj \
		/CN=party-01 \
		-addext subjectAltName=DNS:party-01 -days 2 2>/dev/null
	tls '' -cert "$T/self.crt" -key "$T/self.key" </dev/null
	undisturbed 'certificate'
}

test_expired_certificate() {
	slow_job
	openssl req -new -key "$T/pki/party-01.key" -subj /CN=party-01 -out "$T/late.csr" \
		2>/dev/null
	openssl x509 -req -in "$T/late.csr" -CA "$T/pki/ca.crt" -CAkey "$T/pki/ca.key" -days -1 \
		-out "$T/late.crt" \
		-extfile <(printf 'subjectAltName=DNS:party-01\nextendedKeyUsage=clientAuth\n') \
		2>/dev/null
	tls '' -cert "$T/late.crt" -key "$T/pki/party-01.key" </dev/null
	undisturbed 'expired'
}

test_unlisted_certificate() {
	federation 4
	edit coordinator '.parties = .parties[:3]'
	edit job '.polish = 6'
	coordinator
	party party-03
	ends '2' party-03
	says party-03 'party-03'
	soon_says coordinator "party-03.*(list|roster|parties)|(list|roster|parties).*party-03"
	parties 3
	completes 3
}

test_the_coordinators_own_certificate() {
	slow_job
	hello "$VERSION" "$VERSION" | tls coordinator
	undisturbed 'coordinator'
}

test_pinned_party_with_another_key() {
	federation 2
	local pin
	pin=$(awk '$1 == "party-00" { print $2 }' "$T/pins")
	edit coordinator ".pins = { \"party-00\": \"$pin\", \"party-01\": \"$pin\" }"
	coordinator
	party party-01
	ends 2 party-01
	soon_says coordinator "$FROM.*key of party-01 is not the one pinned"
	says party-01 'key of party-01 is not the one pinned'
}

# ---- inside a TLS session with a party's own certificate ----

# While a party is in the job, a second session with its certificate is refused.
test_second_session_of_a_party_in_the_job() {
	slow_job
	hello "$VERSION" "$VERSION" | tls party-01
	undisturbed 'party-01 is already connected'
}

test_second_session_that_sends_garbage() {
	slow_job
	frame $HELLO 0 0 '' 4294967295 | tls party-01
	undisturbed 'party-01.*4294967295'
}

# Before a job begins, opens a session with party-01's certificate. The coordinator must close it,
# and then admit the real party-01.
inside() { # REGEX: stdin has the session's bytes
	federation 2
	coordinator
	party party-00
	soon_says coordinator 'party-00 joined'
	tls party-01 -no_ign_eof
	soon_says coordinator "$FROM.*($1)|($1).*$FROM"
	party party-01
	completes 2
}

# A certificate alone keeps no slot: a session that sends nothing after the handshake is closed.
test_silence_inside_tls() {
	federation 2
	edit coordinator '.join_timeout_s = 60'
	coordinator
	tls party-01 </dev/null
	soon_says coordinator "$FROM"
	parties 2
	completes 2
}

test_garbage_inside_tls() {
	{ printf '\xff' && head -c 4095 /dev/urandom; } | inside 'party-01.*length'
}
test_four_gigabytes_announced_inside_tls() {
	frame $HELLO 0 0 '' 4294967295 | inside 'party-01.*4294967295'
}
test_more_than_a_greeting_announced() { frame $HELLO 0 0 '' 65536 | inside 'party-01.*65536'; }
test_less_than_a_header_announced() { frame $HELLO 0 0 '' 3 | inside 'party-01.*\b3\b'; }
test_half_a_frame_inside_tls() {
	hello "$VERSION" "$VERSION" | head -c 15 | inside 'party-01.*(closed|left|half|middle)'
}
test_flags_that_do_not_exist() {
	frame $HELLO 0 0 "$(u 2 2)$(u 2 2)$(u 4 0)" '' 1 | inside 'party-01.*flags'
}
test_message_that_does_not_exist() { frame 999 0 0 | inside 'party-01.*999'; }
test_body_that_does_not_parse() {
	frame $HELLO 0 0 "$(u 2 2)$(u 2 2)$(u 4 60)\\x41" | inside 'party-01.*HELLO'
}
test_link_message_out_of_order() { frame $HEARTBEAT 0 0 "$(u 8 1)" | inside 'party-01.*HEARTBEAT'; }
test_job_message_before_hello() {
	frame $MASKED 1 1 "$(u 4 3)$(u 8 0)$(u 8 1)$(u 8 0)$(u 4 8)$(u 8 0)$(u 4 0)" |
		inside 'party-01.*(MASKED|job)'
}

test_a_second_process_of_a_party() {
	slow_job
	start twin "$BIN/party" --config "$T/party-01.json" --once --out "$T/twin" --coordinator \
		"$ADDRESS"
	ends 2 twin
	says twin 'party-01'
	rm -rf "$T/twin"
	undisturbed 'party-01'
}

# Another protocol version ends the job for all, so that no process waits for a party that cannot
# take part. All processes log the party's name and both ranges of versions.
of_another_version() { # MIN MAX COMMAND: COMMAND prints party-01's HELLO with MIN and MAX
	local here
	here=$(awk '/PROTO_VERSION_MIN =/ { min = $3 } /PROTO_VERSION_MAX =/ { max = $3 }
		END { print min + 0 " to " max + 0 }' "$ROOT/proto/msg.h")
	federation 2
	coordinator
	party party-00
	soon_says coordinator 'party-00'
	"${@:3}" | tls party-01
	ends 2 coordinator party-00
	says coordinator "party-01 speaks protocol versions $1 to $2, coordinator speaks $here: \
bring both to the same release of coterie"
	says party-00 "party-01 speaks protocol versions $1 to $2, coordinator speaks $here: bring \
both to the same release"
	grep -aEq "versions? $1 to $2.* $here" "$T/tls.stdout" ||
		fail "REFUSED does not name both versions"
}

test_version_that_is_too_new() { of_another_version 8 9 hello 8 9; }
test_party_of_0_1_0() { of_another_version 2 2 recorded hello 2; }
test_party_of_version_3() { of_another_version 3 3 recorded hello 3; }
test_party_of_version_6() { of_another_version 6 6 recorded hello 6; }

sample test_garbage test_four_gigabytes_announced_in_clear test_no_certificate \
	test_certificate_of_another_authority test_pinned_party_with_another_key \
	test_garbage_inside_tls test_body_that_does_not_parse test_version_that_is_too_new
run_tests "$@"
