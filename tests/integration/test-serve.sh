#!/bin/bash
# A coordinator that serves: jobs in a queue, over its control socket.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/serve.sh"

test_submit_list_show_wait_log() {
	served 3
	job submit "$T/job.json" >"$T/submitted"
	[[ $(<"$T/submitted") == "job 1" ]] || fail "submit says $(<"$T/submitted")"
	job wait 1 >"$T/waited" || fail "wait ended with $?"
	[[ $(<"$T/waited") == "job 1: done" ]] || fail "wait says $(<"$T/waited")"
	job list >"$T/list"
	grep -Eq '^ *1 +done +kcagc' "$T/list" || fail "list says $(<"$T/list")"
	[[ $(shown 1 .state) == "done" && $(shown 1 .submitter) == "$(id -un)" ]] || fail "show says $(job show 1)"
	[[ $(shown 1 '.parties | join(" ")') == "party-00 party-01 party-02" ]] || fail "its parties are $(shown 1 .parties)"
	dir=$(shown 1 .directory)
	[[ -s $dir/labels.csv && $(jq -r .status "$dir/run.json") == "done" ]] || fail "no results in $dir"
	[[ $(jq -r .submitter "$dir/run.json") == "$(id -un)" ]] || fail "run.json has another submitter"
	[[ $(readlink "$T/out/coordinator/latest") == "${dir##*/}" ]] || fail "latest is $(readlink "$T/out/coordinator/latest")"
	[[ $(jq -r '.id, .state' "$T/out/coordinator/index.jsonl" | xargs) == "1 done" ]] || fail "index.jsonl: $(<"$T/out/coordinator/index.jsonl")"
	job log 1 >"$T/log"
	cmp -s "$T/log" "$dir/log.jsonl" || fail "log shows something else than $dir/log.jsonl"
	[[ $(jq -r .job "$T/log" | sort -u) == "$(shown 1 .job_id)" ]] || fail "log has lines of other jobs"
}

# What does not do is refused when it is submitted, with key and line; nothing is queued.
test_refused_at_submission() {
	served 3
	printf '{\n  "kind": "kcagc",\n  "clusters": 3,\n  "filter": {\n    "order": 1000000\n  }\n}\n' >"$T/bad.json"
	refused 4 'bad.json: job.filter.order is 1000000, expected .*\(line 5\)' job submit "$T/bad.json"
	printf '{ "kind": "kcagc",\n "clusters": 3,\n "filtre": {} }\n' >"$T/bad.json"
	refused 4 'job.filtre is unknown.*\(line 3\)' job submit "$T/bad.json"
	printf '{ "kind": "kcagc",\n "clusters" 3 }\n' >"$T/bad.json"
	refused 4 'bad.json: line 2' job submit "$T/bad.json"
	jq '. + { parties: ["party-00", "bank-x"] }' "$T/job.json" >"$T/bad.json"
	refused 4 'job.parties has "bank-x", expected names of the parties.*\(line [0-9]+\)' job submit "$T/bad.json"
	jq '. + { parties: ["party-00"] }' "$T/job.json" >"$T/bad.json"
	refused 4 'job.parties has 1, expected at least 2' job submit "$T/bad.json"
	jq '. + { parties: ["party-00", "party-00"] }' "$T/job.json" >"$T/bad.json"
	refused 4 'job.parties has "party-00" twice' job submit "$T/bad.json"
	jq '. + { parties: 7 }' "$T/job.json" >"$T/bad.json"
	refused 4 'job.parties is a number, expected names' job submit "$T/bad.json"
	head -c 70000 /dev/zero | tr '\0' ' ' >"$T/bad.json"
	refused 4 'bad.json' job submit "$T/bad.json"
	refused 4 'there is no job 7' job show 7
	refused 4 'is no number of a job' job show seven
	[[ $(job list --json) == "[]" ]] || fail "there are jobs: $(job list)"
}

