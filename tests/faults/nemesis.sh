#!/bin/bash
# nemesis -- keeps parties running, job after job, while faults strike them, and checks that their
# records, ledgers and messages are true.
#
#   tests/faults/nemesis.sh [option...]
#
#     --seconds N    starts new jobs for N s; default 60
#     --seed N       draws jobs, faults and moments; the same N gives the same ones; default 1
#     --jobs N       no more than N jobs
#     --first N      begins with job N of this seed; --jobs 1 --first N repeats job N alone
#     --kind KIND    only jobs of this kind; may be given again
#     --fault FAULT  only this fault; may be given again
#     --short        no outage is longer than reconnect_s
#     --out DIR      keeps the history and all output of processes in DIR
#     --list         prints kinds and faults
#
#     party-00 == relay ==\
#     party-01 == relay ===\ coordinator, a new one    the relays cut, damage and delay
#     party-02 == relay ===/ for each job              connections; each party holds data
#     party-03 == relay ==/                            for every kind of job
#
# Each job gets no fault, one, or two at once, at moments drawn from the seed. A moment is a per
# mille of the usual time of a job of this kind. A negative moment -N is N ms after the start of the
# coordinator, when parties may still be connecting.
#
#     kill term      kill -9, kill; a party is started again, as a service manager does, and so is a
#                    killed coordinator
#     stop           kill -STOP, later kill -CONT
#     hup            SIGHUP, 30 times
#     cut half flip  the relay closes a connection; closes it in the middle of a piece; flips a bit
#     silent         a connection stays open and carries nothing
#     data           another version of a data file replaces it, by rename
#     torn           half of a data file replaces it until the job is over
#     renew expire   a new certificate, or an expired one until the job is over, with SIGHUP
#     clock          the host's clock jumps by hours or years, and later back
#     second         a second process uses the first one's output directory
#     twin           a second process uses a party's state, with an output directory of its own
#     full           for a while files may have at most 0, 4 or 8 KiB (RLIMIT_FSIZE)
#
# No fault ends party-00, so that its memory can be compared over all jobs.
#
# When a job is over and all processes are idle, nemesis/judge.sh checks it. At the end every ledger
# must verify, and no party may use much more memory. Then every kind (one kind if --seconds is
# below 60) is done once more without faults. Kind fedwalk needs other data, so its jobs run last,
# with parties of their own. The script prints a line for each job, then counts. DIR/history.jsonl
# has a line for each start, fault and end. Exit 1 if anything was wrong.
#
# shellcheck disable=SC2034 # what is set here the parts use
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
for part in world strikes judge; do
	# shellcheck source=/dev/null
	source "$ROOT/tests/faults/nemesis/$part.sh"
done

PARTIES=4
EVERYONE=(coordinator party-00 party-01 party-02 party-03)
ENDED=(coordinator party-01 party-02 party-03)
KINDS=(tree flat landmark gcc intersect kmeans.columns kmeans fedsc fedspectral-exact
	fedspectral-plain fedspectral+ fedwalk fedgcn)
FAULTS_KNOWN=(kill term stop hup cut half flip silent data torn renew expire clock second twin full)
HEARTBEAT_S=2 RECONNECT_S=8 REJOIN_S=20 JOIN_S=60
RELAY_MS=8
WALKS=1000000 # the number of the first job of kind fedwalk

# ---- processes ----

on_its_clock() { # NAME PROGRAM ARG...
	local with=()
	[[ -z $CLOCK ]] || with=(env "LD_PRELOAD=$CLOCK" "COTERIE_CLOCK=$T/clock/$1")
	touch "$T/$1.stderr"
	cat "$T/$1.stderr" >>"$T/$1.before"
	start "$1" "${with[@]}" "${@:2}"
}

start_party() { # NAME
	on_its_clock "$1" "$BIN/party" --config "$T/$1.json" --out "$T/out/$1" --coordinator \
		"${RELAY_OF[$1]}"
	STARTED[$1]=$NOW
	tell started "$1" "pid ${PID[$1]}"
}

