#!/bin/bash
# Tests a malicious party: the turncoat plays party-01, with all its keys.
#
# shellcheck source=turncoat.sh
source "${0%/*}/turncoat.sh"

case_of_three() { # STATUS RULE...
	federation 3
	turned 3 "${@:2}"
	fails "$1" 3
}

# ---- masks ----

test_words_that_are_not_masked_as_agreed() {
	case_of_three 2 "party/$MASKED/1/flip/-5" # flips a bit of the canary
	found_by coordinator 3 \
		'masks of group 3, round 0, over party-00, party-01 and party-02 do not cancel'
}

# ---- keys ----

test_key_that_nobody_signed() {
	case_of_three 2 "party/$KEY/1/flip/20"
	grep -Eqi 'key advertisement of party-01' "$T"/party-0?.stderr "$T/coordinator.stderr" ||
		fail "nobody says so"
}

# ---- confirmations of what members received ----

test_told_that_is_none() { # changes the last word, which is for party-02
	case_of_three 2 "party/$TOLD/1/flip/-1"
	found_by party-02 3 "$OTHER_VALUES party-00 and party-01 than to this party, or .* altered"
}
test_told_twice() {
	case_of_three 2 "party/$TOLD/1/twice"
	found_by coordinator 3 'party-01 sent TOLD, expected MASKED \(during level-1\)'
}

# ---- frames and fields ----

test_replayed_frame() {
	case_of_three '2|3' "party/$MASKED/1/replay"
	says coordinator 'party-01.*(sequence|number|frame)'
}
test_frames_out_of_order() {
	case_of_three '2|3' "party/$MASKED/1/late"
	says coordinator 'party-01.*(sequence|number|frame)'
}
test_messages_out_of_order() {
	case_of_three 2 "party/$MASKED/1/defer"
	found_by coordinator 3 'party-01 sent TOLD, expected MASKED \(during level-1\)'
}
test_same_words_twice() {
	case_of_three 2 "party/$MASKED/1/twice"
	found_by coordinator 3 'party-01 sent MASKED'
}
test_wrong_count_from_a_party() {
	case_of_three 2 "party/$MASKED/1/put/12/0000000000000001"
	found_by coordinator 3 \
		'party-01 sent MASKED with words from 0 of 1 for group 3, round 0; due were'
}
test_wrong_length_from_a_party() {
	case_of_three 2 "party/$MASKED/1/more/00"
	found_by coordinator 3 'party-01.*MASKED'
}

test_not_a_number_from_a_party() {
	rows_federation 3
	rows_job paper
	edit_parties 3 '.policy.jobs = ["fedsc.paper"]'
	turned 3 "party/40/1/put/24/000000000000f87f"
	fails 2 3
	found_by coordinator 3 'party-01 sent UPLOAD .*(finite|number)'
}

sample test_words_that_are_not_masked_as_agreed test_told_that_is_none \
	test_not_a_number_from_a_party
run_tests "$@"
