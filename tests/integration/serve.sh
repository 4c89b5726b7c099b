# serve.sh -- a coordinator that serves, and its parties, for the tests of it.
# shellcheck shell=bash

serve() { # [ARG...]: started and listening; its address is in $ADDRESS
	rm -f "$T/ready"
	start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" \
		--out "$T/out/coordinator" --ready-file "$T/ready" "$@"
	until_true 20 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator did not become ready"
	ADDRESS=$(<"$T/ready")
}

# On the port of before, so that its parties find it.
serve_again() { # [ARG...]
	edit coordinator ".listen = \"$ADDRESS\""
	serve "$@"
}

stays() { # NAME...: parties that serve job after job
	local name
	for name; do
		start "$name" "$BIN/party" --config "$T/$name.json" --out "$T/out/$name" \
			--coordinator "$ADDRESS"
	done
}

# L parties that wait for jobs.
served() { # L
	federation "$1"
	all_stay "$1"
}

all_stay() { # L: of the federation that there is, beside a coordinator that serves
	local name
	edit_parties "$1" '.retry_s = 0'
	serve
	# shellcheck disable=SC2046
	stays $(names "$1")
	here "$1"
}

here() { # L: so many parties have joined since this coordinator began
	until_true 20 joined "$1" || fail "not $1 parties joined"
}
joined() {
	[[ $(grep -Eo 'party-[0-9]+ joined' "$T/coordinator.stderr" | sort -u | wc -l) -ge $1 ]]
}

job() { "$BIN/coterie" job --socket "$T/out/coordinator/control.socket" "$@"; }

shown() { job show "$1" --json | jq -r "$2"; } # ID JQ-PROGRAM

is() { [[ $(shown "$1" .state) == "$2" ]]; } # ID STATE

becomes() { # ID STATE
	until_true 30 is "$1" "$2" || fail "job $1 is $(shown "$1" .state), expected $2"
}

# Jobs do not come to an end while this party sleeps; the others and the coordinator wait for it.
patient() { # L: before served()
	edit_all "$1" '.heartbeat_s = 120 | .step_timeout_s = 120'
}

sleeps() { kill -STOP "${PID[$1]}"; }  # NAME
wakes() { kill -CONT "${PID[$1]}"; }   # NAME

# Crashes are survived: other attempts follow.
lasting() { # L: before served()
	edit_all "$1" '.reconnect_s = 5 | .rejoin_s = 60'
}

submits() { # FILE ID [ARG...]: is taken, with this number
	[[ $(job submit "${@:3}" "$1") == "job $2" ]] || fail "job $2 was not taken"
}

# MESSAGE is what the command says on stderr, and STATUS what it ends with.
refused() { # STATUS REGEX COMMAND...
	local status=0
	"${@:3}" >"$T/refused" 2>&1 || status=$?
	[[ $status == "$1" ]] || fail "${*:3}: status $status, expected $1: $(<"$T/refused")"
	grep -Eq -- "$2" "$T/refused" || fail "${*:3} does not say '$2' but: $(<"$T/refused")"
}

# N, since this coordinator began
joined_times() { (($(grep -c 'joined from' "$T/coordinator.stderr") >= $1)); }

in_log() { # ID PHASE: it has come so far, or is done
	grep -q "\"phase\": *\"$2\"" "$T/out/coordinator/job-00000$1/log.jsonl" 2>/dev/null ||
		is "$1" "done"
}

api() { # its address, into $API
	soon_says coordinator 'API endpoint'
	API=$(sed -n 's|.*API endpoint: https://\([^ "]*\)/.*|\1|p' "$T/coordinator.stderr" |
		tail -n 1)
}
