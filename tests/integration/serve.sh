# serve.sh -- starts a coordinator that serves, and its parties, for tests of serving.
# shellcheck shell=bash

serve() { # [ARG...]: starts a coordinator and waits until it listens; sets $ADDRESS
	rm -f "$T/ready"
	start coordinator "$BIN/coordinator" --serve --config "$T/coordinator.json" \
		--out "$T/out/coordinator" --ready-file "$T/ready" "$@"
	until_true 20 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator did not become ready"
	ADDRESS=$(<"$T/ready")
}

# Starts the coordinator again on its previous port, so that the parties find it.
serve_again() { # [ARG...]
	edit coordinator ".listen = \"$ADDRESS\""
	serve "$@"
}

stays() { # NAME...: starts parties that serve job after job
	local name
	for name; do
		start "$name" "$BIN/party" --config "$T/$name.json" --out "$T/out/$name" \
			--coordinator "$ADDRESS"
	done
}

# Starts a coordinator and L parties that wait for jobs.
served() { # L
	federation "$1"
	all_stay "$1"
}

all_stay() { # L: starts the present federation with a coordinator that serves
	local name
	edit_parties "$1" '.retry_s = 0'
	serve
	# shellcheck disable=SC2046
	stays $(names "$1")
	here "$1"
}

here() { # L: waits until L parties have joined since this coordinator started
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

# Makes timeouts long, so that the other processes wait while a party is stopped.
patient() { # L: before served()
	edit_all "$1" '.heartbeat_s = 120 | .step_timeout_s = 120'
}

sleeps() { kill -STOP "${PID[$1]}"; }  # NAME
wakes() { kill -CONT "${PID[$1]}"; }   # NAME

# Sets timeouts with which a job continues after a crash, as its next attempt.
lasting() { # L: before served()
	edit_all "$1" '.reconnect_s = 5 | .rejoin_s = 60'
}

submits() { # FILE ID [ARG...]: submits FILE; the coordinator must accept it as job ID
	[[ $(job submit "${@:3}" "$1") == "job $2" ]] || fail "job $2 was not taken"
}

# The command ends with STATUS, and REGEX matches its stderr.
refused() { # STATUS REGEX COMMAND...
	local status=0
	"${@:3}" >"$T/refused" 2>&1 || status=$?
	[[ $status == "$1" ]] || fail "${*:3}: status $status, expected $1: $(<"$T/refused")"
	grep -Eq -- "$2" "$T/refused" || fail "${*:3} does not say '$2' but: $(<"$T/refused")"
}

# True if parties joined at least N times since this coordinator started.
joined_times() { (($(grep -c 'joined from' "$T/coordinator.stderr") >= $1)); }

in_log() { # ID PHASE: true if job ID has come to PHASE or is done
	grep -q "\"phase\": *\"$2\"" "$T/out/coordinator/job-00000$1/log.jsonl" 2>/dev/null ||
		is "$1" "done"
}

api() { # sets $API to the address of the API endpoint
	soon_says coordinator 'API endpoint'
	API=$(sed -n 's|.*API endpoint: https://\([^ "]*\)/.*|\1|p' "$T/coordinator.stderr" |
		tail -n 1)
}
