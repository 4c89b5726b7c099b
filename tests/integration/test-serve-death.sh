#!/bin/bash
# A coordinator that serves is killed in each state of its queue. jobs.db is locked or damaged, or
# the disk is full.
. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/serve.sh"

# ---- the coordinator dies ----

dies() { # the coordinator is killed and started again
	kill -KILL "${PID[coordinator]}"
	ended coordinator
	serve_again
}

# Waiting jobs are in the queue again, and a cancelled job is not.
test_killed_while_jobs_wait() {
	federation 3
	patient 3
	lasting 3
	edit_parties 3 '.retry_s = 0'
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

# A running job has another attempt, its parties' processes stay, and later jobs follow.
test_killed_while_a_job_runs() {
	federation 3
	lasting 3
	edit job '.kind = "kcagc" | .method = "tree" | .starts = 40 | .restarts = 10'
	edit_parties 3 '.retry_s = 0'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	for phase in offer level-1 polish; do
		id=$((${id-0} + 1))
		submits "$T/job.json" "$id"
		until_true 20 in_log "$id" "$phase" || fail "job $id does not come to $phase"
		dies
		job wait "$id" >"$T/waited" 2>&1 ||
			fail "job $id, killed in $phase: $(<"$T/waited")"
		(($(shown "$id" .attempts) <= 2)) ||
			fail "job $id had $(shown "$id" .attempts) attempts"
	done
	submits "$T/job.json" 4
	job wait 4 >/dev/null || fail "the job after them ended with $?"
	# A finished job keeps its state and cause.
	rows_job kmeans # the parties' policies do not allow kmeans
	submits "$T/job.json" 5
	! job wait 5 >/dev/null 2>&1 || fail "job 5 is done"
	shown 5 '.state, .cause, .ended, .attempts' >"$T/before"
	dies
	shown 5 '.state, .cause, .ended, .attempts' | cmp - "$T/before" ||
		fail "job 5 is $(job show 5)"
	[[ $(head -n 1 "$T/before") == failed ]] || fail "job 5 is $(<"$T/before")"
	[[ $(job list --json |
		jq -r \
		'[.[] | select(.state == "done") | .id] | sort | join(" ")') == "1 2 3 4" ]] ||
		fail "the queue: $(job list)"
	for name in $(names 3); do ! gone "$name" || fail "$name has ended"; done
}

# The coordinator dies again while a job waits for its next attempt.
test_killed_while_parties_come_again() {
	federation 3
	lasting 3
	patient 3
	edit coordinator '.max_attempts = 5'
	edit_parties 3 '.retry_s = 0'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	becomes 1 running
	submits "$T/job.json" 2
	becomes 2 queued
	dies
	soon_says coordinator 'attempt 1 of a job was under way'
	is 2 queued || fail "job 2 is $(shown 2 .state)"
	is 1 running || fail "job 1 is $(shown 1 .state)"
	dies
	is 1 running || fail "job 1 is $(shown 1 .state)"
	wakes party-01
	job wait 1 >"$T/waited" 2>&1 || fail "job 1: $(<"$T/waited")"
	job wait 2 >"$T/waited" 2>&1 ||
		fail "job 2, queued when the coordinator died twice: $(<"$T/waited")"
}

# The coordinator is killed when a job is done, before it updates jobs.db. The next process reports
# the job as done and does not run it again.
test_killed_when_a_job_is_done() {
	federation 3
	lasting 3
	edit_parties 3 '.retry_s = 0'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	submits "$T/job.json" 1
	job wait 1 >/dev/null
	id=$(shown 1 .job_id)
	kill -KILL "${PID[coordinator]}"
	ended coordinator
	# Makes jobs.db and job.state as they are after the job's end and before the update.
	python3 - "$T/out/coordinator/jobs.db" <<-'EOF'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.execute("UPDATE job SET state = 2, ended = 0")
		db.commit()
	EOF
	printf 'coterie job state v2\n%s 1 %064d %064d done\n' "$id" 0 0 \
		>"$T/out/coordinator/job-000001/job.state"
	serve_again
	is 1 "done" || fail "job 1 is $(shown 1 .state)"
	[[ ! -e $T/out/coordinator/job-000001/job.state ]] || fail "job.state is still there"
	here 3
	submits "$T/job.json" 2
	job wait 2 >/dev/null || fail "the job after it ended with $?"
	[[ $(ls -d "$T"/out/coordinator/job-*) == *job-000001*job-000002* ]] ||
		fail "$(ls "$T/out/coordinator")"
}

# The coordinator was away for longer than parties wait. The job starts again under another
# identifier.
test_killed_and_away_for_long() {
	federation 3
	patient 3
	edit_all 3 '.reconnect_s = 1 | .rejoin_s = 1'
	edit_parties 3 '.retry_s = 0'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	sleeps party-01
	submits "$T/job.json" 1
	becomes 1 running
	until_true 20 test -s "$T/out/coordinator/job-000001/job.state" ||
		fail "there is no job.state"
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

# A signal stops the coordinator; the next start continues the running job.
test_stopped_while_a_job_runs() {
	federation 3
	lasting 3
	patient 3
	all_stay 3
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

# ---- jobs.db and the disk ----

# Locks jobs.db until the file $T/release exists.
lock_store() {
	start locker python3 -c 'import os, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
while not os.path.exists(sys.argv[3]): time.sleep(0.02)' "$T/out/coordinator/jobs.db" "$T/locked" \
	"$T/release"
	until_true 10 test -e "$T/locked" || fail "jobs.db was not locked"
}

test_locked_store() {
	federation 3
	patient 3
	all_stay 3
	sleeps party-01
	submits "$T/job.json" 1
	becomes 1 running
	lock_store
	refused 1 'jobs.db: .*locked' job submit "$T/job.json"
	wakes party-01
	becomes 1 "done" # in spite of the locked jobs.db
	touch "$T/release"
	ends 0 locker
	until_true 20 written || fail "jobs.db was not told that job 1 is done"
	submits "$T/job.json" 2
	job wait 2 >/dev/null || fail "job 2 ended with $?"
}
written() {
	[[ $(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT state FROM job WHERE id = 1").fetchone()[0])' \
	"$T/out/coordinator/jobs.db") == 3 ]]
}

test_damaged_store() {
	federation 3
	patient 3
	all_stay 3
	sleeps party-01
	submits "$T/job.json" 1
	becomes 1 running
	head -c 16384 /dev/urandom >"$T/noise"
	for f in "$T"/out/coordinator/jobs.db "$T"/out/coordinator/jobs.db-wal; do
		dd if="$T/noise" of="$f" conv=notrunc status=none
	done
	job submit "$T/job.json" >"$T/submitted" 2>&1 || grep -q 'jobs.db' "$T/submitted" ||
		fail "submit says $(<"$T/submitted")"
	wakes party-01
	until_true 30 test -s "$T/out/coordinator/job-000001/labels.csv" ||
		fail "the job that ran was disturbed"
	until_true 30 grep -q '"done"' "$T/out/coordinator/job-000001/run.json" ||
		fail "the job that ran was disturbed"
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	rm -f "$T"/out/coordinator/jobs.db-*
	start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" --out \
		"$T/out/coordinator"
	ends 4 coordinator
	says coordinator 'jobs.db.*put a backup in its place, or move it away'
	mv "$T/out/coordinator/jobs.db" "$T/damaged"
	serve_again
	here 3
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "the job after it ended with $?"
	[[ $(shown 1 .directory) == */job-000001-2 ]] ||
		fail "its results are in $(shown 1 .directory)"
}

test_foreign_store() {
	federation 2
	mkdir -p "$T/out/coordinator"
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.execute("CREATE TABLE x (y)"); db.commit()' \
	"$T/out/coordinator/jobs.db"
	start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" --out \
		"$T/out/coordinator"
	ends 4 coordinator
	says coordinator 'jobs.db: this is no queue of jobs'
}

test_full_disk() {
	federation 3
	patient 3
	edit_parties 3 '.retry_s = 0'
	mkdir -p "$T/out/coordinator"
	mount -t tmpfs -o size=4m tmpfs "$T/out/coordinator" 2>/dev/null ||
		skip "a small tmpfs cannot be mounted"
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

sample test_killed_while_a_job_runs test_damaged_store
run_tests "$@"
