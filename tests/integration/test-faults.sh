#!/bin/bash
# Runs a sample of the faults that `make soak` runs in full. tests/faults/faults.sh describes the
# faults, and when the end of a job is right. The cells are the same in each run until the list of
# protocols changes.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck disable=SC2034 # lib.sh reads it
TEST_TIMEOUT=300

strikes() { # CELLS OPTION...
	local status=0
	COTERIE_BIN=$BIN "$ROOT/tests/faults/faults.sh" --sample "$1" --out "$T/cells.csv" \
		"${@:2}" >"$T/said" 2>&1 || status=$?
	((status == 0)) || {
		tail -n 40 "$T/said" && grep ',wrong,' "$T/cells.csv" && fail "a cell is wrong"
	}
	tail -n 1 "$T/said"
	# Most of the faults did strike.
	[[ $(grep -Ec ',(survived|failed cleanly),' "$T/cells.csv") -ge $(($1 * 3 / 4)) ]] ||
		fail "of $1 cells most did not happen"
}

test_killed_stopped_and_cut() { strikes 18 --only kill --only term --only stop3 --only cut; }

test_gone_for_good() { strikes 8 --only gone kmeans fedgcn; }

test_stopped_for_long() { strikes 2 --only stop30 tree fedsc-anchor; }

test_full_disk() {
	((EUID == 0)) || skip "needs root, for a small tmpfs"
	[[ -c /dev/net/tun ]] || skip "needs /dev/net/tun"
	strikes 8 --only disk
}

# faults.sh finds a wrong result: party-00's labels differ from those of the run without a fault.
others_are_found() { # WHAT WRONG CELLS OPTION...
	local status=0
	mkdir "$T/bin"
	cp "$BIN"/co* "$T/bin"
	cat >"$T/bin/party" <<-END
		#!/bin/bash
		out=\$(grep -o -- '--out [^ ]*' <<<"\$*" | cut -d ' ' -f 2)
		[[ \$out == *party-00 && \$out == *fault* && \$out != *faults* ]] ||
			exec "$BIN/party" "\$@"
		"$BIN/party" "\$@" || exit
		sed -i '3s/,[0-9]*/,9/' "\$out/labels.csv"
	END
	chmod +x "$T/bin/party"
	COTERIE_BIN=$T/bin "$ROOT/tests/faults/faults.sh" --sample "$3" --out "$T/cells.csv" \
		"${@:4}" >"$T/said" 2>&1 || status=$?
	((status == 1)) || fail "status $status: $(tail -n 3 "$T/said")"
	[[ $(grep -Ec "wrong,$1" "$T/cells.csv") == "$2" ]] || fail "$(<"$T/cells.csv")"
}

test_other_labels_are_found() {
	others_are_found 'party-00 has other labels' 2 2 --only cut kmeans
}
test_other_labels_of_the_rest_are_found() {
	others_are_found 'party-00 has other labels' 2 4 --only gone kmeans
}

sample
run_tests "$@"
