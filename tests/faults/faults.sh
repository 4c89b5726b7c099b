#!/bin/bash
# faults -- strikes a job with each fault in each step of each protocol, and checks how it ends.
# A cell is one run: a protocol, a step, a fault and a victim.
#
#   tests/faults/faults.sh [option...] [PROTOCOL...]
#
#     --sample N     runs N of the cells, spread over all of them; N always gives the same cells.
#                    If there are more than N protocols, takes N protocols only, because the run
#                    without a fault, with which cells are compared, takes longer than the cells
#     --jobs N       runs N cells at a time; default twice the number of cores
#     --out FILE     a line for each cell: protocol,step,fault,victim,outcome,what
#     --only FAULT   kill, term, gone, stop3, stop30, cut, loss or disk; may be given again
#     --list         prints the cells
#
#     kill    kill -9; the process is started again at once, by the same command
#     term    kill; the process ends in time, with status 6, and is not started again; it tells the
#             other processes that it was the one that ended
#     gone    kill -9 of one party, of two, or of three, and none is started again. If the protocol
#             tolerates dropouts (on_loss "attempt"), the other parties end with the labels of a job
#             that they run alone. Without three parties too few are left, and all fail cleanly
#     stop3   kill -STOP, and kill -CONT after 3 s, which is three times the heartbeat
#     stop30  kill -STOP, and kill -CONT after 30 s
#     cut     the relay closes the victim's connection and loses the bytes that it holds
#     loss    1 % of the packets to and from the victim's host get lost, in a lab, in all steps of
#             one run
#     disk    the file system of the victim's output directory, which has its state too, is full
#
#     party-00 ==============\
#     party-01 == relay ======= coordinator        victims: party-01, and the coordinator
#     party-02 == relay ======/                    (it loses the connections through the relay)
#     party-03 ==============/
#
# A cell is right if the job SURVIVED or FAILED CLEANLY. It SURVIVED if all processes end with 0,
# with the results of a run without a fault. It FAILED CLEANLY if no process of the job reports it
# as done, all end with a documented status, all report the cause and name the victim, and no party
# has results. All other cells are wrong: other labels, a crash, a process that still runs after
# 300 s, causes that differ, files left over, a cell that prints nothing.
# LATE: the fault struck nothing, because the victim had ended or had no connection. The job must
# then have succeeded.
# A job also SURVIVED if a party dies when all processes are done. The party's second process learns
# from the coordinator that the job is done, or finds no coordinator, and ends with 2. A party that
# SIGTERM ends then may end with 6. A victim whose full disk has no room for run.json ends with 1.
#
# The budgets of the policies (max_jobs, max_words) are enough for three undisturbed jobs. The
# counts of each ledger must agree with its rows.
#
# The last line is the count; exit 1 if a cell is wrong. Without root or /dev/net/tun the cells of
# loss and disk are not run, and the count lists them as not run.
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=protocols.sh
source "$ROOT/tests/faults/protocols.sh"
# shellcheck source=judge.sh
source "$ROOT/tests/faults/judge.sh"

FAULTS_KNOWN=(kill term gone stop3 stop30 cut loss disk)
RELAY_MS=25
# Each word has the victims of one fault "gone". Without the three victims of the last word too few
# parties are left.
GONE=(party-01 party-01+party-02 party-01+party-02+party-03)
GOES_ON=(flat basic landmark gcc fedsc-anchor fedsc-dense fedsc-paper fedsc-pairwise kmeans
	fedspectral+ fedspectral-plain fedgcn)

# ---- federation of a protocol, made once in $base/NAME ----

