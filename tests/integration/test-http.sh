#!/bin/bash
# test-http.sh -- what daemons show by HTTP: to people, to monitoring, and to who must not see it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command -v curl >/dev/null || { echo "test-http.sh: curl is missing: scripts/deps" >&2 && exit 4; }

# ---- asking ----

window() { # NAME [JQ]: the daemon shows itself at $T/NAME.http
	edit "$1" ".http = { listen: \"unix:$T/$1.http\" } | ${2:-.}"
}

ask() { # NAME PATH [CURL-OPTION...]: the answer, whatever its status, which is in $T/status
	curl -sS --max-time 30 --unix-socket "$T/$1.http" -o "$T/answer" -D "$T/headers" -w '%{http_code}' "${@:3}" \
		"http://localhost$2" >"$T/status" 2>"$T/curl" || echo "$(<"$T/curl")" >>"$T/status"
	[[ ! -e $T/answer ]] || cat "$T/answer"
}

answers() { # STATUS TEXT NAME PATH [CURL-OPTION...]
	ask "${@:3}" >/dev/null
	[[ $(<"$T/status") == "$1" ]] || fail "$4: status $(<"$T/status"), expected $1: $(head -c 300 "$T/answer")"
	grep -q -- "$2" "$T/answer" || fail "$4 does not say '$2': $(head -c 300 "$T/answer")"
}

status_is() { # NAME JQ-PROGRAM: is it true?
	[[ $(ask "$1" /api/status | jq "$2" 2>/dev/null) == true ]]
}

soon() { # NAME JQ-PROGRAM
	until_true 20 status_is "$1" "$2" || fail "$1: not '$2': $(ask "$1" /api/status | head -c 2000)"
}

metric() { # NAME METRIC: its value, "" if there is none; METRIC with its labels
	ask "$1" /metrics | awk -v m="$2" 'index($0, m " ") == 1 { print $NF }'
}

port() { # NAME: that the daemon has chosen, into $PORT
	soon_says "$1" 'for people and monitoring'
	PORT=$(sed -n 's|.*for people and monitoring: http://[^ ]*:\([0-9]*\)/.*|\1|p' "$T/$1.stderr" | head -n 1)
	[[ $PORT ]] || fail "$1 names no port"
}

promtool_of() { # where it is; skips without
	command -v promtool || ls "$ROOT/build/promtool/usr/bin/promtool" 2>/dev/null || skip "promtool is missing: scripts/deps --promtool"
}

# ---- tests ----

test_off_unless_configured() {
	federation 2
	coordinator
	party party-00
	soon_says coordinator 'party-00 joined'
	for name in coordinator party-00; do
		! said "$name" 'for people and monitoring' || fail "$name has a window that nobody asked for"
	done
	(($(ss -Hltnp "sport = :${ADDRESS##*:}" | wc -l) == 1)) || fail "the coordinator does not listen where it says"
	(($(ss -Hlnp 2>/dev/null | grep -c "pid=${PID[coordinator]},") == 1)) || fail "the coordinator has other sockets that listen"
	! ss -Hlnp 2>/dev/null | grep -q "pid=${PID[party-00]}," || fail "the party has a socket that listens"
}

test_status() {
	federation 3
	for name in coordinator party-00; do window "$name"; done
	edit party-00 '.retry_s = 60'
	coordinator
	answers 200 '^ok$' coordinator /healthz
	soon coordinator '.role == "coordinator" and .phase == "joining" and (.jobs | length) == 1 and .jobs[0].state == "waiting"
		and ([.peers[].connected] == [false, false, false])'
	relay relay 40
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" --out "$T/out/party-00"
	soon coordinator '.peers[] | select(.name == "party-00") | .connected and (.software | startswith("coterie "))
		and (.address | startswith("127.0.0.1:"))'
	soon party-00 '.phase == "serving" and .peers[0].name == "coordinator" and .peers[0].connected'
	answers 200 '^ok$' party-00 /healthz
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	# While the job runs: its phases, with the links that carry it.
	soon coordinator '.phase == "running" and .jobs[0].state == "running" and (.jobs[0].phases | length) > 3
		and ([.peers[] | .connected and .bytes_sent > 0 and .bytes_received > 0 and .rtt_ms > 0] | all)'
	[[ $(ask coordinator /api/status | jq -r '.jobs[0] | "\(.kind) \(.submitter) \(.phases[0].name)"') == "kcagc $(id -un) offer" ]] ||
		fail "the job is not named: $(ask coordinator /api/status)"
	soon party-00 '.jobs[0].state == "running" and .certificate.days > 20 and .disk.free_bytes > 0'
	answers 200 '"status": "running"' coordinator "/api/jobs/$(ask coordinator /api/status | jq -r '.jobs[0] | "\(.id)-\(.attempt)"')"
	ends 0 coordinator party-01 party-02
	# The party goes on, and knows how it ended.
	soon party-00 '.jobs[0].state == "done" and .jobs[0].exit == 0'
	[[ $(ask party-00 /api/jobs | jq -r '.count, .jobs[0].status, .jobs[0].kind') == $'1\ndone\nkcagc' ]] ||
		fail "the history is $(ask party-00 /api/jobs)"
	local id
	id=$(ask party-00 /api/jobs | jq -r '.jobs[0] | "\(.job_id)-\(.attempt)"')
	cmp <(ask party-00 "/api/jobs/$id") "$T"/out/party-00/job-*/run.json || fail "not the run.json"
	answers 404 'no run.json of job' party-00 "/api/jobs/${id%-*}-2"
	answers 400 'expected /api/jobs/' party-00 '/api/jobs/..%2F..%2Fparty-00.json'
	answers 400 'expected /api/jobs/' party-00 "/api/jobs/$id/../x"
	kill -TERM "${PID[party-00]}"
	ends 0 party-00
	[[ ! -e $T/party-00.http ]] || fail "the socket is left"
}

