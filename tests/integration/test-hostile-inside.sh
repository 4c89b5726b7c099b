#!/bin/bash
# A malicious party, played by openssl over its own TLS session, ends the job, and the job's error
# names it. Parties also refuse to serve malicious coordinators.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=wire.sh
source "${0%/*}/wire.sh"

# ---- a malicious party in the job ----

# Imitates party-01: sends HELLO, waits for the offer, and sends the frames that COMMAND prints. A
# frame may contain JOB for the number of the offered job.
rogue() { # COMMAND: prints frames; $JOB is the job's number
	mkfifo "$T/to-rogue"
	exec 4<>"$T/to-rogue"
	start rogue openssl s_client -connect "$ADDRESS" -CAfile "$T/pki/ca.crt" -quiet \
		-cert "$T/pki/party-01.crt" -key "$T/pki/party-01.key" </dev/fd/4
	hello "$VERSION" "$VERSION" >&4
	until_true 20 offered || fail "no offer came"
	"$@" >&4
}

OFFER=10
offered() { # true if rogue.stdout has an offer; sets $JOB to its job's number
	local hex at=0 length
	hex=$(od -An -v -tx1 "$T/rogue.stdout" | tr -d ' \n')
	while ((${#hex} >= 2 * (at + 20))); do
		length=$((16#${hex:2*at:8}))
		if ((16#${hex:2*at+8:4} == OFFER)); then
			JOB=$((16#${hex:2*at+16:16}))
			return 0
		fi
		at=$((at + 4 + length))
	done
	return 1
}

disturbed() { # REGEX [STATUS]: all end with 2, or STATUS, and name party-01
	ends "${2-2}" coordinator party-00
	says coordinator 'party-01'
	says coordinator "$1"
	says party-00 'party-01'
	no_leftovers
}

# Sets long timeouts, because the rogue sends no HEARTBEAT.
patient_federation() {
	federation 2
	edit coordinator '.heartbeat_s = 60 | .step_timeout_s = 60'
	coordinator
}

rogue_case() { # REGEX COMMAND...
	patient_federation
	party party-00
	rogue "${@:2}"
	disturbed "$1"
}

masked() { frame $MASKED "$JOB" 1 "$(u 4 2)$(u 8 0)$(u 8 1)$(u 8 0)$(u 4 8)$(u 8 0)$(u 4 0)"; }
test_message_out_of_order() { rogue_case 'MASKED' masked; }

test_second_hello() {
	rogue_case 'party-01 sent HELLO, which was not expected' hello "$VERSION" "$VERSION"
}

four_gigabytes() { frame $MASKED "$JOB" 1 '' 4294967295; }
test_four_gigabytes_in_a_job() { rogue_case '4294967295' four_gigabytes; }

wrong_sequence() { frame 11 "$JOB" 5 "$(u 4 0)"; }
test_wrong_sequence_number() { rogue_case 'sequence|seq|frame 5|5' wrong_sequence; }

wrong_body() { frame 11 "$JOB" 1 "$(u 4 0)"; }
test_wrong_body_in_a_job() { rogue_case 'ACCEPT' wrong_body; }

half_frame() {
	frame 11 "$JOB" 1 "$(u 4 0)" 100
	kill "${PID[rogue]}"
}
# The connection is lost, and the party does not come back.
test_half_a_frame_in_a_job() {
	patient_federation
	party party-00
	rogue half_frame
	disturbed 'did not come back.*(cut off|broke)' 3
}

coordinators_message() { frame 16 "$JOB" 1; }
test_done_before_the_end() { rogue_case 'DONE' coordinators_message; }

# ---- a malicious coordinator ----

test_coordinator_with_another_key() {
	federation 2
	edit party-00 ".peers.coordinator = .peers[\"party-01\"]"
	coordinator
	party party-00
	ends 2 party-00
	says party-00 'key of coordinator is not the one'
}

test_coordinator_of_another_authority() {
	federation 2
	"$BIN/coterie" pki lab --parties 2 --out "$T/other" >/dev/null
	edit coordinator '.identity = { certificate: "other/coordinator.crt",
		key: "other/coordinator.key", ca: "other/ca.crt" }'
	coordinator
	party party-00
	ends 2 party-00
	says party-00 'certificate'
}

# An attacker between party and coordinator offers an old version of TLS.
test_coordinator_that_speaks_old_tls() {
	federation 2
	edit party-00 '.retry_s = 2'
	stand_in -tls1_2
	party party-00
	ends 2 party-00
	says party-00 'TLS 1.3|version|protocol'
}

test_coordinator_that_is_another_party() {
	federation 2
	edit coordinator '.name = "party-01" | .identity = { certificate: "pki/party-01.crt",
		key: "pki/party-01.key", ca: "pki/ca.crt" }
		| .parties = ["party-00", "coordinator"]'
	# The coordinator of Coterie refuses to start with a party's certificate.
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json"
	ends 4 coordinator
	says coordinator \
		'party-01.crt: this certificate is of the wrong purpose, expected serverAuth'
	# Another program might start with it, so openssl takes the coordinator's place.
	start other openssl s_server -accept 127.0.0.1:0 -naccept 1 -tls1_3 -Verify 2 -CAfile \
		"$T/pki/ca.crt" \
		-cert "$T/pki/party-01.crt" -key "$T/pki/party-01.key" < <(sleep 30)
	until_true 10 grep -q '^ACCEPT 127' "$T/other.stdout" ||
		fail "no other server: $(<"$T/other.stdout")"
	ADDRESS=$(sed -n 's/^ACCEPT //p' "$T/other.stdout")
	party party-00
	ends 2 party-00
	says party-00 'party-01.*wrong purpose, expected serverAuth'
}

# Imitates a coordinator. After the handshake it sends the frames that COMMAND prints.
false_coordinator() { # COMMAND: prints frames
	federation 2
	edit party-00 '.retry_s = 2'
	stand_in
	"$@" >&4
	party party-00
	ends 2 party-00
}

garbage() { printf '\xff' && head -c 4096 /dev/urandom; }
test_coordinator_that_sends_garbage() { false_coordinator garbage; }

refusal() { frame 3 0 0 "$(u 2 2)$(u 4 5)\\x37\\x2e\\x2e\\x39\\x3f"; } # says "7..9?"
test_coordinator_that_refuses() {
	false_coordinator refusal
	says party-00 '7\.\.9\?'
}

# The coordinator has an older version or a newer one. The party reports that version, its own
# versions and the remedy.
welcome() { frame 2 0 0 "$(u 2 "$1")$(u 4 1)\\x74$(u 4 1000)"; }
of_version() { # NUMBER COMMAND: COMMAND prints the coordinator's WELCOME with version NUMBER
	false_coordinator "${@:2}"
	says party-00 "coordinator speaks protocol version $1, party-00 speaks $VERSION to \
$VERSION: bring both to the same release of coterie"
	[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/party-00/state/served ]] ||
		fail "it went on"
}
test_coordinator_of_a_later_version() { of_version 9 welcome 9; }
test_coordinator_of_version_3() { of_version 3 recorded welcome 3; }
test_coordinator_of_version_6() { of_version 6 recorded welcome 6; }
test_coordinator_of_0_1_0() { of_version 2 recorded welcome 2; }

early_offer() { frame 10 1 1; }
test_coordinator_that_offers_without_welcome() {
	false_coordinator early_offer
	says party-00 'OFFER'
}

sample test_message_out_of_order test_wrong_body_in_a_job test_coordinator_with_another_key
run_tests "$@"
