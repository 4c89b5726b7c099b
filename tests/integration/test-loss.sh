#!/bin/bash
# A party is lost for good (kill -9 without a restart). If the job and every policy allow it, the
# next attempt continues without this party, and has the labels of a job of the remaining parties.
#
# shellcheck source=attempts.sh
source "${0%/*}/attempts.sh"
# shellcheck source=../faults/protocols.sh
source "$ROOT/tests/faults/protocols.sh"
# shellcheck source=lies.sh
source "$ROOT/tests/integration/lies.sh"
# shellcheck source=serve.sh
source "$ROOT/tests/integration/serve.sh"

REJOIN_S=$((1 + BUSY)) # seconds in which a living process reconnects

lossy() { # PROTOCOL [JQ-PROGRAM]: makes a federation of four whose job may lose parties
	local name
	protocol "$1"
	edit job ".on_loss = \"attempt\"${2:+ | $2}"
	[[ $1 != kmeans-columns ]] || edit job '.method = "flat"'
	# a killed party is given up at once
	edit_all $PARTIES ".heartbeat_s = 20 | .reconnect_s = 1 | .rejoin_s = $REJOIN_S"
	edit_parties $PARTIES '.policy.allow_loss = 2'
}

rest_of() { # VICTIM...: prints all other parties
	names $PARTIES | grep -vxF "$(printf '%s\n' "$@")"
}

# Runs a job of only the remaining parties and keeps its results in $T/undisturbed.
of_the_rest() { # VICTIM...
	local rest name
	rest=$(rest_of "$@")
	cp "$T/coordinator.json" "$T/kept.json"
	edit coordinator ".parties = $(jq -Rnc '[inputs]' <<<"$rest")"
	coordinator
	for name in $rest; do party "$name"; done
	# shellcheck disable=SC2086 # words
	ends 0 coordinator $rest
	mv "$T/out" "$T/undisturbed"
	mkdir "$T/out"
	mv "$T/kept.json" "$T/coordinator.json"
}

# The victims die when party-01 is in STEP. party-01 and party-02 have slow links.
gone_in() { # STEP VICTIM...
	local name
	coordinator
	# shellcheck disable=SC2034 # for coordinator_again
	HUB=$ADDRESS
	strikes_in party-01 "$1"
	relay relay "${WIRE_MS:-25}"
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	party party-03
	in_phase party-01 "$1"
	for name in "${@:2}"; do kills "$name"; done
}

