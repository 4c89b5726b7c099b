#!/bin/bash
# test-http.sh -- tests the HTTP endpoints of the daemons: for users, for monitoring, and refusals.
source "${BASH_SOURCE[0]%/*}/lib.sh"

command -v curl >/dev/null || { echo "test-http.sh: curl is missing: scripts/deps" >&2 && exit 4; }

# ---- requests ----

window() { # NAME [JQ]: gives the daemon an HTTP socket at $T/NAME.http
	edit "$1" ".http = { listen: \"unix:$T/$1.http\" } | ${2:-.}"
}

ask() { # NAME PATH [CURL-OPTION...]: prints the answer; its status is in $T/status
	curl -sS --max-time 30 --unix-socket "$T/$1.http" -o "$T/answer" -D "$T/headers" -w \
		'%{http_code}' "${@:3}" \
		"http://localhost$2" >"$T/status" 2>"$T/curl" || echo "$(<"$T/curl")" >>"$T/status"
	[[ ! -e $T/answer ]] || cat "$T/answer"
}

answers() { # STATUS TEXT NAME PATH [CURL-OPTION...]
	ask "${@:3}" >/dev/null
	[[ $(<"$T/status") == "$1" ]] ||
		fail "$4: status $(<"$T/status"), expected $1: $(head -c 300 "$T/answer")"
	grep -q -- "$2" "$T/answer" || fail "$4 does not say '$2': $(head -c 300 "$T/answer")"
}

status_is() { # NAME JQ-PROGRAM: true if the status API's answer satisfies it
	[[ $(ask "$1" /api/status | jq "$2" 2>/dev/null) == true ]]
}

soon() { # NAME JQ-PROGRAM
	until_true 20 status_is "$1" "$2" ||
		fail "$1: not '$2': $(ask "$1" /api/status | head -c 2000)"
}

metric() { # NAME METRIC: prints its value, or "" if it has none; METRIC includes labels
	ask "$1" /metrics | awk -v m="$2" 'index($0, m " ") == 1 { print $NF }'
}

# Offers a job of L parties, and party-00 waits for a user's approval. Meanwhile the HTTP sockets of
# the coordinator and of party-00 can be used.
offered() { # L
	federation "$1"
	for name in coordinator party-00; do window "$name"; done
	edit party-00 \
		'.retry_s = 60 | .policy.confirm = true | .confirm_s = 600 | .policy.max_jobs = 3'
	coordinator
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" --out \
		"$T/out/party-00"
	for name in $(names "$1"); do [[ $name == party-00 ]] || party "$name"; done
	soon party-00 '.person_awaited'
	soon coordinator '.jobs[0].state == "awaiting approval" and .jobs[0].waiting_for
		== ["party-00"] and ([.peers[]
		| .connected and .bytes_sent > 0 and .rtt_ms > 0] | all)'
	ask party-00 /api/offers >"$T/offers"
	ID=$(jq -r '.offers[0].job_id' "$T/offers")
	HASH=$(jq -r '.offers[0].offer' "$T/offers")
	TOKEN=$(<"$T/out/party-00/http.token")
}

approve() { "$BIN/coterie" approve --state "$T/out/party-00/state" "$ID" >/dev/null; }

port() { # NAME: sets $PORT to the port that the daemon has chosen
	soon_says "$1" 'dashboard: '
	PORT=$(sed -n 's|.*dashboard: http://[^ ]*:\([0-9]*\)/.*|\1|p' "$T/$1.stderr" | head -n 1)
	[[ $PORT ]] || fail "$1 names no port"
}

promtool_of() { # prints the path of promtool, or skips the test
	command -v promtool || ls "$ROOT/build/promtool/usr/bin/promtool" 2>/dev/null ||
		skip "promtool is missing: scripts/deps --promtool"
}

# ---- tests ----

test_off_unless_configured() {
	federation 2
	coordinator
	party party-00
	soon_says coordinator 'party-00 joined'
	for name in coordinator party-00; do
		! said "$name" 'dashboard: ' || fail "$name has a window that nobody asked for"
	done
	(($(ss -Hltnp "sport = :${ADDRESS##*:}" | wc -l) == 1)) ||
		fail "the coordinator does not listen where it says"
	(($(ss -Hlnp 2>/dev/null | grep -c "pid=${PID[coordinator]},") == 1)) ||
		fail "the coordinator has other sockets that listen"
	! ss -Hlnp 2>/dev/null | grep -v /control.socket | grep -q "pid=${PID[party-00]}," ||
		fail "the party has a socket that listens"
}

