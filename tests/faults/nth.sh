#!/bin/bash
# nth -- makes the N-th file operation or allocation of one process fail, or ends the process there,
# and checks how the job and the next job end.
#
#   tests/faults/nth.sh [option...] [PROTOCOL...]
#
#     --seconds S    starts new runs for S s; default 60
#     --runs N       makes N runs instead
#     --seed X       chooses protocols, victims, faults and N; default 1
#     --jobs N       runs N at a time; default twice the cores
#     --only FAULT   may be given again
#     --cell "PROTOCOL VICTIM FAULT N SEED"   this one run, as a line of the results names it
#     --out FILE     a line for each run: the cell, the struck operation, the outcome, the cause
#
#     EIO ENOSPC       one operation fails; with + the operations after it fail too. ENOSPC strikes
#                      only operations that change something
#     short            one write writes half of its bytes
#     die power torn   the process ends there. power: all data that were not synced are lost; torn:
#                      some of them are lost. With an odd seed the process is started again at
#                      once, and the others wait for it
#     alloc alloc+     one allocation fails; with + all after it fail too
#
# tests/faults/shim.c strikes. It is preloaded into one process of a federation of three: party-01
# or the coordinator. Protocol "serve" submits kmeans to a coordinator that serves, which is the
# victim. When the job is over or has taken too long, the coordinator gets SIGTERM. Its exit status
# tells how the run ended. A job that it has accepted must be in the queue of the next coordinator,
# and is then the next job.
#
# A run is right if all of this holds:
#
#   * Each process ended in time, without a signal, with a documented status.
#   * Labels, if there are any, are those of an undisturbed run.
#   * The run.json of each process tells how it ended, and no process blames an innocent one.
#   * Each ledger is whole, and its counts agree with its rows. It has all messages that the
#     coordinator received, except for the last second before a power loss, as
#     docs/security/records.md says.
#   * Budgets of three jobs are enough for all attempts at both jobs.
#   * The next job, on the same directories and without the fault, succeeds, and no row of a ledger
#     is gone.
#
# The last lines are the counts; exit 1 if a run is wrong. COTERIE_BIN names a folder of other
# programs, which must not be sanitized.
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"

SHIM=$ROOT/build/plain/tests/faults/shim.so
PROTOCOLS=(kmeans flat intersect serve)
FAULTS_KNOWN=(EIO EIO+ ENOSPC ENOSPC+ short die power torn alloc alloc+)
PARTIES=3
KEEP=${KEEP-}
SERVE_S=8  # limit in seconds for a submitted job, multiplied by PATIENCE
LIMIT_S=30 # limit in seconds for the end of all processes, multiplied by PATIENCE

# Each party has some of the rows. The job uses the rows that all parties have, in the same order
# each time.
other_rows() {
	local name
	federation $PARTIES --nodes 60
	rm -r "$T/data"
	"$BIN/coterie" split --by columns --keep 0.9 --parties $PARTIES --seed 5 --data \
		"$T/pooled" --out "$T/data" >/dev/null
	edit job '.method = "flat" | .polish = 0 | .restarts = 1 | .local_restarts = 1
		| .align = "intersect" | .min_common = 20'
	(umask 077 && head -c 32 /dev/urandom >"$T/numbering")
	for name in $(names $PARTIES); do
		edit "$name" ".data.ids = \"data/$name/ids.txt\" | .numbering_key = \"numbering\" \
| .policy.min_common = 20"
	done
}

everybody() { echo coordinator && names $PARTIES; }

# ---- a protocol's federation, made once ----