start_coordinator() {
	rm -f "$T/ready"
	on_its_clock coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job \
		"$T/job.json" --out "$T/out/coordinator" --ready-file "$T/ready"
	STARTED[coordinator]=$NOW
	tell started coordinator "pid ${PID[coordinator]}"
}

# Finds an address that parties dial, through relays, in all jobs. Its port is below those that the
# kernel assigns.
an_address() {
	local port tries=20
	while ((tries--)); do
		port=$((20000 + SRANDOM % 12000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	ADDRESS=127.0.0.1:$port
	edit coordinator ".listen = \"$ADDRESS\""
}

# Sets $STATUS to the exit status of a process that has ended.
reap() { # NAME
	STATUS=0
	wait "${PID[$1]}" 2>/dev/null || STATUS=$?
	unset "PID[$1]"
	tell ended "$1" "status $STATUS: $(last_words "$1")"
}

# NAME
last_words() {
	tail -n 1 "$T/$1.stderr" | jq -r '.text? // empty' 2>/dev/null || tail -n 1 "$T/$1.stderr"
}

# Restarts each party that has ended, after a short time, as a service manager does.
manage_parties() {
	local name
	for name in $(names $PARTIES); do
		if [[ ${PID[$name]-} ]]; then
			! gone "$name" || { reap "$name" && party_ended "$name" "$STATUS"; }
		elif ((${START_AT[$name]-0} <= NOW)); then
			start_party "$name"
		fi
	done
}

party_ended() { # NAME STATUS: fails unless a signal, or unfit files at the start, ended it
	local sent=${SENT[$1]-}
	case $sent/$2 in
	*KILL*/137 | *TERM*/[06]) ;;
	*/4) unfit "$1" || wrong "$1 ended by itself, status 4: $(last_words "$1")" ;;
	*) wrong "$1 ended by itself, status $2: $(last_words "$1")" ;;
	esac
	SENT[$1]=
	AGAIN[$1]=$((${AGAIN[$1]-0} + 1))
	START_AT[$1]=$((NOW + (${2} == 4 ? 1000 : 150)))
}

manage_coordinator() {
	[[ ${PID[coordinator]-} ]] || {
		((OVER || START_AT[coordinator] > NOW)) || start_coordinator
		return 0
	}
	gone coordinator || return 0
	reap coordinator
	if [[ ${SENT[coordinator]-} == *KILL && $STATUS == 137 ]]; then
		START_AT[coordinator]=$((NOW + 150))
		SENT[coordinator]=
		return 0
	fi
	OVER=1 COORDINATOR_STATUS=$STATUS
}

# ---- faults: drawn before the job, struck during the job ----

