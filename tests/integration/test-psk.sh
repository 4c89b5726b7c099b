#!/bin/bash
# Tests pre-shared keys of two parties (peers.NAME.psk).
#
#     party-00 -- hex ------ party-01
#     party-00 -- base64 --- party-02
#     party-01 -- bytes ---- party-02
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

shares() { # NAME OTHER FILE: gives NAME the pre-shared key in FILE for OTHER
	chmod 600 "$T/$3"
	edit "$1" ".peers[\"$2\"] = { fingerprint: (.peers[\"$2\"] | if type == \"object\" then \
.fingerprint else . end), psk: \"$3\" }"
}

all_share() {
	openssl rand -hex 32 >"$T/a.psk"
	openssl rand -base64 48 >"$T/b.psk"
	openssl rand 64 >"$T/c.psk"
	for pair in 'party-00 party-01 a' 'party-00 party-02 b' 'party-01 party-02 c'; do
		# shellcheck disable=SC2086
		set -- $pair
		shares "$1" "$2" "$3.psk"
		shares "$2" "$1" "$3.psk"
	done
}

# No party is done, and neither party-00 nor party-01 has sent a masked word.
nothing_left() {
	local name
	for name in $(names 3); do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
		[[ $(run_of "$name" .status) == failed ]] ||
			fail "$name/run.json: $(run_of "$name" .status)"
	done
	for name in party-00 party-01; do
		"$BIN/coterie" ledger --state "$T/out/$name/state" export --csv >"$T/ledger"
		grep -q 'public key for the job' "$T/ledger" ||
			fail "$name's ledger does not have its key"
		! grep -q 'masked term' "$T/ledger" || fail "$name's ledger has masked words"
	done
}

no_key_is_shown() {
	local f
	for f in a b; do
		! grep -rqF "$(<"$T/$f.psk")" "$T/out" "$T"/*.stderr ||
			fail "a key is in a log or a result"
	done
}

test_all_pairs() {
	federation 3
	undisturbed
	all_share
	coordinator
	parties 3
	completes 3
	for name in $(names 3); do
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	says party-00 'pre-shared keys protect the keys with 2 of 2 other parties'
	no_key_is_shown
}

# Sealed messages and sums with tags also use pre-shared keys. A pair of parties may have none.
test_rows() {
	rows_federation 3
	rows_job kmeans
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	mv "$T/out" "$T/undisturbed"
	all_share
	edit party-01 '.peers["party-02"] |= .fingerprint'
	edit party-02 '.peers["party-01"] |= .fingerprint'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	says party-01 'pre-shared keys protect the keys with 1 of 2 other parties'
}

# The first party to find the mismatch ends the job for all, so the other party of the pair may end
# before it compares keys.
mismatch() { # REGEX REGEX: the possible errors
	coordinator
	parties 3
	ends 2 coordinator party-00 party-01 party-02
	grep -Eq "$1|$2" "$T/party-00.stderr" "$T/party-01.stderr" ||
		fail "neither of the two says why"
	! grep -Eq 'has (no|a|another) pre-shared key' "$T/party-02.stderr" \
		"$T/coordinator.stderr" || fail "others say more than they know"
	nothing_left
	no_key_is_shown
}

test_one_side_only() {
	federation 3
	all_share
	edit party-01 '.peers["party-00"] |= .fingerprint'
	mismatch 'party-01 has no pre-shared key for party-00, .*give party-01 the same file as '\
'its peers.party-00.psk' \
		'party-00 has a pre-shared key for party-01, .*get that file from party-00'
}

test_two_different_keys() {
	federation 3
	all_share
	openssl rand -hex 32 >"$T/d.psk"
	shares party-01 party-00 d.psk
	mismatch 'party-01 has another pre-shared key for party-00 than' \
		'party-00 has another pre-shared key for party-01 than'
}

# A key for the coordinator protects nothing, and the party warns of that.
test_for_the_coordinator() {
	federation 3
	all_share
	shares party-00 coordinator a.psk
	coordinator
	parties 3
	completes 3
	says party-00 'peers.coordinator.psk is of no use'
}

refused() { # REGEX: --check-config and the start of party-00 end with 4 and this error
	local more
	for more in --check-config ''; do
		# shellcheck disable=SC2086
		start party-00 "$BIN/party" --config "$T/party-00.json" $more
		ends 4 party-00
		says party-00 "$1"
		[[ ! -e $T/out/party-00 ]] || fail "party-00 made its output directory"
	done
}

test_files_that_do_not_do() {
	federation 2
	openssl rand -hex 32 >"$T/a.psk"
	shares party-00 party-01 a.psk
	"$BIN/party" --config "$T/party-00.json" --check-config >/dev/null ||
		fail "a good key is refused"
	chmod 640 "$T/a.psk"
	refused 'peers.party-01.psk: .*/a.psk: mode 0640 lets others at the pre-shared key: '\
'chmod 600'
	chmod 600 "$T/a.psk"
	openssl rand -hex 31 >"$T/a.psk"
	refused 'peers.party-01.psk: .*/a.psk: a key of 31 bytes, expected 32 to 64'
	openssl rand -hex 65 >"$T/a.psk"
	refused 'peers.party-01.psk: .*/a.psk: a key of 65 bytes, expected 32 to 64'
	openssl rand 4096 >"$T/a.psk"
	refused 'peers.party-01.psk: .*/a.psk: 4096 bytes, at most 256'
	echo "a word that all of us can remember" >"$T/a.psk"
	refused 'peers.party-01.psk: .*/a.psk: is text that is neither hexadecimal nor base64'
	rm "$T/a.psk"
	refused 'peers.party-01.psk: .*/a.psk: No such file'
	edit party-00 '.peers["party-01"].key = "a.psk"'
	refused 'party.peers.party-01.key is unknown, expected one of: fingerprint, psk'
}

sample test_all_pairs test_two_different_keys
run_tests "$@"
