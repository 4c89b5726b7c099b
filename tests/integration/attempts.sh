# attempts.sh -- for tests in which a process dies during a job and is started again.
#
# shellcheck shell=bash
# shellcheck source=../hostile/turncoat.sh
source "${BASH_SOURCE[0]%/*}/../hostile/turncoat.sh"

STEPS=(offer keys local level-1 polish result)
EVERYONE=(coordinator party-00 party-01 party-02)

every() { # JQ-PROGRAM: changes the configurations of all processes
	edit_each "$1" "${EVERYONE[@]}"
}

prepare() { # STEP: sets up a job with a long STEP, and runs it undisturbed for comparison
	if [[ $1 == local ]]; then
		alike long_at_the_start
	else
		alike long_in_the_middle
	fi
}

long_at_the_start() {
	federation 3 --nodes 3000 --features 200
	edit job '.local_restarts = 64 | .local_clusters = 40 | .iterations = 100 | .polish = 4'
	every '.rejoin_s = 30' # enough for a busy machine to start a process
	undisturbed
	rm -f "$T"/*.std*
}

long_in_the_middle() {
	federation 3 --signal 0.3
	edit job '.polish = 4'
	every '.rejoin_s = 30'
	undisturbed
	rm -f "$T"/*.std*
}

same_as_undisturbed() {
	local name
	ends 0 "${EVERYONE[@]}"
	each_says "done" .status "${EVERYONE[@]}"
	for name in "${EVERYONE[@]}"; do
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	no_leftovers
}

# NAME [lost]: kills NAME. The relay then passes on the data that it held, or with "lost" drops
# them.
kills() {
	kill -KILL "${PID[$1]}"
	[[ ${2-} != lost ]] || kill -HUP "${PID[relay]}"
	wait "${PID[$1]}" 2>/dev/null || true
	unset "PID[$1]"
	goes_on
}

attempt_is() { each_says "$1" .attempt "${@:2}"; } # NUMBER NAME...

# Starts the coordinator again with the same job, at the address in $HUB.
coordinator_again() { # [ARG...]
	edit coordinator ".listen = \"$HUB\""
	coordinator "$@"
}
