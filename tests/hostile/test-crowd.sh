#!/bin/bash
# A client keeps 300 connections open, whose requests never end or whose answers it does not read
# (drip.py). In most tests it has no rights. The daemon must answer other clients, and /healthz, as
# if these connections did not exist.
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/serve.sh
source "${0%/*}/../integration/serve.sh"

CROWD=300

# Starts a coordinator that serves, at $API and $PORT. vera has role viewer, nina has no role.
doors() { # [HTTP.LISTEN]
	local name
	federation 2
	for name in vera nina; do
		"$BIN/coterie" pki request --name "$name" --role user --dir "$T/pki" >/dev/null
		"$BIN/coterie" pki sign --days 20 --ca "$T/pki" "$T/pki/$name.csr" >/dev/null
	done
	edit coordinator ".api = { listen: \"127.0.0.1:0\", roles: { vera: \"viewer\" } } | .http \
= { listen: \"${1-127.0.0.1:0}\" }"
	serve
	soon_says coordinator 'API endpoint'
	API=$(sed -n 's|.*API endpoint: https://\([^ "]*\)/.*|\1|p' "$T/coordinator.stderr")
	PORT=$(sed -n 's|.*dashboard: http://\([^ "]*\)/.*|\1|p' "$T/coordinator.stderr")
}

crowd() { # HOW ADDRESS [PKI NAME]: opens connections that stay longer than idle connections may
	start crowd python3 "$ROOT/tests/hostile/drip.py" "$1" "$CROWD" "$2" "$T/crowd" "${@:3}"
	until_true 60 test -e "$T/crowd" || fail "the crowd did not come"
}

viewer() {
	curl -sSf --noproxy '*' --max-time "$LIMIT" --cacert "$T/pki/ca.crt" --cert \
		"$T/pki/vera.crt" --key "$T/pki/vera.key" \
		--connect-to "::$API" -o "$T/answer" -w '%{time_total}\n' \
		"https://coordinator:${API##*:}$1"
}

local_user() {
	curl -sSf --noproxy '*' --max-time "$LIMIT" "${SOCKET[@]}" -o "$T/answer" -w \
		'%{time_total}\n' "http://${PORT:-localhost}$1"
}

# Runs COMMAND every other second for 20 s, twice the limit for an idle connection.
all_are_answered() { # COMMAND...: for example viewer
	local i deadline
	LIMIT=$BUSY
	for ((i = 0; i < 10; i++)); do
		deadline=$((SECONDS + LIMIT)) # before it a busy machine may refuse connections
		until "$@" >>"$T/times" 2>"$T/curl"; do
			((BUSY > 1 && SECONDS < deadline)) ||
				fail "$*: not answered within $LIMIT s, after $i that were: $( \
				<"$T/curl")"
		done
		sleep 2
	done
	echo "$*: $(wc -l <"$T/times") answers, the slowest after $(sort -g "$T/times" |
		tail -n 1) s"
	rm "$T/times"
	(($(find "/proc/${PID[coordinator]}/fd" | wc -l) < 600)) ||
		fault "$(find "/proc/${PID[coordinator]}/fd" | wc -l) descriptors are open"
}

SOCKET=()
by_certificate() { # HOW
	doors
	crowd "$1" "$API" "$T/pki" nina
	all_are_answered viewer /api/status
	all_are_answered local_user /healthz
}

test_requests_of_a_certificate_without_a_role() { by_certificate request; }
test_handshakes() { by_certificate handshake; }

# A client with a role sends requests and does not read the answers.
test_answers_that_are_not_read() {
	doors
	crowd unread "$API" "$T/pki" vera
	all_are_answered local_user /healthz
	all_are_answered local_user /api/status
}

by_local_user() { # HOW
	doors
	crowd "$1" "$PORT"
	all_are_answered local_user /healthz
	all_are_answered viewer /api/status
}

test_requests_of_a_local_user() { by_local_user request; }
test_bodies_of_a_local_user() { by_local_user body; }
test_watchers_of_a_local_user() { by_local_user watch; }

# One user fills the socket with connections, and another user is still answered.
test_requests_at_a_unix_socket() {
	((EUID == 0)) || skip "only root can be another user"
	doors "unix:$T/http"
	PORT='' SOCKET=(--unix-socket "$T/http")
	chmod 777 "$T"
	chmod 666 "$T/http"
	DRIP_UID=$(id -u nobody) crowd watch "unix:$T/http"
	all_are_answered local_user /healthz
	LIMIT=$BUSY
	curl -sS --max-time "$LIMIT" "${SOCKET[@]}" -N http://localhost/events >"$T/events" \
		2>/dev/null || true
	grep -q '^data: {' "$T/events" ||
		fail "one user keeps another from watching: $(head -c 200 "$T/events")"
}

sample test_requests_of_a_certificate_without_a_role
run_tests "$@"
