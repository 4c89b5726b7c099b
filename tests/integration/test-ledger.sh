#!/bin/bash
# Compares a party's ledger with the coordinator's counts, and tests policies that use the ledger.
#
#     party-00: ledger.db -> its rows are the messages and bytes that the coordinator received
#               tampered  -> coterie ledger verify finds it, with its own and its peers' records
#               full disk -> the job ends, and nothing leaves the party
#               budgets, other parties, approval -> the job is refused, and all learn why
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

FRAME_HEADER=20

ledger() { # ACTION PARTY [ARG...]
	"$BIN/coterie" ledger "$1" --state "$T/out/$2/state" "${@:3}"
}

verify_finds() { # REGEX PARTY [ARG...]
	local status=0
	ledger verify "${@:2}" >"$T/verify.stdout" 2>"$T/verify.stderr" || status=$?
	((status == 1)) || fail "verify of $2 ended with $status: $(cat "$T"/verify.*)"
	grep -Eq -- "$1" "$T/verify.stdout" ||
		fail "verify does not say '$1': $(cat "$T/verify.stdout")"
}

is_whole() { # PARTY [ARG...]
	ledger verify "$@" >"$T/verify.stdout" 2>&1 ||
		fail "the ledger of $1: $(cat "$T/verify.stdout")"
}

# Prints "TYPE MESSAGES BYTES" for each type of the job, by_rows from the ledger, by_wire from the
# coordinator's record.
by_rows() { ledger export "$1" --csv | tail -n +2 | sed 's/"[^"]*",//g' |
	awk -F, '{ n[$5]++; b[$5] += $6 } END { for (t in n) print t, n[t], b[t] }' | sort; }
