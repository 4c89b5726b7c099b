#!/bin/bash
# Tests a coordinator that serves: jobs in a queue, over its control socket.
. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/serve.sh"

test_submit_list_show_wait_log() {
	served 3
	job submit "$T/job.json" >"$T/submitted"
	[[ $(<"$T/submitted") == "job 1" ]] || fail "submit says $(<"$T/submitted")"
	job wait 1 >"$T/waited" 2>"$T/wait.stderr" || fail "wait ended with $?"
	[[ $(<"$T/waited") == "job 1: done" ]] || fail "wait says $(<"$T/waited")"
	says wait "^results: coterie show $T/out/coordinator/job-000001$"
	soon_says party-00 'job done: results in .*/out/party-00'
	job list >"$T/list"
	grep -Eq '^ *1 +done +kcagc' "$T/list" || fail "list says $(<"$T/list")"
	[[ $(shown 1 .state) == "done" && $(shown 1 .submitter) == "$(id -un)" ]] ||
		fail "show says $(job show 1)"
	[[ $(shown 1 '.parties | join(" ")') == "party-00 party-01 party-02" ]] ||
		fail "its parties are $(shown 1 .parties)"
	dir=$(shown 1 .directory)
	[[ -s $dir/labels.csv && $(jq -r .status "$dir/run.json") == "done" ]] ||
		fail "no results in $dir"
	[[ $(jq -r .submitter "$dir/run.json") == "$(id -un)" ]] ||
		fail "run.json has another submitter"
	[[ $(readlink "$T/out/coordinator/latest") == "${dir##*/}" ]] ||
		fail "latest is $(readlink "$T/out/coordinator/latest")"
	[[ $(jq -r '.id, .state' "$T/out/coordinator/index.jsonl" | xargs) == "1 done" ]] ||
		fail "index.jsonl: $(<"$T/out/coordinator/index.jsonl")"
	job log 1 >"$T/log"
	cmp -s "$T/log" "$dir/log.jsonl" || fail "log shows something else than $dir/log.jsonl"
	[[ $(jq -r .job "$T/log" | sort -u) == "$(shown 1 .job_id)" ]] ||
		fail "log has lines of other jobs"
}

# The coordinator notices at once that jobs.db was removed, and goes on when it is back.
test_queue_that_is_taken_away() {
	served 3
	mv "$T/out/coordinator/jobs.db" "$T/jobs.db"
	soon_says coordinator 'jobs.db was removed .* in use: put it back, .*running jobs continue'
	refused 1 'jobs.db was removed or replaced' job submit "$T/job.json"
	[[ ! -e $T/out/coordinator/jobs.db ]] || fail 'there is another jobs.db'
	mv "$T/jobs.db" "$T/out/coordinator/jobs.db"
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "the job ended with $?"
	says coordinator 'jobs.db and the output directory can be written again'
}