# The victims die in STEP, and the job continues without them.
goes_on_without() { # STEP VICTIM...
	local rest name
	rest=$(rest_of "${@:2}")
	# shellcheck disable=SC2086 # words
	ends 0 coordinator $rest
	for name in coordinator $rest; do
		attempt_is 2 "$name"
		[[ $(run_of "$name" \
			'[.left_out[] | "\(.name) \(.attempt)"] | join(", ")') == "$(printf \
			'%s 2, ' "${@:2}" | sed 's/, $//')" ]] ||
			fail "$name/run.json: left out are $(run_of "$name" .left_out)"
		[[ $(run_of "$name" '.parties | join(" ")') == "$(tr '\n' ' ' <<<"$rest" |
			sed 's/ $//')" ]] ||
			fail "$name/run.json: parties $(run_of "$name" .parties)"
		[[ ! -e $T/undisturbed/$name/labels.csv ]] ||
			same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	# processes may have been in different steps, so any step is accepted
	for name in coordinator $rest; do
		[[ $(run_of "$name" '.left_out[0].step // ""') ]] ||
			fail "$name/run.json: $(run_of "$name" .left_out)"
	done
	for name in "${@:2}"; do
		says coordinator "$name did not reconnect .* $REJOIN_S s: the job continues"
		says party-00 "attempt 2 continues without $name, .* to coordinator"
	done
}

without() { # PROTOCOL STEP VICTIM...
	lossy "$1"
	of_the_rest "${@:3}"
	gone_in "$2" "${@:3}"
	goes_on_without "${@:2}"
}

# Tests every kind that can lose parties: in one step each, and in make soak in further steps.
# tests/faults covers all steps.
cell=0
for cells in kmeans:totals kmeans:kmeans fedsc-anchor:landmarks fedsc-anchor:anchor fedgcn:start \
	fedgcn:train fedspectral+:align fedspectral+:power \
	flat:local flat:level-1 basic:joint landmark:norms landmark:power gcc:init gcc:iterate \
	kmeans-columns:polish; do
	cell=$((cell + 1))
	! in_sample $cell 2 || eval "test_${cells//[:+-]/_}() { without ${cells/:/ } party-01; }"
done

test_launch() {
	rows_federation 4
	rows_job kmeans '.on_loss = "attempt"'
	! "$BIN/coterie" launch -q --data "$T/pooled" --job "$T/job.json" --parties 4 --out \
		"$T/declined" 2>"$T/launch.stderr" || fail 'taken without allow_loss'
	"$BIN/coterie" launch -q --data "$T/pooled" --job "$T/job.json" --policy allow_loss=3 \
		--parties 4 --out "$T/launched" || fail 'declined'
	[[ $(jq '.left_out // [] | length' "$T/launched/party-01/run.json") == 0 ]] ||
		fail 'somebody is left out'
}

# The job is done, but party-01's link is cut, so the coordinator still waits for it. party-03,
# which was lost, comes back now. It learns from this coordinator, or from the next one, that it has
# no results.
has_no_results() { # SENTENCE
	ADDRESS=$HUB party party-03
	ends 3 party-03
	says party-03 "refused by coordinator: the job $1"
	! says_of_results party-03 || fail "party-03 hears of results: $(<"$T/party-03.stderr")"
	[[ ! -e $T/out/party-03/labels.csv ]] || fail 'party-03 has labels'
}

says_of_results() { grep -q 'wrote its results' "$T/$1.stderr"; }
marked() { grep -q ' done' "$T/out/coordinator/job.state" 2>/dev/null; }

test_comes_back_when_all_is_done() {
	lossy kmeans
	edit_all $PARTIES '.reconnect_s = 10'
	tls_tool turncoat
	coordinator
	HUB=$ADDRESS
	start turncoat "$TOOLS/turncoat" "$T/turncoat.ready" "$HUB" "$T/pki" party-01 coordinator \
		"hub/$DONE/1/stay"
	until_true 10 test -s "$T/turncoat.ready" || fail 'the turncoat did not become ready'
	strikes_in party-02 kmeans
	relay relay "${WIRE_MS:-25}"
	party party-00
	ADDRESS=$(<"$T/turncoat.ready") party party-01
	ADDRESS=$RELAY party party-02
	party party-03
	in_phase party-02 kmeans
	kills party-03
	until_true 60 marked || fail 'job.state is not marked as done'
	has_no_results 'continues without party-03, which did not reconnect within rejoin_s'
	kills coordinator
	grep -Eq '^party-03 left out from 2 on, kmeans$' "$T/out/coordinator/job.state" ||
		fail "job.state: $(cat "$T/out/coordinator/job.state")"
	coordinator_again
	has_no_results 'is done without party-03, which dropped out: it has no results'
	ends 0 coordinator party-00 party-01 party-02
	! grep -q 'party-03 said' "$T/coordinator.stderr" ||
		fail 'the coordinator says that party-03 has results'
}

test_two_at_once() {
	local said='eft out since attempt 2, after a dropout: party-0'
	without kmeans keys party-01 party-02
	"$BIN/coterie" show "$T/out" >"$T/shown"
	"$BIN/coterie" report "$T/out" --out "$T/report.html" >/dev/null
	[[ $(grep -Ec "${said}[12]" "$T/shown") == 2 ]] ||
		fail "show: $(grep -i 'left out' "$T/shown")"
	grep -Eq 'the attempt before was cut short in (offer|keys|totals)' "$T/shown" ||
		fail "show does not say in which step"
	[[ $(grep -Eo '"name":"party-0[12]","attempt":2|"attempt":2,"name":"party-0[12]"' \
		"$T/report.html" | sort -u | wc -l) == 2 ]] ||
		fail "the report has others left out: $(grep -o '"left_out":[^]]*' \
		"$T/report.html" | head -n 1)"
	"$BIN/coterie" ledger list --state "$T/out/party-00/state" >"$T/ledger"
	grep -q 'that this party takes part, without party-01, without party-02' "$T/ledger" ||
		fail "the ledger: $(cat "$T/ledger")"
}

# Each attempt adds other noise to its sums, and spends eps again.
test_noise_in_sums() {
	local name
	lossy kmeans '.noise = { on: "sums", eps: 1, delta: 1e-5, clip: 10 }'
	gone_in landmarks party-01 # all parties have sent a term
	ends 0 coordinator party-00 party-02 party-03
	for name in party-00 party-02 party-03; do
		attempt_is 2 "$name"
		[[ $(run_of "$name" .facts.eps_spent) == 2 ]] ||
			fail "$name spent $(run_of "$name" .facts.eps_spent)"
	done
}

# The next attempt is interrupted too. Parties and a coordinator that are started again know from
# their files which party was left out.
test_started_again_without() {
	local rest='party-00 party-02 party-03' name
	lossy kmeans
	of_the_rest party-01
	gone_in totals party-01
	soon_says party-02 'attempt 2 continues without party-01'
	kills party-02
	kills coordinator
	grep -Eq '^party-01 left out from 2 on, (totals|kmeans)$' "$T/out/coordinator/job.state" ||
		fail "job.state: $(cat "$T/out/coordinator/job.state")"
	coordinator_again
	ADDRESS=$RELAY party party-02
	ADDRESS=$RELAY party party-01
	ends 3 party-01
	says party-01 'refused by coordinator: the job continues without party-01'
	# shellcheck disable=SC2086 # words
	ends 0 coordinator $rest
	for name in coordinator $rest; do
		attempt_is 3 "$name"
		[[ $(run_of "$name" '.left_out[0] | "\(.name) \(.attempt)"') == 'party-01 2' ]] ||
			fail "$name/run.json: $(run_of "$name" .left_out)"
	done
	for name in $rest; do
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
}

# ---- losses that end the job ----

fails_for() { # STATUS NAME...
	local name
	ends "$@"
	for name in "${@:2}"; do [[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"; done
}

test_below_the_least() {
	lossy kmeans
	edit party-00 '.policy.allow_loss = 3'
	gone_in totals party-01 party-02
	fails_for 2 coordinator party-00 party-03
	says party-00 'coordinator offers attempt 2 to 2 of 4 parties: 2 parties are left, '\
'policy.allow_loss of party-00 is 3'
	says coordinator 'party-00 declined the job'
	rm -rf "$T/out"
	gone_in totals party-01 party-02 party-03 # only one party would be left
	fails_for 3 coordinator party-00
	says coordinator 'did not reconnect for attempt 2 .* s: party-01, party-02, party-03'
}

# The ledger has one row of that attempt, a DECLINE, and masked terms of earlier attempts.
declined_only() { # ATTEMPT NAME
	local terms
	"$BIN/coterie" ledger export --csv --state "$T/out/$2/state" >"$T/ledger.csv"
	[[ $(awk -F, -v n="$1" '$4 == n' "$T/ledger.csv" | wc -l) == 1 ]] ||
		fail "attempt $1 of $2: $(cat "$T/ledger.csv")"
	awk -F, -v n="$1" '$4 == n' "$T/ledger.csv" | grep -q ',DECLINE,8,' ||
		fail "attempt $1 of $2: $(cat "$T/ledger.csv")"
	terms=$(awk -F, -v n="$1" '$4 < n' "$T/ledger.csv" | grep -c ',MASKED,') || true
	(($1 == 1 ? terms == 0 : terms > 0)) || fail "$2 gave $terms terms before attempt $1"
}

# allow_loss permits an attempt of two parties, but min_parties permits no sum of two. So no party
# sends a term, even if the coordinator lies about the loss.
test_below_min_parties() {
	local name
	needs_python
	lossy kmeans
	whole_job
	edit_parties $PARTIES '.rejoin_s = 20 | .reconnect_s = 5 | .policy.min_parties = 3'
	lying two=2
	any_party_said 'coordinator offers attempt 2 to 2 of 4 parties: the job \(kind kmeans, 2 '\
'parties\) has sums of 2 parties, policy.min_parties is 3' ||
		fail "$(<"$T/coordinator.stdout")"
	declined_only 2 \
		"$(cd "$T/out" &&
		grep -l 'policy.min_parties' ../party-0[01].stderr | head -n 1 |
		xargs basename -s .stderr)"
}

# A party has sent terms in sums with a party that was then lost. Its policy no longer allows an
# attempt without that party.
test_not_agreed_any_more() {
	lossy kmeans
	edit_all $PARTIES '.rejoin_s = 10'
	gone_in kmeans party-03
	kills party-00
	# allow_subsets concerns other jobs
	edit party-00 'del(.policy.allow_loss) | .policy.allow_subsets = true'
	party party-00
	# shellcheck disable=SC2046 # words
	fails_for 2 coordinator $(rest_of party-03)
	says party-00 'offers attempt 2 to 3 of 4 parties: .*policy.allow_loss of party-00 is 0'
	declined_only 2 party-00
}

test_not_agreed() {
	lossy kmeans
	edit party-03 'del(.policy.allow_loss)'
	coordinator
	parties $PARTIES
	# shellcheck disable=SC2046
	fails_for 2 coordinator $(names $PARTIES)
	says party-03 'continue after a dropout \(job.on_loss\), policy.allow_loss of party-03 is 0'
	declined_only 1 party-03
	edit job '{ kind: "fedwalk", on_loss }'
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" \
		--out "$T/out/coordinator"
	ends 4 coordinator
	says coordinator 'job.on_loss is "attempt", expected "end" here: walks cross all parties'
}

# ---- a coordinator that serves: a lost party can come back for the next job ----

job_after_a_loss() { # PARTY...: parties whose policies allow subsets
	local name
	lossy kmeans '.seed = 7'
	for name in "$@"; do edit "$name" '.policy.allow_subsets = true'; done
	all_stay $PARTIES
	relay relay 25
	kills party-01
	edit party-01 ".coordinator = \"$RELAY\""
	ADDRESS=$RELAY stays party-01
	until_true 20 joined_times 5 || fail "party-01 is not back"
	submits "$T/job.json" 1
	in_log 1 totals || until_true 20 in_log 1 totals || fail "job 1 does not come to totals"
	kills party-01
	becomes 1 "done"
	[[ $(jq -r '.left_out[0].name' "$T"/out/coordinator/job-000001/run.json) == party-01 ]] ||
		fail "job 1: $(jq .left_out "$T"/out/coordinator/job-000001/run.json)"
	submits "$T/job.json" 2
	ADDRESS=$RELAY stays party-01
}

test_next_job_of_all() {
	# shellcheck disable=SC2046 # words
	job_after_a_loss $(names $PARTIES)
	becomes 2 "done"
	[[ $(jq -r '.parties | length' "$T"/out/coordinator/job-000002/run.json) == 4 ]] ||
		fail "job 2 is of $(jq -c .parties "$T"/out/coordinator/job-000002/run.json)"
}

test_next_job_is_declined() {
	job_after_a_loss party-00 party-01 party-03
	becomes 2 failed
	says party-02 'is of party-00 party-01 party-02 party-03, but an earlier one over the '\
'same data was of party-00 party-02 party-03: policy.allow_subsets of party-02 is false'
}

# ---- a coordinator that falsely reports a party as lost ----

# Runs a coordinator that tells LIE, and the four parties of lossy(), which serve several attempts.
# $T/coordinator.stdout then has a line for the end of each attempt.
lying() { # LIE
	local name
	rm -rf "$T/out"
	liar "$1"
	for name in $(names $PARTIES); do serves "$name"; done
	ends 0 coordinator
	for name in $(names $PARTIES); do
		kill -TERM "${PID[$name]}" 2>/dev/null || true
		ended "$name"
		[[ -z $(find "$T/out/$name" -name labels.csv) ]] || fail "$1: $name has labels"
	done
}

lies_of() { # PROTOCOL
	local name
	needs_python
	lossy "$1"
	whole_job
	edit_parties $PARTIES '.rejoin_s = 20 | .reconnect_s = 5 | .policy.allow_loss = 3'
	lying gone=2 # parties cannot tell this lie from a loss
	grep -q 'attempt 2: enough of this attempt' "$T/coordinator.stdout" ||
		fail "gone: $(<"$T/coordinator.stdout")"
	says party-00 'attempt 2 continues without party-03, .* to coordinator'
	lying lists=2
	any_party_said 'keys as coordinator passed them on: key advertisement of party-0[0-3]: '\
'the signature does not fit' || fail "lists: $(<"$T/coordinator.stdout")"
	lying two=2
	any_party_said 'policy.allow_loss of party-0[01] is 3' ||
		fail "few: $(<"$T/coordinator.stdout")"
	lying returns=3
	any_party_said 'attempt 3 was offered with other parties or parameters than attempt 2' ||
		fail "returns: $(<"$T/coordinator.stdout")"
	edit job '.on_loss = "end"'
	lying gone=2
	any_party_said 'the offer leaves out parties, and job.on_loss is .*end' ||
		fail "end: $(<"$T/coordinator.stdout")"
}

# Makes the job as a coordinator in C offers it, because the liar has no defaults.
whole_job() {
	coordinator
	parties $PARTIES
	# shellcheck disable=SC2046 # words
	ends 0 coordinator $(names $PARTIES)
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
}

test_lies() { lies_of kmeans; }
test_lies_of_anchor() { lies_of fedsc-anchor; }
test_lies_of_fedgcn() { lies_of fedgcn; }

sample test_launch test_lies
run_tests "$@"
