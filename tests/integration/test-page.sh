#!/bin/bash
# test-page.sh -- tests the daemons' dashboard in Chromium. A user watches a job to its end, and
# approves and refuses offers. A daemon is lost, and a page of another site attacks. The page is
# also used by keyboard, at 390 px, and in dark mode. Pictures are left in out/.
source "${BASH_SOURCE[0]%/*}/lib.sh"
source "${BASH_SOURCE[0]%/*}/serve.sh"

# shellcheck disable=SC2034 # lib.sh reads it
TEST_TIMEOUT=600
PICTURES=$ROOT/out

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

need_browser() {
	[[ -n $(browser) ]] && command -v node >/dev/null &&
		[[ -d $ROOT/build/browser/node_modules/puppeteer-core ]] ||
		skip "no Chromium, node or puppeteer-core; scripts/deps --browser brings them"
	mkdir -p "$PICTURES"
}

window() { edit "$1" ".http = { listen: \"127.0.0.1:${2:-0}\" }"; } # NAME [PORT]

url() { # NAME: sets $URL
	soon_says "$1" 'dashboard: http:'
	URL=$(sed -n 's|.*dashboard: \(http://[^ "]*/\).*|\1|p' "$T/$1.stderr" | tail -n 1)
}

SEEN=() # commands that run the browser
check() { # SCENARIO [ARG]: runs in the background
	start check "${SEEN[@]}" env CHROMIUM="$(browser)" HOME="${BROWSER_HOME-$T}" node \
		"$ROOT/tests/tools/page-check.mjs" "$1" "$URL" "$PICTURES" "${@:2}"
}

is_ready() { (($(grep -c '^ready' "$T/check.stdout") >= $1)) || gone check; } # N

ready() { # N: waits until the check has reported ready N times
	until_true 60 is_ready "$1"
	(($(grep -c '^ready' "$T/check.stdout") >= $1)) ||
		fail "the browser: $(cat "$T/check.stdout" "$T/check.stderr")"
}

checked() { # the check found no fault
	ended check 400
	[[ $STATUS == 0 ]] || fail "the browser: $(cat "$T/check.stdout" "$T/check.stderr")"
}

offered() {
	federation 2
	window party-00
	edit party-00 \
		'.retry_s = 60 | .policy.confirm = true | .confirm_s = 600 | .policy.max_jobs = 3'
	coordinator
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS" --out \
		"$T/out/party-00"
	party party-01
	soon_says party-00 'waits for approval'
	url party-00
}

test_watch() {
	need_browser
	federation 3
	edit coordinator '.join_timeout_s = 600'
	window coordinator
	coordinator
	url coordinator
	check watch
	ready 1
	relay relay 400
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	checked
	ends 0 coordinator party-00 party-01 party-02
}

test_queue() {
	need_browser
	federation 2
	window coordinator
	for name in party-00 party-01; do edit "$name" '.retry_s = 0'; done
	edit party-00 '.policy.confirm = true | .confirm_s = 600'
	serve
	stays party-00 party-01
	here 2
	url coordinator
	check queue
	ready 1
	submits "$T/job.json" 1
	submits "$T/job.json" 2
	ready 2
	for _ in 1 2; do until_true 60 approved || fail "no offer came"; done
	checked
}

test_no_form_for_who_may_not() {
	need_browser
	federation 2
	window coordinator
	serve
	url coordinator
	check look
	checked
}

# ---- remote access: the browser has a certificate of its own ----