test_status() {
	federation 3
	window coordinator
	coordinator
	answers 200 '^ok$' coordinator /healthz
	soon coordinator '.role == "coordinator" and .phase == "joining" and (.jobs
		| length) == 1 and .jobs[0].state == "waiting"
		and ([.peers[].connected] == [false, false, false])'
	party party-02
	soon coordinator '.peers[] | select(.name == "party-02") | .connected and (.software
		| startswith("coterie "))
		and (.address | startswith("127.0.0.1:"))'
	kill -KILL "${PID[coordinator]}" "${PID[party-02]}"
}

test_status_of_a_job() {
	offered 3
	answers 200 '^ok$' party-00 /healthz
	status_is \
		party-00 '.phase == "serving" and .peers[0].name == "coordinator"
			and .peers[0].connected and .jobs[0].state == "running"
		and .certificate.days > 20
		and .disk.free_bytes > 0' || fail "party-00: $(ask party-00 /api/status)"
	[[ $(ask coordinator /api/status |
		jq -r '.phase, (.jobs[0] | .kind, .submitter,
			.phases[0].name)') == $'running\nkcagc\n'$(id -un)$'\noffer' ]] ||
		fail "the job is not named: $(ask coordinator /api/status)"
	answers 200 '"status": "running"' coordinator "/api/jobs/$ID-1"
	approve
	ends 0 coordinator party-01 party-02
	# The party goes on, and shows how the job ended.
	soon party-00 '.jobs[0].state == "done" and .jobs[0].exit == 0'
	[[ $(ask party-00 /api/jobs |
		jq -r '.count, .jobs[0].status, .jobs[0].kind') == $'1\ndone\nkcagc' ]] ||
		fail "the history is $(ask party-00 /api/jobs)"
	cmp <(ask party-00 "/api/jobs/$ID-1") "$T"/out/party-00/job-*/run.json ||
		fail "not the run.json"
	answers 404 'no run.json of job' party-00 "/api/jobs/$ID-2"
	answers 400 'expected /api/jobs/' party-00 '/api/jobs/..%2F..%2Fparty-00.json'
	answers 400 'expected /api/jobs/' party-00 "/api/jobs/$ID-1/../x"
	kill -TERM "${PID[party-00]}"
	ends 0 party-00
	[[ ! -e $T/party-00.http ]] || fail "the socket is left"
}

# The endpoints show no secrets of the daemons: no keys, passphrases or paths of identity files.
test_no_secret() {
	offered 2
	for name in coordinator party-00; do
		for path in /api/status /metrics /api/jobs /healthz; do
			ask "$name" "$path"
		done >"$T/all"
		for word in identity pki/ '\.key' PRIVATE passphrase; do
			! grep -q -- "$word" "$T/all" || fail "$name shows $word"
		done
		while read -r line; do
			! grep -qF -- "$line" "$T/all" || fail "$name shows a line of its key"
		done < <(grep -v -- '-----' "$T/pki/$name.key")
	done
}

test_metrics() {
	offered 3
	at_least "$(metric coordinator coterie_peers_connected)" 3 coterie_peers_connected
	at_least "$(metric coordinator 'coterie_sent_bytes_total{kind="kcagc"}')" 500 "bytes sent"
	[[ $(metric coordinator 'coterie_jobs{state="awaiting approval"}') == 1 ]] ||
		fail "the job does not await approval"
	at_least "$(metric coordinator coterie_job_age_seconds)" 0.001 "the job's age"
	approve
	ends 0 coordinator party-01 party-02
	soon party-00 '.jobs[0].state == "done"'
	[[ $(metric party-00 'coterie_jobs_done_total{kind="kcagc"}') == 1 ]] ||
		fail "the job is not counted"
	[[ $(metric party-00 'coterie_jobs{state="running"}') == 0 ]] || fail "a job runs"
	# The counters agree with the record of the only job.
	local sum
	sum=$(ask party-00 /metrics | awk '/^coterie_rounds_total/ { n += $NF } END { print n }')
	[[ $sum == $(jq .rounds "$T"/out/party-00/job-*/run.json) ]] || fail "$sum rounds"
	sum=$(metric party-00 'coterie_sent_bytes_total{kind="kcagc"}')
	at_least "$sum" "$(jq '[.traffic[].bytes_sent] | add' "$T"/out/party-00/job-*/run.json)" \
		"bytes sent"
	sum=$(ask party-00 /metrics |
		awk '/^coterie_phase_seconds_total/ { n += $NF } END { print n }')
	awk -v a="$sum" -v \
		b="$(jq '[.phases[] | .compute_s + .wait_s + .wire_s] | add' \
		"$T"/out/party-00/job-*/run.json)" \
		'BEGIN { exit !(a > 0.999 * b && a < 1.001 * b) }' || fail "$sum s in phases"
	awk -v u="$(metric party-00 coterie_certificate_expiry_timestamp_seconds)" -v \
		now="$(date +%s)" \
		'BEGIN { exit !(u > now + 20 * 86400 && u < now + 40 * 86400) }' ||
		fail "the certificate's end is not told"
}

test_failure_by_cause() {
	federation 2
	window party-00
	edit party-00 '.retry_s = 60 | .policy.jobs = ["fedsc"]'
	coordinator
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" --out \
		"$T/out/party-00"
	party party-01
	ends 2 coordinator party-01
	failed() {
		[[ $(metric party-00 'coterie_jobs_failed_total{kind="kcagc",cause="peer"}') == 1 ]]
	}
	until_true 20 failed ||
		fail "the failure is not counted: $(ask party-00 /metrics | grep failed)"
}

test_promtool() {
	local promtool
	promtool=$(promtool_of)
	"$promtool" check rules "$ROOT/configs/monitoring/coterie.rules.yml" >"$T/said" 2>&1 ||
		fail "the rules: $(<"$T/said")"
	grep -q 'SUCCESS: [1-9]' "$T/said" || fail "no rule: $(<"$T/said")"
	offered 2
	for name in coordinator party-00; do
		ask "$name" /metrics >"$T/metrics"
		"$promtool" check metrics <"$T/metrics" >"$T/said" 2>&1 ||
			fail "$name: promtool: $(<"$T/said")"
		[[ ! -s $T/said ]] || fail "$name: promtool: $(<"$T/said")"
	done
}

# Rules and dashboard use only existing metrics, and the page lists each rule.
test_rules_and_dashboard() {
	local file name dir=$ROOT/configs/monitoring
	jq -e '[.panels[].targets[].expr] | length > 10' "$dir/grafana.json" >/dev/null ||
		fail "grafana.json has hardly any panel"
	for file in coterie.rules.yml grafana.json; do
		grep -Eo '(coterie|process)_[a-z_]+' "$dir/$file" | sort -u >"$T/names"
		(($(wc -l <"$T/names") > 6)) || fail "$file names hardly any metric"
		while read -r name; do
			grep -q "^| \`$name\` " "$ROOT/docs/reference/metrics.md" ||
				fail "$file: there is no metric $name"
		done <"$T/names"
	done
	diff <(sed -n 's/.*- alert: //p' "$dir/coterie.rules.yml") \
		<(sed -n 's/^| `\(Coterie[A-Za-z]*\)` .*/\1/p' "$ROOT/docs/reference/metrics.md") \
		>"$T/differ" ||
		fail "rules (<) and the page (>): $(<"$T/differ")"
}

# docs/reference/metrics.md and the programs have the same metrics, with the same types.
test_page_and_program() {
	local name
	sed -n 's/^| `\([a-z_]*\)` | \([a-z]*\) | \([a-z, ]*\) .*/\1 \2 \3/p' \
		"$ROOT/docs/reference/metrics.md" | sort >"$T/page"
	(($(wc -l <"$T/page") > 15)) || fail "hardly any metric in docs/reference/metrics.md"
	offered 3
	for name in coordinator party-00; do
		ask "$name" /metrics |
			awk -v role="${name%-*}" '$1 == "#" && $2 == "TYPE" { print $3, $4, role }'
	done >"$T/program"
	approve
	ends 0 coordinator party-01 party-02
	soon party-00 '.jobs[0].state == "done"'
	ask party-00 /metrics |
		awk '$1 == "#" && $2 == "TYPE" { print $3, $4, "party" }' >>"$T/program"
	sort -u "$T/program" |
		awk '{ k = $1 " " $2; if (k in r) r[k] = r[k] ", " $3; else r[k] = $3 }
			END { for (k in r) print k, r[k] }' |
		sed 's/coordinator, party/both/' | sort >"$T/had"
	diff "$T/page" "$T/had" >"$T/differ" ||
		fail "docs/reference/metrics.md (<) and the programs (>): $(<"$T/differ")"
}

# ---- endpoints of a party ----

consent() { # BODY [CURL-OPTION...]: answers the offer of offered()
	ask party-00 "/api/offers/$ID" -X POST -H "Authorization: Bearer $TOKEN" -H \
		'Content-Type: application/json' -d "$1" "${@:2}" >/dev/null
}

says_no() { # STATUS TEXT: the last request was refused and left no answer to the offer
	[[ $(<"$T/status") == "$1" ]] || fail "status $(<"$T/status"), expected $1: $(<"$T/answer")"
	grep -q -- "$2" "$T/answer" || fail "does not say '$2': $(<"$T/answer")"
	[[ ! -e $T/out/party-00/state/offers/$ID.answer ]] || fail "there is an answer"
}

test_consent_is_read_and_given() {
	offered 2
	[[ $(stat -c %a "$T/out/party-00/http.token") == 600 ]] || fail "others may read the token"
	! grep -q "$TOKEN" "$T/party-00.stderr" "$T/out/party-00/log.jsonl" ||
		fail "the token is in the log"
	for path in /api/status /api/offers /metrics; do
		! grep -q "$TOKEN" <<<"$(ask party-00 "$path")" || fail "$path shows the token"
	done
	# The offer's text equals the text that coterie approve prints.
	[[ $(jq -r ".texts[\"$ID\"]" "$T/offers") == "$("$BIN/coterie" approve --state \
		"$T/out/party-00/state" --show "$ID")" ]] ||
		fail "another text than that of coterie approve"
	(($(jq '.offers[0].leaks | length' "$T/offers") > 2)) ||
		fail "what the job shows is not said"
	[[ $(metric party-00 coterie_offers_waiting) == 1 ]] || fail "the offer is not counted"
	consent "{\"answer\": \"yes\", \"offer\": \"$HASH\"}"
	[[ $(<"$T/status") == 200 && $(<"$T/answer") == '{"answer":"yes"}' ]] ||
		fail "$(<"$T/status") $(<"$T/answer")"
	ends 0 coordinator party-01
	soon_says party-00 'agreed to job .* on the dashboard'
	soon party-00 '.jobs[0].state == "done" and (.person_awaited | not)'
	# A user with the token may read the result files; other users may not.
	answers 403 'shows no token' party-00 "/api/results/$ID/labels.csv" -X POST -d '{}'
	answers 403 'at api.listen' party-00 "/api/results/$ID/labels.csv"
	ask party-00 "/api/results/$ID/labels.csv" -X POST -d '{}' -H \
		"Authorization: Bearer $TOKEN" >/dev/null
	cmp "$T/out/party-00/job-$ID-1/labels.csv" "$T/answer" ||
		fail "status $(<"$T/status"): not the labels"
	# The ledger equals the list that coterie ledger prints. The ledger can be searched and
	# paged.
	"$BIN/coterie" ledger list --state "$T/out/party-00/state" >"$T/ledger"
	local rows
	rows=$(wc -l <"$T/ledger")
	[[ $(ask party-00 /api/ledger |
		jq "[.count, (.rows | length), .rows[0].number, .rows[-1].number, .next]
		| tostring") == \
		"\"[$rows,$rows,$rows,1,0]\"" ]] ||
		fail "not the $rows rows of coterie ledger: $(ask party-00 /api/ledger |
		jq -c '[.count, (.rows | length), .next]')"
	[[ $(ask party-00 "/api/ledger?before=3" | jq -c '[.rows[].number]') == '[2,1]' ]] ||
		fail "not the rows before 3"
	[[ $(ask party-00 "/api/ledger?q=mAsKeD" |
		jq '.rows | length') == $(grep -ci masked "$T/ledger") ]] ||
		fail "not the rows with masked in them"
	[[ $(ask party-00 "/api/ledger?q=%27%20OR%201=1--" | jq '.rows | length') == 0 ]] ||
		fail "words are no SQL"
	answers 400 'expected at most 200' party-00 \
		"/api/ledger?q=$(head -c 201 /dev/zero | tr '\0' x)"
	[[ $(ask party-00 /api/budgets |
		jq -c '[.limits, (.spent | length), .spent[0].coordinator,
			.spent[0].jobs]') == '[{"jobs":3},1,"coordinator",1]' ]] ||
		fail "budgets: $(ask party-00 /api/budgets)"
	[[ $(ask party-00 /metrics |
		sed -n 's/^coterie_budget_spent{coordinator="coordinator",'\
'data="[0-9a-f]*",what="jobs"} //p') == \
		1 ]] ||
		fail "budgets are not counted"
	kill -TERM "${PID[party-00]}"
	ends 0 party-00
	[[ ! -e $T/out/party-00/http.token ]] || fail "the token outlives the party"
}

# Results need TLS at an address that other hosts reach.
test_results_need_tls_beyond_this_host() {
	federation 2
	ADDRESS=127.0.0.1:1
	edit party-00 '.retry_s = 60 | .http = { listen: "0.0.0.0:0", anywhere: true }'
	party party-00
	port party-00
	curl -sS "http://127.0.0.1:$PORT/api/results/$(printf '%032d' 1)" -d '{}' -o "$T/answer" \
		-H "Authorization: Bearer $(<"$T/out/party-00/http.token")"
	grep -q 'without TLS.* party.api.listen' "$T/answer" || fail "$(<"$T/answer")"
}

test_consent_is_refused() {
	offered 2
	consent "{\"answer\": \"no\", \"offer\": \"$HASH\", \"why\": \"not before Monday\"}"
	[[ $(<"$T/status") == 200 ]] || fail "$(<"$T/status") $(<"$T/answer")"
	ends 2 coordinator party-01
	soon_says party-00 'a user at party-00 refused the job: not before Monday'
}

test_consent_by_strangers() {
	offered 2
	local yes="{\"answer\": \"yes\", \"offer\": \"$HASH\"}" other=${HASH//[0-8]/9}
	ask party-00 "/api/offers/$ID" -X POST -d "$yes" >/dev/null
	says_no 403 'shows no token'
	TOKEN=${TOKEN//[0-8]/9} consent "$yes"
	says_no 403 'shows another token'
	consent "$yes" -H 'Origin: https://evil.example'
	says_no 403 'page of .*evil.example'
	consent "$yes" -H 'Host: evil.example'
	says_no 403 'is not this daemon'
	ask party-00 "/api/offers/$ID?answer=yes" -H "Authorization: Bearer $TOKEN" >/dev/null
	says_no 405 'is not for GET'
	consent "$yes" -H 'Content-Length: 1073741824'
	says_no 413 'has 1073741824 bytes'
	consent "$(head -c 20000 /dev/zero | tr '\0' ' ')$yes"
	says_no 413 'expected at most'
	consent "{\"answer\": \"yes\", \"offer\": \"$other\"}"
	says_no 409 'another one by now: look at it again'
	consent '{"answer": "yes"}'
	says_no 400 'the hash of the offer that was read'
	consent "{\"answer\": \"maybe\", \"offer\": \"$HASH\"}"
	says_no 400 'or .*no'
	consent "{\"answer\": \"yes\", \"offer\": \"$HASH\", \"days\": 1e9}"
	says_no 400 '1 to 366'
	consent "{\"answer\": \"no\", \"offer\": \"$HASH\", \"why\": \"a\\nb\"}"
	says_no 409 'not printable'
	consent 'nonsense'
	says_no 400 'line 1'
	ID=${ID//[0-8]/9} consent "$yes"
	[[ $(<"$T/status") == 409 ]] ||
		fail "an offer that is not there: $(<"$T/status") $(<"$T/answer")"
	ask party-00 '/api/offers/..%2F..%2Fserved' -X POST -H "Authorization: Bearer $TOKEN" -d \
		"$yes" >/dev/null
	says_no 404 'no offer is called'
	# A local process without the token cannot answer, so the job still waits.
	soon party-00 '.person_awaited'
	consent "$yes"
	ends 0 coordinator party-01
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
	answers 403 'page of another site' coordinator /api/status -H 'Sec-Fetch-Site: cross-site' \
		-H 'Sec-Fetch-Mode: no-cors'
	answers 404 'there is no /nothing' coordinator /nothing
	answers 405 'expected GET' coordinator /api/status -X DELETE
	answers 405 'is not for POST' coordinator /api/status -X POST -d x
	grep -qi "^content-security-policy: default-src 'none'" "$T/headers" ||
		fail "no CSP: $(<"$T/headers")"
	grep -qi '^x-content-type-options: nosniff' "$T/headers" ||
		fail "may be sniffed: $(<"$T/headers")"
	! grep -qi '^access-control' "$T/headers" || fail "lets other sites in: $(<"$T/headers")"
	status_is coordinator '.phase == "joining"' || fail "the coordinator is not what it was"
}

opened() { [[ $(stat -c %a "$T/party-00.http") == 660 ]]; }
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
	edit coordinator \
		'.http = { listen: "0.0.0.0:0", anywhere: true, hosts: ["window.example"] }'
	coordinator
	port coordinator
	[[ $(curl -sS -H 'Host: window.example' "http://127.0.0.1:$PORT/healthz") == ok ]] ||
		fail "no answer at port $PORT"
	# A port or a socket that is in use is an error with exit status 4.
	jq ".http.listen = \"127.0.0.1:$PORT\" | .output = \"$T/out/second\"" \
		"$T/coordinator.json" >"$T/second.json"
	start second "$BIN/coordinator" --config "$T/second.json" --job "$T/job.json"
	ends 4 second
	says second "http.listen: 127.0.0.1:$PORT is in use by another process"
	window party-00
	ADDRESS=127.0.0.1:1
	edit party-00 '.retry_s = 60'
	party party-00
	until_true 20 test -S "$T/party-00.http" || fail "no socket"
	until_true 10 opened || fail "the socket has mode $(stat -c %a "$T/party-00.http")"
	jq ".output = \"$T/out/second\"" "$T/party-00.json" >"$T/second.json"
	start second "$BIN/party" --config "$T/second.json" --once
	ends 4 second
	says second 'party-00.http is in use by another process'
	answers 200 ok party-00 /healthz
	# The daemon takes over a socket that a killed process left, but not a file.
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

# 1000 idle connections to the coordinator's HTTP port do not disturb the job.
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
	# Very long paths and headers are refused.
	ask coordinator /api/status -H "X: $(head -c 60000 /dev/zero | tr '\0' x)" >/dev/null
	[[ $(<"$T/status") =~ ^(431|414|413) ]] || fail "a header of 60 kB: $(<"$T/status")"
	ask coordinator "/$(head -c 60000 /dev/zero | tr '\0' x)" >/dev/null
	[[ $(<"$T/status") =~ ^(431|414|413) ]] || fail "a path of 60 kB: $(<"$T/status")"
	status_is coordinator '.phase == "joining"' || fail "the coordinator is not what it was"
}

# A client of /events receives each state of the job, and events until the process ends.
test_events() {
	federation 3
	window coordinator
	coordinator
	start watcher curl -sSN --max-time 120 --unix-socket "$T/coordinator.http" \
		http://localhost/events
	until_true 20 grep -q '^data: .*"phase":"joining"' "$T/watcher.stdout" ||
		fail "no event: $(<"$T/watcher.stdout")"
	relay relay 150
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	ends 0 coordinator party-00 party-01 party-02
	ends 0 watcher
	grep '^data: ' "$T/watcher.stdout" | cut -c 7- >"$T/events"
	jq -e . "$T/events" >/dev/null || fail "an event is no JSON"
	[[ $(jq -r '.jobs[0].state' "$T/events" | uniq |
		tr '\n' ' ') == "waiting running done " ]] ||
		fail "the job is seen $(jq -r '.jobs[0].state' "$T/events" | uniq | tr '\n' ' ')"
	jq -se 'any(.[]; [.peers[].connected] | all)' "$T/events" >/dev/null ||
		fail "nobody is seen to come"
}

sample test_status test_no_secret test_metrics test_consent_is_read_and_given
run_tests "$@"