# A party that has never come: its name may be wrong. Once it has come, it may go.
test_party_that_never_came() {
	federation 3
	for name in $(names 3); do edit "$name" '.retry_s = 0 | .policy.allow_subsets = true'; done
	serve
	stays party-00 party-01
	here 2
	refused 4 'job.json: job.parties: party-02 has never connected' job submit "$T/job.json"
	jq '. + { parties: ["party-01", "party-00"] }' "$T/job.json" >"$T/two.json"
	submits "$T/two.json" 1
	job wait 1 >/dev/null || fail "the job of two ended with $?"
	stays party-02
	here 3
	kill -TERM "${PID[party-02]}"
	ends 0 party-02
	submits "$T/job.json" 2
	becomes 2 "waiting for parties"
	[[ $(shown 2 '.waiting_for | join(" ")') == "party-02" ]] || fail "waits for $(shown 2 .waiting_for)"
	COLUMNS=200 job list | grep -q 'waiting for parties: party-02' || fail "list: $(job list)"
	submits "$T/two.json" 3 # which need not wait behind it
	job wait 3 >/dev/null || fail "the job that need not wait ended with $?"
	stays party-02
	job wait 2 >/dev/null || fail "the job that waited ended with $?"
}

# Jobs of which no party is in two run at a time, as many as max_running says; a job that waits for a
# party that is busy has it before those behind it.
test_two_at_once() {
	federation 4
	patient 4
	for name in $(names 4); do edit "$name" '.retry_s = 0'; done
	edit coordinator '.max_running = 2'
	serve
	# shellcheck disable=SC2046
	stays $(names 4)
	here 4
	for pair in 0:1 1:2 2:3; do
		jq --arg a "party-0${pair%:*}" --arg b "party-0${pair#*:}" '. + { parties: [$a, $b] }' "$T/job.json" >"$T/${pair/:/}.json"
	done
	sleeps party-00
	submits "$T/01.json" 1
	becomes 1 running
	submits "$T/12.json" 2
	submits "$T/23.json" 3
	becomes 2 queued
	is 3 queued || fail "job 3 took party-02, for which job 2 waits: $(shown 3 .state)"
	job cancel 2
	becomes 2 cancelled
	job wait 3 >/dev/null || fail "job 3 ended with $?"
	is 1 running || fail "job 1 is $(shown 1 .state)"
	wakes party-00
	job wait 1 >/dev/null || fail "job 1 ended with $?"
}

test_cancel() {
	federation 3
	patient 3
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	submits "$T/job.json" 2
	becomes 1 running
	refused 3 'job 2 is not over after 1 s' job wait 2 --timeout 1
	job cancel 2
	refused 6 'job 2: cancelled: cancelled by [^ ]*$' job wait 2
	job cancel 1
	refused 6 'job 1: cancelled: cancelled by [^ ]*$' job wait 1
	[[ $(jq -r .status "$(shown 1 .directory)/run.json") == failed ]] || fail "run.json: $(jq -r .status "$(shown 1 .directory)/run.json")"
	refused 4 'job 1 is over: it is cancelled' job cancel 1
	wakes party-01
	submits "$T/job.json" 3
	job wait 3 >/dev/null || fail "the job after it ended with $?"
}

# A job that fails ends wait with its error; the next is not disturbed.
test_failed_job() {
	served 3
	cp "$T/job.json" "$T/good.json"
	rows_job kmeans # which the parties' policies do not name
	submits "$T/job.json" 1
	status=0
	job wait 1 >"$T/waited" 2>&1 || status=$?
	((status == $(shown 1 .status))) || fail "wait ended with $status, the job with $(shown 1 .status)"
	is 1 failed || fail "the job is $(shown 1 .state)"
	[[ -n $(shown 1 .cause) ]] || fail "there is no cause"
	submits "$T/good.json" 2
	job wait 2 >/dev/null || fail "the job after it ended with $?"
}

# ---- the coordinator dies ----

dies() { # and comes again
	kill -KILL "${PID[coordinator]}"
	ended coordinator
	serve_again
}

