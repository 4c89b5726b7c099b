#!/bin/bash
# faults -- what becomes of a job when something breaks in it: every protocol, every step, every fault.
#
#   tests/faults/faults.sh [option...] [PROTOCOL...]
#
#     --sample N     only N of the cells, spread over all of them; the same ones each time
#     --jobs N       cells at a time; default twice the cores
#     --out FILE     a line for each cell: protocol,step,fault,victim,outcome,what
#     --only FAULT   kill, stop3, stop30, cut, loss or disk; may be given again
#     --list         prints the cells
#
#     kill    kill -9; the process is started again at once, by the same command
#     stop3   kill -STOP, 3 s later kill -CONT: three times the heartbeat
#     stop30  the same for 30 s
#     cut     its connection is closed by what lies between, and what is in it is lost
#     loss    1 % of the packets to and from its host get lost, in a lab, in all steps of one run
#     disk    its output directory, where its state is too, is full
#
#     party-00 ==============\
#     party-01 == relay ======= coordinator        victims: party-01, and the coordinator
#     party-02 == relay ======/                    (which loses what comes through the relay)
#     party-03 ==============/
#
# A cell is right in two ways: it SURVIVED (all processes end with 0, with the labels of a run that
# nothing happened to), or it FAILED CLEANLY (no process of the job says it is done, all end with a status
# that is documented, all know the cause, and who broke is named). Everything else is wrong: other
# labels, a crash, a process that still runs after 300 s, causes that differ, files left over.
# LATE: the job was over before the fault came. A process that dies when all were done, and is started
# again, finds nobody: it ends with 2 (a party) or 3 (the coordinator), and the others' results count.
#
# The last line is the count; exit 1 if a cell is wrong. Without root or /dev/net/tun the cells of loss and
# disk are not run, and counted as such.
#
# shellcheck source=../integration/lib.sh
source "$(dirname "$0")/../integration/lib.sh"
# shellcheck source=protocols.sh
source "$ROOT/tests/faults/protocols.sh"

FAULTS_KNOWN=(kill stop3 stop30 cut loss disk)
RELAY_MS=25

# ---- a protocol's federation, made once: $base/NAME has data, keys, configurations, labels, phases ----