# The snapshot has no secret of the daemons': nothing of keys, passphrases, paths of identity.
test_no_secret() {
	federation 2
	window coordinator
	window party-00
	coordinator
	party party-00
	soon party-00 '.phase == "serving"'
	for name in coordinator party-00; do
		for path in /api/status /metrics /api/jobs /healthz; do ask "$name" "$path"; done >"$T/all"
		for word in identity pki/ '\.key' PRIVATE passphrase; do
			! grep -q -- "$word" "$T/all" || fail "$name shows $word"
		done
		while read -r line; do
			! grep -qF -- "$line" "$T/all" || fail "$name shows a line of its key"
		done < <(grep -v -- '-----' "$T/pki/$name.key")
	done
}

test_metrics() {
	federation 3
	for name in coordinator party-00; do window "$name"; done
	edit party-00 '.retry_s = 60'
	coordinator
	relay relay 40
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" --out "$T/out/party-00"
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	soon coordinator '(.jobs[0].phases | length) > 4'
	at_least "$(metric coordinator coterie_peers_connected)" 3 coterie_peers_connected
	at_least "$(metric coordinator 'coterie_sent_bytes_total{kind="kcagc"}')" 1000 "bytes sent"
	[[ $(metric coordinator 'coterie_jobs{state="running"}') == 1 ]] || fail "the job does not run"
	at_least "$(metric coordinator coterie_job_age_seconds)" 0.001 "the job's age"
	ends 0 coordinator party-01 party-02
	soon party-00 '.jobs[0].state == "done"'
	[[ $(metric party-00 'coterie_jobs_done_total{kind="kcagc"}') == 1 ]] || fail "the job is not counted"
	[[ $(metric party-00 'coterie_jobs{state="running"}') == 0 ]] || fail "a job runs"
	# What the counters say of the only job is what its record says.
	local sum
	sum=$(ask party-00 /metrics | awk '/^coterie_rounds_total/ { n += $NF } END { print n }')
	[[ $sum == $(jq .rounds "$T"/out/party-00/job-*/run.json) ]] || fail "$sum rounds"
	sum=$(metric party-00 'coterie_sent_bytes_total{kind="kcagc"}')
	at_least "$sum" "$(jq '[.traffic[].bytes_sent] | add' "$T"/out/party-00/job-*/run.json)" "bytes sent"
	sum=$(ask party-00 /metrics | awk '/^coterie_phase_seconds_total/ { n += $NF } END { print n }')
	awk -v a="$sum" -v b="$(jq '[.phases[] | .compute_s + .wait_s + .wire_s] | add' "$T"/out/party-00/job-*/run.json)" \
		'BEGIN { exit !(a > 0.999 * b && a < 1.001 * b) }' || fail "$sum s in phases"
	awk -v u="$(metric party-00 coterie_certificate_expiry_timestamp_seconds)" -v now="$(date +%s)" \
		'BEGIN { exit !(u > now + 20 * 86400 && u < now + 40 * 86400) }' || fail "the certificate's end is not told"
}