prepare() { # NAME
	local victim
	T=$base/$1
	mkdir -p "$T"
	declare -gA PID=()
	case $1 in
	kmeans | serve) rows_federation $PARTIES --nodes 60 && rows_job kmeans '.restarts = 2' ;;
	flat) federation $PARTIES --nodes 60 &&
		edit job '.method = "flat" | .polish = 0 | .restarts = 1 | .local_restarts = 1' ;;
	intersect) other_rows ;;
	*) fail "$1: no such protocol; expected one of ${PROTOCOLS[*]}" ;;
	esac
	for name in $(everybody); do edit "$name" '.reconnect_s = 0 | .step_timeout_s = 15'; done
	edit coordinator '.join_timeout_s = 6'
	edit_parties $PARTIES '.retry_s = 3'
	victim='' federate
	await_all
	[[ "${STATUS_OF[*]}" =~ ^[0\ ]*$ ]] || fail "a run without any fault fails: $(statuses)"
	mv "$T/out" "$T/undisturbed"
	set_budgets "$T/undisturbed" 3
	for victim in $(victims "$1"); do
		rm -rf "$T/out"
		TAKEN=''
		fault=none n=0 federate
		await_all
		od -An -t u8 -N 16 "$T/count" >"$T/count.$victim"
	done
	rm -rf "$T/out" "$T"/*.std* "$T/count"
}

victims() { [[ $1 == serve ]] && echo coordinator || echo coordinator party-01; } # PROTOCOL

# Starts all processes. The shim strikes in $victim, unless $victim is empty.
federate() {
	local name class=io how=$fault with=() job=(--job "$T/job.json")
	! serving || job=(--serve)
	case $fault in
	ENOSPC* | short) class='write' ;;
	alloc*) class=alloc ;;
	esac
	for name in $(everybody); do
		with=()
		[[ $name != "$victim" ]] ||
			with=(env LD_PRELOAD="$SHIM" FAULT_UNDER="$T" FAULT_COUNT="$T/count"
			FAULT_CLASS="$class" FAULT_HOW="$how" FAULT_AT="$n" FAULT_SEED="$seed")
		case $name in
		coordinator)
			rm -f "$T/ready"
			start coordinator "${with[@]}" "$BIN/coordinator" --config \
				"$T/coordinator.json" "${job[@]}" \
				--out "$T/out/coordinator" --ready-file "$T/ready"
			until_true 20 listens_or_gone ||
				fail "the coordinator neither listens nor ends"
			ADDRESS=$([[ ! -s $T/ready ]] || cat "$T/ready")
			;;
		*)
			start "$name" "${with[@]}" "$BIN/party" --config "$T/$name.json" --once \
				--out "$T/out/$name" \
				--coordinator "${ADDRESS:-127.0.0.1:1}"
			;;
		esac
	done
	! serving || submit
}

serving() { [[ ${protocol-$protocol_name} == serve ]]; }

jobs_of() { "$BIN/coterie" job --socket "$T/out/coordinator/control.socket" "$@"; }

answers_or_gone() { gone coordinator || jobs_of list >/dev/null 2>&1; }

# Waits for the job in the queue, or submits one if the queue is empty. Sets $SERVED to the status
# of `coterie job wait`, or to 1 if no job was accepted. Then ends the coordinator.
submit() {
	local id
	SERVED=0
	until_true 3 answers_or_gone || true
	id=$(jobs_of list --json 2>/dev/null |
		jq -r 'map(select(.state | IN("queued", "waiting for parties", "running")))
			| .[0].id // empty') || true
	[[ ! ${TAKEN-} ]] || jobs_of show "$TAKEN" >/dev/null 2>&1 ||
		fail "the queue has lost job $TAKEN"
	# Fails while the coordinator refuses the job because a party has never connected.
	submitted() {
		id=$(jobs_of submit "$T/job.json" 2>"$T/submitted" | cut -d ' ' -f 2) || true
		[[ $id ]] || gone coordinator || ! grep -q 'never connected' "$T/submitted"
	}
	[[ $id ]] || until_true 3 submitted || true
	TAKEN=$id
	[[ ! $id ]] || jobs_of wait --timeout $((SERVE_S * PATIENCE)) "$id" >/dev/null 2>&1 ||
		SERVED=$?
	[[ $id ]] || { SERVED=1 && cat "$T/submitted" >&2; }
	kill -TERM "${PID[coordinator]}" 2>/dev/null || true
}

# Gives a serving coordinator the exit status and the result files that a coordinator of a single
# job would have, so that the same judges apply.
as_served() {
	((STATUS_OF[coordinator] != 0)) || STATUS_OF[coordinator]=$SERVED
	rm -f "$T/out/coordinator"/{run.json,labels.csv,labels.npy}
	cp "$T/out/coordinator/latest"/{run.json,labels.csv,labels.npy} "$T/out/coordinator" \
		2>/dev/null || true
}

await_all() {
	local name
	declare -gA STATUS_OF=()
	for name in $(everybody); do
		until_true $LIMIT_S gone "$name" ||
			fail "$name still runs after $((LIMIT_S * PATIENCE)) s"
		STATUS_OF[$name]=0
		wait "${PID[$name]}" || STATUS_OF[$name]=$?
		unset "PID[$name]"
	done
	! serving || as_served
}

statuses() {
	local name
	for name in $(everybody); do printf '%s %s ' "$name" "${STATUS_OF[$name]}"; done
}

# ---- one run, in a process of its own: prints "CELL,STRUCK,OUTCOME,WHAT" ----

outcome() { # OUTCOME [WHAT]
	echo "$cell,$struck,$1,${2-}"
	trap - EXIT
	finish "$([[ $1 != wrong || -z $KEEP ]] && echo 0 || echo 1)" >&2
	exit 0
}

one() { # CELL
	cell=$1 struck=''
	read -r protocol victim fault n seed <<<"$1"
	T=$(mktemp -d "${TMPDIR:-/tmp}/coterie-nth.XXXXXX")
	declare -gA PID=()
	trap 'outcome wrong "the script itself failed"' EXIT
	trap 'exit 143' TERM INT HUP
	fail() { outcome wrong "${1//,/;}"; }
	cp -R "$base/$protocol/." "$T"
	if [[ $fault =~ die|power|torn && $protocol != serve ]] && ((seed % 2)); then
		for name in $(everybody); do edit "$name" '.reconnect_s = 2 | .rejoin_s = 10'; done
		federate
		start_again
	else
		federate
	fi
	await_all
	[[ ! -e $T/count ]] || struck=$(tail -c +17 "$T/count" | tr -d '\0\n,' | sed "s#$T/##")
	judge
	mkdir "$T/first"
	mv "$T"/*.stderr "$T/first"
	for name in $(names $PARTIES); do rows "$name" >"$T/first/rows.$name"; done
	judge_next
	if [[ -z $struck ]]; then
		outcome late
	elif ((first_coordinator == 0)); then
		outcome survived
	else
		outcome 'failed cleanly' "$first_error"
	fi
}

# Waits until the victim has ended, and starts it again at once if the shim has ended it. Does
# nothing if the victim was the coordinator and ended before parties could connect.
start_again() {
	local status=0
	[[ $ADDRESS ]] || return 0
	until_true $LIMIT_S gone "$victim" ||
		fail "$victim still runs after $((LIMIT_S * PATIENCE)) s"
	wait "${PID[$victim]}" || status=$?
	if ((status != 66)); then # not by the shim: await_all gets a process with that status
		start "$victim" bash -c "exit $status"
		return 0
	fi
	cat "$T/$victim.stderr" >>"$T/$victim.before"
	if [[ $victim == coordinator ]]; then
		edit coordinator ".listen = \"$ADDRESS\""
		start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job \
			"$T/job.json" --out "$T/out/coordinator"
	else
		start "$victim" "$BIN/party" --config "$T/$victim.json" --once --out \
			"$T/out/$victim" --coordinator "$ADDRESS"
	fi
}

status_is() { [[ -s $T/out/$1/run.json && $(run_of "$1" .status) == "$2" ]]; }
error_of() { [[ ! -s $T/out/$1/run.json ]] || run_of "$1" '.error // ""' | tr , ';'; }

judge() {
	local name
	for name in $(everybody); do
		case $name,${STATUS_OF[$name]} in
		*,[0-5]) ;;
		"$victim",66) [[ $fault =~ die|power|torn ]] || fail "$victim ended with 66" ;;
		"$victim",127) grep -Eq 'error while loading|cannot allocate memory|cannot create' \
			"$T/$victim.stderr" || fail "$victim ended with 127" ;;
		*) fail \
			"$name ended with ${STATUS_OF[$name]}: $(tail -n 1 "$T/$name.stderr" |
			cut -c 1-200)" ;;
		esac
		[[ ${STATUS_OF[$name]} == @(0|66|127) || -s $T/$name.stderr ]] ||
			fail "$name ended with ${STATUS_OF[$name]} and says nothing"
		judge_record "$name"
		judge_labels "$name"
		[[ $name == "$victim" || -z $struck ]] || judge_blame "$name"
	done
	[[ $struck ]] || [[ "${STATUS_OF[*]}" =~ ^[0\ ]*$ ]] ||
		fail "nothing was struck, and yet: $(statuses)"
	! grep -lE 'AddressSanitizer|runtime error:|Assertion' "$T"/*.stderr >/dev/null ||
		fail "a process crashed"
	for name in $(names $PARTIES); do judge_ledger "$name"; done
	first_coordinator=${STATUS_OF[coordinator]} first_error=$(error_of coordinator)
}

# run.json tells how the process ended. A victim that could not write it says so on stderr.
judge_record() { # NAME
	local status=${STATUS_OF[$1]}
	if ((status == 0)) && ! status_is "$1" "done"; then
		[[ $1 == "$victim" ]] && said "$1" 'run.json' ||
			fail "$1 ended with 0, run.json says: $(run_of "$1" .status 2>&1)"
	# "running" stays if the victim cannot write run.json, or if it died after the job was done
	# and its second process was refused
	elif [[ $status == [1-5] ]] && status_is "$1" running; then
		[[ $1 == "$victim" ]] &&
			said "$1" \
			'run.json|out of memory|refused by coordinator: the job is done' ||
			fail "$1 ended with $status, run.json says that it runs"
	elif ((status != 0)) && status_is "$1" "done"; then
		[[ $1 == "$victim" ]] || fail "$1 ended with $status, run.json says that it is done"
	fi
}

judge_labels() { # NAME
	local was=$base/$protocol/undisturbed/$1 f
	for f in labels.csv labels.npy; do
		[[ ! -e $T/out/$1/$f ]] || cmp -s "$was/$f" "$T/out/$1/$f" || fail "$1 has other $f"
		[[ ! -e $was/$f || -e $T/out/$1/$f ]] || ! status_is "$1" "done" ||
			fail "$1 is done and has no $f"
	done
	# A party that failed has no labels. The victim may have labels, and so may the coordinator,
	# which computes its own. If the coordinator fails at the very end, the parties have
	# confirmed their labels already.
	[[ ${STATUS_OF[$1]} == 0 ||
		$1 == "$victim" ||
		$1 == coordinator || $victim == coordinator || ! -e $T/out/$1/labels.csv ]] ||
		fail "$1 failed and has labels"
}

# If NAME failed, its error must name the victim. If the victim succeeded, the error may also name
# no process.
judge_blame() { # NAME
	local other error
	((STATUS_OF[$1] != 0)) || return 0
	error=$(error_of "$1")
	for other in $(everybody); do
		[[ $other == "$1" ||
			$other == "$victim" || $error != *"$other"* || $error == *"$victim"* ]] ||
			fail "$1 blames $other: $error"
	done
	[[ ! $error || $error == *"$victim"* || ${STATUS_OF[$victim]} == 0 ]] ||
		fail "$1 does not name $victim: $error"
}

ledger() { "$BIN/coterie" ledger "$1" --state "$T/out/$2/state" "${@:3}"; } # ACTION PARTY [ARG...]
rows() {
	[[ ! -s $T/out/$1/state/ledger.db ]] ||
		{ ledger export "$1" --csv 2>/dev/null | tail -n +2; } || true
}

judge_ledger() { # PARTY
	local other
	{ sent "$1" | grep -Ev '^(DECLINE|ABORT) ' || true; } >"$T/sent"
	rows "$1" | sed 's/"[^"]*",//g' |
		awk -F, '{ n[$5]++ } END { for (t in n) print t, n[t] }' >"$T/rows"
	[[ -s $T/rows || -s $T/sent ]] || return 0 # no ledger was made, or nothing was written yet
	ledger verify "$1" >"$T/verify" 2>&1 || fail "the ledger of $1: $(tail -n 1 "$T/verify")"
	counts_its_rows "$T/out/$1/state" ||
		fail "the ledger of $1 counts other jobs, sums or numbers than its rows: $( \
		<"$T/counts")"
	for other in $(everybody); do
		[[ -s $T/out/$other/run.json ]] || continue
		ledger verify "$1" --against "$T/out/$other/run.json" >"$T/verify" 2>&1 ||
			grep -q 'has no entry for the ledger' "$T/verify" ||
			fail "the ledger of $1: $(tail -n 1 "$T/verify")"
	done
	# The ledger has all messages that the coordinator received. A missing DECLINE or ABORT is
	# allowed, because a failing ledger can be their cause. After a power loss other messages
	# may be missing too, unless the coordinator received a DONE. An ACCEPT is never missing.
	awk -v power="$([[ $1 == "$victim" && $fault =~ power|torn ]] && echo 1)" '
		FILENAME == ARGV[1] { rows[$1] = $2; next }
		{ sent[$1] = $2 }
		END {
			for (t in sent)
				if (rows[t] + 0 < sent[t] && (!power || t == "ACCEPT" ||
				"DONE" in sent)) {
					print "the ledger lacks " t ": " rows[t] + 0 " of " sent[t]
					exit 1
				}
		}' "$T/rows" "$T/sent" >"$T/lacks" || fail "$1: $(<"$T/lacks")"
}

# Prints "TYPE COUNT" of the messages that the coordinator received from PARTY in this run. Prints
# nothing if the coordinator has no run.json.
sent() { # PARTY
	[[ ! -s $T/out/coordinator/run.json ]] ||
		run_of coordinator ".traffic[]? | select(.peer == \"$1\" and .messages_received > 0)
		| select(.type | IN(\"ACK\", \"HEARTBEAT\", \"HELLO\", \"PADDING\", \"RESUME\") | \
not) | \"\(.type) \(.messages_received)\""
}

# Runs the next job with the same directories and without a fault; it must succeed.
judge_next() {
	local name victim_before=$victim odd
	victim=''
	federate
	await_all
	victim=$victim_before
	[[ "${STATUS_OF[*]}" =~ ^[0\ ]*$ ]] ||
		fail "the next job: $(statuses): $(tail -qn 1 "$T"/*.stderr | grep -m 1 '"error"' |
		cut -c 1-300)"
	for name in $(everybody); do
		status_is "$name" "done" ||
			fail "the next job: $name/run.json says $(run_of "$name" .status)"
		judge_labels "$name"
	done
	for name in $(names $PARTIES); do
		ledger verify "$name" --against "$T/out/coordinator/run.json" >"$T/verify" 2>&1 ||
			fail "the next job: the ledger of $name: $(tail -n 1 "$T/verify")"
		rows "$name" >"$T/rows"
		head -n "$(wc -l <"$T/first/rows.$name")" "$T/rows" |
			cmp -s - "$T/first/rows.$name" ||
			fail "the next job: rows are gone from the ledger of $name"
	done
	odd=$(find "$T/out" -name '*.tmp' | head -n 3)
	[[ -z $odd ]] || fail "the next job: left over: $odd"
}

# ---- all of them ----

usage() { sed -n '2,/^# shellcheck/s/^# \{0,1\}//p' "$0" | grep -v '^shellcheck'; }
wrong_use() { echo "nth: $1; see --help" >&2 && exit 4; }

if [[ ${1-} == --one ]]; then
	base=$2
	# With 255 xargs starts no other run.
	((SECONDS_UNTIL == 0 || EPOCHSECONDS < SECONDS_UNTIL)) || exit 255
	one "$3"
fi

seconds=60 runs=0 seed=1 jobs=$((2 * $(nproc))) out='' only='' faults=() chosen=()
while (($#)); do
	case $1 in
	--seconds | --runs | --seed | --jobs | --only | --cell | --out)
		(($# > 1)) || wrong_use "$1 needs a value"
		case $1 in
		--out) out=$2 ;;
		--cell) only=$2 ;;
		--only)
			[[ " ${FAULTS_KNOWN[*]} " == *" $2 "* ]] ||
				wrong_use \
				"--only $2: no such fault, expected one of ${FAULTS_KNOWN[*]}"
			faults+=("$2")
			;;
		*)
			[[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || wrong_use "$1 is '$2', expected a number"
			declare "${1#--}=$2"
			;;
		esac
		shift 2
		;;
	-h | --help) usage && exit 0 ;;
	-*) wrong_use "$1: no such option" ;;
	*)
		[[ " ${PROTOCOLS[*]} " == *" $1 "* ]] ||
			wrong_use "$1: no such protocol, expected one of ${PROTOCOLS[*]}"
		chosen+=("$1") && shift
		;;
	esac
done
((${#faults[@]})) || faults=("${FAULTS_KNOWN[@]}")
((${#chosen[@]})) || chosen=("${PROTOCOLS[@]}")
[[ -e $SHIM ]] || wrong_use "$SHIM is not there: make tests"
! sanitized || wrong_use "$BIN: nothing is preloaded into what a sanitizer has made"
[[ ! $only ]] || chosen=("${only%% *}")

base=$(mktemp -d "${TMPDIR:-/tmp}/coterie-nth.XXXXXX")
trap 'rm -rf "$base"' EXIT
trap 'exit 130' INT TERM HUP
export COTERIE_BIN=$BIN
for name in "${chosen[@]}"; do
	(
		fail() { echo "nth: $name: $1" >&2 && exit 1; }
		trap 'for f in "${PID[@]}"; do kill -KILL "$f" 2>/dev/null || true; done' EXIT
		fault='' n=0 protocol_name=$name
		prepare "$name"
	) || exit 1
done

# Prints cells without end. Each cell is drawn from its own number, so a seed always gives the same
# cells.
choose() {
	local i protocol victim fault io alloc most
	for ((i = 1; runs == 0 || i <= runs; i++)); do
		RANDOM=$(((seed * 7919 + i) % 32768))
		protocol=${chosen[RANDOM % ${#chosen[@]}]}
		victim=$( ((RANDOM % 3)) && [[ $protocol != serve ]] && echo party-01 ||
			echo coordinator)
		fault=${faults[RANDOM % ${#faults[@]}]}
		read -r io alloc <"$base/$protocol/count.$victim"
		case $fault in
		alloc*) most=$alloc ;;
		ENOSPC* | short) most=$((io / 2)) ;;
		*) most=$io ;;
		esac
		echo "$protocol $victim $fault $(((RANDOM * 32768 + RANDOM) % most + 1)) \
$((seed * 100000 + i))"
	done
}

export SECONDS_UNTIL=0
((runs)) || [[ $only ]] || SECONDS_UNTIL=$((EPOCHSECONDS + seconds))
touch "$base/results"
{
	[[ $only ]] && echo "$only" ||
		timeout "$((runs ? 1000000 : seconds))" bash -c \
		"$(declare -f choose); $(declare -p chosen faults runs seed base); choose" || true
} |
	xargs -P "$jobs" -d '\n' -I{} setpriv --pdeathsig TERM bash "$0" --one "$base" {} \
	2>"$base/errors" |
	tee -a "$base/results" | grep --line-buffered -E ',wrong,' || true
cp "$base/results" "${out:-/dev/null}"
[[ ! $only ]] || { cat "$base/results" "$base/errors"; }

awk -F '[ ,]' '
	{ n = split($0, part, ","); k = part[3]; c[$3, k]++; fault[$3]; all[k]++ }
	END {
		printf "| fault | survived | failed cleanly | wrong | too late |\n"
		printf "| --- | --- | --- | --- | --- |\n"
		split("EIO EIO+ ENOSPC ENOSPC+ short die power torn alloc alloc+", name, " ")
		for (i = 1; i <= 10; i++)
			if (name[i] in fault)
				printf "| %s | %d | %d | %d | %d |\n", name[i], c[name[i],
				"survived"], c[name[i], "failed cleanly"], c[name[i], "wrong"],
				c[name[i], "late"]
		printf "runs %d, survived %d, clean failures %d, wrong %d (too late %d)\n", NR,
		all["survived"], all["failed cleanly"], all["wrong"], all["late"]
		exit all["wrong"] > 0 || !NR
	}' "$base/results" || { tail -n 60 "$base/errors" >&2; exit 1; }