# Invalid jobs are refused at submission, with key and line, and are not queued.
test_refused_at_submission() {
	served 3
	printf '{\n  "kind": "kcagc",\n  "clusters": 3,\n  "filter": {\n    "order": 1000000\n  '\
'}\n}\n' >"$T/bad.json"
	refused 4 'bad.json: job.filter.order is 1000000, expected .*\(line 5\)' job submit \
		"$T/bad.json"
	printf '{ "kind": "kcagc",\n "clusters": 3,\n "filtre": {} }\n' >"$T/bad.json"
	refused 4 'job.filtre is unknown .did you mean filter.*\(line 3\)' job submit "$T/bad.json"
	printf '{ "kind": "kcagc",\n "clusters" 3 }\n' >"$T/bad.json"
	refused 4 'bad.json: line 2' job submit "$T/bad.json"
	jq '. + { parties: ["party-00", "bank-x"] }' "$T/job.json" >"$T/bad.json"
	refused 4 'job.parties has "bank-x", expected names of the parties.*\(line [0-9]+\)' job \
		submit "$T/bad.json"
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

# A party that has never connected is refused, because its name may be wrong. A party that has
# connected once may be away.
test_party_that_never_came() {
	federation 3
	edit_parties 3 '.retry_s = 0 | .policy.allow_subsets = true'
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
	[[ $(shown 2 '.waiting_for | join(" ")') == "party-02" ]] ||
		fail "waits for $(shown 2 .waiting_for)"
	grep -q 'waiting for parties (party-02)' <<<"$(COLUMNS=200 job list)" ||
		fail "list: $(job list)"
	submits "$T/two.json" 3 # job 3 need not wait for job 2
	job wait 3 >/dev/null || fail "the job that need not wait ended with $?"
	stays party-02
	job wait 2 >/dev/null || fail "the job that waited ended with $?"
}

awaits() { [[ $(shown 1 '.waiting_for // [] | join(" ")') == "$1" ]]; } # NAMES

# A job that waits for approval is shown as waiting, with the parties that ask, until their users
# have answered.
test_awaiting_approval() {
	federation 2
	for name in party-00 party-01; do
		edit "$name" '.retry_s = 0 | .policy.confirm = true | .confirm_s = 600'
	done
	serve
	stays party-00 party-01
	here 2
	submits "$T/job.json" 1
	becomes 1 "awaiting approval"
	until_true 30 awaits "party-00 party-01" || fail "waits for $(shown 1 .waiting_for)"
	"$BIN/coterie" approve --state "$T/out/party-01/state" "$(shown 1 .job_id)" >/dev/null ||
		fail "approve ended with $?"
	until_true 30 awaits "party-00" || fail "waits for $(shown 1 .waiting_for)"
	grep -q 'awaiting approval (party-00)' <<<"$(COLUMNS=200 job list)" ||
		fail "list: $(job list)"
	grep -q 'awaiting approval (party-00)' <<<"$(job show 1)" || fail "show: $(job show 1)"
	grep -q 'awaiting approval (party-00)' \
		<<<"$(COLUMNS=200 "$BIN/coterie" status --socket \
		"$T/out/coordinator/control.socket")" ||
		fail "status does not say so"
	start waiting "$BIN/coterie" job --socket "$T/out/coordinator/control.socket" wait 1
	until_true 20 grep -qx 'job 1: awaiting approval (party-00)' "$T/waiting.stderr" ||
		fail "wait: $(<"$T/waiting.stderr")"
	"$BIN/coterie" approve --state "$T/out/party-00/state" "$(shown 1 .job_id)" >/dev/null ||
		fail "approve ended with $?"
	ends 0 waiting
	[[ $(grep -c '^job 1: awaiting' "$T/waiting.stderr") == 1 ]] || fail "wait repeats itself"
	is 1 'done' || fail "the job is $(shown 1 .state)"
}

# If the standard descriptors are closed at the start, output must not go into a socket or a file
# that the process opens later.
test_closed_descriptors() {
	federation 2
	for name in party-00 party-01; do edit "$name" '.retry_s = 0'; done
	start coordinator bash -c 'exec "$@" 0<&- 1>&- 2>&-' - "$BIN/coordinator" --config \
		"$T/coordinator.json" --serve --ready-file "$T/ready-closed"
	until_true 60 test -s "$T/ready-closed" || fail "it does not start"
	for fd in 0 1 2; do
		[[ $(readlink "/proc/${PID[coordinator]}/fd/$fd") == /dev/null ]] ||
			fail "descriptor $fd is $(readlink "/proc/${PID[coordinator]}/fd/$fd")"
	done
}

# Jobs without a common party run at the same time, up to max_running. A job that waits for a busy
# party gets it before later jobs.
test_two_at_once() {
	federation 4
	patient 4
	edit_parties 4 '.retry_s = 0'
	edit coordinator '.max_running = 2'
	serve
	# shellcheck disable=SC2046
	stays $(names 4)
	here 4
	for pair in 0:1 1:2 2:3; do
		jq --arg a "party-0${pair%:*}" --arg b "party-0${pair#*:}" \
			'. + { parties: [$a, $b] }' "$T/job.json" >"$T/${pair/:/}.json"
	done
	sleeps party-00
	submits "$T/01.json" 1
	becomes 1 running
	start follow "$BIN/coterie" job --socket "$T/out/coordinator/control.socket" log 1 -f
	until_true 20 test -s "$T/follow.stdout" || fail "log -f shows nothing of a job that runs"
	submits "$T/12.json" 2
	submits "$T/23.json" 3
	becomes 2 queued
	is 3 queued || fail "job 3 took party-02, for which job 2 waits: $(shown 3 .state)"
	job cancel 2
	becomes 2 cancelled
	job wait 3 >/dev/null || fail "job 3 ended with $?"
	is 1 running || fail "job 1 is $(shown 1 .state)"
	! gone follow || fail "log -f ends before the job does"
	wakes party-00
	job wait 1 >/dev/null || fail "job 1 ended with $?"
	ends 0 follow
	cmp -s "$T/follow.stdout" "$(shown 1 .directory)/log.jsonl" ||
		fail "log -f shows something else than $(shown 1 .directory)/log.jsonl"
}

test_cancel() {
	federation 3
	patient 3
	all_stay 3
	sleeps party-01
	submits "$T/job.json" 1
	submits "$T/job.json" 2
	becomes 1 running
	refused 3 'job 2 is not over after 1 s' job wait 2 --timeout 1
	job cancel 2
	refused 6 'job 2: cancelled: cancelled by [^ ]*$' job wait 2
	job cancel 1
	refused 6 'job 1: cancelled: cancelled by [^ ]*$' job wait 1
	[[ $(jq -r .status "$(shown 1 .directory)/run.json") == failed ]] ||
		fail "run.json: $(jq -r .status "$(shown 1 .directory)/run.json")"
	refused 4 'job 1 is over: it is cancelled' job cancel 1
	wakes party-01
	submits "$T/job.json" 3
	job wait 3 >/dev/null || fail "the job after it ended with $?"
}

# A failing job ends `job wait` with its error. The next job is not disturbed.
test_failed_job() {
	served 3
	cp "$T/job.json" "$T/good.json"
	rows_job kmeans # the parties' policies do not allow kmeans
	submits "$T/job.json" 1
	status=0
	job wait 1 >"$T/waited" 2>&1 || status=$?
	((status == $(shown 1 .status))) ||
		fail "wait ended with $status, the job with $(shown 1 .status)"
	is 1 failed || fail "the job is $(shown 1 .state)"
	[[ -n $(shown 1 .cause) ]] || fail "there is no cause"
	submits "$T/good.json" 2
	job wait 2 >/dev/null || fail "the job after it ended with $?"
}

# ---- status of the daemons ----

status() { "$BIN/coterie" status --socket "$T/out/$1/control.socket" "${@:2}"; } # NAME [ARG...]

test_status() {
	federation 3
	patient 3
	edit_parties 3 '.retry_s = 0 | .policy.max_jobs = 9 | .data.name = "customers-2026"'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	submits "$T/job.json" 1
	job wait 1 >/dev/null
	until_true 20 joined_times 6 || fail "they did not come back"
	sleeps party-01
	submits "$T/job.json" 2
	submits "$T/job.json" 3
	becomes 2 running
	until_true 20 in_log 2 offer || fail "job 2 does not begin"
	status coordinator --json >"$T/status.json"
	jq -e '.role == "coordinator" and (.peers | length == 3 and all(.connected)) and
		(.parties | length == 3 and all(.software
		| startswith("coterie ")) and all(.last_joined | length == 20)) and
		.queue.running == 1 and .queue.queued == 1 and .queue.done == 1
		and .queue.trouble == "" and
		(.running | length == 1 and .[0].id == 2) and .certificate.days > 0
		and .disk.free_bytes > 0 and
		([.jobs[] | select(.state == "running")][0] | .phases
		| length > 0)' "$T/status.json" >/dev/null ||
		fail "status says $(<"$T/status.json")"
	COLUMNS=200 status coordinator >"$T/status"
	for line in '^coordinator coordinator, coterie ' \
		'^job .*kcagc, attempt 1, running since .*; phase [a-z0-9-]+ for ' \
		'^queue +1 run, 1 queued, 0 wait for parties; 1 done' '^certificate until .* days' \
		'^disk +.* free' '^ *party-02 +connected'; do
		grep -Eq "$line" "$T/status" || fail "status has no line '$line': $(<"$T/status")"
	done
	wakes party-01
	job wait 3 >/dev/null || fail "job 3 ended with $?"
	[[ $(grep -c "\"job\":\"$(shown 1 .job_id)\"" "$T/out/coordinator/log.jsonl") -gt 0 ]] ||
		fail "no line has the job's number"
	until_true 20 joined_times 12 || fail "they did not come back"
	status party-00 --json >"$T/status.json"
	jq -e '.role == "party" and .ledger.count > 0 and (.ledger.head
		| length == 64) and .budgets.limits.jobs == 9 and
		(.budgets.spent | length == 1) and .budgets.spent[0].jobs == 3 and (.peers
		| length == 1)' "$T/status.json" >/dev/null ||
		fail "a party's status says $(<"$T/status.json")"
	COLUMNS=200 status party-00 >"$T/status"
	for line in '^party +party-00, ' '^ledger +[0-9]+ rows, head ' \
		'^spent +coordinator, data customers-2026, 3 of 9 jobs, [0-9]+ rounds' \
		'^ *coordinator +connected'; do
		grep -Eq "$line" "$T/status" ||
			fail "a party's status has no line '$line': $(<"$T/status")"
	done
	refused 4 'is a party: it answers requests for its status only' \
		"$BIN/coterie" job --socket "$T/out/party-00/control.socket" list
	kill -TERM "${PID[party-02]}"
	ends 0 party-02
	until_true 20 away party-02 || fail "party-02 is still there: $(status coordinator)"
	[[ ! -e $T/out/party-02/control.socket ]] || fail "the party's socket is still there"
	kill -KILL "${PID[party-01]}"
	ended party-01
	refused 2 'control.socket: Connection refused: does the daemon run' status party-01
	refused 2 'does the daemon run' status party-02
	refused \
		2 'nowhere/control.socket: no such socket: does the daemon run[?] Name its '\
'configuration by --config FILE' "$BIN/coterie" status --socket "$T/nowhere/control.socket"
	refused 2 'does the daemon run' "$BIN/coterie" job --socket "$T/nowhere/control.socket" list
}
# NAME
away() {
	[[ $(status coordinator --json |
		jq -r --arg n "$1" '.peers[] | select(.name == $n) | .connected') == false ]]
}