by_wire() {
	run_of coordinator ".traffic[] | select(.peer == \"$1\" and .messages_received > 0)
		| select(.type | IN(\"ACK\", \"HEARTBEAT\", \"HELLO\", \"PADDING\", \"RESUME\") | \
not)
		| \"\(.type) \(.messages_received) \(.bytes_received - $FRAME_HEADER * \
.messages_received)\"" | sort
}

rows_are_the_wire() { # PARTY
	by_rows "$1" >"$T/rows"
	by_wire "$1" >"$T/wire"
	[[ -s $T/rows ]] || fail "$1 has no rows"
	diff "$T/rows" "$T/wire" >"$T/diff" ||
		fail "$1: rows (<) and wire (>) differ: $(cat "$T/diff")"
}

heads_agree() { # L: each run.json has the head of every ledger, and each ledger fits all of them
	local name other args
	for name in $(names "$1"); do
		args=(--against "$T/out/coordinator/run.json")
		for other in $(names "$1"); do
			args+=(--against "$T/out/$other/run.json")
			[[ $other == "$name" ]] || args+=(--against "$T/out/$other/state/ledger.db")
		done
		is_whole "$name" "${args[@]}"
		grep -Eq "held against $((2 * $1)) heads" "$T/verify.stdout" ||
			fail "$name: $(cat "$T/verify.stdout")"
		[[ $(run_of "$name" .ledger.count) == $(ledger export "$name" --csv | tail -n +2 |
			wc -l) ]] ||
			fail "$name/run.json has another count than its ledger"
	done
}

run_job() { # L [COORDINATOR-ARG...]
	coordinator "${@:2}"
	parties "$1"
	completes "$1"
}

# ---- rows ----

test_rows_are_what_was_sent() {
	federation 4
	run_job 4
	local name
	for name in $(names 4); do rows_are_the_wire "$name"; done
	heads_agree 4
	ledger list party-02 | grep 'masked term of a sum over party-02, party-03$' >/dev/null ||
		fail "no row names the pair"
	ledger list party-02 | grep 'local cluster of each node, unmasked' >/dev/null ||
		fail "no row says what LOCAL_CLUSTERS is"
	local masked
	masked=$(ledger export party-02 --csv | awk -F, '/,MASKED,/ && /,yes,/' | wc -l)
	[[ $masked == $(ledger export party-02 --csv | grep -c ',MASKED,') ]] ||
		fail "a masked row is not called so"
	# every body has a hash, and no two masked bodies are equal
	[[ $(ledger export party-02 --csv | grep ',MASKED,' | grep -Eo ',[0-9a-f]{64},yes' |
		sort -u | wc -l) == "$masked" ]] ||
		fail "masked bodies repeat"
	[[ $(stat -c %a "$T/out/party-02/state/ledger.db") == 600 ]] ||
		fail "others may read the ledger"
}

test_rows_of_every_kind() {
	local kind
	rows_federation 3
	for kind in kmeans anchor paper; do
		rows_job "$kind"
		allows 3 \
			"$(jq -r '.kind + (if .variant == "paper" then ".paper" else "" end)' \
			"$T/job.json")"
		rm -rf "$T/out"
		coordinator
		parties 3
		ends 0 coordinator party-00 party-01 party-02
		rows_are_the_wire party-01
		heads_agree 3
	done
}

test_a_lost_connection_is_no_new_row() {
	federation 2
	coordinator
	local real=$ADDRESS
	relay relay 30
	ADDRESS=$RELAY party party-00
	ADDRESS=$real party party-01
	in_phase party-00 level-1
	kill -HUP "${PID[relay]}"
	completes 2
	(($(run_of party-00 '[.peers[].reconnects] | add') > 0)) || fail "no connection was lost"
	rows_are_the_wire party-00
	heads_agree 2
}

test_jobs_follow_each_other() {
	federation 2
	local first
	run_job 2
	first=$(run_of party-00 .job_id)
	cp "$T/out/party-01/run.json" "$T/earlier.json"
	run_job 2 --seed 8
	is_whole party-00 --against "$T/earlier.json" --against "$T/out/party-01/state/ledger.db"
	grep -q 'held against 3 heads' "$T/verify.stdout" || fail "$(cat "$T/verify.stdout")"
	[[ $(ledger list party-00 --job "${first:0:8}" | wc -l) -lt $(ledger list party-00 |
		wc -l) ]] ||
		fail "--job does not choose"
	[[ -z $(ledger list party-00 --since 2100-01-01) &&
		-n $(ledger list party-00 --since 2020-01-01T00:00:00Z) ]] ||
		fail "--since does not choose"
}

# A party is killed during the job. Its ledger is whole, and has the local clusters that it had
# sent.
test_killed() {
	federation 2
	edit coordinator '.rejoin_s = 0'
	coordinator
	relay relay 30
	ADDRESS=$RELAY parties 2
	in_phase party-00 level-1
	kill -KILL "${PID[party-00]}"
	ended party-00
	ended coordinator
	ended party-01
	is_whole party-00
	ledger list party-00 | grep LOCAL_CLUSTERS >/dev/null ||
		fail "what was sent before the kill is not in the ledger"
}

# The ledger is deleted while it is in use. The party notices before the next message leaves.
test_removed_in_the_job() {
	federation 2
	coordinator
	relay relay "$(longer 30)"
	ADDRESS=$RELAY parties 2
	in_phase party-00 level-1
	rm "$T/out/party-00/state/ledger.db"
	for name in coordinator party-00 party-01; do
		ended "$name"
		[[ $STATUS =~ ^[124]$ ]] || fail "$name ended with $STATUS"
	done
	party_says 'ledger.db was removed or replaced while it was in use: nothing more leaves'
	[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/party-01/labels.csv ]] ||
		fail "there are labels"
}

# ---- tampering ----

sql() { sqlite3 "$T/out/party-00/state/ledger.db" "$1"; }

test_tampered() {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	federation 2
	run_job 2
	cp -a "$T/out/party-00/state" "$T/kept"
	again() { rm -rf "$T/out/party-00/state" && cp -a "$T/kept" "$T/out/party-00/state"; }
	sql "UPDATE row SET bytes = 1 WHERE number = 3"
	verify_finds 'row 3 .*changed' party-00
	again
	sql "DELETE FROM row WHERE number = 4"
	verify_finds 'row 4 was removed' party-00
	again
	sql "UPDATE row SET number = 99 WHERE number = 4; UPDATE row SET number = 4 WHERE number = \
5; UPDATE row SET number = 5 WHERE number = 99"
	verify_finds 'row 5 is out of order' party-00
	again
	sql "DELETE FROM row WHERE number > 5"
	verify_finds 'the end was cut off' party-00
	# A carefully cut ledger verifies. Only run.json files and other ledgers show the cut.
	sql "UPDATE meta SET count = 5, hash = (SELECT hash FROM row WHERE number = 5)"
	is_whole party-00
	verify_finds 'the end was cut off: rows 6 to [0-9]+ are missing, of which party-01' \
		party-00 --against "$T/out/party-01/run.json"
	verify_finds 'of which party-01' party-00 --against "$T/out/party-01/state/ledger.db"
	verify_finds 'of which coordinator' party-00 --against "$T/out/coordinator/run.json"
	verify_finds 'of which party-00' party-00 --against "$T/out/party-00/run.json"
}

# ---- a full disk ----

# The party's files may grow to KIB blocks of 1 KiB and no further.
limited_party() { # NAME KIB
	# shellcheck disable=SC2016
	start "$1" bash -c 'trap "" XFSZ; ulimit -f "$1"; exec "${@:2}"' bash "$2" \
		"$BIN/party" --config "$T/$1.json" --once --out "$T/out/$1" --coordinator "$ADDRESS"
}

test_full_disk_stops_sending() {
	federation 2
	edit job '.restarts = 30 | .iterations = 60'
	coordinator
	limited_party party-00 96
	party party-01
	ends 1 coordinator party-00 party-01
	says party-00 'ledger.db: cannot be written'
	party_says 'ledger.db: cannot be written'
	says party-01 'coordinator says: party-00 says: the job failed there'
	is_whole party-00
	# All messages except ABORT that left the party are in the ledger.
	by_rows party-00 >"$T/rows"
	by_wire party-00 | grep -v ^ABORT >"$T/wire"
	diff <(grep -v ^ABORT "$T/rows") "$T/wire" >"$T/diff" ||
		fail "rows (<) and wire (>) differ: $(cat "$T/diff")"
}

test_no_ledger_no_job() {
	federation 2
	mkdir -p "$T/out/party-00/state"
	echo 'this was a ledger once' >"$T/out/party-00/state/ledger.db"
	coordinator
	parties 2
	ended coordinator
	((STATUS == 4)) || fail "the coordinator ended with $STATUS"
	party_says 'ledger.db is no ledger'
	ended party-00
	ended party-01
}

# The ledger is made at the start, so no job waits for a new file. A damaged file is reported at
# once.
test_made_at_the_start() {
	federation 2
	export ADDRESS=127.0.0.1:1
	mkdir -p "$T/out/party-01/state"
	echo 'this was a ledger once' >"$T/out/party-01/state/ledger.db"
	parties 2
	soon_says party-00 'dialling'
	is_whole party-00
	soon_says party-01 'dialling'
	sed '/dialling/q' "$T/party-01.stderr" | grep -q 'ledger.db is no ledger' ||
		fail "party-01 says nothing of its ledger: $(<"$T/party-01.stderr")"
	for name in party-00 party-01; do
		kill -TERM "${PID[$name]}"
		ended "$name"
	done
}

# ---- policy ----

# All end with status 2. The log of NAME matches REGEX; the others say that NAME declined the job.
declined() { # NAME REGEX
	local name why='its policy does not allow this job|no user approved it'
	ends 2 coordinator party-00 party-01
	party_says "$2"
	for name in coordinator party-00 party-01; do
		[[ $1 == "$name"* || "$name" == "$1"* ]] ||
			says "$name" "$1.* (says|declined the job): ($why)"
	done
}

test_budget_of_jobs() {
	federation 2
	edit party-01 '.policy.max_jobs = 1'
	run_job 2
	coordinator
	parties 2
	declined \
		party-01 'it would be job 2 of coordinator over this data, attempts counted, '\
'policy.max_jobs of party-01 is 1'
	# other data have a budget of their own
	head -n -1 "$T/data/party-00/edges.tsv" >"$T/fewer"
	for name in party-00 party-01; do cp "$T/fewer" "$T/data/$name/edges.tsv"; done
	run_job 2
}

# The budget also counts during a job: a sum that would exceed it is not sent.
test_budget_of_words() {
	federation 2
	edit party-00 '.policy.max_words = 1000'
	coordinator
	parties 2
	declined \
		party-00 'coordinator would have [0-9]+ numbers of this data, policy.max_words '\
'of party-00 is 1000'
	(($(ledger export party-00 --csv | sed 's/"[^"]*",//g' |
		awk -F, '{ n += $10 } END { print n }') <= 1000)) ||
		fail "party-00 sent more than it may"
}

# Sealed batches that parties send each other count too. In this job the batches have the rows of
# some of a party's nodes.
test_budget_of_batches() {
	edges_federation 2
	local ids
	coordinator
	parties 2
	ends 0 coordinator party-00 party-01
	ids=$(ledger export party-00 --csv | sed 's/"[^"]*",//g' |
		awk -F, '$5 == "IDS" { n += $10 } END { print n }')
	rm -r "$T/out"
	edit party-00 ".policy.max_words = $ids"
	coordinator
	parties 2
	declined \
		party-00 "coordinator would have [0-9]+ numbers of this data, policy.max_words of \
party-00 is $ids"
	! grep -q 'rows of some own nodes' <<<"$(ledger export party-00 --csv)" ||
		fail "the batch was sent"
}

rows_are_done() { # [COORDINATOR-ARG...]
	coordinator "$@"
	parties 2
	ends 0 coordinator party-00 party-01
}

# Two jobs of eps 1 compose to eps 1.465 at the same delta. Other data with the same data.name
# continue the same account. A job that would exceed policy.max_eps_total, or that claims no
# differential privacy, is declined.
test_budget_of_privacy() {
	rows_federation 2
	rows_job kmeans '.noise = { on: "sums", eps: 1, delta: 1e-5, clip: 20, colluders: 1 }'
	edit party-01 '.data.name = "customers" | .policy.max_eps_total = 1.5'
	rows_are_done
	cp "$T"/data/party-00/* "$T/data/party-01/"
	rows_are_done --seed 8
	[[ $(run_of \
		party-01 '.facts | [.eps_spent, .eps_spent_all_jobs * 1000,
			.delta_of_all_jobs * 1e6 | round]' | jq -c .) == '[1,1465,10]' ]] ||
		fail "party-01 has spent $(run_of party-01 .facts)"
	coordinator
	parties 2
	declined \
		party-01 'jobs of the data set .*customers.* would come to eps 1\.835 at delta '\
'1e-05 of each row, policy\.max_eps_total of party-01 is 1\.5: a job with this delta may claim '\
'eps 0\.263 more'
	edit job '.noise.eps = 0.26'
	rows_are_done
	"$BIN/coterie" ledger budget --config "$T/party-01.json" >"$T/budget"
	grep -q 'of each row .*claimed 3 times; of policy.max_eps_total 1.5 eps 0.0[0-9]* is left' \
		"$T/budget" || fail "$(<"$T/budget")"
	edit job 'del(.noise)'
	coordinator
	parties 2
	declined \
		party-01 'kind kmeans claims no differential privacy, policy\.max_eps_total of '\
'party-01 is 1\.5'
	is_whole party-01
}

test_coordinators_and_cells() {
	federation 2
	edit party-00 '.policy.coordinators = ["party-01"]'
	coordinator
	parties 2
	declined party-00 \
		'offered by coordinator, which policy.coordinators of party-00 does not name'
	edit party-00 '.policy.coordinators = ["coordinator"] | .policy.min_cell = 3'
	coordinator
	parties 2
	declined party-00 'cells of 1 nodes .*policy.min_cell of party-00 is 3'
	run_job 2 --set min_cell=3 --set polish=0
}

# A job over the same data without one party would reveal that party's contribution, so the job is
# refused unless the other parties set policy.allow_subsets.
test_other_parties() {
	federation 3
	run_job 3
	edit coordinator '.parties = ["party-00", "party-01"]'
	coordinator
	parties 2
	declined \
		party-0 'of party-00 party-01, but an earlier one over the same data was of '\
'party-00 party-01 party-02: policy.allow_subsets of party-0[01] is false'
	for name in party-00 party-01; do edit "$name" '.policy.allow_subsets = true'; done
	coordinator
	parties 2
	ends 0 coordinator party-00 party-01
}

# ---- approval by a user ----

approve() { # PARTY ARG...
	"$BIN/coterie" approve --state "$T/out/$1/state" "${@:2}" >"$T/approve.stdout" \
		2>"$T/approve.stderr"
}

asked() { # PARTY: waits until PARTY asks for approval; sets $ID to the job's id
	soon_says "$1" 'waits for approval'
	ID=$(basename "$(ls "$T/out/$1"/state/offers/*.json)" .json)
}

confirming() { # ANSWER-TIME: starts a job in which party-01 asks for approval
	federation 2
	edit party-01 ".policy.confirm = true | .confirm_s = $1"
	coordinator
	parties 2
	asked party-01
}

test_a_person_agrees() {
	confirming 60
	soon_says coordinator 'waiting for party-01, where a user decides'
	approve party-01 --list || fail "approve --list: $(cat "$T/approve.stderr")"
	grep -q "^$ID .*kcagc, offered by coordinator" "$T/approve.stdout" ||
		fail "--list: $(cat "$T/approve.stdout")"
	sleep 2 # more than heartbeat_s; no process may give up
	! gone coordinator || fail "the coordinator did not wait"
	approve party-01 "${ID:0:6}" || fail "approve: $(cat "$T/approve.stderr")"
	grep -q 'Disclosures:' "$T/approve.stdout" || fail "approve does not say what is shown"
	grep -q 'Parties: party-00 party-01' "$T/approve.stdout" ||
		fail "approve does not say who takes part"
	ends 0 coordinator party-00 party-01
	says party-01 'a user approved'
	approve party-01 --list
	grep -q 'no offer waits' "$T/approve.stdout" || fail "an answered offer waits"
	ledger list party-01 | grep ASKING >/dev/null || fail "no row says that a person was asked"
}

# A crash leads to a new attempt: the user is asked once, and the ledger counts two attempts.
test_attempts_are_asked_once_and_counted() {
	federation 2
	edit party-01 '.policy.confirm = true | .confirm_s = 60'
	for name in coordinator party-00 party-01; do edit "$name" '.rejoin_s = 10'; done
	coordinator
	relay relay 30
	ADDRESS=$RELAY parties 2
	asked party-01
	approve party-01 "$ID" || fail "approve: $(cat "$T/approve.stderr")"
	in_phase party-01 level-1
	kill -KILL "${PID[party-00]}"
	ended party-00
	soon_says coordinator 'waiting for party-00, for up to'
	ADDRESS=$RELAY party party-00
	ends 0 coordinator party-00 party-01
	(($(run_of party-01 .attempt) > 1)) || fail "there was one attempt"
	[[ $(grep -c 'waits for approval' "$T/party-01.stderr") == 1 ]] ||
		fail "party-01 asked again"
	[[ $(ledger export party-01 --csv | tail -n +2 | cut -d, -f4 | sort -u |
		xargs) == "1 2" ]] ||
		fail "the ledger has attempts $(ledger export party-01 --csv | tail -n +2 |
		cut -d, -f4 | sort -u | xargs)"
	heads_agree 2
}

test_a_person_refuses() {
	confirming 60
	approve party-01 "$ID" --refuse 'not before the contract is signed'
	declined party-01 'a user at party-01 refused the job: not before the contract is signed'
}

# Root's answer belongs to the owner of the state, who must be able to read it.
test_root_answers() {
	((EUID == 0)) || skip "only root writes as another user"
	confirming 60
	chmod a+x "$T" "$T/out" "$T/out/party-01"
	chown -R nobody "$T/out/party-01/state"
	kill -STOP "${PID[party-01]}"
	approve party-01 "$ID" || fail "approve: $(cat "$T/approve.stderr")"
	[[ $(stat -c %U "$T/out/party-01/state/offers/$ID.answer") == nobody ]] ||
		fail "the answer is of $(stat -c %U "$T/out/party-01/state/offers/$ID.answer")"
	kill -CONT "${PID[party-01]}"
	ends 0 coordinator party-00 party-01
}

test_nobody_answers() {
	confirming 1
	ends 3 coordinator party-00 party-01
	party_says 'nobody at party-01 answered within confirm_s, 1 s'
	[[ -z $(ls "$T/out/party-01/state/offers") ]] || fail "the offer still waits"
	! approve party-01 "$ID" || fail "an offer that is over was answered"
}

# An answer for a job with other parameters is copied to where the party looks for its answer. The
# party must not accept it.
test_answer_to_other_parameters() {
	local first
	confirming 60
	first=$ID
	approve party-01 "$ID" || fail "approve: $(cat "$T/approve.stderr")"
	ends 0 coordinator party-00 party-01
	cp "$T/out/party-01/state/offers/$first.answer" "$T/kept" || fail "the answer is gone"
	rm -f "$T/out/party-01/state/offers/"*
	edit job '.clusters = 4'
	edit party-01 '.confirm_s = 3'
	coordinator
	parties 2
	asked party-01
	cp "$T/kept" "$T/out/party-01/state/offers/$ID.answer"
	ends 3 coordinator party-00 party-01
	says party-01 "$ID.answer is ignored: it answers another offer .other parameters.* $ID"
	says party-01 'nobody at party-01 answered within confirm_s, 3 s'
	[[ -z $(find "$T/out" -newer "$T/kept" -name labels.csv) ]] || fail "labels in spite of it"
}

test_stopped_while_asking() {
	confirming 60
	kill -TERM "${PID[party-01]}"
	ends 6 party-01
	ends 2 coordinator party-00
	[[ -z $(ls "$T/out/party-01/state/offers") ]] || fail "the offer still waits"
}

sample test_rows_are_what_was_sent test_tampered test_budget_of_privacy test_a_person_agrees
run_tests "$@"
