# lib.sh -- functions that the integration tests share.
#
#                          127.0.0.1:(any)
#     party-00 ==== TLS ====\
#     party-01 ==== TLS ===== coordinator ---- job.json
#     party-02 === relay ===/
#
# A test script sources this file, defines functions test_*, and ends with: run_tests "$@". Each
# test runs in a process of its own, with a time limit. Its directory $T has
#
#     $T/pki  $T/data/party-NN  $T/NAME.json  $T/job.json  $T/out/NAME  $T/NAME.stderr
#
# The script reports as cmocka does, for scripts/run-tests. All processes of a test die with it. No
# test sleeps for a fixed time: every wait is for an event, and has a deadline.
#
#   tests/integration/test-x.sh                 all tests
#   tests/integration/test-x.sh test_a test_b   only these tests
#   KEEP=1                                      keeps $T of failed tests
#
# shellcheck shell=bash
set -euo pipefail

# Starting a process takes longer than most work here, so frequent steps use bash alone.
ROOT=$PWD
cd "${BASH_SOURCE[0]%/*}/../.."
STARTED_IN=$ROOT ROOT=$PWD
cd "$STARTED_IN"
BIN=${COTERIE_BIN:-$ROOT/build/bin}
TOOLS=$ROOT/build/tools
# Deadlines are PATIENCE times the time that a quiet machine needs at most, except the times that
# the documentation promises (in_time).
PATIENCE=3
# A busy machine needs BUSY times as long. BUSY is the number of runnable processes for each core:
# the load average, or the present number if it is larger.
export CORES=${CORES:-$(nproc)}
read -r BUSY _ _ RUNNING _ </proc/loadavg
BUSY=${BUSY%.*} RUNNING=${RUNNING%/*}
BUSY=$(((BUSY > RUNNING ? BUSY : RUNNING) / CORES))
((BUSY > 0)) || BUSY=1
TEST_TIMEOUT=${TEST_TIMEOUT:-180} # seconds for one test
ONCE=${ONCE-}                     # a directory for results that all tests of a script share
export OPENBLAS_NUM_THREADS=1
# The tests start jq some thousand times. gojq runs the same programs, and starts in an eighth of
# the time.
! command -v gojq >/dev/null || jq() { gojq "$@"; }

# ---- running tests ----

# scripts/check without --all runs only the tests NAME of a script, and no test if there is no NAME.
# It runs all tests of a script that does not call sample().
sample() { # [NAME...]
	SAMPLE=("$@")
}

run_tests() { # [NAME...]: the script's arguments
	local names name status failed=0
	if [[ ${1-} == --one ]]; then
		begin "$2"
		"$2"
		exit $((FAULTS > 0))
	fi
	mapfile -t names < <(declare -F | sed -n 's/^declare -f \(test_.*\)/\1/p')
	[[ ! ${COTERIE_SAMPLE-} || ! ${SAMPLE+x} ]] || names=("${SAMPLE[@]}")
	((! $#)) || names=("$@")
	echo "[==========] Running ${#names[@]} test(s)."
	ONCE=$(mktemp -d)
	export ONCE
	begin_keeping
	trap 'rm -rf "$ONCE"' EXIT
	for name in "${names[@]}"; do
		echo "[ RUN      ] $name"
		status=0
		setpriv --pdeathsig TERM timeout -k 5 $((TEST_TIMEOUT * BUSY)) bash "$0" --one \
			"$name" </dev/null >"$ONCE/log" 2>&1 ||
			status=$?
		# drops bash's messages about killed processes
		[[ ! -s $ONCE/log ]] ||
			grep -v ': line [0-9]*: *[0-9]* \(Killed\|Terminated\) ' "$ONCE/log" || true
		case $status in
		0) echo "[       OK ] $name" ;;
		77) echo "[  SKIPPED ] $name" ;;
		124 | 137) echo "took longer than $((TEST_TIMEOUT * BUSY)) s" ;;&
		*) echo "[  FAILED  ] $name" && failed=1 ;;
		esac
	done
	exit "$failed"
}

begin() { # NAME: runs in the test's own process
	T=$(mktemp -d "${TMPDIR:-/tmp}/coterie-$1.XXXXXX")
	declare -gA PID=() # name -> process id
	FAULTS=0
	trap 'finish $?' EXIT
	trap 'exit 143' TERM INT HUP
	tools
}

finish() { # STATUS
	local f
	trap '' TERM INT HUP
	{
		for f in "${PID[@]}"; do
			kill -CONT "$f" && kill -KILL "$f" && wait "$f"
		done || true
	} 2>/dev/null
	if (($1 != 0 && $1 != 77)); then
		for f in "$T"/*.stderr; do
			[[ ! -s $f ]] || {
				echo "--- ${f##*/}:" &&
					tail -n 8 "$f" |
					sed 's/^{"time":"[^T]*T\([^Z]*\)Z",/\1 {/' | cut -c 1-400
			}
		done
		[[ -z ${KEEP-} ]] || { echo "left in $T" && return; }
	fi
	rm -rf "$T"
}

