#!/bin/bash
# Runs a sample of tests/faults/nth.sh: failing file operations and allocations, and power losses.
# Also runs processes that get too little memory or too few threads from the host.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

SHIM=$ROOT/build/plain/tests/faults/shim.so


nth() {
	COTERIE_BIN=${PROGRAMS:-$BIN} "$ROOT/tests/faults/nth.sh" --out "$T/cells.csv" "$@" \
		>"$T/said" 2>&1
}

test_sample() {
	nth --runs 24 --seed 11 --jobs 4 || fail "a run is wrong: $(grep ',wrong,' "$T/cells.csv")"
	tail -n 1 "$T/said"
	[[ $(grep -Ec ',(survived|failed cleanly),' "$T/cells.csv") -ge 12 ]] ||
		fail "of 24 faults most did not happen"
}

# The power loss strikes a ledger and a state/served whose directory has just been made.
test_power_is_lost_in_the_first_job() {
	nth --cell "kmeans party-01 power 330 2" || fail "$(<"$T/cells.csv")"
	grep -q ',failed cleanly,' "$T/cells.csv" || fail "$(<"$T/cells.csv")"
}

# A party is killed in the middle of writing. The next process deletes half-written files, also in
# directories of jobs.
test_half_written_files_go() {
	local n io=0 left=''
	strikes() { # N: party-01, which stays, dies at its operation N
		rm -rf "$T/out"
		coordinator
		party party-00
		start party-01 env LD_PRELOAD="$SHIM" FAULT_UNDER="$T/out/party-01" \
			FAULT_COUNT="$T/count" FAULT_CLASS=io FAULT_HOW=die \
			FAULT_AT="$1" "$BIN/party" --config "$T/party-01.json" --coordinator \
			"$ADDRESS"
		ended coordinator
		ended party-00
		until_true 10 over || fail "party-01 neither ends nor is done"
	}
	over() { gone party-01 || said party-01 'job done'; }
	stops() { kill -TERM "${PID[party-01]}" 2>/dev/null || true && ended party-01; }
	federation 2
	edit party-01 '.retry_s = 0'
	strikes 0
	io=$(od -An -t u8 -N 8 "$T/count")
	stops
	for ((n = io; n > io - 40 && n > 0; n--)); do
		rm -f "$T/count"
		strikes "$n"
		stops
		left=$(find "$T"/out/party-01/job-* -name '*.tmp')
		[[ -z $left ]] || break
	done
	[[ $left ]] ||
		fail "none of the last $((io - n)) of $io operations leaves a file half written"
	for left in "$left" "$T/out/party-01/state/noise.key.99999-0.tmp" \
		"$T/out/party-01/state/offers/x.json.99999-1.tmp"; do
		mkdir -p "${left%/*}"
		echo half >"$left"
	done
	coordinator
	party party-00
	serves party-01
	ends 0 coordinator party-00
	[[ -z $(find "$T/out" -name '*.tmp') ]] || fail "left: $(find "$T/out" -name '*.tmp')"
}

