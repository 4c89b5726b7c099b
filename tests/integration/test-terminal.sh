#!/bin/bash
# test-terminal.sh -- tests the tool's output in terminals of 40 and of 80 columns. Long lines are
# folded between words. A path stays whole, because a user may copy it. LOOK=1 prints all output.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=serve.sh
source "${0%/*}/serve.sh"

# Runs COMMAND in a terminal of its own and writes its lines to $T/shown.
shows() { # WIDTH COMMAND...
	command -v script >/dev/null || skip "no script(1), which makes terminals"
	script -qec "stty cols $1 rows 50; $(printf '%q ' "${@:2}") 2>/dev/null" /dev/null \
		</dev/null | tr -d '\r' >"$T/shown" || true
	[[ -s $T/shown ]] || fault "${*:2} shows nothing"
	[[ -z ${LOOK-} ]] || { echo "=== in $1: ${*:2}" && cat "$T/shown"; }
	# A single word may be too long, alone or after its heading.
	grep -E "^.{$(($1 + 1)),}" "$T/shown" | grep -Ev '^ *([a-z]+:? +)?[^ ,]+,?$' >"$T/wide" ||
		return 0
	fault "in $1 columns, beyond the side: ${*:2}: $(head -n 3 "$T/wide")"
}

fits() { # COMMAND...
	shows 40 "$@"
	shows 80 "$@"
}

test_jobs() {
	federation 3
	edit party-00 '.policy.max_jobs = 9'
	edit party-02 '.policy.max_words = 90000' # more than one job needs, less than two need
	all_stay 3
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "job 1 ended with $?"
	submits "$T/job.json" 2
	! job wait 2 >/dev/null 2>&1 || fail "job 2 is done"
	until_true 20 joined_times 3 || fail "they did not come back"
	# Wait until party-01 is admitted again. If it were stopped earlier, it would end with the
	# status of job 2, which failed.
	is_back() { tail -n 1 "$T/party-01.stderr" | grep -q admitted; }
	until_true 20 is_back || fail "party-01 did not come back"
	kill -TERM "${PID[party-01]}"
	ends 0 party-01
	submits "$T/job.json" 3
	becomes 3 "waiting for parties"
	local s=$T/out/coordinator/control.socket id
	fits "$BIN/coterie" status --socket "$s"
	grep -q 'away' "$T/shown" || fault "status does not say who is away: $(<"$T/shown")"
	fits "$BIN/coterie" status --socket "$T/out/party-00/control.socket"
	fits "$BIN/coterie" job --socket "$s" list
	for id in 1 2 3; do fits "$BIN/coterie" job --socket "$s" show "$id"; done
	fits "$BIN/coterie" doctor --config "$T/coordinator.json"
	fits "$BIN/coterie" doctor --config "$T/party-00.json"
	fits "$BIN/coterie" ledger list --state "$T/out/party-00/state"
	fits "$BIN/coterie" ledger verify --state "$T/out/party-00/state"
	fits "$BIN/coterie" show "$T/out/coordinator/job-000001"
	# Output to a pipe is not folded.
	[[ $("$BIN/coterie" ledger list --state "$T/out/party-00/state" | grep -c .) == \
		$("$BIN/coterie" ledger export --csv --state "$T/out/party-00/state" | sed 1d |
		grep -c .) ]] || fault "lines of the ledger are folded in a pipe"
	"$BIN/coterie" job --socket "$s" show 1 | grep -q '^text .*"kind".*"seed"' ||
		fault "the job's text is folded in a pipe"
}

# While launch measures what federation gains, the progress has that name, not the name of "coterie
# show", whose table is printed before.
test_progress_names_its_work() {
	federation 2
	command -v script >/dev/null || skip "no script(1), which makes terminals"
	script -qec "$(printf '%q ' "$BIN/coterie" launch --job "$T/job.json" --data "$T/pooled" \
		--parties 2 --out "$T/run")" /dev/null </dev/null >"$T/shown" ||
		fail "launch: $(<"$T/shown")"
	grep -q 'what federation gains: ' "$T/shown" || fail "no progress: $(<"$T/shown")"
	! grep -q 'coterie show: ' "$T/shown" || fail "another name: $(<"$T/shown")"
}

test_runs() {
	federation 3
	local out=$T/a/directory/with/a/long/name
	for run in one two; do
		"$BIN/coterie" launch --quiet --job "$T/job.json" --data "$T/pooled" --parties 2 \
			--out "$out/$run" >/dev/null 2>&1 || fail "launch ended with $?"
	done
	shows 40 "$BIN/coterie" show "$out/one" --verbose
	[[ $(sed -n '/^party-00$/,/^party-01$/s/^  \(.*\): .*/\1/p' "$T/shown" |
		paste -sd ' ') == "sent msgs out received msgs in rounds seconds" ]] ||
		fault "what a daemon sent and got is not told apart: $(<"$T/shown")"
	fits "$BIN/coterie" show "$out/one" --verbose --truth "$T/pooled/labels.txt"
	shows 40 "$BIN/coterie" compare "$out/one" "$out/two"
	grep -qx 'one' "$T/shown" || fault "the runs are not told apart: $(<"$T/shown")"
	shows 80 "$BIN/coterie" compare "$out/one" "$out/two"
	grep -Eq '^one +kcagc' "$T/shown" || fault "the runs are not told apart: $(<"$T/shown")"
}

run_tests "$@"