fail() { # TEXT
	echo "${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}: $1"
	exit 1
}

fault() { # TEXT: marks the test as failed; it continues
	echo "${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}: $1"
	FAULTS=$((FAULTS + 1))
}

skip() { # WHY
	echo "skipped: $1"
	exit 77
}

tools() { # compiles the helper programs once
	local c exe
	[[ -z $ONCE || ! -e $ONCE/tools ]] || return 0
	mkdir -p "$TOOLS"
	for c in "$ROOT"/tests/tools/*.c; do
		exe=${c##*/} exe=$TOOLS/${exe%.c}
		[[ ! $exe -nt $c ]] || continue
		(
			flock 9
			[[ $exe -nt $c ]] || {
				"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -o \
					"$exe.new" "$c" &&
					mv "$exe.new" "$exe"
			}
		) 9>"$TOOLS/lock"
	done
	[[ -z $ONCE ]] || : >"$ONCE/tools"
}

# True if test N of a grid with rows of WIDTH is selected. COTERIE_SOAK (make soak) selects all
# tests. Otherwise every third diagonal of the grid is selected, so that each row and each column
# has some.
in_sample() { # N WIDTH
	[[ -n ${COTERIE_SOAK-} ]] || ((((($1 - 1) / $2 + ($1 - 1) % $2) % 3) == 0))
}

sanitized() { [[ $BIN == *address* ]]; }

# shellcheck source=federations.sh
source "$ROOT/tests/integration/federations.sh"

# ---- processes ----

# Starts a process that dies with the test. Its stderr goes to $T/NAME.stderr.
start() { # NAME PROGRAM ARG...
	: >"$T/$1.stderr" # clears the messages of an earlier process at once
	setpriv --pdeathsig KILL "${@:2}" <&0 >"$T/$1.stdout" 2>"$T/$1.stderr" &
	PID[$1]=$!
}

coordinator() { # [ARG...]: starts the coordinator, waits until it listens, and sets $ADDRESS
	rm -f "$T/ready"
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" \
		--out "$T/out/coordinator" --ready-file "$T/ready" "$@"
	until_true 20 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator did not become ready"
	ADDRESS=$(<"$T/ready")
}

listens_or_gone() { [[ -s $T/ready ]] || gone coordinator; }

party() { # NAME [ARG...]: starts party NAME, which dials $ADDRESS and serves one job
	start "$1" "$BIN/party" --config "$T/$1.json" --once --out "$T/out/$1" --coordinator \
		"$ADDRESS" "${@:2}"
}

# NAME [ARG...]: starts a party that serves one job after the other, and waits for coordinators
# without a limit
serves() {
	edit "$1" '.retry_s = 0'
	start "$1" "$BIN/party" --config "$T/$1.json" --coordinator "$ADDRESS" "${@:2}"
}

parties() { # L [ARG...]
	local name
	for name in $(names "$1"); do party "$name" "${@:2}"; done
}

relay() { # NAME DELAY_MS: starts a relay to $ADDRESS; sets $RELAY
	rm -f "$T/$1.ready"
	start "$1" "$TOOLS/relay" "$T/$1.ready" "$ADDRESS" "$2"
	until_true 10 test -s "$T/$1.ready" || fail "the relay did not become ready"
	# shellcheck disable=SC2034
	RELAY=$(<"$T/$1.ready")
}