test_failure_by_cause() {
	federation 2
	window party-00
	edit party-00 '.retry_s = 60 | .policy.jobs = ["fedsc"]'
	coordinator
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" --out "$T/out/party-00"
	party party-01
	ends 2 coordinator party-01
	failed() { [[ $(metric party-00 'coterie_jobs_failed_total{kind="kcagc",cause="peer"}') == 1 ]]; }
	until_true 20 failed || fail "the failure is not counted: $(ask party-00 /metrics | grep failed)"
}

test_promtool() {
	local promtool
	promtool=$(promtool_of)
	federation 2
	for name in coordinator party-00; do window "$name"; done
	edit party-00 '.retry_s = 60'
	coordinator
	relay relay 40
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" --out "$T/out/party-00"
	ADDRESS=$RELAY party party-01
	soon coordinator '(.jobs[0].phases | length) > 3'
	for name in coordinator party-00; do
		ask "$name" /metrics >"$T/metrics"
		"$promtool" check metrics <"$T/metrics" >"$T/said" 2>&1 || fail "$name: promtool: $(<"$T/said")"
		[[ ! -s $T/said ]] || fail "$name: promtool: $(<"$T/said")"
	done
}

# docs/METRICS.md and the programs name the same metrics, with the same types.
test_page_and_program() {
	local name
	sed -n 's/^| `\([a-z_]*\)` | \([a-z]*\) | \([a-z, ]*\) .*/\1 \2 \3/p' "$ROOT/docs/METRICS.md" | sort >"$T/page"
	(($(wc -l <"$T/page") > 15)) || fail "hardly any metric in docs/METRICS.md"
	federation 3
	for name in coordinator party-00; do window "$name"; done
	edit party-00 '.retry_s = 60 | .policy.max_jobs = 9 | .policy.confirm = true'
	coordinator
	relay relay 40
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" --out "$T/out/party-00"
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	until_true 20 approved || fail "no offer came"
	soon coordinator '(.jobs[0].phases | length) > 3'
	for name in coordinator party-00; do
		ask "$name" /metrics | awk -v role="${name%-*}" '$1 == "#" && $2 == "TYPE" { print $3, $4, role }'
	done >"$T/program"
	ends 0 coordinator party-01 party-02
	ask party-00 /metrics | awk '$1 == "#" && $2 == "TYPE" { print $3, $4, "party" }' >>"$T/program"
	sort -u "$T/program" | awk '{ k = $1 " " $2; if (k in r) r[k] = r[k] ", " $3; else r[k] = $3 } END { for (k in r) print k, r[k] }' |
		sed 's/coordinator, party/both/' | sort >"$T/had"
	diff "$T/page" "$T/had" >"$T/differ" || fail "docs/METRICS.md (<) and the programs (>): $(<"$T/differ")"
}

approved() {
	local id
	id=$("$BIN/coterie" approve --state "$T/out/party-00/state" --list | sed -n 's/^\([0-9a-f]\{32\}\) .*/\1/p')
	[[ $id ]] && "$BIN/coterie" approve --state "$T/out/party-00/state" "$id" >/dev/null
}

test_foreign() {
	federation 2
	window coordinator
	coordinator
	answers 403 'is not this daemon' coordinator /api/status -H 'Host: evil.example'
	answers 403 'is not this daemon' coordinator /api/status -H 'Host: localhost.evil.example'
	answers 400 . coordinator /healthz -H 'Host:'
	answers 200 '"role"' coordinator /api/status -H 'Host: 127.0.0.1:7440'
	answers 200 '"role"' coordinator /api/status -H 'Host: [::1]:7440'
	answers 403 'page of another site' coordinator /api/status -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: no-cors'
	answers 404 'there is no /nothing' coordinator /nothing
	answers 405 'expected GET' coordinator /api/status -X DELETE
	answers 405 'is not for POST' coordinator /api/status -X POST -d x
	grep -qi "^content-security-policy: default-src 'none'" "$T/headers" || fail "no CSP: $(<"$T/headers")"
	grep -qi '^x-content-type-options: nosniff' "$T/headers" || fail "may be sniffed: $(<"$T/headers")"
	! grep -qi '^access-control' "$T/headers" || fail "lets other sites in: $(<"$T/headers")"
	status_is coordinator '.phase == "joining"' || fail "the coordinator is not what it was"
}

