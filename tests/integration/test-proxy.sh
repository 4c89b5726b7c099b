#!/bin/bash
# Runs parties behind an HTTP proxy (tinyproxy), and coterie job through that proxy.
#
#     party-00 =========================\
#     party-01 == tinyproxy (CONNECT) == coordinator
#     party-02 == tinyproxy            ==/
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=serve.sh
source "${0%/*}/serve.sh"
# shellcheck source=certificates.sh
source "${0%/*}/certificates.sh"

proxy() { # [LINE...]: starts a proxy with LINEs in its configuration; sets $PROXY to its port
	local try
	command -v tinyproxy >/dev/null || skip "tinyproxy is not installed: scripts/deps"
	for ((try = 0; try < 20; try++)); do
		[[ -n ${PROXY-} && $try == 0 ]] || PROXY=$((20000 + RANDOM % 12000))
		{
			printf '%s\n' "Port $PROXY" 'Listen 127.0.0.1' 'Timeout 600' \
				'MaxClients 50' 'LogLevel Connect' "LogFile \"$T/proxy.log\"" "$@"
		} >"$T/proxy.conf"
		start proxy tinyproxy -d -c "$T/proxy.conf"
		until_true 10 proxy_listens_or_gone
		gone proxy || return 0
		wait "${PID[proxy]}" || true # another process has the port
		unset 'PID[proxy]'
	done
	fail "tinyproxy does not start: $(cat "$T/proxy.stderr" "$T/proxy.log")"
}
proxy_listens_or_gone() { gone proxy || (: <>"/dev/tcp/127.0.0.1/$PROXY") 2>/dev/null; }

stop_proxy() {
	kill -KILL "${PID[proxy]}"
	wait "${PID[proxy]}" 2>/dev/null || true
	unset 'PID[proxy]'
}

behind() { # NAME...
	local name
	for name; do edit "$name" ".proxy = \"http://127.0.0.1:$PROXY\""; done
}

tunnels() { grep -c ": CONNECT $1" "$T/proxy.log" || true; } # HOST:PORT

# A party gives the proxy the coordinator's address as it is configured, a name or a number.
test_two_of_three_behind_it() {
	federation 3
	coordinator
	proxy
	behind party-01 party-02
	party party-00
	ADDRESS=localhost:${ADDRESS##*:} party party-01
	party party-02
	completes 3
	(($(tunnels 127.0.0.1) == 1 && $(tunnels localhost) == 1)) ||
		fail "tunnels: $(cat "$T/proxy.log")"
	says party-01 'through the proxy http://127.0.0.1:'
	says party-01 'admitted by coordinator at localhost:'
	! said party-00 proxy || fail "party-00 uses a proxy"
	at_least "$(acc "$T/out/party-01/labels.csv")" 0.9 accuracy
}

# The tunnel breaks during a job and is restored.
test_closed_in_a_job() {
	local name
	federation 3 --signal 0.3
	edit_all 3 '.reconnect_s = 60 | .step_timeout_s = 300'
	edit job '.polish = 4'
	coordinator
	proxy
	behind party-01 party-02
	relay relay "$(longer 30)"
	ADDRESS=$RELAY parties 3
	in_phase coordinator level-1
	stop_proxy
	soon_says party-01 'dialling again'
	soon_says coordinator 'waiting for party-01, for up to'
	proxy
	completes 3
	says party-01 'reconnected to'
	(($(run_of coordinator '.peers[] | select(.name == "party-01") | .reconnects') >= 1)) ||
		fail "no reconnect of party-01"
}

# A party waits for a proxy that is down, as for a coordinator.
test_down_and_up() {
	federation 2
	edit_parties 2 '.retry_s = 300'
	edit coordinator '.join_timeout_s = 300'
	coordinator
	proxy
	stop_proxy
	behind party-01
	"$BIN/coterie" doctor --config "$T/party-01.json" --json >"$T/found" 2>/dev/null || true
	jq -e --arg p "the proxy 127.0.0.1:$PROXY: connection refused" \
		'any(.[]; .check == "TCP" and .verdict == "wrong" and .found == $p)' "$T/found" \
		>/dev/null ||
		fail "doctor does not find it: $(<"$T/found")"
	parties 2
	soon_says party-01 "the proxy 127.0.0.1:$PROXY: connection refused; trying again"
	proxy
	completes 2
}

test_refused_by_it() {
	federation 2
	edit party-01 '.retry_s = 1'
	coordinator
	proxy 'ConnectPort 443'
	behind party-01
	edit party-01 ".coordinator = \"$ADDRESS\""
	"$BIN/coterie" doctor --config "$T/party-01.json" --json >"$T/found" 2>/dev/null &&
		fail "doctor finds nothing wrong"
	jq -e 'any(.[]; .check == "proxy" and .verdict == "wrong" and (.found
		| test("answered \"HTTP/1.. 403 ")))' "$T/found" >/dev/null ||
		fail "doctor does not find it: $(<"$T/found")"
	party party-01
	soon_says \
		party-01 '"level":"error".*the proxy 127.0.0.1:[0-9]+ answered .*HTTP/1.. 403 .* '\