prepare() { # NAME: in a process of its own
	local name phases
	T=$base/$1
	mkdir -p "$T"
	declare -gA PID=()
	protocol "$1"
	# Patient enough to outlast 30 s; a process that is gone for good is not the matter here.
	for name in coordinator $(names "$PARTIES"); do
		edit "$name" '.heartbeat_s = 1 | .reconnect_s = 45 | .rejoin_s = 20 | .step_timeout_s = 60'
	done
	rm -rf "$T/out"
	[[ ! -e $T/state ]] || cp -R "$T/state" "$T/state.before"
	coordinator
	parties "$PARTIES"
	# shellcheck disable=SC2046
	ends 0 coordinator $(names "$PARTIES")
	phases=$(run_of coordinator '.phases[].name')
	echo "$phases" >"$T/phases.coordinator"
	run_of party-01 '.phases[].name' >"$T/phases.party-01"
	mv "$T/out" "$T/undisturbed"
	rm -f "$T"/*.stderr "$T"/*.stdout
	[[ ! -e $T/state.before ]] || { rm -rf "$T/state" && mv "$T/state.before" "$T/state"; }
}

cells() { # NAME: "PROTOCOL STEP FAULT VICTIM" each
	local fault victim step
	for fault in "${faults[@]}"; do
		for victim in party-01 coordinator; do
			if [[ $fault == loss ]]; then
				echo "$1 all $fault $victim"
				continue
			fi
			while read -r step; do echo "$1 $step $fault $victim"; done <"$base/$1/phases.$victim"
		done
	done
}

# ---- one cell, in a process of its own: prints "PROTOCOL,STEP,FAULT,VICTIM,OUTCOME,WHAT" ----

outcome() { # OUTCOME [WHAT]
	echo "$protocol,$step,$fault,$victim,$1,${2-}"
	trap - EXIT
	[[ -z ${mounted-} ]] || umount -l "$mounted" 2>/dev/null || true
	finish $([[ $1 != wrong ]] && echo 0 || echo 1) >&2
	exit 0
}

fail() { outcome wrong "${1//,/;}"; } # what lib.sh says of a process that does not do as it should

cell() { # PROTOCOL STEP FAULT VICTIM
	protocol=$1 step=$2 fault=$3 victim=$4
	T=$(mktemp -d "${TMPDIR:-/tmp}/coterie-fault.XXXXXX")
	declare -gA PID=() STATUS_OF=()
	mounted=''
	trap 'outcome wrong "the script itself failed"' EXIT
	trap 'exit 143' TERM INT HUP
	cp -R "$base/$protocol/." "$T"
	rm -rf "$T/undisturbed"
	"fault_of_$([[ $fault == loss ]] && echo loss || echo process)"
}

fault_of_process() {
	local name
	[[ $fault != disk ]] || small_disk
	coordinator
	edit coordinator ".listen = \"$ADDRESS\"" # for when it is started again
	relay relay $RELAY_MS
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	party party-03
	strike
	for name in coordinator $(names "$PARTIES"); do
		until_true 100 gone "$name" || fail "$name still runs after $((100 * PATIENCE)) s"
		STATUS_OF[$name]=0
		wait "${PID[$name]}" || STATUS_OF[$name]=$?
		unset "PID[$name]"
	done
	judge
}

# When the victim comes to the step, or to the end.
strike() {
	local log=$T/out/$victim/log.jsonl
	there() { grep -q "\"phase\": *\"$step\"" "$log" 2>/dev/null || gone "$victim"; }
	until_true 60 there || fail "$victim does not come to the step"
	! gone "$victim" || outcome late
	case $fault in
	kill) kill_and_start ;;
	stop*) stop_for "${fault#stop}" ;;
	cut) kill -HUP "${PID[relay]}" ;;
	disk) fill_disk ;;
	esac
}

kill_and_start() {
	kill -KILL "${PID[$victim]}"
	wait "${PID[$victim]}" 2>/dev/null || true
	sleep 0.2
	mv "$T/$victim.stderr" "$T/$victim.first.stderr"
	if [[ $victim == coordinator ]]; then
		start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" \
			--out "$T/out/coordinator"
	else
		ADDRESS=$RELAY party "$victim"
	fi
}

stop_for() { # SECONDS
	kill -STOP "${PID[$victim]}"
	sleep "$1"
	kill -CONT "${PID[$victim]}"
}

small_disk() {
	mkdir -p "$T/out/$victim"
	mount -t tmpfs -o size=2m coterie-fault "$T/out/$victim" || outcome 'not run' 'no tmpfs can be mounted'
	mounted=$T/out/$victim
}

fill_disk() { cat /dev/zero >"$mounted/filling" 2>/dev/null || true; }

# ---- what became of it ----

judge() {
	local name all=0 failed=0
	for name in coordinator $(names "$PARTIES"); do
		case ${STATUS_OF[$name]} in
		0) all=$((all + 1)) ;;
		1 | 2 | 3 | 5) failed=$((failed + 1)) ;;
		*) fail "$name ended with ${STATUS_OF[$name]}" ;;
		esac
	done
	nothing_unexpected
	if ((failed == 0)); then
		same_results
		outcome survived "$(attempts)"
	fi
	if [[ $fault$victim == killparty* ]] && ((failed == 1 && STATUS_OF[$victim] == 2)) && said coordinator "$victim has its results"; then
		same_results # all were done when it died; its second process comes too late
		outcome survived 'it had its results'
	fi
	if [[ $fault$victim == killcoordinator ]] && ((failed == 1 && STATUS_OF[$victim] == 3)); then
		same_results # the same: all parties were told so, and none is left to come
		outcome survived 'the parties had their results'
	fi
	((all == 0)) || fail "some are done and some failed: $(statuses)"
	same_causes
	outcome 'failed cleanly' "$(cause "$([[ $victim == coordinator ]] && echo party-00 || echo coordinator)")"
}

statuses() {
	local name
	for name in coordinator $(names "$PARTIES"); do printf '%s %s ' "$name" "${STATUS_OF[$name]}"; done
}

attempts() { run_of coordinator '"attempt \(.attempt)"' 2>/dev/null || true; }
cause() { run_of "$1" '.error // ""' 2>/dev/null | sed 's/,/;/g' | cut -c 1-200; }

# Rows of a fedspectral job are numbered at random, anew in each, and with them clusters of one size: its
# clusterings are compared, and at the coordinator, whose rows are those, the sizes of clusters.
same_rows() { # NAME FILE FILE
	local sizes='{ n[$2]++ } END { for (k in n) print n[k] }'
	case $1$protocol in
	coordinatorfedspectral*) cmp -s <(awk -F , "$sizes" "$2" | sort) <(awk -F , "$sizes" "$3" | sort) ;;
	*fedspectral*) [[ $("$BIN/coterie" eval --truth "$2" "$3" | jq .ari) == 1 ]] ;;
	*) cmp -s "$2" "$3" ;;
	esac
}

same_embeddings() { # NAME
	local was=$base/$protocol/undisturbed/$1 is=$T/out/$1
	[[ $(stat -c %s "$was/embeddings.npy") == "$(stat -c %s "$is/embeddings.npy")" ]] || return 1
	[[ ! -e $was/ids.csv ]] || cmp -s "$was/ids.csv" "$is/ids.csv"
}

same_results() {
	local name file
	for name in coordinator $(names "$PARTIES"); do
		records_done "$name" || fail "$name/run.json has status $(run_of "$name" .status)"
		file=labels.csv
		if [[ $protocol == fedwalk* ]]; then # its noise is drawn anew in each job: whose they are, and how many
			same_embeddings "$name" || fail "$name has other embeddings"
			continue
		fi
		[[ -e $base/$protocol/undisturbed/$name/$file ]] || continue
		same_rows "$name" "$base/$protocol/undisturbed/$name/$file" "$T/out/$name/$file" || fail "$name has other labels"
	done
}

# Or there was no room for a record, or its writer is gone, and it says so.
records_done() { # NAME
	[[ ! -s $T/out/$1/run.json ]] || { [[ $(run_of "$1" .status) == "done" ]] && return 0; }
	[[ $1 == "$victim" ]] || return 1
	case $fault in
	kill) [[ $victim == coordinator ]] || said coordinator "$victim has its results" ;;
	disk) said "$1" 'run.json: cannot write: No space' ;;
	*) return 1 ;;
	esac
}

# The cause that the coordinator gives is everyone's, but for how they put it: each names the victim.
same_causes() {
	local name
	for name in coordinator $(names "$PARTIES"); do
		[[ -s $T/out/$name/run.json && $name != "$victim" ]] || continue
		[[ $(run_of "$name" .status) != "done" ]] || fail "$name/run.json says the job is done"
		[[ $(cause "$name") == *"$victim"* ]] || fail "$name does not name $victim: $(cause "$name")"
	done
	grep -q "$victim" "$T/coordinator.stderr" || fail "the coordinator does not name $victim"
}

nothing_unexpected() {
	local odd
	odd=$(find "$T/out" -type f \( -name '*.new' -o -name '*.tmp' -o -name '*.part' \) ! -path "$T/out/$victim/*")
	[[ -z $odd ]] || fail "left over: $odd"
	! grep -lE 'AddressSanitizer|runtime error:|Assertion' "$T"/*.stderr || fail "a process crashed"
}

# ---- loss: a run in a lab ----

fault_of_loss() {
	local tries=3 host=0 name options
	[[ $victim == coordinator ]] || host=2
	options=(--net custom --rate 100 --delay 5 --loss 1 --loss-host "$host" --parties "$PARTIES" --seed 5 --quiet)
	[[ $protocol != predict ]] || outcome 'not run' 'launch runs no prediction on models that are kept'
	options+=(--allow fedsc.paper --allow fedspectral.exact)
	rm -rf "$T/quiet"
	launch_once "$T/quiet" --parties "$PARTIES" --seed 5 --quiet --allow fedsc.paper --allow fedspectral.exact ||
		fail "without loss: $(tail -n 1 "$T/launch.stderr")"
	while ((tries--)); do
		rm -rf "$T/lossy"
		if launch_once "$T/lossy" "${options[@]}"; then
			for name in "$T"/quiet/*/labels.csv; do
				[[ -e $name ]] || continue # embeddings
				same_rows "$(basename "$(dirname "$name")")" "$name" "$T/lossy/${name#"$T"/quiet/}" || fail "$(basename "$(dirname "$name")") has other labels"
			done
			outcome survived "$(jq -r '"\(.run.lost) packets lost of \(.run.lost + .run.packets)"' "$T/lossy/network.json")"
		fi
		grep -Eq 'discarded|not what it states' "$T/launch.stderr" || fail "$(tail -n 1 "$T/launch.stderr" | cut -c 1-200)"
	done
	outcome 'not run' 'this machine is too busy for a lab'
}