test_addresses() {
	federation 2
	edit coordinator '.http.listen = "0.0.0.0:0"'
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json"
	ends 4 coordinator
	says coordinator 'http.listen is "0.0.0.0:0", expected a loopback address'
	edit coordinator '.http.listen = "127.example.org:1"'
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json"
	ends 4 coordinator
	says coordinator 'expected a loopback address'
	edit coordinator '.http.listen = "unix:relative"'
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json"
	ends 4 coordinator
	says coordinator 'expected an address to listen on, like'
	edit coordinator '.http = { listen: "0.0.0.0:0", anywhere: true, hosts: ["window.example"] }'
	coordinator
	port coordinator
	[[ $(curl -sS -H 'Host: window.example' "http://127.0.0.1:$PORT/healthz") == ok ]] || fail "no answer at port $PORT"
	# The same port again: a sentence, and exit 4; and so for a socket.
	jq ".http.listen = \"127.0.0.1:$PORT\" | .output = \"$T/out/second\"" "$T/coordinator.json" >"$T/second.json"
	start second "$BIN/coordinator" --config "$T/second.json" --job "$T/job.json"
	ends 4 second
	says second "http.listen: 127.0.0.1:$PORT is in use by another process"
	window party-00
	ADDRESS=127.0.0.1:1
	edit party-00 '.retry_s = 60'
	party party-00
	until_true 20 test -S "$T/party-00.http" || fail "no socket"
	[[ $(stat -c %a "$T/party-00.http") == 660 ]] || fail "the socket has mode $(stat -c %a "$T/party-00.http")"
	jq ".output = \"$T/out/second\"" "$T/party-00.json" >"$T/second.json"
	start second "$BIN/party" --config "$T/second.json" --once
	ends 4 second
	says second 'party-00.http is in use by another process'
	answers 200 ok party-00 /healthz
	# A socket that a killed process left is taken over, a file is not.
	kill -KILL "${PID[party-00]}"
	wait "${PID[party-00]}" || true
	[[ -S $T/party-00.http ]] || fail "a killed process left no socket"
	party party-00
	until_true 20 status_is party-00 '.role == "party"' || fail "the place is not taken over"
	kill -TERM "${PID[party-00]}"
	ended party-00
	echo mine >"$T/party-00.http"
	party party-00
	ends 4 party-00
	says party-00 'is there and is no socket'
	[[ $(<"$T/party-00.http") == mine ]] || fail "a file was overwritten"
}

# 1000 connections that say nothing, a header without end: the job is done beside them, and whoever asks is answered.
test_idle_connections() {
	federation 3
	edit coordinator '.http.listen = "127.0.0.1:0"'
	coordinator
	port coordinator
	start idle python3 - "$PORT" 1000 <<-'PY'
		import resource, socket, sys, time
		resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048))
		held = []
		for i in range(int(sys.argv[2])):
		    s = socket.socket()
		    s.setblocking(False)
		    s.connect_ex(("127.0.0.1", int(sys.argv[1])))
		    held.append(s)
		    if i % 50 == 0: time.sleep(0.01)
		print("held", flush=True)
		time.sleep(600)
	PY
	until_true 20 grep -q held "$T/idle.stdout" || fail "no idle connections"
	parties 3
	completes 3
	kill -KILL "${PID[idle]}"
}

test_large() {
	federation 2
	window coordinator
	coordinator
	# A line and a header without end.
	ask coordinator /api/status -H "X: $(head -c 60000 /dev/zero | tr '\0' x)" >/dev/null
	[[ $(<"$T/status") =~ ^(431|414|413) ]] || fail "a header of 60 kB: $(<"$T/status")"
	ask coordinator "/$(head -c 60000 /dev/zero | tr '\0' x)" >/dev/null
	[[ $(<"$T/status") =~ ^(431|414|413) ]] || fail "a path of 60 kB: $(<"$T/status")"
	status_is coordinator '.phase == "joining"' || fail "the coordinator is not what it was"
}

# Who watches sees it all, to the job's end, which is the process's.
test_events() {
	federation 3
	window coordinator
	coordinator
	start watcher curl -sSN --max-time 120 --unix-socket "$T/coordinator.http" http://localhost/events
	until_true 20 grep -q '^data: .*"phase":"joining"' "$T/watcher.stdout" || fail "no event: $(<"$T/watcher.stdout")"
	relay relay 40
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	ends 0 coordinator party-00 party-01 party-02
	ends 0 watcher
	grep '^data: ' "$T/watcher.stdout" | cut -c 7- >"$T/events"
	jq -e . "$T/events" >/dev/null || fail "an event is no JSON"
	[[ $(jq -r '.jobs[0].state' "$T/events" | uniq | tr '\n' ' ') == "waiting running done " ]] ||
		fail "the job is seen $(jq -r '.jobs[0].state' "$T/events" | uniq | tr '\n' ' ')"
	jq -se 'any(.[]; [.peers[].connected] | all)' "$T/events" >/dev/null || fail "nobody is seen to come"
}

run_tests "$@"