'when asked for 127.0.0.1:'
	ends 2 party-01
	kill -TERM "${PID[coordinator]}"
	ends 6 coordinator
}

# The port belongs to a server that is not a proxy.
test_no_proxy_there() {
	federation 2
	edit party-00 '.retry_s = 1'
	coordinator
	PROXY=${ADDRESS##*:}
	behind party-00
	party party-00
	soon_says \
		party-00 'did not answer as an HTTP proxy does|before the proxy answered|broke: '\
'connection reset'
	ends 2 party-00
	kill -TERM "${PID[coordinator]}"
	ends 6 coordinator
}

# A password would be in a file that other users may read, so it is refused. No message shows it.
test_passwords_are_refused() {
	federation 1
	edit party-00 '.proxy = "http://anna:s3cret@proxy.example.org:3128"'
	refused 4 'party.proxy has a user or a password' "$BIN/party" --check-config --config \
		"$T/party-00.json"
	! grep -q s3cret "$T/refused" || fail "it says the password"
	edit party-00 '.proxy = "http://anna:s3cret" + ("x" * 400) + "@proxy.example.org:3128"'
	refused 4 'party.proxy has a user or a password' "$BIN/party" --check-config --config \
		"$T/party-00.json"
	! grep -q s3cret "$T/refused" || fail "it says a long password"
	edit party-00 '.proxy = "https://proxy.example.org:3128"'
	refused 4 'party.proxy is no HTTP proxy' "$BIN/party" --check-config --config \
		"$T/party-00.json"
	edit party-00 '.proxy = "http://proxy.example.org:3128"'
	refused 0 'is valid' "$BIN/party" --check-config --config "$T/party-00.json"
}

# coterie job uses the proxy of the environment, but not for 127.0.0.1 or for names in no_proxy.
test_job_through_it() {
	local address host=$HOSTNAME
	getent hosts "$host" >/dev/null || skip "this host does not know its own name, $host"
	federation 1
	person anna
	edit coordinator '.api = { listen: "0.0.0.0:0", roles: { anna: "submitter" } }'
	serve
	api
	proxy
	address=coordinator@$host:${API##*:}
	ask() { env "${@:2}" "$BIN/coterie" job list --server "$1" --cert "$T/pki/anna.crt"; }
	ask "$address" "https_proxy=http://127.0.0.1:$PROXY" >"$T/list" || fail "list ended with $?"
	(($(tunnels "$host") == 1)) || fail "not through the proxy: $(cat "$T/proxy.log")"
	ask "coordinator@127.0.0.1:${API##*:}" "https_proxy=http://127.0.0.1:$PROXY" >"$T/list" ||
		fail "list ended with $?"
	ask "$address" "https_proxy=http://127.0.0.1:$PROXY" "no_proxy=coordinator" >"$T/list" ||
		fail "list ended with $?"
	(($(tunnels "") == 1)) || fail "through the proxy all the same: $(cat "$T/proxy.log")"
	# Inside the tunnel too, the certificate must have the name that --server gives.
	refused 2 'certificate|SSL' ask "hub@$host:${API##*:}" "https_proxy=http://127.0.0.1:$PROXY"
	stop_proxy
	refused 2 "$PROXY" ask "$address" "https_proxy=http://127.0.0.1:$PROXY"
	proxy 'ConnectPort 443'
	refused 2 403 ask "$address" "https_proxy=http://127.0.0.1:$PROXY"
}

run_tests "$@"