# Draws the job of number N and its faults. Bash has its own generator, so a seed gives the same
# jobs on every machine.
draw() { # N
	local i n long
	RANDOM=$((16#$(sha256sum <<<"$SEED $1" | cut -c 1-7)))
	KIND=${kinds[($1 + SEED) % ${#kinds[@]}]}
	FAULT=() WHO=() AT=() LONG=()
	n=$((RANDOM % 10))
	n=$((n == 0 ? 0 : n < 5 ? 1 : 2))
	for ((i = 0; i < n; i++)); do
		FAULT+=("${faults[RANDOM % ${#faults[@]}]}")
		long=$RANDOM # drawn here, because a subshell seeds RANDOM anew
		WHO+=("$(victim "${FAULT[i]}" "$long")")
		AT+=($((RANDOM % 5 ? RANDOM % 1000 : -1 - RANDOM % 1000)))
		long=$((200 + RANDOM % 3800))
		((RANDOM % 10)) || $SHORT || long=$((long + 1000 * RECONNECT_S))
		LONG+=("$long")
	done
}

victim() { # FAULT NUMBER
	case $1 in
	kill | term | full) echo "${ENDED[$2 % ${#ENDED[@]}]}" ;;
	stop | hup | renew | expire | clock | second) echo "${EVERYONE[$2 % 5]}" ;;
	*) echo "${EVERYONE[$2 % 4 + 1]}" ;;
	esac
}

now() { NOW=$((${EPOCHREALTIME/./} / 1000)); }
nap() { read -rt "$1" -u "$NAP" _ || true; } # sleeps without starting a process

tell() { # WHAT WHO TEXT: writes a line of the history
	local text=${3//\\/}
	printf '{"ms":%d,"job":%d,"what":"%s","who":"%s","text":"%s"}\n' $((NOW - BEGAN)) "$N" \
		"$1" "$2" "${text//\"/\'}" >>"$T/history.jsonl"
}

turn() { # runs all actions that are due
	local i due=("${DUE[@]}") todo=("${DO[@]}")
	now
	manage_parties
	manage_coordinator
	DUE=() DO=()
	for i in "${!due[@]}"; do
		if ((due[i] <= NOW)); then
			${todo[i]}
		else
			DUE+=("${due[i]}")
			DO+=("${todo[i]}")
		fi
	done
	nap 0.02
}

strike() { # INDEX
	local what=${FAULT[$1]} who=${WHO[$1]}
	if ((!OVER)) && "fault_$what" "$who" "${LONG[$1]}"; then
		tell fault "$who" "$what, ${LONG[$1]} ms"
		DISTURBED[$who]+=" $what"
		STRUCK+=("$what")
		HIT[$1]=
		COUNT[$what]=$((${COUNT[$what]-0} + 1))
	else
		tell late "$who" "$what"
	fi
}

one_job() {
	local i typical=${TYPICAL[$KIND]-400}
	now
	OVER=0 BEGUN=0 COORDINATOR_STATUS='' WRONG=() STRUCK=() HIT=() DUE=() DO=() UNDO=()
	JOB_BEGAN=$NOW
	DISTURBED=() AGAIN=() PARTED=() SENT[coordinator]=
	cp "$T/job-$KIND.json" "$T/job.json"
	START_AT[coordinator]=$NOW
	tell job coordinator "$KIND"
	for i in "${!FAULT[@]}"; do ((AT[i] >= 0)) || later $((-AT[i])) "strike $i"; done
	while ((!OVER)); do
		turn
		if ((!BEGUN)) &&
			[[ ${PID[coordinator]-} &&
			$(<"$T/coordinator.stderr") == *'the job begins'* ]]; then
			BEGUN=$NOW
			for i in "${!FAULT[@]}"; do
				((AT[i] < 0)) || later $((typical * AT[i] / 1000)) "strike $i"
			done
		fi
		((NOW - JOB_BEGAN < 400000)) || {
			wrong "the coordinator does not end" && fault_kill coordinator && OVER=1
		}
	done
	TOOK=$((NOW - JOB_BEGAN)) LASTED=$((NOW - BEGUN))
	for i in "${UNDO[@]}"; do $i; done
	until at_rest; do
		turn
		((NOW - JOB_BEGAN < 600000)) || { wrong "not at rest: $(not_at_rest)" && break; }
	done
	judge
	clear_up
}

# True if no action is due, all parties run, and no party is in a job.
at_rest() { [[ -z $(not_at_rest) ]]; }

not_at_rest() {
	local name
	((!${#DUE[@]})) || echo "${DO[*]}"
	for name in $(names $PARTIES); do
		[[ ${PID[$name]-} ]] || { echo "$name is not there" && continue; }
		in_a_job "$name" && echo "$name is in a job"
	done
	return 0
}

# A record with status "running" counts only if the party's present process wrote it.
in_a_job() { # NAME
	local run
	for run in "$T/out/$1"/job-*/run.json; do
		[[ -e $run ]] || continue
		# a process struck by "full" may have had no space to record the end of the job
		! disturbed_by "$1" full || continue
		jq -e '.status == "running"' "$run" >/dev/null &&
			(($(date -r "$run" +%s%3N) >= ${STARTED[$1]})) && return 0
	done
	return 1
}

clear_up() {
	local name
	if ((${#WRONG[@]})); then
		mkdir -p "$T/wrong/$N"
		cp -R "$T/out" "$T/wrong/$N"
		for name in "${EVERYONE[@]}"; do
			tail -n 300 "$T/$name.stderr" >"$T/wrong/$N/$name.stderr"
		done
	fi
	rm -rf "$T"/out/*/job-* "$T"/out/twin-* \
		"$T"/out/coordinator/{run.json,labels.*,embeddings.npy,model.fedgcn}
	for name in "${EVERYONE[@]}"; do
		[[ ! -e $T/out/$name/log.jsonl ]] || : >"$T/out/$name/log.jsonl"
	done
}

report() {
	local i text=''
	JOBS_DONE=$((JOBS_DONE + 1))
	for i in "${!FAULT[@]}"; do
		text+="${FAULT[i]} ${WHO[i]} at $((AT[i] < 0 ? AT[i] : AT[i] / 10)) for ${LONG[i]} \
ms${HIT[i]- (too late)}, "
	done
	[[ $text ]] || text='nothing, '
	printf '%4d %-18s %s%s, %d.%d s\n' "$N" "$KIND" "$text" "$OUTCOME" $((TOOK / 1000)) \
		$((TOOK % 1000 / 100))
	for i in "${WRONG[@]}"; do
		echo "     WRONG: $i; again with --seed $SEED --first $N --jobs 1"
	done
	((!${#WRONG[@]})) || ALL_WRONG=$((ALL_WRONG + 1))
	OUTCOMES[${OUTCOME%%[,:]*}]=$((${OUTCOMES[${OUTCOME%%[,:]*}]-0} + 1))
}

# ---- all of them ----

usage() { sed -n '2,/^# shellcheck/s/^# \{0,1\}//p' "$0" | grep -v '^shellcheck'; }
wrong_use() { echo "nemesis: $1; see --help" >&2 && exit 4; }

options() {
	SECONDS_MAX=60 SEED=1 JOBS=1000000 FIRST_JOB=1 OUT='' SHORT=false chosen=() faults=()
	while (($#)); do
		case $1 in
		--seconds | --seed | --jobs | --first)
			[[ ${2-} =~ ^[0-9]{1,10}$ ]] || wrong_use "$1 is '${2-}', expected a number"
			case $1 in
			--seconds) SECONDS_MAX=$2 ;;
			--seed) SEED=$2 ;;
			--jobs) JOBS=$2 ;;
			--first) FIRST_JOB=$2 ;;
			esac
			shift 2
			;;
		--kind)
			[[ ${2-} && " ${KINDS[*]} " == *" $2 "* ]] ||
				wrong_use "--kind '${2-}': expected one of ${KINDS[*]}"
			chosen+=("$2") && shift 2
			;;
		--fault)
			[[ ${2-} && " ${FAULTS_KNOWN[*]} " == *" $2 "* ]] ||
				wrong_use "--fault '${2-}': expected one of ${FAULTS_KNOWN[*]}"
			faults+=("$2") && shift 2
			;;
		--out) [[ ${2-} ]] && OUT=$2 && shift 2 || wrong_use "--out needs a directory" ;;
		--short) SHORT=true && shift ;;
		--list) echo "kinds: ${KINDS[*]}" && echo "faults: ${FAULTS_KNOWN[*]}" && exit 0 ;;
		-h | --help) usage && exit 0 ;;
		*) wrong_use "$1: no such option" ;;
		esac
	done
	((${#chosen[@]})) || chosen=("${KINDS[@]}")
	((${#faults[@]})) || faults=("${FAULTS_KNOWN[@]}")
}

end() { # STATUS
	if [[ $OUT ]]; then
		mkdir -p "$OUT"
		cp -R "$T"/{history.jsonl,wrong,*.stderr,*.before} "$OUT" 2>/dev/null || true
	elif [[ -e $T/wrong ]]; then
		OUT=$(mktemp -d "${TMPDIR:-/tmp}/coterie-wrong.XXXXXX")
		cp -R "$T"/{history.jsonl,wrong,*.stderr,*.before} "$OUT" 2>/dev/null || true
		echo "nemesis: what was wrong is in $OUT"
	fi
	finish 0
	exit "$1"
}

main() {
	local name
	declare -gA VERSION=() RELAY_OF=() STARTED=() START_AT=() SENT=() UNFIT=() FIT_SINCE=() \
		SILENT=() FIRST=() AGAIN=() PARTED=() DISTURBED=() \
		TYPICAL=() COUNT=() OUTCOMES=() PID=() MEMORY=()
	DUE=() DO=() UNDO=() WRONG=() ALL_WRONG=0 JOBS_DONE=0 LABELS=0 N=0 OVER=1 FAULTS=0
	T=$(mktemp -d "${TMPDIR:-/tmp}/coterie-nemesis.XXXXXX")
	trap 'end $?' EXIT
	trap 'exit 130' INT TERM HUP
	# drops bash's messages about killed processes
	exec 2> >(grep -vE 'line [0-9]+: +[0-9]+ (Killed|Terminated|File size limit)' >&2 || true)
	mkdir "$T/last"
	mkfifo "$T/nap"
	exec {NAP}<>"$T/nap"
	tools
	clock_shim
	world
	an_address
	now
	BEGAN=$NOW
	for name in $(names $PARTIES); do
		relay "relay-$name" $RELAY_MS
		RELAY_OF[$name]=$RELAY
	done
	life others 1 $((SECONDS_MAX * 5 / 6))
	life fedwalk $WALKS $((SECONDS_MAX / 6))
	counts
	((!ALL_WRONG))
}

# Runs jobs with the same party processes from the first job to the last; only faults end them.
life() { # fedwalk|others FIRST-JOB SECONDS
	local name end_at=$((NOW + 1000 * $3)) first=$2
	mapfile -t kinds \
		< <(printf '%s\n' "${chosen[@]}" |
		if [[ $1 == fedwalk ]]; then grep -x fedwalk; else grep -vx fedwalk; fi)
	((${#kinds[@]} && FIRST_JOB / WALKS <= $2 / WALKS)) || return 0
	((FIRST_JOB <= first)) || first=$FIRST_JOB
	data_of "$1"
	MEMORY=()
	for name in $(names $PARTIES); do start_party "$name"; done
	for ((N = first; N < first + JOBS && NOW < end_at; N++)); do
		draw "$N"
		one_job
		report
		((N != first + 5)) || remember_memory
	done
	quiet_jobs
	for name in $(names $PARTIES); do
		kill -TERM "${PID[$name]}"
		ended "$name"
		((STATUS == 0)) || wrong "$name, told to end when idle, ended with $STATUS"
	done
	for name in "${WRONG[@]}"; do echo "WRONG: $name"; done
	ALL_WRONG=$((ALL_WRONG + ${#WRONG[@]}))
}

# Runs each of `kinds` once more without faults. A test of less than 60 s runs only one of them,
# chosen by the seed. Each job must succeed.
quiet_jobs() {
	for KIND in \
		$(printf '%s\n' "${kinds[@]}" |
		if ((SECONDS_MAX < 60)); then sed -n \
		"$((SEED % ${#kinds[@]} + 1))p"; else cat; fi); do
		FAULT=() WHO=() AT=() LONG=()
		one_job
		[[ $OUTCOME == "done" ]] || wrong "a job that nothing happened to: $OUTCOME"
		report
		N=$((N + 1))
	done
	WRONG=()
	judge_ledgers
	judge_memory
}

counts() {
	local name all=0
	printf '\n| fault |'
	for name in "${FAULTS_KNOWN[@]}"; do printf ' %s |' "$name"; done
	printf ' all |\n| --- |'
	for name in "${FAULTS_KNOWN[@]}" all; do printf ' --- |'; done
	printf '\n| struck |'
	for name in "${FAULTS_KNOWN[@]}"; do
		printf ' %d |' "${COUNT[$name]-0}"
		all=$((all + ${COUNT[$name]-0}))
	done
	printf ' %d |\n\n' $all
	printf 'jobs %d, wrong %d, faults %d, results compared %d, seed %d' $JOBS_DONE $ALL_WRONG \
		$all $LABELS "$SEED"
	while read -r name; do
		printf '; %s %d' "$name" "${OUTCOMES[$name]}"
	done < <(printf '%s\n' "${!OUTCOMES[@]}" | sort)
	echo
}

{
	options "$@"
	main
	exit
} # braces: bash must read the whole script first, as it may be edited during a run