# ---- old results ----

# Old results are deleted, first by age (keep_days) and then by size (keep_gib). jobs.db keeps the
# jobs, and later jobs run.
test_old_results_go() {
	served 3
	for id in 1 2 3; do submits "$T/job.json" "$id" && job wait "$id" >/dev/null; done
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	find "$T/out/coordinator/job-000001" -exec touch -d '3 days ago' {} +
	edit coordinator '.keep_days = 2'
	serve_again
	until_true 20 has_gone 1 || fail "the results of job 1 are still there"
	[[ -d $T/out/coordinator/job-000002 ]] || fail "the results of job 2 have gone"
	soon_says coordinator 'job-000001 removed, by keep_days or keep_gib'
	[[ $(shown 1 .kept) == false &&
		$(shown 1 .state) == "done" && $(shown 2 .kept) == true ]] ||
		fail "show says $(job show 1)"
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	edit coordinator '.keep_days = 0 | .keep_gib = 0.0000001'
	serve_again
	until_true 20 has_gone 3 || fail "the results of job 3 are still there"
	[[ -s $T/out/coordinator/jobs.db && -s $T/out/coordinator/index.jsonl ]] ||
		fail "more than results has gone"
	here 3
	submits "$T/job.json" 4
	job wait 4 >/dev/null || fail "the job after it ended with $?"
}