# nth.sh finds errors: changed labels, and a row that is missing from the ledger.
test_wrong_ones_are_found() {
	mkdir "$T/bin"
	cp "$BIN"/co* "$T/bin"
	cat >"$T/bin/party" <<-END
		#!/bin/bash
		out=\$(grep -o -- '--out [^ ]*' <<<"\$*" | cut -d ' ' -f 2)
		"$BIN/party" "\$@" || exit
		[[ \$out == *coterie-nth.*/kmeans/* || \$out != *party-00 ]] ||
			sed -i '3s/,[0-9]*/,9/' "\$out/labels.csv"
		[[ \$out == *coterie-nth.*/flat/* || \$out != *party-02 ]] ||
			sqlite3 "\$out/state/ledger.db" 'DELETE FROM row WHERE number = 3'
	END
	chmod +x "$T/bin/party"
	! PROGRAMS=$T/bin nth --only short --runs 2 kmeans || fail "other labels were not found"
	[[ $(grep -c 'wrong,party-00 has other labels' "$T/cells.csv") == 2 ]] ||
		fail "$(<"$T/cells.csv")"
	command -v sqlite3 >/dev/null || return 0
	sed -i '/party-00/d' "$T/bin/party"
	! PROGRAMS=$T/bin nth --only short --runs 2 flat || fail "a row that is gone was not found"
	[[ $(grep -c 'wrong,the ledger of party-02' "$T/cells.csv") == 2 ]] ||
		fail "$(<"$T/cells.csv")"
}

# ---- missing resources of the host ----

limited() { # NAME KIB PROGRAM ARG...
	# shellcheck disable=SC2016
	start "$1" bash -c 'ulimit -v "$1"; shift; exec "$@"' x "$2" "${@:3}"
}

# A process with too little address space neither hangs nor crashes, but ends with 5. With more than
# 300 MiB a party may also end with 0, and a coordinator with 6 on SIGTERM.
test_address_space() {
	local mib
	federation 2
	for name in coordinator party-00 party-01; do
		edit "$name" '.step_timeout_s = 5 | .threads = 2'
	done
	for mib in 90 200 340 600; do
		rm -rf "$T/out" "$T/ready"
		coordinator
		party party-00
		limited party-01 $((mib * 1024)) "$BIN/party" --config "$T/party-01.json" --once \
			--out "$T/out/party-01" --coordinator "$ADDRESS"
		ended party-01
		[[ $STATUS == 5 || $STATUS == 0 && $mib -gt 300 ]] ||
			fail "a party in $mib MiB ended with $STATUS"
		((STATUS == 0)) ||
			says party-01 \
			'out of memory|needs 6 threads|OpenBLAS cannot have its buffers'
		kill -TERM "${PID[coordinator]}" 2>/dev/null || true
		ended coordinator
		ended party-00
		limited coordinator $((mib * 1024)) "$BIN/coordinator" --config \
			"$T/coordinator.json" --job "$T/job.json" --out "$T/out/limited" \
			--ready-file "$T/listens"
		until_true 10 eval 'gone coordinator || [[ -s $T/listens ]]'
		gone coordinator || kill -TERM "${PID[coordinator]}"
		ended coordinator
		[[ $STATUS == 5 || $STATUS == 6 && $mib -gt 300 ]] ||
			fail "a coordinator in $mib MiB ended with $STATUS"
		rm -f "$T/listens"
	done
}

# All allocations from the n-th on fail, also in libraries. --check-config succeeds, or ends with 5.
test_memory_is_out() {
	local n status
	rows_federation 2
	edit coordinator '.join_timeout_s = 1'
	# shellcheck disable=SC2046 # two words
	for n in 200 6000 9500 12000 18000 22300 23200 24500; do
		for program in coordinator party; do
			status=0
			FAULT_CLASS=alloc FAULT_HOW=null+ FAULT_AT=$n timeout 30 env \
				LD_PRELOAD="$SHIM" \
				"$BIN/$program" --config "$T/${program/party/party-00}.json" \
				$([[ $program == party ]] || echo --job "$T/job.json") \
				--check-config >"$T/$program.stdout" 2>"$T/$program.stderr" ||
				status=$?
			((status == 0)) ||
				{ ((status == 5)) && said "$program" 'out of memory'; } ||
				fail "$program without memory from allocation $n on: status \
$status, $(tail -n 1 "$T/$program.stderr")"
		done
	done
}

# All allocations from the n-th on fail, for every 700th n until the party comes to dial. libseccomp
# makes some 2000 allocations and does not check them.
test_memory_is_out_at_the_start() {
	local n status=5
	federation 2
	edit party-01 '.retry_s = 1'
	for ((n = 500; n < 200000 && status == 5; n += 700)); do
		status=0
		FAULT_CLASS=alloc FAULT_HOW=null+ FAULT_AT=$n timeout $((PATIENCE * 20)) env \
			LD_PRELOAD="$SHIM" "$BIN/party" \
			--config "$T/party-01.json" --once --coordinator 127.0.0.1:1 \
			>"$T/party.stdout" 2>"$T/party.stderr" || status=$?
		cat "$T/party.stderr" >>"$T/all.stderr"
		((status == 2)) || {
			((status == 5)) &&
				said party \
				'out of memory|no thread can be started|cannot have its buffers'
		} ||
			fail "without memory from allocation $n on: status $status, $(tail -n 1 \
			"$T/party.stderr")"
	done
	says all 'out of memory: none for the filter of system calls'
}

# The other processes time out and the job ends. The process whose library spins ends with 5,
# because its computation has not ended 30 s after the job.
test_a_job_thread_that_never_returns() {
	federation 2
	echo 'void cblas_dsyrk(void) { for (;;) ; } void cblas_dgemm(void) { for (;;) ; }' \
		>"$T/spin.c"
	gcc -shared -fPIC -w -o "$T/spin.so" "$T/spin.c"
	for name in coordinator party-00 party-01; do edit "$name" '.step_timeout_s = 3'; done
	coordinator
	party party-00
	start party-01 env LD_PRELOAD="$T/spin.so" "$BIN/party" --config "$T/party-01.json" --once \
		--out "$T/out/party-01" --coordinator "$ADDRESS"
	ends 3 coordinator party-00
	ended party-01 45
	[[ $STATUS == 5 ]] || fail "status $STATUS"
	says party-01 'the job is over \(.*\), but its computation has not ended for 30 s'
	[[ $(run_of party-01 .status) == failed && $(run_of party-01 .exit_status) == 5 ]] ||
		fail "run.json: $(run_of party-01 .status)"
}

sample
run_tests "$@"
