#!/bin/bash
# Runs a sample of tests/faults/twins.sh: two jobs at once over one state. The script itself covers
# each budget and each step.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck disable=SC2034 # lib.sh reads it
TEST_TIMEOUT=300

cells() { # BUDGET STEP...
	local status=0
	# shellcheck disable=SC2046
	COTERIE_BIN=$BIN "$ROOT/tests/faults/twins.sh" --out "$T/cells.csv" \
		$(printf -- '--step %s ' "${@:2}") "$1" >"$T/said" 2>&1 || status=$?
	((status == 0)) || {
		tail -n 40 "$T/said" && grep ',wrong,' "$T/cells.csv" && fail "a cell is wrong"
	}
	[[ $(wc -l <"$T/cells.csv") == $(($# - 1)) ]] ||
		fail "$(($# - 1)) cells: $(<"$T/cells.csv")"
}

test_subsets() { cells subsets together person; }
test_privacy() { cells eps person keys; }
test_jobs() { cells jobs keys; }
test_matchings() { cells change person; }

# twins.sh must find overspending. In this test each party of the second job sets the jobs in its
# ledger to 0 when it starts.
test_overspending_is_found() {
	local status=0
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	mkdir "$T/bin"
	cp "$BIN"/co* "$T/bin"
	cat >"$T/bin/party" <<-END
		#!/bin/bash
		state=\$(dirname "\$2")/state/\$(basename "\$2" .json | sed 's/-b\$//')
		! [[ \$2 == *-b.json && -e \$state/ledger.db ]] ||
			sqlite3 -cmd '.timeout 9000' "\$state/ledger.db" 'UPDATE had SET jobs = 0'
		exec "$BIN/party" "\$@"
	END
	chmod +x "$T/bin/party"
	COTERIE_BIN=$T/bin "$ROOT/tests/faults/twins.sh" --step kmeans --out "$T/cells.csv" jobs \
		>"$T/said" 2>&1 || status=$?
	((status == 1)) || fail "status $status: $(tail -n 3 "$T/said")"
	grep -Eq ',wrong,(both jobs are done|party-0. gave numbers to 2 jobs)' "$T/cells.csv" ||
		fail "$(<"$T/cells.csv")"
}

sample test_privacy
run_tests "$@"
