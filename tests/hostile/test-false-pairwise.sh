#!/bin/bash
# Runs a party of fedsc's variant pairwise in Python (false_pairwise.py), honest or lying, with two
# parties in C.
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/python.sh
source "${0%/*}/../integration/python.sh"

three_parties() {
	needs_python
	rows_federation 3 --nodes 90
	patient 3
	allows 3 fedsc.pairwise
	rows_job \
		pairwise '. + { dims: 12, rounds: 0, kernel: { width: 1.5, lambda: 0.01 }, '\
'secure_sum: { group: "x25519" } }'
}

# Runs a job in which party-00 is the one in Python.
plays() { # STATUS [LIE]
	rm -rf "$T/out"
	coordinator
	start party-00 "$PYTHON" "$ROOT/tests/hostile/false_pairwise.py" --config \
		"$T/party-00.json" --coordinator "$ADDRESS" \
		--labels "$T/labels" --truth "$T/data/party-01" "$T/data/party-02" ${2:+--lie "$2"}
	party party-01
	party party-02
	ends 0 party-00
	ends "$1" coordinator party-01 party-02
	tail -n 1 "$T/party-00.stdout" >"$T/said"
	jq -c --arg lie "${2:-none}" '{ lie: $lie } + .' "$T/said"
}

# A job with the second implementation gives the clusters of three parties in C. An honest party
# reads all rows.
test_honest() {
	local name
	three_parties
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do
		tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 2
	done >"$T/expected"
	plays 0
	for name in party-01 party-02; do
		tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 2
	done | cat "$T/labels" - |
		paste -d , "$T/expected" - | sort -u >"$T/pairs"
	[[ $(wc -l <"$T/pairs") == 3 ]] || fail "other clusters: $(xargs <"$T/pairs")"
	[[ $(jq .read "$T/said") == 60 ]] || fail 'not all rows of the others are read'
}

# party-00 encrypts unit vectors as plaintexts, and so reads each row of the others. The job still
# succeeds.
test_unit_vectors() {
	three_parties
	plays 0 unit
	[[ $(jq .read "$T/said") == 60 ]] || fail 'not all rows of the others are read'
}

test_lies() {
	local lie
	three_parties
	for lie in half product; do
		plays 2 $lie
		says coordinator 'party-00 and party-02 sent similarities of their rows that are '\
'not compatible'
	done
	plays 2 cipher
	says party-02 'party-00 sent a wrong ciphertext: it is out of range'
	plays 2 key
	says party-02 'party-00 sent a wrong Paillier key: it is not of 2048 bits'
	plays 2 short
	says party-02 'party-00 sent a key and ciphertexts of .* bytes; expected 256'
	plays 2 many
	says party-02 "a party's count is wrong: the parties sent products of 91 rows, expected 90"
}

sample test_unit_vectors
run_tests "$@"
