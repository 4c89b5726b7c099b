#!/bin/bash
# Tests scripts/bench defaults. It runs equivalent forms of a data set, which must be as accurate as
# the set itself. A loss of accuracy is a failure.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck disable=SC2034 # lib.sh reads it
TEST_TIMEOUT=400

bench() { # ARG...: sets $status to its exit status
	/usr/bin/python3 -c 'import scipy.io' 2>/dev/null || skip 'no SciPy'
	[[ -e $T/sets ]] || "$BIN/coterie" synth --nodes 150 --features 60 --clusters 4 \
		--out "$T/sets/bat" >/dev/null
	export COTERIE_DATA=$T/sets COTERIE_BIN=$BIN
	status=0
	"$ROOT/scripts/bench" defaults --set bat --methods landmark --parties 2 --out "$T/o" "$@" \
		</dev/null >"$T/said" 2>&1 || status=$?
}

cell_of() { # ROW
	awk -F , -v row="$1" '$1 == "bat" && $2 == row { print $4 "," $12 }' "$T/o/defaults.csv"
}

test_presentations() {
	bench
	((status == 0)) || fail "exit status $status: $(tail -n 5 "$T/said")"
	for how in asis permuted times1000 foreign doubled empty scaled; do
		[[ $(cell_of $how) == *,met ]] || fail "$how: $(<"$T/o/defaults.csv")"
	done
	for how in times1000 scaled; do # other numbers for the same words
		[[ $(cell_of $how) == "$(cell_of asis)" ]] || fail "$how: $(<"$T/o/defaults.csv")"
	done
	grep -q '^| foreign | .*0[.][0-9]* |' "$T/o/defaults.md" || fail "$(<"$T/o/defaults.md")"
}

test_what_fell() {
	printf '%s\n%s\n' set,row,column,value 'bat,asis,landmark L=2,1.2' >"$T/before.csv"
	bench --only asis --since "$T/before.csv"
	((status == 1)) || fail "exit status $status"
	[[ $(cell_of asis) == *,missed ]] || fail "$(<"$T/o/defaults.csv")"
	bench --only asis --since "$T/none.csv"
	((status == 4)) || fail "exit status $status for a missing file"
}

run_tests "$@"
