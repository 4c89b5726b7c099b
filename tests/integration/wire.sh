# wire.sh -- for tests that send raw bytes, TLS sessions and frames to a daemon.
#
#     the test ---- bytes ----------------> coordinator
#     the test ---- openssl s_client =====> coordinator
#     party ======= openssl s_server ------ the test
#
# shellcheck shell=bash

tls_tool() { # NAME: compiles a tool of tests/hostile, once
	local exe=$TOOLS/$1 c=$ROOT/tests/hostile/$1.c
	[[ ! $exe -nt $c ]] || return 0
	(
		flock 9
		[[ $exe -nt $c ]] || {
			"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Wshadow -o \
				"$exe.new" "$c" -lssl -lcrypto &&
				mv "$exe.new" "$exe"
		}
	) 9>"$TOOLS/$1.lock"
}

u() { # BYTES NUMBER: prints NUMBER, big-endian, as escapes for printf
	local i
	for ((i = $1 - 1; i >= 0; i--)); do printf '\\x%02x' $((($2 >> (8 * i)) & 255)); done
}

# Prints a frame (proto/PROTOCOL.md): u32 length, u16 type, u16 flags, u64 job, u32 seq, body.
frame() { # TYPE JOB SEQ [BODY-ESCAPES [LENGTH [FLAGS]]]
	local body=${4-} length
	length=${5:-$((16 + ${#body} / 4))}
	printf "$(u 4 "$length")$(u 2 "$1")$(u 2 "${6:-0}")$(u 8 "$2")$(u 4 "$3")$body"
}

# shellcheck disable=SC2034
HELLO=1 HEARTBEAT=4 MASKED=15 VERSION=$(sed -n 's/.*PROTO_VERSION_MAX = \([0-9]*\),.*/\1/p' \
	"$ROOT/proto/msg.h")
hello() { # VERSION-MIN VERSION-MAX
	frame $HELLO 0 0 "$(u 2 "$1")$(u 2 "$2")$(u 4 1)\\x74"
}

# Prints the first message of an older daemon: tests/vectors/older.txt.
recorded() { # hello|welcome VERSION
	local hex
	hex=$(awk -v what="$1" -v version="$2" '$1 == what && $2 == version { print $4 }' \
		"$ROOT/tests/vectors/older.txt")
	[[ $hex ]] || fail "no $1 of version $2 was recorded"
	# shellcheck disable=SC2001,SC2059
	printf "$(sed 's/../\\x&/g' <<<"$hex")"
}

# Sends stdin to the coordinator unchanged, and waits until it closes the connection.
raw() {
	cat >"$T/raw.stdin"
	exec 3<>"/dev/tcp/${ADDRESS%:*}/${ADDRESS##*:}"
	cat "$T/raw.stdin" >&3 2>/dev/null || true
	timeout $((PATIENCE * 20)) cat <&3 >"$T/raw.stdout" 2>/dev/null || [[ $? == 1 ]] ||
		fail "the connection was not closed"
	exec 3<&- 3>&-
}

# Sends stdin inside TLS, with NAME's certificate or with other arguments for s_client.
tls() { # NAME [S_CLIENT-ARG...]
	local status=0
	cat >"$T/tls.stdin"
	timeout $((PATIENCE * 20)) openssl s_client -connect "$ADDRESS" -CAfile "$T/pki/ca.crt" \
		-quiet \
		${1:+-cert "$T/pki/$1.crt" -key "$T/pki/$1.key"} "${@:2}" \
		<"$T/tls.stdin" >"$T/tls.stdout" 2>"$T/tls.stderr" || status=$?
	((status != 124)) || fail "the connection of ${1:-nobody} was not closed"
}

# Stands in for the coordinator, with its certificate, for one party. It sends the data of file
# descriptor 4 after the handshake.
stand_in() { # [-tls1_3]: sets $ADDRESS
	mkfifo "$T/to-party"
	exec 4<>"$T/to-party"
	start server openssl s_server -accept 127.0.0.1:0 -naccept 1 -CAfile "$T/pki/ca.crt" \
		-Verify 2 \
		-cert "$T/pki/coordinator.crt" -key "$T/pki/coordinator.key" "${1:--tls1_3}" \
		</dev/fd/4
	until_true 10 grep -qs ^ACCEPT "$T/server.stdout" || fail "openssl s_server does not listen"
	ADDRESS=$(sed -n 's/^ACCEPT //p' "$T/server.stdout")
}