# A party deletes old results between its jobs: here the older of two.
test_old_results_of_a_party_go() {
	local old
	served 3
	submits "$T/job.json" 1 && job wait 1 >/dev/null
	old=$(echo "$T"/out/party-00/job-*)
	submits "$T/job.json" 2 && job wait 2 >/dev/null
	find "$old" -exec touch -d '3 days ago' {} +
	kill -TERM "${PID[party-00]}"
	ended party-00
	edit party-00 '.keep_days = 2'
	serves party-00
	until_true 20 gone_from_disk "$old" || fail "$old is still there"
	soon_says party-00 'job-[0-9a-f]+(-[0-9])? removed, by keep_days or keep_gib'
	[[ $(echo "$T"/out/party-00/job-*) != *'*'* ]] || fail "the results of job 2 have gone"
	[[ -s $T/out/party-00/state/ledger.db ]] || fail "the ledger has gone"
	submits "$T/job.json" 3
	job wait 3 >/dev/null || fail "the job after it ended with $?"
}
gone_from_disk() { [[ ! -e $1 ]]; } # PATH

has_gone() { [[ ! -e $T/out/coordinator/job-00000$1 ]]; } # ID

# ---- a backup ----

copied() { # FROM TO: copies a database that may be in use
	python3 -c 'import sqlite3, sys
sqlite3.connect(sys.argv[1]).backup(sqlite3.connect(sys.argv[2]))' "$1" "$2"
}