launch_once() { # OUT ARG...
	COTERIE_EMULATOR=own COTERIE_BIN=$BIN timeout -k 5 100 "$ROOT/scripts/launch" --data "$T/pooled" \
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
			[[ " ${FAULTS_KNOWN[*]} " == *" $2 "* ]] || wrong_use "--only $2: no such fault, expected one of ${FAULTS_KNOWN[*]}"
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
		[[ " ${PROTOCOLS[*]} " == *" $1 "* ]] || wrong_use "$1: no such protocol, expected one of ${PROTOCOLS[*]}"
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
# shellcheck disable=SC2016 # $0 is expanded by the shell that xargs starts
printf '%s\n' "${chosen[@]}" | xargs -P "$jobs" -I{} setpriv --pdeathsig TERM bash "$0" --prepare "$base" {} ||
	wrong_use "a run without any fault fails"
for name in "${chosen[@]}"; do cells "$name"; done >"$base/cells"
if ((sample)); then # every so many of them
	total=$(wc -l <"$base/cells")
	awk -v n="$sample" -v total="$total" 'int(NR * n / total) > int((NR - 1) * n / total)' "$base/cells" >"$base/some"
	mv "$base/some" "$base/cells"
fi
if $list; then
	cat "$base/cells"
	exit 0
fi
needs_lab() { grep -E ' (loss|disk) ' "$base/cells" || true; }
if ! has_lab; then
	needs_lab | awk '{ print $1 "," $2 "," $3 "," $4 ",not run,needs root and /dev/net/tun" }' >"$base/results"
	grep -Ev ' (loss|disk) ' "$base/cells" >"$base/some" || true
	mv "$base/some" "$base/cells"
fi
total=$(wc -l <"$base/cells")
echo "faults: $total cells, $jobs at a time" >&2
xargs -P "$jobs" -d '\n' -I{} setpriv --pdeathsig TERM bash "$0" --cell "$base" {} <"$base/cells" 2>"$base/errors" |
	tee -a "$base/results" | grep --line-buffered -E ',wrong,' || true
cp "$base/results" "${out:-/dev/null}"

# ---- the count ----

awk -F , '
	{ n[$3, $5]++; fault[$3]; all[$5]++ }
	END {
		printf "| fault | injected | survived | failed cleanly | wrong | too late | not run |\n| --- | --- | --- | --- | --- | --- | --- |\n"
		split("kill stop3 stop30 cut loss disk", name, " ")
		for (i = 1; i <= 6; i++) {
			f = name[i]
			if (!(f in fault)) continue
			printf "| %s | %d | %d | %d | %d | %d | %d |\n", f,
				n[f, "survived"] + n[f, "failed cleanly"] + n[f, "wrong"], n[f, "survived"],
				n[f, "failed cleanly"], n[f, "wrong"], n[f, "late"], n[f, "not run"]
		}
		printf "faults injected %d, survived %d, clean failures %d, wrong %d (too late %d, not run %d)\n",
			all["survived"] + all["failed cleanly"] + all["wrong"], all["survived"], all["failed cleanly"],
			all["wrong"], all["late"], all["not run"]
		exit all["wrong"] > 0
	}' "$base/results" || { tail -n 60 "$base/errors" >&2; exit 1; }
