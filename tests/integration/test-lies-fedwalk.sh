#!/bin/bash
# Runs a coordinator that tells one lie (tests/hostile/liar.py) with parties of fedwalk. Most lies
# end the job with an error that names the coordinator and never a party. The others succeed, and
# comments describe what the coordinator gains.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=lies.sh
source "${0%/*}/lies.sh"

vertices_for() { # [JQ-PROGRAM]: makes the effective job, as the liar knows no defaults
	needs_python
	vertices_federation 3
	edit job ".ids = \"plain\" | .walks = 4 | .length = 6 | .window = 3 | ${1-.}"
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
}

is_done() { # LIE: sets the numbers of pairs $GUESSED, $RIGHT ones of these, and $TIES in all
	rm -rf "$T/out"
	liar "$1"
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	# shellcheck disable=SC2034
	read -r GUESSED RIGHT TIES \
		< <(sed -n 's/^guessed, right, ties: //p' "$T/coordinator.stdout")
}

test_fedwalk_as_it_is() {
	vertices_for '.walks = 40 | .length = 12'
	local honest
	honest=$(run_of party-00 '.facts.attack_guessed * .facts.attack_precision | round')
	is_done honest
	[[ $TIES == "$(run_of party-00 .facts.ties)" &&
		$(run_of party-00 .facts.attack_guessed) == "$GUESSED" ]] ||
		fail "$TIES ties, $GUESSED guessed"
	echo "ties read by pairs in walks: $RIGHT of $TIES; by the coordinator in C, which is \
honest: $honest"
	at_least "$RIGHT" "$(jq -n "$TIES * 0.95")" "the number of ties read"
	[[ -s $T/out/party-00/embeddings.npy ]] || fail "party-00 has no embeddings"
	is_done one-token # nothing is read, because all tokens are the same
	[[ $RIGHT == 0 ]] || fail "$RIGHT ties"
}

test_rows_and_batches() {
	vertices_for
	is_found shared 'coordinator numbers vertices differently .* directory of party-0. is wrong'
	is_found gap "coordinator told 121 rows, of which row 120 is in no party's directory"
	is_found directory 'as coordinator passed it on'
	is_found walk 'as coordinator passed it on'
	is_found old-walks 'coordinator passed on SEALED'
}

# The dictionary has counts of each vertex's neighbours, by which walks choose vertices (README of
# protocols/fedwalk). A party that receives another dictionary would walk differently and seem to
# lie. A party that receives only its own rows of it would walk only along ties. Parties find both
# lies before walks reach the coordinator.
test_what_walks_go_by() {
	vertices_for
	is_found dictionary 'coordinator sent a dictionary whose row .* is not what this party sent'
	is_found endless 'coordinator broadcast other values to .* than to this party'
	is_found empty 'coordinator broadcast other values to .* than to this party'
	! grep -q '"phase":"result"' "$T"/out/party-0?/log.jsonl || fail "walks were given to it"
	is_found word 'coordinator broadcast other values .* this party, .* \(during walks\)'
	is_found tree 'coordinator sent TREE: .* is a child twice'
	is_found list "coordinator sent LISTS: the encoder's list of vertex 119 has no end"
	is_found list-row "coordinator sent LISTS: the encoder's list of vertex 119 is wrong"
}

test_the_end() {
	vertices_for
	is_found embedding 'coordinator sent EMBEDDING'
	is_found guesses 'coordinator sent LISTS of guesses that are no rising pairs'
	rm -rf "$T/out"
	liar facts-one
	parties 3
	# shellcheck disable=SC2046
	ends 2 $(names 3)
	any_party_said 'coordinator broadcast other values .* this party, .* \(during attack\)' ||
		fail "nobody says so"
}

# In mode "walks" parties answer a guess of a single pair, which shows whether the pair is a tie. An
# honest coordinator reads nearly all ties from walks too. With randomised reports parties answer no
# guess, so a malicious coordinator reads no more than an honest one.
test_one_pair_is_guessed() {
	vertices_for
	local pair='n0 n1' edges right
	cat "$T"/data/party-0?/edges.tsv | awk '{ print $1, $2; print $2, $1 }' | sort -u >"$T/ties"
	edges=$(($(wc -l <"$T/ties") / 2))
	is_done pair=0,1
	[[ $GUESSED == 1 && $TIES == "$edges" && $RIGHT == $(grep -cx "$pair" "$T/ties") ]] ||
		fail "$pair: $RIGHT; $TIES ties of $edges"
	edit job '.mode = "randomized-response" | .eps = 4 | del(.p, .bins, .dissimilarity)'
	is_done honest
	sed -n 's/^guess: //p' "$T/coordinator.stdout" | sort >"$T/guesses"
	right=$(comm -12 "$T/guesses" "$T/ties" | wc -l)
	echo "ties by randomised reports at eps 4: $right of $edges, in $(wc -l \
		<"$T/guesses") guesses"
	at_least "$right" "$(jq -n "$edges * 0.9")" "the number of ties read"
	[[ $(jq -s 'map(.facts.own_reports) | add' "$T"/out/party-0?/run.json) == $(wc -l \
		<"$T/guesses") ]] || fail "the parties' own reports"
	[[ $(jq -s 'map(.facts.own_reports_right) | add' \
		"$T"/out/party-0?/run.json) == "$right" ]] || fail "the parties' own right reports"
	[[ $(jq -s 'map(.facts.own_ties) | add' "$T"/out/party-0?/run.json) == "$edges" ]] ||
		fail "the parties' own ties"
	is_found pair=0,1 'coordinator sent LISTS, expected MATRIX'
	is_found facts-one 'coordinator broadcast other values to .* than to this party'
}

sample test_one_pair_is_guessed
run_tests "$@"