# Jobs that wait are there again.
test_killed_while_jobs_wait() {
	federation 3
	patient 3
	lasting 3
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	kill -TERM "${PID[party-02]}"
	ends 0 party-02
	submits "$T/job.json" 1
	becomes 1 "waiting for parties"
	submits "$T/job.json" 2
	becomes 2 "waiting for parties"
	job cancel 2
	dies
	is 1 "waiting for parties" || is 1 queued || fail "job 1 is $(shown 1 .state)"
	is 2 cancelled || fail "job 2 is $(shown 2 .state)"
	stays party-02
	job wait 1 >/dev/null || fail "job 1 ended with $?"
	submits "$T/job.json" 3
	job wait 3 >/dev/null || fail "job 3 ended with $?"
}

# A job that runs has another attempt, and its parties' processes stay; those behind it follow.
test_killed_while_a_job_runs() {
	federation 3
	lasting 3
	edit job '.kind = "kcagc" | .starts = 40 | .restarts = 10'
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	for phase in offer level-1 polish; do
		id=$((${id-0} + 1))
		submits "$T/job.json" "$id"
		until_true 20 in_log "$id" "$phase" || fail "job $id does not come to $phase"
		dies
		job wait "$id" >"$T/waited" 2>&1 || fail "job $id, killed in $phase: $(<"$T/waited")"
		(($(shown "$id" .attempts) <= 2)) || fail "job $id had $(shown "$id" .attempts) attempts"
	done
	submits "$T/job.json" 4
	job wait 4 >/dev/null || fail "the job after them ended with $?"
	for name in $(names 3); do ! gone "$name" || fail "$name has ended"; done
}
in_log() { # ID PHASE
	grep -q "\"phase\": *\"$2\"" "$T/out/coordinator/job-00000$1/log.jsonl" 2>/dev/null || is "$1" "done"
}

# A job whose other attempt is awaited when the coordinator dies once more.
test_killed_while_parties_come_again() {
	federation 3
	lasting 3
	patient 3
	edit coordinator '.max_attempts = 5'
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	becomes 1 running
	dies
	soon_says coordinator 'attempt 1 of a job was under way'
	is 1 running || fail "job 1 is $(shown 1 .state)"
	dies
	is 1 running || fail "job 1 is $(shown 1 .state)"
	wakes party-01
	job wait 1 >"$T/waited" 2>&1 || fail "job 1: $(<"$T/waited")"
}

# Done, and killed before jobs.db was told: it says so, and nothing is run again.
test_killed_when_a_job_is_done() {
	federation 3
	lasting 3
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	submits "$T/job.json" 1
	job wait 1 >/dev/null
	id=$(shown 1 .job_id)
	kill -KILL "${PID[coordinator]}"
	ended coordinator
	# As it is between the two.
	python3 - "$T/out/coordinator/jobs.db" <<-'EOF'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.execute("UPDATE job SET state = 2, ended = 0")
		db.commit()
	EOF
	printf 'coterie job state v1\n%s 1 %064d done\n' "$id" 0 >"$T/out/coordinator/job-000001/job.state"
	serve_again
	is 1 "done" || fail "job 1 is $(shown 1 .state)"
	[[ ! -e $T/out/coordinator/job-000001/job.state ]] || fail "job.state is still there"
	here 3
	submits "$T/job.json" 2
	job wait 2 >/dev/null || fail "the job after it ended with $?"
	[[ $(ls -d "$T"/out/coordinator/job-*) == *job-000001*job-000002* ]] || fail "$(ls "$T/out/coordinator")"
}

# It was away for longer than parties wait for it: the job begins anew, with another number.
test_killed_and_away_for_long() {
	federation 3
	patient 3
	for name in coordinator $(names 3); do edit "$name" '.reconnect_s = 1 | .rejoin_s = 1'; done
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	becomes 1 running
	until_true 20 test -s "$T/out/coordinator/job-000001/job.state" || fail "there is no job.state"
	before=$(shown 1 .job_id)
	kill -KILL "${PID[coordinator]}"
	ended coordinator
	touch -d '1 hour ago' "$T/out/coordinator/job-000001/job.state"
	wakes party-01
	serve_again
	job wait 1 >"$T/waited" 2>&1 || fail "job 1: $(<"$T/waited")"
	[[ $(shown 1 .job_id) != "$before" ]] || fail "the job has the number of before"
	[[ $(shown 1 .attempts) == 2 ]] || fail "the job had $(shown 1 .attempts) attempts"
}

