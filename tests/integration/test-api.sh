#!/bin/bash
# test-api.sh -- tests a coordinator that serves remote users at api.listen, by HTTPS with
# certificates and a role for each name.
. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/serve.sh"
. "${BASH_SOURCE[0]%/*}/certificates.sh"

people() { # anna and otto are submitters, vera a viewer, olga an operator; nina has no role
	person anna otto vera olga nina
	edit coordinator '.api = { listen: "127.0.0.1:0", roles: { anna: "submitter",
		otto: "submitter", vera: "viewer", olga: "operator" } }'
}

# NAME ARG...
far() { "$BIN/coterie" job "${@:2}" --server "coordinator@$API" --cert "$T/pki/$1.crt"; }

# Prints the status that curl receives; the body is in $T/answer. If NAME is "", curl shows no
# certificate.
asks() { # NAME PATH [CURL-OPTION...]
	local own=(--cert "$T/pki/$1.crt" --key "$T/pki/$1.key")
	[[ $1 ]] || own=()
	rm -f "$T/answer"
	curl -sS --noproxy '*' --max-time 60 --cacert "$T/pki/ca.crt" --connect-to "::$API" \
		"${own[@]}" -o "$T/answer" -w '%{http_code}' "${@:3}" \
		"https://coordinator:${API##*:}$2" 2>"$T/curl"
}

answered() { # STATUS TEXT NAME PATH [CURL-OPTION...]
	local status
	status=$(asks "${@:3}") || true
	[[ $status == "$1" ]] ||
		fail "$3: $4: status $status, expected $1: $(cat "$T/curl" "$T/answer" 2>/dev/null |
		head -c 300)"
	grep -q -- "$2" "$T/answer" || fail "$3: $4 does not say '$2': $(head -c 300 "$T/answer")"
}

far_federation() { # L: makes a federation with users
	federation "$1"
	people
}

far_served() { # L: starts the federation with a coordinator that serves; sets $API
	all_stay "$1"
	api
}