# ---- budgets ----

# Prints "JOBS SUMS NUMBERS", the totals of a ledger's rows.
spent_by() { # STATE
	"$BIN/coterie" ledger export --csv --state "$1" | awk -F, 'NR > 1 {
		gsub(/"[^"]*",/, "")
		if ($10 > 0) job[$3, $4]
		r += $9
		w += $10
	} END { print length(job), r + 0, w + 0 }'
}

# True if the ledger's counts for budgets agree with its rows: jobs, sums, numbers.
counts_its_rows() { # STATE
	[[ -s $1/ledger.db ]] || return 0
	"$BIN/coterie" ledger budget --state "$1" |
		awk -F ', ' \
		'/\(key /{ j += $2; r += $3; w += $4 } END { print j + 0, r + 0, w + 0 }' \
		>"$T/counts"
	spent_by "$1" >>"$T/counts"
	mapfile -t COUNTS <"$T/counts"
	[[ ${#COUNTS[@]} == 2 && ${COUNTS[0]} == "${COUNTS[1]}" ]]
}

# Sets the budgets of each policy to N times the party's spending in OUT.
set_budgets() { # OUT N
	local name jobs words state
	while read -r name state; do
		read -r jobs _ words < <(spent_by "${state:-$1/$name/state}")
		edit "$name" ".policy += ({ max_jobs: $((jobs * $2)), max_words: $((words * $2)) }
			| with_entries(select(.value > 0)))" # some jobs have no secure sum
	done < <(states)
}

states() { # prints "NAME STATE" for each party that configures `state`, "NAME" for others
	# shellcheck disable=SC2046 # words
	(cd "$T" &&
		jq -r --arg T "$T" '"\(.name) \(if .state then "\($T)/\(.state)" else "" end)"' \
		$(names "$PARTIES" | sed 's/$/.json/'))
}

# ---- three parties, two of them behind a relay ----
#
#     party-00 ==============\
#     party-01 == relay 30 ms == coordinator
#     party-02 == relay 30 ms ==/
# A test that acts in the middle of a job calls in this order: strikes_in NAME PHASE, wired,
# in_phase NAME PHASE, its action, goes_on. From PHASE to goes_on the relay passes on nothing, so
# the action is never too late. A test without strikes_in slows the relay down on a busy machine
# instead: WIRE_MS=$(longer 30).
#
# NAME PHASE: as soon as NAME has logged PHASE, the relay holds all data
strikes_in() { printf '%s\n"phase":"%s"\n' "$T/out/$1/log.jsonl" "$2" >"$T/relay.ready.hold"; }
goes_on() { rm -f "$T/relay.ready.hold"; }

longer() { echo $(($1 * (BUSY < 5 ? BUSY : 5))); } # MS: prints it, times 2 to 5 if busy

# Runs the job undisturbed and moves its results to $T/undisturbed.
# shellcheck disable=SC2120 # tests may pass what the coordinator is to do
undisturbed() { # [ARG...]: arguments of the coordinator
	coordinator "$@"
	parties 3
	completes 3
	mv "$T/out" "$T/undisturbed"
	mkdir "$T/out"
}

# shellcheck disable=SC2120
wired() { # [ARG...]: starts all processes, two parties through the relay
	coordinator "$@"
	relay relay "${WIRE_MS:-30}"
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
}

# ---- a network of several hosts on this one ----

needs_a_lab() {
	((EUID == 0)) || skip "needs root"
	[[ -c /dev/net/tun ]] || skip "needs /dev/net/tun"
	ip netns add "coterie-test-$$" 2>/dev/null || skip "may not make network namespaces"
	ip netns del "coterie-test-$$"
}

# Replaces only the lab's measurement of a link by one that prints the stated figures, so that the
# lab accepts its network even on a busy machine. All else of the lab is real.
taken_as_stated() {
	mkdir "$T/bin"
	ln -s "$BIN"/* "$T/bin/"
	rm "$T/bin/coterie-netlab"
	cat >"$T/bin/coterie-netlab" <<-END
		#!/bin/bash
		[[ \$1 == probe && \$2 == --to ]] || exec "$BIN/coterie-netlab" "\$@"
		while ((\$#)); do
			case \$1 in
			--rate) rate=\$2 ;;
			--delay) delay=\$2 ;;
			esac
			shift
		done
		awk "BEGIN { print 2 * \$delay, 0.96 * \$rate }"
	END
	chmod +x "$T/bin/coterie-netlab"
	export COTERIE_BIN=$T/bin
}

# ---- waits and checks ----

has_expired() { ! openssl x509 -checkend 0 -noout -in "$1" >/dev/null; } # FILE

# Waits until COMMAND is true, for SECONDS, or longer on a busy machine. Checks every 20 ms, or less
# often if a check takes long. SECONDS is a time that the documentation promises; for other times
# call until_true.
in_time() { # SECONDS COMMAND...
	local end=$((SECONDS + $1 * BUSY + 1)) began nap
	[[ -p $T/nap ]] || mkfifo "$T/nap"
	until began=${EPOCHREALTIME/./} && "${@:2}"; do
		((SECONDS < end)) || return 1
		nap=$((2 * (${EPOCHREALTIME/./} - began)))
		nap=$((nap < 20000 ? 20000 : nap > 200000 ? 200000 : nap))
		# Sleeps without starting a process. The sleep processes of all waiting tests took a
		# third of a core.
		printf -v nap 0.%06d $nap
		read -rt "$nap" <>"$T/nap" || true
	done
}

until_true() { # SECONDS COMMAND...: waits PATIENCE times as long as in_time, for slow machines
	in_time $((PATIENCE * $1)) "${@:2}"
}

gone() { ! kill -0 "${PID[$1]}" 2>/dev/null; }

ended() { # NAME [SECONDS]: waits for NAME's end, for SECONDS if given; sets $STATUS
	in_time "${2:-$((30 * PATIENCE))}" gone "$1" ||
		fail "$1 still runs after $((${2:-$((30 * PATIENCE))} * BUSY)) s"
	STATUS=0
	wait "${PID[$1]}" || STATUS=$?
	unset "PID[$1]"
}

ends() { # STATUS[|STATUS] NAME...: each ends with that status
	local name
	for name in "${@:2}"; do
		ended "$name"
		[[ "|$1|" == *"|$STATUS|"* ]] || fail "$name ended with status $STATUS, expected $1"
	done
}

says() { # NAME REGEX: fails if its stderr does not match
	grep -Eqi -- "$2" "$T/$1.stderr" || fail "$1 does not say '$2'"
}

said() { # NAME REGEX: true if its stderr matches; starts no process, for loops
	local line status=1
	[[ -e $T/$1.stderr ]] || return 1
	shopt -s nocasematch
	while ((status)) && { read -r line || [[ $line ]]; }; do
		[[ ! $line =~ $2 ]] || status=0
	done <"$T/$1.stderr"
	shopt -u nocasematch
	return "$status"
}

has_text() { # FILE TEXT: true if FILE has the literal TEXT; false if there is no FILE
	local all
	[[ -e $1 ]] || return 1
	all=$(<"$1")
	[[ $all == *"$2"* ]]
}

# A party logs the message. The coordinator hears only that the party ended the job.
party_says() { # REGEX
	until_true 20 any_party_said "$1" || fail "no party says '$1'"
	says coordinator '(says|declined the job): .*; see its log'
	! grep -Eqi -- "$1" "$T/coordinator.stderr" || fail "coordinator says '$1'"
}

any_party_said() { # REGEX
	local log
	for log in "$T"/*.stderr; do
		log=${log##*/}
		[[ $log == coordinator.stderr ]] || ! said "${log%.stderr}" "$1" || return 0
	done
	return 1
}

soon_says() { # NAME REGEX
	until_true 20 said "$1" "$2" || fail "$1 does not say '$2'"
}

in_phase() { # NAME PHASE: waits until NAME has come to PHASE of the job
	until_true 20 has_text "$T/out/$1/log.jsonl" "\"phase\":\"$2\"" ||
		fail "$1 does not come to phase $2"
}

run_of() { jq -r "$2" "$T/out/$1/run.json"; } # NAME JQ-PROGRAM

# All processes of a run of L parties end with 0. They leave labels, a log, a run.json with status
# "done", and only documented files.
completes() { # L
	local name everyone
	# shellcheck disable=SC2207 # words
	everyone=(coordinator $(names "$1"))
	ends 0 "${everyone[@]}"
	for name in "${everyone[@]}"; do
		for f in run.json labels.csv labels.npy log.jsonl; do
			[[ -s $T/out/$name/$f ]] || fail "$name left no $f"
		done
	done
	each_says "done" .status "${everyone[@]}"
	no_leftovers
}

each_says() { # VALUE JQ-PROGRAM NAME...: each run.json gives VALUE
	local values records=("${@:3}")
	values=$(cd "$T/out" &&
		jq -r "\"\(input_filename): \($2)\"" "${records[@]/%//run.json}" 2>&1) ||
		fail "$values"
	[[ $(grep -c ": $1\$" <<<"$values") == $(($# - 2)) ]] ||
		fail "expected $1 of ${2#.}: ${values//$'\n'/, }"
}

# The output directories have only documented files, except for a killed process's directory.
# shellcheck disable=SC2120
no_leftovers() { # [KILLED]
	local odd
	odd=$(find "$T/out" -type f ! -path "$T/out/${1:-nobody}/*" ! -path '*/state/served' ! \
		-path '*/state/ledger.db*' \
		! -path '*/state/noise.key' ! -path '*/state/aligned' ! -path \
		'*/state/aligned.lock' ! -path '*/state/model-*.bin' ! -name run.json ! -name \
		labels.csv ! -name labels.npy ! -name log.jsonl ! -name profile.csv ! -name \
		profile-joint.csv ! -name centres.csv \
		! -name model.fedgcn ! -name model.rows ! -name ids.txt ! -name 'baseline-*.csv' ! \
		-name embeddings.npy ! -name ids.csv)
	[[ -z $odd ]] || fail "left over: $odd"
}

# FILE FILE: two files of labels agree; if both have confidences, these agree up to rounding
same_labels() {
	cmp -s "$1" "$2" && return
	[[ $1 == *.csv ]] &&
		paste -d , "$1" "$2" |
		awk -F , 'NR == 1 { both = NF == 6; second = 3 + ($3 == "confidence"); next }
		$1 != $second || $2 != $(second + 1) || (both && ($3 - $6 > 1e-3 ||
		$6 - $3 > 1e-3)) { wrong = 1 } END { exit wrong }' ||
		fail "$1 and $2 differ"
}

acc() { # LABELS...: prints the accuracy against the planted clusters
	"$BIN/coterie" eval --truth "$T/pooled/labels.txt" "$@" | jq -r .acc
}

at_least() { # NUMBER BOUND WHAT
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }' || fail "$3 is $1, expected at least $2"
}

# ---- a party or the coordinator dies ----

# Starts three parties, the middle one through a relay, so that every phase takes time.
stretched() { # [ARG-OF-COORDINATOR...]
	coordinator "$@"
	relay relay 40
	party party-00
	ADDRESS=$RELAY party party-01
	party party-02
}

# VICTIM dies in PHASE of a run of three parties. The other processes soon end, name it, and have no
# RESULT.
dies_in() { # VICTIM PHASE RESULT: the name of a result file
	local name others=()
	in_phase "$1" "$2"
	kill -KILL "${PID[$1]}"
	for name in coordinator party-00 party-01 party-02; do
		[[ $name == "$1" ]] || others+=("$name")
	done
	for name in "${others[@]}"; do
		ended "$name" 12
		[[ $STATUS == 2 || $STATUS == 3 ]] ||
			fail "$name ended with status $STATUS, expected 2 or 3"
		says "$name" "$1"
		[[ ! -e $T/out/$name/$3 ]] || fail "$name has $3"
		[[ $(run_of "$name" .status) == failed ]] ||
			fail "$name/run.json: $(run_of "$name" .status)"
	done
	unset "PID[$1]"
	no_leftovers "$1"
}