# Stopped by a signal, it leaves what runs to the next start.
test_stopped_while_a_job_runs() {
	federation 3
	lasting 3
	patient 3
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	submits "$T/job.json" 2
	becomes 1 running
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	wakes party-01
	serve_again
	job wait 1 >"$T/waited" 2>&1 || fail "job 1: $(<"$T/waited")"
	[[ $(shown 1 .attempts) == 2 ]] || fail "the job had $(shown 1 .attempts) attempts"
	job wait 2 >/dev/null || fail "job 2 ended with $?"
}

# ---- two on one directory ----

test_second_on_the_same_directory() {
	served 2
	start second "$BIN/coordinator" --serve --config "$T/coordinator.json" --out "$T/out/coordinator"
	ends 4 second
	says second 'is in use by process'
	edit coordinator '.control.socket = "out/coordinator/control.socket"'
	start second "$BIN/coordinator" --serve --config "$T/coordinator.json" --out "$T/out/another"
	ends 4 second
	says second 'another process listens there'
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "the first was disturbed: $?"
}

# ---- jobs.db and the disk ----

# Holds a lock on jobs.db until the file $T/release is there.
lock_store() {
	start locker python3 -c 'import os, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
while not os.path.exists(sys.argv[3]): time.sleep(0.02)' "$T/out/coordinator/jobs.db" "$T/locked" "$T/release"
	until_true 10 test -e "$T/locked" || fail "jobs.db was not locked"
}