prepare() { # NAME: runs in a process of its own
	local name phases
	T=$base/$1
	mkdir -p "$T"
	declare -gA PID=()
	protocol "$1"
	# These timeouts are longer than the 30 s of stop30. For "gone" be_quick sets shorter ones.
	for name in coordinator $(names "$PARTIES"); do
		edit "$name" '.heartbeat_s = 1 | .reconnect_s = 45 | .rejoin_s = 20
			| .step_timeout_s = 60'
	done
	rm -rf "$T/out"
	[[ ! -e $T/state ]] || cp -R "$T/state" "$T/state.before"
	coordinator
	parties "$PARTIES"
	# shellcheck disable=SC2046
	ends 0 coordinator $(names "$PARTIES")
	for name in coordinator party-01; do
		phases=$(run_of "$name" '.phases[].name')
		[[ $phases ]] || fail "$name/run.json has no phases"
		echo "$phases" >"$T/phases.$name"
	done
	mv "$T/out" "$T/undisturbed"
	set_budgets "$T/undisturbed" 3
	[[ " $faults " != *' gone '* ]] || ! goes_on "$1" || of_the_rest
	rm -f "$T"/*.stderr "$T"/*.stdout
	[[ ! -e $T/state.before ]] || { rm -rf "$T/state" && mv "$T/state.before" "$T/state"; }
}

goes_on() { [[ " ${GOES_ON[*]} " == *" $1 "* ]]; } # PROTOCOL
too_few() { [[ $1 == *+*+* ]]; }                   # VICTIMS

# PARTY[+PARTY]: prints all other parties.
rest_of() { names "$PARTIES" | grep -vxF "$(tr + '\n' <<<"$1")"; }

may_lose() { # sets on_loss and policies so that a job continues without lost parties
	local name
	edit job '.on_loss = "attempt"'
	edit_parties "$PARTIES" '.policy.allow_loss = 2'
}

# For each fault "gone" that leaves enough parties, runs a job without the victims and keeps its
# results for comparison.
of_the_rest() {
	local victims name rest
	cp "$T/coordinator.json" "$T/whole.json"
	may_lose
	for victims in "${GONE[@]}"; do
		! too_few "$victims" || continue
		rest=$(rest_of "$victims")
		edit coordinator ".parties = $(jq -Rnc '[inputs]' <<<"$rest")"
		coordinator
		for name in $rest; do party "$name"; done
		# shellcheck disable=SC2086 # words
		ends 0 coordinator $rest
		mv "$T/out" "$T/without-$victims"
		cp "$T/whole.json" "$T/coordinator.json"
	done
}

cells() { # NAME: prints "PROTOCOL STEP FAULT VICTIM" for each cell
	local fault victim step
	for fault in "${faults[@]}"; do
		if [[ $fault == gone ]]; then
			! goes_on "$1" || for victim in "${GONE[@]}"; do
				while read -r step; do
					echo "$1 $step $fault $victim"
				done <"$base/$1/phases.party-01"
			done
			continue
		fi
		for victim in party-01 coordinator; do
			if [[ $fault == loss ]]; then
				echo "$1 all $fault $victim"
				continue
			fi
			while read -r step; do
				echo "$1 $step $fault $victim"
			done <"$base/$1/phases.$victim"
		done
	done
}

# ---- one cell, in a process of its own: prints "PROTOCOL,STEP,FAULT,VICTIM,OUTCOME,WHAT" ----

outcome() { # OUTCOME [WHAT]
	echo "$protocol,$step,$fault,$victim,$1,${2-}"
	trap - EXIT
	[[ -z ${mounted-} ]] || umount -l "$mounted" 2>/dev/null || true
	finish "$([[ $1 != wrong ]] && echo 0 || echo 1)" >&2
	exit 0
}

fail() { outcome wrong "${1//,/;}"; } # lib.sh calls it when a process fails an expectation

cell() { # PROTOCOL STEP FAULT VICTIM
	protocol=$1 step=$2 fault=$3 victim=$4
	T=$(mktemp -d "${TMPDIR:-/tmp}/coterie-fault.XXXXXX")
	declare -gA PID=() STATUS_OF=()
	late=false
	mounted=''
	trap 'outcome wrong "the script itself failed"' EXIT
	trap 'exit 143' TERM INT HUP
	cp -R "$base/$protocol/." "$T"
	rm -rf "$T/undisturbed" "$T"/without-*
	"fault_of_$([[ $fault == loss ]] && echo loss || echo process)"
}

fault_of_process() {
	[[ $fault != disk ]] || small_disk
	[[ $fault != gone ]] || { may_lose && be_quick; }
	coordinator
	edit coordinator ".listen = \"$ADDRESS\"" # a second coordinator has this address too
	relay relay $RELAY_MS
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	party party-03
	strike
	await_all
	! $late || judge_late
	judge
}

# Sets short timeouts, so that the job soon gives up a host that is gone.
be_quick() {
	local name
	edit_all "$PARTIES" ".heartbeat_s = 20 | .reconnect_s = 1 | .rejoin_s = $((1 + BUSY))"
}

await_all() {
	local name
	for name in coordinator $(names "$PARTIES"); do
		[[ ${PID[$name]-} ]] || continue
		until_true 100 gone "$name" || fail "$name still runs after $((100 * PATIENCE)) s"
		STATUS_OF[$name]=0
		wait "${PID[$name]}" || STATUS_OF[$name]=$?
		unset "PID[$name]"
	done
}

# Waits until the victim comes to the step, and strikes it with the fault. If the victim has ended
# before, only sets $late.
strike() {
	local first=${victim%%+*} log
	log=$T/out/$first/log.jsonl
	there() { has_text "$log" "\"phase\":\"$step\"" || gone "$first"; }
	until_true 60 there || fail "$first does not come to the step"
	if gone "$first"; then
		late=true
		return
	fi
	case $fault in
	kill) kill_and_start ;;
	term) tell_to_end ;;
	gone) kill_for_good ;;
	stop*) stop_for "${fault#stop}" ;;
	cut) kill -HUP "${PID[relay]}" ;;
	disk) fill_disk ;;
	esac
}

# The victim must end with 6 after SIGTERM. Only in its last step may it end before it sees the
# signal.
tell_to_end() {
	local last
	kill -TERM "${PID[$victim]}" 2>/dev/null || true
	last=$(grep -o '"phase":"[^"]*"' "$T/out/$victim/log.jsonl" | tail -n 1 | cut -d '"' -f 4)
	until_true 10 gone "$victim" || fail "$victim does not end after SIGTERM"
	[[ $last == "$(tail -n 1 "$T/phases.$victim")" ]] || ! wait "${PID[$victim]}" ||
		fail "$victim goes on after SIGTERM"
}

kill_and_start() {
	local status=0 before=${PID[$victim]}
	kill -KILL "$before" 2>/dev/null || true
	wait "$before" 2>/dev/null || status=$?
	if ((status != 137)); then # the victim had ended by itself
		late=true
		STATUS_OF[$victim]=$status
		unset "PID[$victim]"
		return
	fi
	mv "$T/$victim.stderr" "$T/$victim.first.stderr"
	if [[ $victim == coordinator ]]; then
		start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job \
			"$T/job.json" \
			--out "$T/out/coordinator"
	else
		ADDRESS=$RELAY party "$victim"
	fi
}

kill_for_good() {
	local name status
	late=true # unless a kill below strikes
	for name in ${victim//+/ }; do
		status=0
		kill -KILL "${PID[$name]}" 2>/dev/null || true
		wait "${PID[$name]}" 2>/dev/null || status=$?
		unset "PID[$name]"
		((status != 137)) || late=false
		# shellcheck disable=SC2034 # judge.sh reads it
		STATUS_OF[$name]=$((status == 137 ? 0 : status))
	done
}

stop_for() { # SECONDS
	kill -STOP "${PID[$victim]}" 2>/dev/null || true
	stopped() {
		grep -q '^State:.*T' "/proc/${PID[$victim]}/status" 2>/dev/null || gone "$victim"
	}
	until_true 5 stopped || fail "$victim does not stop"
	if gone "$victim"; then
		late=true
		return
	fi
	sleep "$1"
	kill -CONT "${PID[$victim]}"
}

# Mounts a small file system for the victim. It has room for the ledger, whose write-ahead log alone
# takes some MB in a job with many rounds.
small_disk() {
	mkdir -p "$T/out/$victim"
	mount -t tmpfs -o size=16m coterie-fault "$T/out/$victim" ||
		outcome 'not run' 'no tmpfs can be mounted'
	mounted=$T/out/$victim
}

# Fills the disk, again and again until nothing is free, since the victim may free space meanwhile.
fill_disk() {
	full() {
		cat /dev/zero >>"$mounted/filling" 2>/dev/null || true
		[[ $(df --output=avail "$mounted" | tail -n 1) -eq 0 ]] || gone "$victim"
	}
	until_true 20 full || fail "the disk is not full"
}

# ---- loss: a run in a lab ----

fault_of_loss() {
	local tries=3 host=0 name options
	[[ $victim == coordinator ]] || host=2
	options=(--net custom --rate 100 --delay 5 --loss 1 --loss-host "$host" --parties "$PARTIES"
		--seed 5 --quiet)
	[[ $protocol != predict ]] ||
		outcome 'not run' 'launch runs no prediction on models that are kept'
	[[ $protocol != intersect ]] ||
		outcome 'not run' 'launch draws the order of rows anew in each run'
	options+=(--allow fedsc.paper --allow fedsc.pairwise --allow fedspectral.exact)
	rm -rf "$T/quiet"
	launch_once "$T/quiet" --parties "$PARTIES" --seed 5 --quiet --allow fedsc.paper --allow \
		fedsc.pairwise --allow fedspectral.exact ||
		fail "without loss: $(tail -n 1 "$T/launch.stderr")"
	while ((tries--)); do
		rm -rf "$T/lossy"
		if launch_once "$T/lossy" "${options[@]}"; then
			same_launched
			(($(jq .run.lost "$T/lossy/network.json") > 0)) ||
				outcome 'not run' 'no packet was lost'
			outcome survived \
				"$(jq -r \
				'"\(.run.lost) packets lost of \(.run.lost + .run.packets)"' \
				"$T/lossy/network.json")"
		fi
		grep -Eq 'discarded|not what it states' "$T/launch.stderr" ||
			fail "$(tail -n 1 "$T/launch.stderr" | cut -c 1-200)"
	done
	outcome 'not run' 'this machine is too busy for a lab'
}

same_launched() {
	local file name some=false
	for file in "$T"/quiet/*/labels.csv "$T"/quiet/*/embeddings.npy "$T"/quiet/*/ids.txt; do
		[[ -e $file ]] || continue
		some=true
		name=$(basename "$(dirname "$file")")
		case $file in
		*.csv) same_rows "$name" "$file" "$T/lossy/${file#"$T"/quiet/}" ||
			fail "$name has other labels" ;;
		*.txt) cmp -s <(sort "$file") <(sort "$T/lossy/${file#"$T"/quiet/}") ||
			fail "$name has other ids" ;;
		*) [[ $(stat -c %s "$file") == "$(stat -c %s "$T/lossy/${file#"$T"/quiet/}")" ]] ||
			fail "$name has other embeddings" ;;
		esac
	done
	$some || fail "without loss there are no results"
}

launch_once() { # OUT ARG...
	COTERIE_EMULATOR=own COTERIE_BIN=$BIN timeout -k 5 100 "$ROOT/scripts/launch" --data \
		"$T/pooled" \
		--job "$T/job.json" --out "$1" "${@:2}" >/dev/null 2>"$T/launch.stderr"
}

has_lab() { ((EUID == 0)) && [[ -c /dev/net/tun ]]; }

# ---- all of them ----

usage() { sed -n '2,/^# shellcheck/s/^# \{0,1\}//p' "$0" | grep -v '^shellcheck'; }
wrong_use() { echo "faults: $1; see --help" >&2 && exit 4; }

if [[ ${1-} == --prepare ]]; then
	base=$2
	trap 'finish_all $?' EXIT
	finish_all() { for f in "${PID[@]}"; do kill -KILL "$f" 2>/dev/null || true; done; }
	tools
	fail() { echo "faults: $protocol_name: $1" >&2 && exit 1; }
	protocol_name=$3
	faults=$4
	prepare "$3"
	exit 0
elif [[ ${1-} == --cell ]]; then
	base=$2
	# shellcheck disable=SC2086 # words
	cell $3
fi

sample=0 jobs=$((2 * $(nproc))) out='' list=false faults=() chosen=()
while (($#)); do
	case $1 in
	--sample | --jobs | --out | --only)
		(($# > 1)) || wrong_use "$1 needs a value"
		case $1 in
		--out) out=$2 ;;
		--only)
			[[ " ${FAULTS_KNOWN[*]} " == *" $2 "* ]] ||
				wrong_use \
				"--only $2: no such fault, expected one of ${FAULTS_KNOWN[*]}"
			faults+=("$2")
			;;
		*)
			[[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || wrong_use "$1 is '$2', expected a number"
			declare "${1#--}=$2"
			;;
		esac
		shift 2
		;;
	--list) list=true && shift ;;
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

base=$(mktemp -d "${TMPDIR:-/tmp}/coterie-faults.XXXXXX")
trap 'rm -rf "$base"' EXIT
trap 'exit 130' INT TERM HUP
export COTERIE_BIN=$BIN
some_of() { # FILE: prints $sample lines of FILE, or all lines if $sample is 0 or too large
	awk -v n="$sample" -v total="$(wc -l <"$1")" \
		'!n || n >= total || int(NR * n / total) > int((NR - 1) * n / total)' "$1"
}
printf '%s\n' "${chosen[@]}" >"$base/protocols"
mapfile -t chosen < <(some_of "$base/protocols")
# shellcheck disable=SC2016 # $0 is expanded by the shell that xargs starts
printf '%s\n' "${chosen[@]}" |
	xargs -P "$jobs" -I{} setpriv --pdeathsig TERM bash "$0" --prepare "$base" {} \
	"${faults[*]}" ||
	wrong_use "a run without any fault fails"
for name in "${chosen[@]}"; do cells "$name"; done >"$base/all"
some_of "$base/all" >"$base/cells"
if $list; then
	cat "$base/cells"
	exit 0
fi
cp "$base/cells" "$base/wanted"
needs_lab() { grep -E ' (loss|disk) ' "$base/cells" || true; }
if ! has_lab; then
	needs_lab |
		awk '{ print $1 "," $2 "," $3 "," $4 ",not run,needs root and /dev/net/tun" }' \
		>"$base/results"
	grep -Ev ' (loss|disk) ' "$base/cells" >"$base/some" || true
	mv "$base/some" "$base/cells"
fi
total=$(wc -l <"$base/cells")
echo "faults: $total cells, $jobs at a time" >&2
xargs -P "$jobs" -d '\n' -I{} setpriv --pdeathsig TERM bash "$0" --cell "$base" {} <"$base/cells" \
	2>"$base/errors" |
	tee -a "$base/results" | grep --line-buffered -E ',wrong,' || true
# A cell whose process was killed prints nothing and counts as wrong.
awk -F \
	'[ ,]' 'FILENAME == ARGV[1] { said[$1, $2, $3, $4]++; next } !said[$1, $2, $3, $4] { '\
'print $1 "," $2 "," $3 "," $4 ",wrong,it says nothing" }' \
	"$base/results" "$base/wanted" >"$base/silent"
tee -a "$base/results" <"$base/silent"
cp "$base/results" "${out:-/dev/null}"

# ---- the count ----

awk -F , '
	{ n[$3, $5]++; fault[$3]; all[$5]++ }
	END {
		printf "| fault | injected | survived | failed cleanly | wrong | too late "
		printf "| not run |\n| --- | --- | --- | --- | --- | --- | --- |\n"
		n_faults = split("kill term gone stop3 stop30 cut loss disk", name, " ")
		for (i = 1; i <= n_faults; i++) {
			f = name[i]
			if (!(f in fault)) continue
			printf "| %s | %d | %d | %d | %d | %d | %d |\n", f,
				n[f, "survived"] + n[f, "failed cleanly"] + n[f, "wrong"], n[f,
				"survived"],
				n[f, "failed cleanly"], n[f, "wrong"], n[f, "late"], n[f, "not run"]
		}
		printf "faults injected %d, survived %d, clean failures %d, wrong %d " \
				"(too late %d, not run %d)\n",
			all["survived"] + all["failed cleanly"] + all["wrong"], all["survived"],
			all["failed cleanly"],
			all["wrong"], all["late"], all["not run"]
		exit all["wrong"] > 0
	}' "$base/results" || { tail -n 60 "$base/errors" >&2; exit 1; }
