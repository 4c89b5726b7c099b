# attempts.sh -- what the tests share in which a process dies in a job and is started again.
#
# shellcheck shell=bash
# shellcheck source=../hostile/turncoat.sh
source "$(dirname "${BASH_SOURCE[0]}")/../hostile/turncoat.sh"

STEPS=(offer keys local level-1 polish result)
EVERYONE=(coordinator party-00 party-01 party-02)

every() { # JQ-PROGRAM: changes everybody's configuration
	local name
	for name in "${EVERYONE[@]}"; do edit "$name" "$1"; done
}

prepare() { # STEP: a job that has it, and lasts
	if [[ $1 == local ]]; then
		federation 3 --nodes 3000 --features 200
		edit job '.local_restarts = 64 | .local_clusters = 40 | .iterations = 100'
	else
		federation 3 --signal 0.3
	fi
	edit job '.polish = 4'
	every '.rejoin_s = 30' # in which a busy machine starts a process
}

same_as_undisturbed() {
	local name
	ends 0 "${EVERYONE[@]}"
	for name in "${EVERYONE[@]}"; do
		[[ $(run_of "$name" .status) == "done" ]] || fail "$name/run.json: status $(run_of "$name" .status)"
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	no_leftovers
}

kills() { # NAME [lost]: and nothing is heard of it any more; what the relay held goes on, or is lost
	kill -KILL "${PID[$1]}"
	[[ ${2-} != lost ]] || kill -HUP "${PID[relay]}"
	wait "${PID[$1]}" 2>/dev/null || true
	unset "PID[$1]"
	goes_on
}

attempt_is() { # NUMBER NAME...
	local name
	for name in "${@:2}"; do
		[[ $(run_of "$name" .attempt) == "$1" ]] || fail "$name/run.json: attempt $(run_of "$name" .attempt), expected $1"
	done
}

# With the same job, at the address that was kept in $HUB.
coordinator_again() { # [ARG...]
	edit coordinator ".listen = \"$HUB\""
	coordinator "$@"
}