test_locked_store() {
	federation 3
	patient 3
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	becomes 1 running
	lock_store
	refused 1 'jobs.db: .*locked' job submit "$T/job.json"
	wakes party-01
	becomes 1 "done" # whatever jobs.db can be told
	touch "$T/release"
	ends 0 locker
	until_true 20 written || fail "jobs.db was not told that job 1 is done"
	submits "$T/job.json" 2
	job wait 2 >/dev/null || fail "job 2 ended with $?"
}
written() {
	[[ $(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT state FROM job WHERE id = 1").fetchone()[0])' "$T/out/coordinator/jobs.db") == 3 ]]
}

test_damaged_store() {
	federation 3
	patient 3
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	becomes 1 running
	head -c 16384 /dev/urandom >"$T/noise"
	for f in "$T"/out/coordinator/jobs.db "$T"/out/coordinator/jobs.db-wal; do dd if="$T/noise" of="$f" conv=notrunc status=none; done
	job submit "$T/job.json" >"$T/submitted" 2>&1 || grep -q 'jobs.db' "$T/submitted" || fail "submit says $(<"$T/submitted")"
	wakes party-01
	until_true 30 test -s "$T/out/coordinator/job-000001/labels.csv" || fail "the job that ran was disturbed"
	until_true 30 grep -q '"done"' "$T/out/coordinator/job-000001/run.json" || fail "the job that ran was disturbed"
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	rm -f "$T"/out/coordinator/jobs.db-*
	start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" --out "$T/out/coordinator"
	ends 4 coordinator
	says coordinator 'jobs.db.*put a backup in its place, or move it away'
	mv "$T/out/coordinator/jobs.db" "$T/damaged"
	serve_again
	here 3
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "the job after it ended with $?"
	[[ $(shown 1 .directory) == */job-000001-2 ]] || fail "its results are in $(shown 1 .directory)"
}

test_foreign_store() {
	federation 2
	mkdir -p "$T/out/coordinator"
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.execute("CREATE TABLE x (y)"); db.commit()' "$T/out/coordinator/jobs.db"
	start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" --out "$T/out/coordinator"
	ends 4 coordinator
	says coordinator 'jobs.db: this is no queue of jobs'
}

test_full_disk() {
	federation 3
	patient 3
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	mkdir -p "$T/out/coordinator"
	mount -t tmpfs -o size=4m tmpfs "$T/out/coordinator" 2>/dev/null || skip "a small tmpfs cannot be mounted"
	trap 'umount -l "$T/out/coordinator"; finish $?' EXIT
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	submits "$T/job.json" 2
	becomes 1 running
	dd if=/dev/zero of="$T/out/coordinator/fill" bs=4k status=none 2>/dev/null || true
	refused 1 'jobs.db|No space|full' job submit "$T/job.json"
	rm "$T/out/coordinator/fill"
	wakes party-01
	job wait 1 >/dev/null || fail "job 1 was disturbed: $?"
	job wait 2 >/dev/null || fail "job 2 ended with $?"
	submits "$T/job.json" 3
	job wait 3 >/dev/null || fail "job 3 ended with $?"
}

# ---- who may ----

as() { setpriv --reuid="$1" --regid="$(id -g "$1")" --init-groups "${@:2}"; } # USER COMMAND...
job_as() { as "$1" "$BIN/coterie" job --socket "$T/run/control.socket" "${@:2}"; } # USER ARG...

# Two who may submit, one who may look, one who may not.
test_roles() {
	((UID == 0)) || skip "other users can only be tried as root"
	federation 3
	patient 3
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	edit party-00 '.policy.submitters = ["daemon"]'
	chmod 755 "$T"
	mkdir -m 755 "$T/run"
	chmod 644 "$T/job.json"
	edit coordinator '.control = { socket: "run/control.socket", viewers: ["games"], submitters: ["daemon", "@bin"], operators: ["mail"] }'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	job() { "$BIN/coterie" job --socket "$T/run/control.socket" "$@"; }
	refused 4 'submit needs the role submitter at coordinator, and games has the role viewer' job_as games submit "$T/job.json"
	refused 4 'list needs the role viewer at coordinator, and nobody has no role' job_as nobody list
	job_as daemon submit "$T/job.json" >/dev/null
	job wait 1 >/dev/null || fail "job 1 ended with $?"
	[[ $(job_as games show 1 --json | jq -r .submitter) == daemon ]] || fail "the submitter is $(shown 1 .submitter)"
	[[ $(jq -r .submitter "$(shown 1 .directory)/run.json") == daemon ]] || fail "run.json has another submitter"
	job_as bin submit "$T/job.json" >/dev/null # whom the policy of party-00 does not name
	refused 2 'job 2: failed: party-00 declined' job wait 2
	until_true 20 joined_times 9 || fail "they did not come back"
	sleeps party-01
	job_as daemon submit "$T/job.json" >/dev/null
	becomes 3 running
	refused 4 'was submitted by daemon: cancelling it needs the role operator' job_as bin cancel 3
	job_as mail cancel 3
	refused 6 'cancelled by mail' job wait 3
	wakes party-01
}

test_roles_that_nobody_has() {
	federation 2
	edit coordinator '.control.submitters = ["no-such-user"]'
	start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" --out "$T/out/coordinator"
	ends 4 coordinator
	says coordinator 'coordinator.control.submitters: there is no user \\*"no-such-user'
}

# ---- the socket ----

test_socket_of_a_long_path() {
	federation 2
	long=$T/$(printf '%0100d' 0)/$(printf '%0100d' 1)
	mkdir -p "$long"
	edit coordinator ".control.socket = \"$long/control.socket\""
	for name in $(names 2); do edit "$name" '.retry_s = 0'; done
	serve
	# shellcheck disable=SC2046
	stays $(names 2)
	here 2
	[[ $("$BIN/coterie" job --config "$T/coordinator.json" submit "$T/job.json") == "job 1" ]] || fail "submit by --config"
	COTERIE_SOCKET=$long/control.socket "$BIN/coterie" job wait 1 >/dev/null || fail "wait by COTERIE_SOCKET"
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	[[ ! -e $long/control.socket ]] || fail "the socket is still there"
	refused 2 'does the daemon run' "$BIN/coterie" job --socket "$long/control.socket" list
}

# Whoever connects and asks nothing, or asks for too much, is in nobody's way.
test_idle_and_large() {
	served 2
	start idle python3 -c 'import socket, sys, time
some = []
for i in range(1000):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    some.append(s)
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
try:
    for i in range(1024): s.sendall(b" " * 1048576)
except OSError: pass
print(s.recv(1000).decode(), flush=True)
open(sys.argv[2], "w").close()
time.sleep(600)' "$T/out/coordinator/control.socket" "$T/idle.ready"
	until_true 30 test -e "$T/idle.ready" || fail "the idle connections did not come about"
	grep -q 'a request may have 512 KiB' "$T/idle.stdout" || fail "it was told: $(<"$T/idle.stdout")"
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "the job ended with $?"
	(($(find "/proc/${PID[coordinator]}/fd" | wc -l) < 120)) || fail "$(find "/proc/${PID[coordinator]}/fd" | wc -l) descriptors are open"
}

# ---- a long row ----

# Through one coordinator and the same parties: memory, descriptors and time are as they were.
test_row() {
	local n=${COTERIE_JOBS-20} id name
	edit_row() { edit job '.restarts = 1 | .local_restarts = 1 | .starts = 2'; }
	federation 3
	edit_row
	for name in $(names 3); do edit "$name" '.retry_s = 0'; done
	edit coordinator '.max_queued = 1000'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	for ((id = 1; id <= n; id++)); do job submit "$T/job.json" >/dev/null; done
	until_true 60 is $((n / 4)) "done" || fail "job $((n / 4)) is $(shown $((n / 4)) .state)"
	for name in coordinator $(names 3); do taken "$name" >"$T/$name.before"; done
	until_true $((60 + 3 * n)) is "$n" "done" || fail "job $n is $(shown "$n" .state)"
	for name in coordinator $(names 3); do
		taken "$name" >"$T/$name.after"
		read -r kib files <"$T/$name.before"
		read -r kib_now files_now <"$T/$name.after"
		echo "$name: $kib KiB and $files descriptors after $((n / 4)) jobs, $kib_now and $files_now after $n"
		((kib_now < kib + 8192 + kib / 10)) || fault "$name took $kib KiB after $((n / 4)) jobs and takes $kib_now after $n"
		((files_now <= files + 4)) || fault "$name had $files descriptors open and has $files_now"
	done
	job list --most "$n" --json >"$T/list.json"
	[[ $(jq '[.[] | select(.state == "done" and .attempts == 1)] | length' "$T/list.json") == "$n" ]] || fail "not all are done: $(job list --most "$n")"
	[[ $(find "$T/out/coordinator" -name labels.csv | wc -l) == "$n" ]] || fail "results are missing"
	for ((id = 2; id <= n; id++)); do cmp -s "$T/out/coordinator/job-000001/labels.csv" "$(printf '%s/out/coordinator/job-%06d/labels.csv' "$T" "$id")" || fail "job $id ended otherwise"; done
	# The time of a job at the end, as of one at the begin: medians of the first and the last quarter.
	for f in "$T"/out/coordinator/job-*/run.json; do jq .elapsed_s "$f"; done >"$T/seconds"
	head -n $((n / 4)) "$T/seconds" | sort -g | sed -n "$((n / 8 + 1))p" >"$T/first"
	tail -n $((n / 4)) "$T/seconds" | sort -g | sed -n "$((n / 8 + 1))p" >"$T/last"
	echo "a job took $(<"$T/first") s in the first quarter and $(<"$T/last") s in the last"
	awk -v a="$(<"$T/first")" -v b="$(<"$T/last")" 'BEGIN { exit !(b < 3 * a + 0.2) }' || fault "a job took $(<"$T/first") s at first and $(<"$T/last") s at last"
}
taken() { # NAME: KiB and descriptors
	echo "$(awk '/^VmRSS/ { print $2 }' "/proc/${PID[$1]}/status") $(find "/proc/${PID[$1]}/fd" -mindepth 1 | wc -l)"
}

run_tests "$@"
