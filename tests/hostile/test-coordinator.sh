#!/bin/bash
# Tests a malicious coordinator. For party-01 the turncoat plays the coordinator, with the
# coordinator's key. The true coordinator is then honest to all other parties, and the canary can
# show it the lie. If only parties can see the lie, they must report it.
#
# shellcheck source=turncoat.sh
source "${0%/*}/turncoat.sh"

case_of_three() { # RULE...
	federation 3
	turned 3 "$@"
	fails 2 3
}

# ---- keys ----

test_swapped_keys() {
	case_of_three "hub/$KEYS/1/keys/swap"
	found_by party-01 3 \
		'key advertisement of party-00: its identity key is .*, but .* is pinned here'
}
test_dropped_keys() {
	case_of_three "hub/$KEYS/1/keys/drop"
	found_by party-01 3 'relayed 2 keys for 3 parties'
}
test_repeated_keys() {
	case_of_three "hub/$KEYS/1/keys/repeat"
	found_by party-01 \
		3 'key advertisement of party-01: the coordinator relays another one than this '\
'party sent'
}
test_invented_keys() {
	case_of_three "hub/$KEYS/1/keys/invent"
	found_by party-01 3 'key advertisement of party-00: .*signature'
}

# ---- equivocation ----

# One member receives other starts, so its next mask differs. The next sum is then noise, and the
# canary shows that.
test_one_member_is_told_other_starts() {
	case_of_three "hub/$STARTS/1/flip/28"
	found_by coordinator \
		3 'masks of group 3, round 0, over party-00, party-01 and party-02 do not cancel '\
'\(during level-1\)'
}

# One party receives renamed clusters at the end of a level, which it cannot check. The next level
# begins, but masks depend on all broadcasts and do not cancel.
test_one_member_is_told_other_clusters_of_a_level() {
	federation 4
	edit job '.method = "tree" | .virtual_nodes = "centre" | .polish = 0 | .local_clusters = 8'
	turned 4 "hub/$CLUSTERS/1/xor/28/11/01"
	fails 2 4
	found_by coordinator 4 'masks of group 6, round 0, over .* do not cancel \(during level-2\)'
}

# Changes the results of a job for party-01. No sum follows that could become noise, so only the
# confirmations between parties show the lie.
different_results() { # [RULE...]
	local node
	federation 3
	edit job '.method = "basic"'
	coordinator
	parties 3
	completes 3
	# Finds a node with label 0 or 1 whose two bits begin a byte of RESULT. If bit 0 of that
	# byte is flipped, the node has the other of these two labels, so RESULT stays valid.
	node=$(awk -F, 'NR > 1 && (NR - 2) % 4 == 0 && $2 < 2 { print NR - 2; exit }' \
		"$T/out/coordinator/labels.csv")
	rm -rf "$T/out"
	turned 3 "hub/$CLUSTERS/1/flip/$((28 + node / 4))" "hub/$RESULT/1/flip/$((28 + node / 4))" \
		"$@"
	ends 2 party-00 party-01 party-02
	# The coordinator may learn of the lie after DONE, and has nothing to compare.
	ends '0|2' coordinator
	no_labels 3
}
test_one_member_is_told_another_result() {
	different_results
	grep -Eqi "$OTHER_VALUES party-0. and party-0. than to this party, .* \(during result\)" \
		"$T"/party-0?.stderr || fail "no party says so"
	says party-01 ': the job has no result'
}
test_one_member_is_told_another_result_and_asked_by_nobody() {
	different_results "hub/$TOLD/2/drop"
	grep -Eqi 'broadcast other values to |before TOLD, in which one of' "$T"/party-0?.stderr ||
		fail "no party says so"
}

# ---- confirmations between members ----

UNCONFIRMED='before TOLD, in which one of party-00 and party-02 confirms the broadcasts'

test_told_left_out() {
	case_of_three "hub/$TOLD/1/drop"
	found_by party-01 3 "coordinator sent ASSIGNMENT $UNCONFIRMED \(during level-1\)"
}
test_told_left_out_at_the_end() {
	federation 3
	edit job '.method = "basic"'
	turned 3 "hub/$TOLD/2/drop"
	ends 2 party-01
	ends 0 coordinator party-00 party-02 # the other processes have party-01's confirmation
	says party-01 "coordinator sent DONE $UNCONFIRMED \(during result\)"
	says party-01 'labels.csv: the job has no result'
	[[ ! -e $T/out/party-01/labels.csv && ! -e $T/out/party-01/labels.npy ]] ||
		fail "party-01 was left with labels"
}
test_told_changed() {
	case_of_three "hub/$TOLD/1/flip/-1"
	found_by party-01 3 "$OTHER_VALUES party-00 and party-02 than to this party, or .* altered"
}
test_told_twice() {
	case_of_three "hub/$TOLD/1/twice"
	found_by party-01 3 'coordinator sent TOLD of 16 bytes, which is not due'
}

# ---- frames and fields ----

test_replayed_frame() {
	case_of_three "hub/$ASSIGNMENT/1/replay"
	says party-01 'sequence|number'
}
test_frames_out_of_order() {
	case_of_three "hub/$CELLS/1/late"
	says party-01 'sequence|number'
}
test_messages_out_of_order() {
	case_of_three "hub/$CELLS/1/defer"
	found_by party-01 3 'coordinator sent STARTS, expected CELLS \(during level-1\)'
}
test_second_offer() {
	case_of_three "hub/$OFFER/1/twice"
	found_by party-01 3 'coordinator sent OFFER, expected KEYS'
}