# Checks docs/howto/back-up.md: daemons go on with a backup of the queue and of a ledger. Against
# another party's run.json, coterie ledger verify reports that the rows of later jobs are missing.
test_backup_is_brought_back() {
	served 2
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "job 1 ended with $?"
	mkdir "$T/backup"
	until_true 20 joined_times 4 || fail "they did not come back"
	copied "$T/out/coordinator/jobs.db" "$T/backup/jobs.db"
	copied "$T/out/party-00/state/ledger.db" "$T/backup/ledger.db"
	cp "$T/out/party-00/state/served" "$T/backup"
	submits "$T/job.json" 2
	job wait 2 >/dev/null || fail "job 2 ended with $?"
	kill -TERM "${PID[coordinator]}" "${PID[party-00]}"
	ends 0 coordinator party-00
	rm -r "$T/out/coordinator" "$T/out/party-00"
	mkdir -p "$T/out/coordinator" "$T/out/party-00/state"
	cp "$T/backup/jobs.db" "$T/out/coordinator"
	cp "$T/backup/ledger.db" "$T/backup/served" "$T/out/party-00/state"
	refused \
		1 'the end was cut off: rows [0-9]+ to [0-9]+ are missing, of which party-01 .* '\
'was told' "$BIN/coterie" ledger verify --state "$T/out/party-00/state" \
		--against "$(ls -t "$T"/out/party-01/job-*/run.json | head -n 1)"
	"$BIN/coterie" ledger verify --state "$T/out/party-00/state" >/dev/null ||
		fail "the ledger of the backup is not whole"
	serve_again
	stays party-00
	here 2
	[[ $(job list --json | jq -c '[.[] | [.id, .state]]') == '[[1,"done"]]' ]] ||
		fail "the queue: $(job list)"
	submits "$T/job.json" 2
	job wait 2 >/dev/null || fail "the job after it ended with $?: $(job show 2)"
}

# All processes are stopped at once. A party that gets SIGTERM does not count the end of the
# coordinator as a failure.
test_all_stopped_at_once() {
	served 2
	here 2
	kill -TERM "${PID[coordinator]}" "${PID[party-00]}" "${PID[party-01]}"
	ends 0 coordinator party-00 party-01
	says party-00 'stopped while idle'
}

# ---- two on one directory ----

test_second_on_the_same_directory() {
	served 2
	start second "$BIN/coordinator" --serve --config "$T/coordinator.json" --out \
		"$T/out/coordinator"
	ends 4 second
	says second 'is in use by process'
	edit coordinator '.control.socket = "out/coordinator/control.socket"'
	start second "$BIN/coordinator" --serve --config "$T/coordinator.json" --out \
		"$T/out/another"
	ends 4 second
	says second 'another process listens there'
	edit coordinator ".control.socket = \"out/second.socket\" | .listen = \"$ADDRESS\""
	start second "$BIN/coordinator" --serve --config "$T/coordinator.json" --out \
		"$T/out/another"
	ends 4 second
	says second "listen: $ADDRESS: address already in use"
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "the first was disturbed: $?"
}

# ---- roles of local users ----