# Submits jobs over the API with the commands that the control socket has. The offer, the ledger and
# run.json have the submitter's name from the certificate.
test_submit_from_elsewhere() {
	far_federation 3
	edit party-00 '.policy.submitters = ["anna"]'
	far_served 3
	[[ $(far anna submit "$T/job.json") == "job 1" ]] || fail "job 1 was not taken"
	far anna wait 1 >"$T/waited" 2>"$T/wait.stderr" || fail "wait ended with $?"
	[[ $(<"$T/waited") == "job 1: done" ]] || fail "wait says $(<"$T/waited")"
	says wait '^results: coterie results 1, with the same options$'
	far vera list >"$T/list"
	grep -Eq '^ *1 +done +kcagc +anna' "$T/list" || fail "list says $(<"$T/list")"
	[[ $(far vera show 1 --json | jq -r .submitter) == anna ]] ||
		fail "the submitter is $(shown 1 .submitter)"
	[[ $(jq -r .submitter "$(shown 1 .directory)/run.json") == anna ]] ||
		fail "run.json of the coordinator has another submitter"
	until_true 20 party_names_anna || fail "run.json of a party has another submitter"
	[[ $(python3 -c 'import sqlite3, sys
print(sqlite3.connect("file:" + sys.argv[1] + "?mode=ro",
                      uri=True).execute("select distinct submitter from job").fetchall())' \
		"$T/out/party-01/state/ledger.db") == "[('anna',)]" ]] ||
		fail "the ledger does not name anna"
	far vera log 1 | cmp - "$(shown 1 .directory)/log.jsonl" || fail "log shows something else"
	"$BIN/coterie" status --server "coordinator@$API" --cert "$T/pki/vera.crt" |
		grep -q '^coordinator coordinator' || fail "no status"
	# otto may submit too, but party-00's policy does not name him.
	[[ $(far otto submit "$T/job.json") == "job 2" ]] || fail "job 2 was not taken"
	refused 2 'job 2: failed: party-00 declined' far otto wait 2
	# --config gives the server and the certificate, in place of --server and --cert.
	jq -n --arg api "coordinator@$API" \
		'{ server: $api, identity: { certificate: "pki/anna.crt" } }' >"$T/anna.json"
	[[ $("$BIN/coterie" job --config "$T/anna.json" submit "$T/job.json" \
		--wait) == $'job 3\njob 3: done' ]] || fail "not by --config"
}

party_names_anna() {
	[[ $(jq -r .submitter "$T"/out/party-01/job-*/run.json 2>/dev/null) == anna ]]
}

test_roles() {
	far_federation 3
	patient 3
	far_served 3
	refused 4 'submit needs the role submitter at coordinator, and vera has the role viewer' \
		far vera submit "$T/job.json"
	soon_says coordinator 'vera, with the role viewer, requested submit'
	refused 4 'the certificate of nina has no role at coordinator' far nina submit "$T/job.json"
	refused 4 'the certificate of nina has no role at coordinator' far nina list
	soon_says coordinator 'refused at api.listen: the certificate of nina has no role'
	refused 4 'the certificate of party-01 has no role' far party-01 list
	for path in / /metrics /healthz /api/status /api/jobs /api/queue /api/me /events; do
		answered 403 'nina has no role' nina "$path"
	done
	answered 403 'needs the role submitter' vera /api/ask -d '{"do": "submit"}'
	[[ $(job list --json) == "[]" ]] || fail "there are jobs: $(job list)"
	sleeps party-01
	[[ $(far anna submit "$T/job.json") == "job 1" ]] || fail "job 1 was not taken"
	becomes 1 running
	refused \
		4 'was submitted by anna: cancelling it needs the role operator, and otto is a '\
'submitter' far otto cancel 1
	refused 4 'cancel needs the role submitter' far vera cancel 1
	far olga cancel 1
	refused 6 'cancelled by olga' far anna wait 1
	wakes party-01
}

# Starts the coordinator again. A process logs at most one refusal a minute (log_seldom()).
serves_again() {
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	serve
	api
}

test_certificates() {
	far_federation 2
	edit coordinator '.identity.crl = "pki/ca.crl"'
	person rita
	edit coordinator '.api.roles.rita = "operator"'
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+9 days' "$T/pki/rita.crt"
	serve
	api
	[[ $(far anna list --json) == "[]" ]] || fail "anna may not list"
	refused 2 'revoked' far rita list
	soon_says \
		coordinator 'refused at api.listen: 127.0.0.1:[0-9]+ shows a certificate \(for '\
'rita\) that our CA has revoked'
	serves_again
	certificate otto "$T/pki/otto.crt" "$T/pki" clientAuth '-20 days' '-1 day'
	refused 2 'expired' far otto list
	soon_says coordinator 'shows a certificate \(for otto\) that expired on'
	serves_again
	certificate vera "$T/pki/vera.crt" "$T/pki" serverAuth '-1 day' '+20 days'
	refused 2 'certificate' far vera list
	soon_says coordinator 'shows a certificate \(for vera\) of the wrong purpose'
	serves_again
	"$BIN/coterie" pki lab --parties 2 --out "$T/other" >/dev/null
	certificate olga "$T/pki/olga.crt" "$T/other" clientAuth '-1 day' '+20 days'
	refused 2 'unknown ca' far olga list
	soon_says coordinator 'shows a certificate \(for olga\) that our CA did not sign'
	serves_again
	! asks '' /api/status >"$T/status" ||
		fail "without a certificate: $(<"$T/status") $(<"$T/answer")"
	grep -Eiq 'certificate required|alert' "$T/curl" ||
		fail "without a certificate: $(<"$T/curl")"
	soon_says coordinator 'refused at api.listen: .* shows no certificate'
	serves_again
	! curl -sS --noproxy '*' --max-time 20 "http://$API/" >/dev/null 2>&1 ||
		fail "it answers without TLS"
	soon_says coordinator 'refused at api.listen: .* is not TLS'
	# The client checks the coordinator's name and CA, and its own files.
	refused 2 "name 'party-00'" "$BIN/coterie" job list --server "party-00@$API" --cert \
		"$T/pki/anna.crt"
	refused 2 'certificate' "$BIN/coterie" job list --server "coordinator@$API" --cert \
		"$T/pki/anna.crt" --ca "$T/other/ca.crt"
	refused 4 'nobody.crt: this file cannot be read' "$BIN/coterie" job list --server \
		"coordinator@$API" --cert "$T/pki/nobody.crt"
	refused 4 'needs --cert' "$BIN/coterie" job list --server "coordinator@$API"
	refused 4 'expected a coordinator.s api.listen' "$BIN/coterie" job list --server \
		"coordinator" --cert "$T/pki/anna.crt"
	kill -TERM "${PID[coordinator]}"
	ends 0 coordinator
	refused 2 "coordinator@$API:" far anna list
}

test_key_with_a_passphrase() {
	far_federation 2
	serve
	api
	openssl pkcs8 -topk8 -in "$T/pki/anna.key" -out "$T/pki/locked.key" -passout pass:sesame
	(umask 077 && echo sesame >"$T/pki/phrase" && echo wrong >"$T/pki/wrong")
	[[ $(far anna list --json --key "$T/pki/locked.key" --passphrase \
		"$T/pki/phrase") == "[]" ]] || fail "not with the passphrase"
	refused 4 'locked.key|private key' far anna list --key "$T/pki/locked.key" --passphrase \
		"$T/pki/wrong"
	refused 4 'locked.key|private key' far anna list --key "$T/pki/locked.key"
}

# The dashboard and its data are available with a certificate. Requests from a page of another site
# are refused.
test_page_from_elsewhere() {
	far_federation 2
	far_served 2
	answered 200 '<title>Coterie' vera /
	answered 200 '"role": *"viewer"' vera /api/me
	answered 200 '"name": *"anna"' anna /api/me
	answered 200 'coterie_build_info' vera /metrics
	answered 200 '"phase": *"serving"' vera /api/status
	answered 403 'comes from a page of' anna /api/ask -H 'Origin: https://evil.example' -d \
		'{"do": "list"}'
	answered 403 'by a page of another site' anna /api/ask -H 'Sec-Fetch-Site: cross-site' -d \
		'{"do": "list"}'
	answered 200 '"jobs"' anna /api/ask -H "Origin: https://coordinator:${API##*:}" -d \
		'{"do": "list"}'
	answered 403 'needs the role submitter' vera /api/ask -d '{"do": "submit"}'
	answered 400 'the request is no object' anna /api/ask -d '[]'
	answered 400 'the request' anna /api/ask -d '{'
	answered 400 'unknown request' anna /api/ask -d '{"do": "dance"}'
	answered 405 'is not for' anna /api/ask
	timeout 20 bash -c "$(declare -f asks); T='$T' API='$API'; asks vera /events -N" \
		>/dev/null 2>&1 || true
	grep -q '^data: {' "$T/answer" || fail "no events: $(head -c 200 "$T/answer")"
}

# A POST to the loopback dashboard has no user, and is refused.
test_nobody_submits_without_a_certificate() {
	federation 2
	edit coordinator '.http = { listen: "127.0.0.1:0" }'
	serve
	soon_says coordinator 'dashboard: '
	URL=$(sed -n 's|.*dashboard: \(http://[^ "]*/\).*|\1|p' "$T/coordinator.stderr")
	[[ $(curl -sS "${URL}api/me" | jq -r .role) == viewer ]] ||
		fail "me: $(curl -sS "${URL}api/me")"
	[[ $(curl -sS "${URL}api/ask" -d '{"do": "list"}' -H 'Authorization: Bearer x' -w \
		'%{http_code}' -o "$T/answer") == 403 ]] ||
		fail "it answers: $(<"$T/answer")"
	grep -q 'but at api.listen, with a certificate' "$T/answer" ||
		fail "it says $(<"$T/answer")"
	[[ ! -e $T/out/coordinator/http.token ]] || fail "there is a token"
	! said coordinator 'API endpoint' || fail "there is an api.listen that nobody asked for"
}

test_configuration() {
	federation 2
	check() { # REGEX JQ
		edit coordinator "$2"
		start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" --out \
			"$T/out/coordinator"
		ends 4 coordinator
		says coordinator "$1"
	}
	check 'coordinator.api.roles.anna is .*boss.*, expected .*viewer.*submitter.*operator' \
		'.api = { listen: "127.0.0.1:0", roles: { anna: "boss" } }'
	check 'coordinator.api.listen is .*, expected an address' '.api = { listen: "nowhere" }'
	python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True); time.sleep(60)' >"$T/taken" &
	taker=$!
	until_true 20 test -s "$T/taken"
	check 'api.listen: 127.0.0.1:[0-9]*: address already in use' \
		".api.listen = \"127.0.0.1:$(<"$T/taken")\""
	kill "$taker"
}

# A job is not disturbed by 1000 idle connections, some with TLS and a certificate, or by a request
# of 1 GiB.
test_idle_and_large() {
	far_federation 2
	far_served 2
	start idle python3 -c 'import socket, ssl, sys, time
host, port = sys.argv[1].rsplit(":", 1)
own = ssl.create_default_context(cafile=sys.argv[2] + "/ca.crt")
own.load_cert_chain(sys.argv[2] + "/vera.crt", sys.argv[2] + "/vera.key")
some = []
for i in range(1000):
    s = socket.create_connection((host, int(port)))
    try: some.append(own.wrap_socket(s, server_hostname="coordinator") if i % 20 == 0 else s)
    except OSError: pass
open(sys.argv[3], "w").close()
time.sleep(600)' "$API" "$T/pki" "$T/idle.ready"
	until_true 60 test -e "$T/idle.ready" || fail "the idle connections did not come about"
	[[ $(far anna submit "$T/job.json") == "job 1" ]] || fail "job 1 was not taken"
	job wait 1 >/dev/null || fail "the job ended with $?"
	(($(find "/proc/${PID[coordinator]}/fd" | wc -l) < 600)) ||
		fail "$(find "/proc/${PID[coordinator]}/fd" | wc -l) descriptors are open"
	start large bash -c \
		"$(declare \
		-f asks); T='$T' API='$API'; head -c 1073741824 /dev/zero | asks anna /api/ask -X \
POST -H 'Content-Type: application/json' -H 'Expect:' -H 'Content-Length: 1073741824' -T -"
	[[ $(far anna submit "$T/job.json") == "job 2" ]] || fail "job 2 was not taken"
	job wait 2 >/dev/null || fail "the job ended with $?"
	until_true 90 gone large || fail "1 GiB goes on"
	grep -q 'the request has 1073741824 bytes, expected at most 524288' "$T/answer" ||
		fail "1 GiB: $(cat "$T/large.stdout" "$T/curl" "$T/answer" 2>/dev/null |
		head -c 300)"
	(($(awk '/VmHWM/ { print $2 }' "/proc/${PID[coordinator]}/status") < 400000)) ||
		fail "memory: $(grep VmHWM "/proc/${PID[coordinator]}/status")"
}

sample test_submit_from_elsewhere test_roles
run_tests "$@"
