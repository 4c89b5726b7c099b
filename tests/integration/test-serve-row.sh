#!/bin/bash
# Runs COTERIE_JOBS jobs through one coordinator and the same parties. The default of test_row is 20
# jobs, or 12 in a sample; make soak runs 200.
. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/serve.sh"

# Memory, descriptors and the time of a job hardly grow.
test_row() {
	local n=${COTERIE_JOBS-$([[ ${COTERIE_SAMPLE-} ]] && echo 12 || echo 20)} id name began
	federation 3
	edit job '.restarts = 1 | .local_restarts = 1 | .starts = 2'
	edit_parties 3 '.retry_s = 0'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	began=$EPOCHREALTIME
	for ((id = 1; id <= n; id++)); do job submit "$T/job.json" >/dev/null; done
	until_true 60 is $((n / 4)) "done" || fail "job $((n / 4)) is $(shown $((n / 4)) .state)"
	for name in coordinator $(names 3); do taken "$name" >"$T/$name.before"; done
	until_true $((60 + 3 * n)) is "$n" "done" || fail "job $n is $(shown "$n" .state)"
	echo "$n jobs in $(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }') s"
	for name in coordinator $(names 3); do
		taken "$name" >"$T/$name.after"
		read -r kib files <"$T/$name.before"
		read -r kib_now files_now <"$T/$name.after"
		echo "$name: $kib KiB and $files descriptors after $((n / 4)) jobs, $kib_now and \
$files_now after $n"
		((kib_now < kib + 8192 + kib / 10)) ||
			fault \
			"$name took $kib KiB after $((n / 4)) jobs and takes $kib_now after $n"
		((files_now <= files + 4)) ||
			fault "$name had $files descriptors open and has $files_now"
	done
	job list --most "$n" --json >"$T/list.json"
	[[ $(jq '[.[] | select(.state == "done" and .attempts == 1)] | length' \
		"$T/list.json") == "$n" ]] || fail "not all are done: $(job list --most "$n")"
	[[ $(find "$T/out/coordinator" -name labels.csv | wc -l) == "$n" ]] ||
		fail "results are missing"
	for ((id = 2; id <= n; id++)); do
		cmp -s "$T/out/coordinator/job-000001/labels.csv" \
			"$(printf '%s/out/coordinator/job-%06d/labels.csv' "$T" "$id")" ||
			fail "job $id ended otherwise"
	done
	# The median time of the last quarter of the jobs is less than 3 times that of the first
	# quarter, plus 0.2 s.
	for f in "$T"/out/coordinator/job-*/run.json; do jq .elapsed_s "$f"; done >"$T/seconds"
	head -n $((n / 4)) "$T/seconds" | sort -g | sed -n "$((n / 8 + 1))p" >"$T/first"
	tail -n $((n / 4)) "$T/seconds" | sort -g | sed -n "$((n / 8 + 1))p" >"$T/last"
	echo "a job took $(<"$T/first") s in the first quarter and $(<"$T/last") s in the last"
	awk -v a="$(<"$T/first")" -v b="$(<"$T/last")" 'BEGIN { exit !(b < 3 * a + 0.2) }' ||
		fault "a job took $(<"$T/first") s at first and $(<"$T/last") s at last"
}
taken() { # NAME: prints resident KiB and the number of descriptors
	echo "$(awk '/^VmRSS/ { print $2 }' \
		"/proc/${PID[$1]}/status") $(find "/proc/${PID[$1]}/fd" -mindepth 1 | wc -l)"
}

# A log pipe that no process reads does not stop the daemon. Strangers can add one line of each kind
# a minute. A later reader learns how much is missing.
test_nobody_reads_the_log() {
	local i lines
	federation 3
	edit_parties 3 '.retry_s = 0'
	mkfifo "$T/log"
	exec {reader}<>"$T/log" # holds the pipe open without reading it
	rm -f "$T/ready"
	setpriv --pdeathsig KILL "$BIN/coordinator" --serve --config "$T/coordinator.json" --out \
		"$T/out/coordinator" \
		--ready-file "$T/ready" --log-level debug >"$T/log" 2>&1 &
	PID["coordinator"]=$!
	until_true 20 test -s "$T/ready" || fail "the coordinator did not become ready"
	ADDRESS=$(<"$T/ready")
	# shellcheck disable=SC2046
	stays $(names 3)
	# each job logs 70 kB at this level; the pipe holds 64 kB and the daemon keeps as much
	for ((i = 1; i <= ${COTERIE_JOBS:-3}; i++)); do
		until_true 20 job submit "$T/job.json" >"$T/submitted" 2>&1 ||
			fail "job $i: $(<"$T/submitted")"
		job wait "$i" >/dev/null || fail "job $i ended with $?"
	done
	for ((i = 0; i < 300; i++)); do
		(exec 3<>"/dev/tcp/${ADDRESS%:*}/${ADDRESS##*:}" &&
			printf 'GET / HTTP/1.1\r\n\r\n' >&3) 2>/dev/null || true
	done
	in_time 1 "$BIN/coterie" status --socket "$T/out/coordinator/control.socket" >/dev/null ||
		fail "the coordinator does not answer"
	lines=$(grep -c 'connection from 127.0.0.1.* closed\|connection refused' \
		"$T/out/coordinator/log.jsonl")
	((lines >= 1 && lines <= 2 * (1 + SECONDS / 60))) || fail "$lines lines of strangers"
	cat "$T/log" >"$T/coordinator.stderr" &
	PID[reader]=$!
	soon_says coordinator '[1-9][0-9]* lines are missing here, as nobody read them in time'
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	# the last lines are written before the process ends
	says coordinator 'jobs run, [0-9]+ wait for the next start'
}

run_tests "$@"
