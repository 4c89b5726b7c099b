#!/bin/bash
# Runs a sample of tests/faults/nemesis.sh, which describes the faults and the judgement of jobs.
# The sample has the same jobs and faults in each run. `make soak` runs it for longer.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck disable=SC2034 # lib.sh reads it
TEST_TIMEOUT=400

nemesis() { # STATUS OPTION...: writes its output to $T/said
	local status=0
	COTERIE_BIN=${SABOTAGED:-$BIN} "$ROOT/tests/faults/nemesis.sh" --seed 1 --short "${@:2}" \
		>"$T/said" 2>&1 || status=$?
	((status == $1)) || { cat "$T/said" && fail "status $status, expected $1"; }
}

# Moments are drawn, but the state of a process at a moment varies. So a failed run is repeated
# once, and reported.
test_some_jobs() {
	(nemesis 0 --seconds 20) || { echo "once more" && nemesis 0 --seconds 20; }
	grep '^jobs' "$T/said"
	grep -Eq '^jobs .*, wrong 0, faults [1-9].*; done' "$T/said" ||
		fail "nothing was struck: $(tail -n 1 "$T/said")"
}

# ---- finding errors: a coordinator with false records ----

# COMMANDS: the coordinator's process runs them after its job, in its output directory
sabotaged() {
	mkdir "$T/bin"
	ln -s "$BIN"/* "$T/bin"
	rm "$T/bin/coordinator"
	cat >"$T/bin/coordinator" <<-END
		#!/bin/bash
		[[ \$* != *reference* ]] || exec "$BIN/coordinator" "\$@"
		"$BIN/coordinator" "\$@" || exit
		cd "\$(grep -o -- '--out [^ ]*' <<<"\$*" | cut -d ' ' -f 2)"
		$1
	END
	chmod +x "$T/bin/coordinator"
	SABOTAGED=$T/bin
	nemesis 1 --jobs 1 --fault cut --kind tree
}

found() {
	grep -Eq -- "WRONG: .*$1" "$T/said" || { cat "$T/said" && fail "it does not find '$1'"; }
}

test_untrue_results_are_found() {
	sabotaged 'sed -i -E "3s/^([^,]*),[0-9]+/\1,9/" labels.csv; jq ".elapsed_s = 9999" '\
'run.json >new; mv new run.json'
	found 'coordinator/labels.csv differs from'
	found 'took 9999 s'
}

test_innocent_that_is_named_is_found() {
	sabotaged 'jq ".status = \"failed\" | .error = \"party-02 left\" | .exit_status = 2" '\
'run.json >new; mv new run.json; exit 5'
	found 'names party-02, which nothing happened to'
	found 'it should have been done'
	found 'the coordinator ended with 5'
	found 'party-01 says done, the coordinator does not'
}

sample
run_tests "$@"