# Chromium finds keys below its home. It asks the user which certificate to send, unless a policy
# names it. It reads policies only in /etc, so a private /etc/chromium is mounted for it.
https_browser() { # PORT NAME...: imports the certificate of each user NAME
	local port=$1 name db
	shift
	command -v certutil >/dev/null && command -v pk12util >/dev/null ||
		skip "no certutil, which puts keys into Chromium's store: scripts/deps --browser"
	[[ $(browser) == *chromium* ]] || skip "$(browser) reads its policy elsewhere"
	BROWSER_HOME=$(mktemp -d "$T/home.XXXXXX")
	db=sql:$BROWSER_HOME/.pki/nssdb
	for name; do
		jq -n --arg at "https://$name.localhost:$port" --arg cn "$name" \
			'{ pattern: $at, filter: { SUBJECT: { CN: $cn } } } | tojson'
	done | jq -s '{ AutoSelectCertificateForUrls: . }' >"$BROWSER_HOME/policy.json"
	SEEN=(unshare -m)
	((EUID == 0)) || SEEN=(unshare -rm)
	# shellcheck disable=SC2016
	SEEN+=(bash
		-euc 'mount -t tmpfs none /etc/chromium &&
		mkdir -p /etc/chromium/policies/managed &&
		cp "$1" /etc/chromium/policies/managed &&
		shift && exec "$@"' - "$BROWSER_HOME/policy.json")
	"${SEEN[@]}" true 2>/dev/null ||
		skip "nothing can be mounted, so Chromium cannot be told which certificate to show"
	mkdir -p "$BROWSER_HOME/.pki/nssdb"
	certutil -N -d "$db" --empty-password
	certutil -A -d "$db" -n ca -t C,, -i "$T/p256/ca.crt"
	for name; do
		openssl pkcs12 -export -in "$T/p256/$name.crt" -inkey "$T/p256/$name.key" -name \
			"$name" -passout pass:x -out "$T/$name.p12"
		pk12util -i "$T/$name.p12" -d "$db" -W x >"$T/pk12util" ||
			fail "$name's key: $(<"$T/pk12util")"
	done
}

# Browsers support P-256 but not Ed25519, not even in the CA's certificate. So users and the
# coordinator have a second CA.
test_from_elsewhere() {
	need_browser
	federation 2
	local name pin port
	"$BIN/coterie" pki init --key-type p256 --dir "$T/p256" >/dev/null
	"$BIN/coterie" pki request --name coordinator --role coordinator --key-type p256 --dir \
		"$T/p256" --host anna.localhost \
		--host vera.localhost --host nina.localhost --host localhost >/dev/null
	for name in anna vera nina; do
		"$BIN/coterie" pki request --name "$name" --role user --key-type p256 --dir \
			"$T/p256" >/dev/null
	done
	for name in coordinator anna vera nina; do
		"$BIN/coterie" pki sign --days 20 --ca "$T/p256" "$T/p256/$name.csr" >/dev/null
	done
	cat "$T/pki/ca.crt" "$T/p256/ca.crt" >"$T/both.crt"
	pin=$("$BIN/coterie" pki fingerprint "$T/p256/coordinator.crt")
	edit coordinator '.identity = { certificate: "p256/coordinator.crt",
		key: "p256/coordinator.key", ca: "both.crt" } |
		.api = { listen: "127.0.0.1:0", roles: { anna: "submitter", vera: "viewer" } }'
	for name in $(names 2); do
		edit "$name" \
			".retry_s = 0 | .identity.ca = \"both.crt\" | .peers.coordinator = \"$pin\""
	done
	serve
	stays party-00 party-01
	here 2
	soon_says coordinator 'API endpoint'
	port=$(sed -n 's|.*API endpoint: https://[^ "]*:\([0-9]*\)/.*|\1|p' "$T/coordinator.stderr")
	URL=https://localhost:$port/
	https_browser "$port" anna vera nina
	check far "$(jq -c --arg file "$T/job.json" '{ text: tojson, file: $file }' "$T/job.json")"
	ready 1
	kill -TERM "${PID[party-01]}"
	ends 0 party-01
	checked
	[[ $(shown 1 '.submitter, .state' | xargs) == "anna done" &&
		$(shown 2 .cause) == "cancelled by anna" ]] || fail "the queue: $(job list)"
	soon_says coordinator 'refused at api.listen: the certificate of nina has no role'
	https_browser "$port"
	check nobody
	checked
	soon_says coordinator 'refused at api.listen: .* shows no certificate'
}

approved() {
	local id
	id=$("$BIN/coterie" approve --state "$T/out/party-00/state" --list |
		sed -n 's/^\([0-9a-f]\{32\}\) .*/\1/p')
	[[ $id ]] && "$BIN/coterie" approve --state "$T/out/party-00/state" "$id" >/dev/null
}

test_consent() {
	need_browser
	offered
	check consent "$(<"$T/out/party-00/http.token")"
	checked
	ends 0 coordinator party-01
}

test_refuse() {
	need_browser
	offered
	check refuse "$(<"$T/out/party-00/http.token")"
	checked
	ends 2 coordinator party-01
}

# Draws a report file with twelve clusters, so that the matrix is wide.
test_report() {
	need_browser
	"$BIN/coterie" synth --nodes 360 --features 48 --clusters 12 --signal 0.8 --out "$T/data" \
		>/dev/null
	echo '{ "kind": "kcagc", "clusters": 12, "filter": { "order": 3 } }' >"$T/job.json"
	"$BIN/coterie" run --quiet --data "$T/data" --job "$T/job.json" --parties 3 --keep-data \
		--out "$T/run" >"$T/run.stdout" 2>&1 || fail "the run: $(<"$T/run.stdout")"
	for name in run run/party-01; do
		"$BIN/coterie" report "$T/$name" -o "$T/${name##*/}.html" --truth \
			"$T/data/labels.txt" >/dev/null
		URL=file://$T/${name##*/}.html
		check report "report-${name##*/}"
		checked
	done
}

test_lost() {
	need_browser
	federation 2
	edit party-00 '.retry_s = 600'
	window party-00
	ADDRESS=127.0.0.1:1
	party party-00
	url party-00
	check lost
	ready 1
	kill -KILL "${PID[party-00]}"
	ready 2
	window party-00 "$(sed 's|.*:\([0-9]*\)/|\1|' <<<"$URL")"
	party party-00
	checked
}

test_foreign() {
	need_browser
	offered
	check foreign \
		"$(jq -c '{ id: .job_id, hash: .offer }' "$T"/out/party-00/state/offers/*.json |
		jq -c --rawfile token "$T/out/party-00/http.token" \
		'. + { token: ($token | rtrimstr("\n")) }')"
	checked
	[[ -z $(ls "$T"/out/party-00/state/offers/*.answer 2>/dev/null) ]] ||
		fail "another site has answered"
}

run_tests "$@"
