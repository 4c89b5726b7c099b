#!/bin/bash
# Tests coterie prune, which deletes old results of jobs.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

test_prune() {
	local old out=$T/out/party-00
	federation 2
	for _ in 1 2; do
		coordinator
		parties 2
		ends 0 coordinator party-00 party-01
	done
	old=$(cd "$out" && echo job-*)
	[[ -d $out/$old ]] || fail "no results of the first job"
	find "$out/$old" -type f -exec touch -d '100 days ago' {} +
	COLUMNS=300 "$BIN/coterie" prune "$out" --days 90 >"$T/said"
	grep -q "$old" "$T/said" || fail "it does not name $old"
	grep -q 'would be removed, with --yes: 1 of 3' "$T/said" || # 2 of the 3 are models
		fail "said: $(cat "$T/said")"
	[[ -s $out/$old/run.json ]] || fail "gone without --yes"
	COLUMNS=40 "$BIN/coterie" prune "$out" --days 90 --yes | awk 'length > 40 { exit 1 }' ||
		fail "a line longer than 40"
	[[ ! -e $out/$old ]] || fail "not gone"
	[[ $(run_of party-00 .status) == "done" && -s $out/state/ledger.db ]] ||
		fail "too much is gone"
	"$BIN/coterie" prune "$out" --days 90 --yes | grep -q 'nothing to remove' ||
		fail "something is left to remove"
	! "$BIN/coterie" prune "$out" 2>/dev/null || fail "without a bound"
	! "$BIN/coterie" prune "$T/nowhere" --days 1 2>"$T/nowhere.stderr" || fail "no directory"
	says nowhere 'there is no such directory'
	coordinator
	parties 2
	completes 2
}

run_tests "$@"