as() { setpriv --reuid="$1" --regid="$(id -g "$1")" --init-groups "${@:2}"; } # USER COMMAND...
job_as() { as "$1" "$BIN/coterie" job --socket "$T/run/control.socket" "${@:2}"; } # USER ARG...

# Two users may submit, one may view, one is an operator, and one has no role.
test_roles() {
	((UID == 0)) || skip "other users can only be tried as root"
	federation 3
	patient 3
	edit_parties 3 '.retry_s = 0'
	edit party-00 '.policy.submitters = ["daemon"]'
	chmod 755 "$T"
	mkdir -m 755 "$T/run"
	chmod 644 "$T/job.json"
	edit coordinator '.control = { socket: "run/control.socket", viewers: ["games"],
		submitters: ["daemon", "@bin"], operators: ["mail"] }'
	serve
	# shellcheck disable=SC2046
	stays $(names 3)
	here 3
	job() { "$BIN/coterie" job --socket "$T/run/control.socket" "$@"; }
	refused 4 'submit needs the role submitter at coordinator, and games has the role viewer' \
		job_as games submit "$T/job.json"
	refused 4 'list needs the role viewer at coordinator, and nobody has no role' job_as \
		nobody list
	chmod 700 "$T/run"
	refused 4 'control.socket: Permission denied: this user may not reach the socket' job_as \
		nobody list
	chmod 755 "$T/run"
	job_as daemon submit "$T/job.json" >/dev/null
	job wait 1 >/dev/null || fail "job 1 ended with $?"
	[[ $(job_as games show 1 --json | jq -r .submitter) == daemon ]] ||
		fail "the submitter is $(shown 1 .submitter)"
	[[ $(jq -r .submitter "$(shown 1 .directory)/run.json") == daemon ]] ||
		fail "run.json has another submitter"
	job_as bin submit "$T/job.json" >/dev/null # party-00's policy does not name bin
	refused 2 'job 2: failed: party-00 declined' job wait 2
	until_true 20 joined_times 9 || fail "they did not come back"
	sleeps party-01
	job_as daemon submit "$T/job.json" >/dev/null
	becomes 3 running
	refused 4 'was submitted by daemon: cancelling it needs the role operator' job_as bin \
		cancel 3
	job_as mail cancel 3
	refused 6 'cancelled by mail' job wait 3
	wakes party-01
}

test_roles_that_nobody_has() {
	federation 2
	edit coordinator '.control.submitters = ["no-such-user"]'
	start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" --out \
		"$T/out/coordinator"
	ends 4 coordinator
	says coordinator 'coordinator.control.submitters: there is no user \\*"no-such-user'
}

# ---- the socket ----

test_socket_of_a_long_path() {
	federation 2
	long=$T/$(printf '%0100d' 0)/$(printf '%0100d' 1)
	mkdir -p "$long"
	edit coordinator ".control.socket = \"$long/control.socket\""
	edit_parties 2 '.retry_s = 0'
	serve
	# shellcheck disable=SC2046
	stays $(names 2)
	here 2
	[[ $("$BIN/coterie" job --config "$T/coordinator.json" submit \
		"$T/job.json") == "job 1" ]] || fail "submit by --config"
	COTERIE_SOCKET=$long/control.socket "$BIN/coterie" job wait 1 >/dev/null ||
		fail "wait by COTERIE_SOCKET"
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	[[ ! -e $long/control.socket ]] || fail "the socket is still there"
	refused 2 'does the daemon run' "$BIN/coterie" job --socket "$long/control.socket" list
}

# Idle clients and too large requests do not disturb other clients.
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
	grep -q 'a request has at most 512 KiB' "$T/idle.stdout" ||
		fail "the answer is: $(<"$T/idle.stdout")"
	submits "$T/job.json" 1
	job wait 1 >/dev/null || fail "the job ended with $?"
	(($(find "/proc/${PID[coordinator]}/fd" | wc -l) < 120)) ||
		fail "$(find "/proc/${PID[coordinator]}/fd" | wc -l) descriptors are open"
}

sample test_submit_list_show_wait_log test_awaiting_approval test_cancel test_status
run_tests "$@"