# Sends party-01 the same ASSIGNMENT twice. The party refuses the second one, or answers it with the
# masks of the next round, which do not cancel.
test_same_round_asked_twice() {
	federation 3
	edit job '.starts = 4'
	turned 3 "hub/$ASSIGNMENT/2/twice"
	fails 2 3
	found_by party-01 \
		3 'coordinator sent ASSIGNMENT, expected CLUSTERS|masks of group 3, round .* do '\
'not cancel'
}

test_wrong_count_from_the_coordinator() {
	case_of_three "hub/$STARTS/1/put/8/0000000000000001"
	found_by party-01 3 'coordinator sent STARTS'
}
test_wrong_length_from_the_coordinator() {
	case_of_three "hub/$STARTS/1/more/00"
	found_by party-01 3 'STARTS'
}

test_not_a_number_from_the_coordinator() {
	rows_federation 3
	rows_job anchor # whose coordinator sends eigenvalues
	turned 3 "hub/$MATRIX/1/put/24/000000000000f87f"
	fails 2 3
	found_by party-01 3 'coordinator sent MATRIX .*(finite|number)'
}

# Changes one bit of a count in a broadcast sum.
test_another_sum_than_there_is() {
	rows_federation 3
	rows_job kmeans
	turned 3 "hub/$SUM/4/flip/40"
	fails 2 3
	found_by party-01 3 \
		"coordinator sent SUM 3 that is not the sum of the parties' terms and tags"
}

# Changes the relayed group key.
test_another_group_key() {
	rows_federation 3
	rows_job kmeans
	turned 3 "hub/$SEALED/1/flip/20"
	fails 2 3
	found_by party-01 3 'does not open|another|changed'
}

# ---- broadcasts of later kinds and settings ----

# With a range of clusters, parties refuse a chosen number outside the range (method "landmark").
test_another_number_of_clusters() {
	local k
	federation 3
	echo '{ "kind": "kcagc", "method": "landmark", "clusters": { "from": 2, "to": 4 },
		"seed": 7, "filter": { "order": 3 } }' >"$T/job.json"
	for k in 1 5; do
		rm -rf "$T/out"
		turned 3 "hub/$CHOICE/5/put/2/000000000000000$k"
		fails 2 3
		found_by party-01 3 \
			"coordinator sent CHOICE (of 1 clusters, expected 2 to 4|.*\b5\b.*\b4\b)"
	done
}

# The same for method "flat" with exchange "gram", which chooses the number by inner products.
test_another_number_by_gram() {
	local k
	federation 3
	echo '{ "kind": "kcagc", "method": "flat", "exchange": "gram", "clusters": { "from": 2,
		"to": 4 }, "seed": 7, "filter": { "order": 3 } }' >"$T/job.json"
	for k in 1 5; do
		rm -rf "$T/out"
		turned 3 "hub/$CHOICE/1/put/2/000000000000000$k"
		fails 2 3
		found_by party-01 3 \
			"coordinator sent CHOICE (of 1 clusters, expected 2 to 4|.*\b5\b.*\b4\b)"
	done
}

# Changes the last sum of a job that has a profile over all parties.
test_another_profile() {
	local last
	rows_federation 3
	rows_job kmeans '.standardize = "joint" | .profile = true'
	edit_parties 3 '.policy.profile = true'
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	last=$(run_of party-01 '.traffic[] | select(.type == "SUM").messages_received')
	rm -rf "$T/out"
	turned 3 "hub/$SUM/$last/flip/40"
	ends 2 party-01
	says party-01 "coordinator sent SUM [0-9]+ that is not the sum of the parties' terms and \
tags .during profile"
	[[ ! -e $T/out/party-01/labels.csv && ! -e $T/out/party-01/profile-joint.csv ]] ||
		fail "party-01 has results"
}

# Runs a job over the rows that all parties have. RULE changes a message: the list of these rows
# (COMMON) gets an unknown row or is shorter, or a sum is another.
common_rows() { # RULE REGEX
	"$BIN/coterie" synth --nodes 400 --features 36 --clusters 3 --seed 5 --out "$T/pooled" \
		>/dev/null
	"$BIN/coterie" split --by columns --keep 0.85 --parties 3 --seed 5 --data "$T/pooled" \
		--out "$T/data" >/dev/null
	echo "{ \"kind\": \"kmeans.columns\", \"align\": \"intersect\", \"clusters\": 3,
		\"seed\": 7 }" >"$T/job.json"
	set_up 3
	edit_parties 3 '.policy.jobs = ["kmeans.columns"]'
	turned 3 "$1"
	fails 2 3
	found_by party-01 3 "$2"
}
test_a_common_row_that_is_none() {
	common_rows \
		"hub/$COMMON/1/flip/-1" 'coordinator sent COMMON in which pseudonym [0-9]+ is of '\
'no id that is here, or does not rise'
}
test_fewer_common_rows() {
	common_rows "hub/$COMMON/1/put/0/0000000000000010" 'coordinator sent COMMON'
}

# The first sum counts parties with too few ids, so it is 0. The lie sends 2^54 - 33, the modulus of
# tags of version 6.
test_another_sum_of_sizes() {
	common_rows "hub/$SUM/1/put/32/dfffffffffff3f00" \
		"coordinator sent SUM 0 that is not the sum of the parties' terms and tags"
}

sample test_swapped_keys test_told_changed test_replayed_frame test_another_sum_than_there_is \
	test_not_a_number_from_the_coordinator
run_tests "$@"
