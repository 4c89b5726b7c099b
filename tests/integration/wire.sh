# wire.sh -- for tests that speak to a daemon by hand: raw bytes, TLS sessions, frames.
#
#     the test ---- bytes ----------------> coordinator
#     the test ---- openssl s_client =====> coordinator
#     party ======= openssl s_server ------ the test
#
# shellcheck shell=bash

tls_tool() { # NAME: of tests/hostile, by OpenSSL alone; compiled once, whoever comes first
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

u() { # BYTES NUMBER: big-endian, as the printf escapes that make it
	local i
	for ((i = $1 - 1; i >= 0; i--)); do printf '\\x%02x' $((($2 >> (8 * i)) & 255)); done
}

# A frame (proto/PROTOCOL.md): u32 length, u16 type, u16 flags, u64 job, u32 seq, body.
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

# What a daemon of before said first: tests/vectors/older.txt.
recorded() { # hello|welcome VERSION
	local hex
	hex=$(awk -v what="$1" -v version="$2" '$1 == what && $2 == version { print $4 }' \
		"$ROOT/tests/vectors/older.txt")
	[[ $hex ]] || fail "no $1 of version $2 was recorded"
	# shellcheck disable=SC2001,SC2059
	printf "$(sed 's/../\\x&/g' <<<"$hex")"
}

# Sends stdin to the coordinator as it is and waits until that closes the connection.
raw() {
	cat >"$T/raw.stdin"
	exec 3<>"/dev/tcp/${ADDRESS%:*}/${ADDRESS##*:}"
	cat "$T/raw.stdin" >&3 2>/dev/null || true
	timeout $((PATIENCE * 20)) cat <&3 >"$T/raw.stdout" 2>/dev/null || [[ $? == 1 ]] ||
		fail "the connection was not closed"
	exec 3<&- 3>&-
}

# The same inside TLS, with NAME's certificate, or with further arguments for s_client.
tls() { # NAME [S_CLIENT-ARG...]
	local status=0
	cat >"$T/tls.stdin"
	timeout $((PATIENCE * 20)) openssl s_client -connect "$ADDRESS" -CAfile "$T/pki/ca.crt" \
		-quiet \
		${1:+-cert "$T/pki/$1.crt" -key "$T/pki/$1.key"} "${@:2}" \
		<"$T/tls.stdin" >"$T/tls.stdout" 2>"$T/tls.stderr" || status=$?
	((status != 124)) || fail "the connection of ${1:-nobody} was not closed"
}

# Stands in for the coordinator, with its certificate, towards one party: what is written to file
# descriptor 4 is sent once the handshake is done.
stand_in() { # [-tls1_3]: its address is in $ADDRESS
	mkfifo "$T/to-party"
	exec 4<>"$T/to-party"
	start server openssl s_server -accept 127.0.0.1:0 -naccept 1 -CAfile "$T/pki/ca.crt" \
		-Verify 2 \
		-cert "$T/pki/coordinator.crt" -key "$T/pki/coordinator.key" "${1:--tls1_3}" \
		</dev/fd/4
	until_true 10 grep -qs ^ACCEPT "$T/server.stdout" || fail "openssl s_server does not listen"
	ADDRESS=$(sed -n 's/^ACCEPT //p' "$T/server.stdout")
}
