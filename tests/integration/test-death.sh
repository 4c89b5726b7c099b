#!/bin/bash
# A party or the coordinator dies (kill -9), hangs (kill -STOP) or is cut off at each step of a job.
# Every other process ends within its deadline, with status 2 or 3 and the same cause in its
# message. No files are left over, and the next run succeeds.
#
#     party-00 ==============\
#     party-01 == relay 40 ms == coordinator        tree of four: two pairs, then all
#     party-02 == relay 40 ms ==/
#     party-03 ==============/
#
# The relay makes every step long enough to be struck in. A heartbeat is due every second, and
# processes wait 2 s for a lost connection (set_up). A process that dies looks like one that will
# reconnect.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

STEPS=(offer keys local level-1 level-2 joint polish result) # joint is a step of the method basic

# Makes a job whose steps are long: the relay delays all messages, much data make the local
# computation long, and hard clusters make the polish long.
slow_federation() { # STEP
	local more=()
	if [[ $1 == local ]]; then
		federation 4 --nodes 3000 --features 200
		more=(--set local_restarts=64 --set local_clusters=40 --set iterations=100)
	else
		federation 4 --signal 0.2
	fi
	[[ $1 != joint ]] || more=(--set method=basic --set polish=0)
	edit job '.polish = 4'
	coordinator "${more[@]}"
	relay relay 40
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	party party-03
}

works_again() {
	kill -KILL "${PID[relay]}"
	unset 'PID[relay]'
	mv "$T/out" "$T/failed"
	mkdir "$T/out"
	for name in "$T"/failed/*; do # keeps the parties' state for the next run
		[[ ! -d $name/state ]] || {
			mkdir -p "$T/out/${name##*/}" && cp -R "$name/state" "$T/out/${name##*/}"
		}
	done
	coordinator
	parties 4
	completes 4
}

causes() { # VICTIM NAME...: each names the victim and the cause that the coordinator found
	local victim=$1 name cause found=''
	shift
	[[ $victim == coordinator ]] ||
		found=$(run_of coordinator '.error | sub(" \\(during.*"; "")')
	for name; do
		says "$name" "$victim"
		if [[ $victim$step == coordinatoroffer && ! -e $T/out/$name/run.json ]]; then
			# the coordinator died before its offer, so the parties have no job and dial
			# again
			says "$name" 'tried for retry_s'
			continue
		fi
		cause=$(run_of "$name" .error)
		[[ $cause == *"$victim"* && $cause == *"$found"* ]] ||
			fail "$name/run.json does not say '$found' of $victim: $cause"
		[[ $(run_of "$name" .status) == failed ]] ||
			fail "$name/run.json: status $(run_of "$name" .status)"
		[[ ! -e $T/out/$name/labels.csv || $step == result ]] || fail "$name has labels"
	done
}

# Ends the victim by SIGNAL and checks the other processes. If a party dies after it has stored its
# result, the coordinator may know that. Then the job is done for the other parties.
strikes() { # SIGNAL VICTIM STEP
	local victim=$2 others=() name statuses='' allowed='2|3'
	[[ $2 == coordinator || $3 != result ]] || allowed='0|2|3'
	step=$3
	strikes_in "$victim" "$3"
	slow_federation "$3"
	in_phase "$victim" "$3"
	kill "-$1" "${PID[$victim]}"
	goes_on
	for name in coordinator party-00 party-01 party-02 party-03; do
		[[ $name == "$victim" ]] || others+=("$name")
	done
	for name in "${others[@]}"; do
		ended "$name" 12
		[[ "|$allowed|" == *"|$STATUS|"* ]] ||
			fail "$name ended with status $STATUS, expected $allowed"
		statuses+=" $STATUS"
	done
	# Parties that lose the coordinator find the cause by themselves. Otherwise all processes
	# have the coordinator's cause.
	[[ $victim == coordinator || $(xargs -n 1 <<<"$statuses" | sort -u | wc -l) == 1 ]] ||
		fail "${others[*]} ended with statuses$statuses"
	[[ $statuses == *0* ]] || causes "$victim" "${others[@]}"
	kill -KILL "${PID[$victim]}" 2>/dev/null || true
	wait "${PID[$victim]}" 2>/dev/null || true
	unset "PID[$victim]"
	no_leftovers "$victim"
	works_again
}

number=0
for step in "${STEPS[@]}"; do
	for signal in KILL STOP; do
		for victim in party-01 coordinator; do
			in_sample $((++number)) 4 || continue
			eval "test_${signal}_${victim//-/_}_in_${step//-/_}() { strikes $signal \
$victim $step; }"
		done
	done
done

# The network is cut: both ends of a connection receive nothing, and no end closes it.
test_cut_off_in_level_1() {
	slow_federation level-1
	in_phase coordinator level-1
	kill -USR1 "${PID[relay]}"
	for name in coordinator party-00 party-01 party-02 party-03; do
		ended "$name" 12
		[[ $STATUS == 2 || $STATUS == 3 ]] ||
			fail "$name ended with status $STATUS, expected 2 or 3"
	done
	no_leftovers
	works_again
}

test_connection_breaks_in_the_middle_of_a_frame() {
	slow_federation polish
	in_phase coordinator polish
	kill -USR2 "${PID[relay]}"
	completes 4 # the parties reconnect, as in test-reconnect.sh
	works_again
}

# A party may come and go before the job begins.
test_party_dies_while_others_are_awaited() {
	federation 2
	coordinator
	party party-00
	soon_says coordinator 'party-00'
	kill -KILL "${PID[party-00]}"
	ended party-00
	party party-01
	party party-00
	completes 2
}

test_coordinator_dies_while_parties_are_awaited() {
	federation 2
	coordinator
	edit coordinator ".listen = \"$ADDRESS\""
	party party-00
	soon_says coordinator 'party-00'
	kill -KILL "${PID[coordinator]}"
	ended coordinator
	coordinator # party-00 dials again
	party party-01
	completes 2
}

# ---- launch ends the processes that it started ----

launched() { # lists the processes of this test's launch
	echo "$T/out" >"$T/pattern" # in a file, so that grep does not find its own command line
	grep -lsF -f "$T/pattern" /proc/[0-9]*/cmdline || true
}

start_launch() {
	federation 1
	edit job '.local_restarts = 64 | .local_clusters = 60 | .iterations = 100'
	"$BIN/coterie" synth --nodes 8000 --features 300 --clusters 3 --seed 5 --out "$T/large" \
		>/dev/null
	COTERIE_BIN=$BIN start launch "$ROOT/scripts/launch" --data "$T/large" --job "$T/job.json" \
		--parties 3 --out "$T/out"
	until_true 20 grep -qs '"local"' "$T/out/coordinator/log.jsonl" ||
		fail "launch does not come to phase local"
}

test_launch_that_is_stopped() {
	start_launch
	kill -TERM "${PID[launch]}"
	ends 6 launch
	[[ -z $(launched) ]] || fail "still running: $(launched)"
	[[ ! -e $T/out/work ]] || fail "out/work is left"
}

test_launch_that_is_killed() {
	start_launch
	kill -KILL "${PID[launch]}"
	ended launch
	nothing_runs() { [[ -z $(launched) ]]; }
	until_true 5 nothing_runs || fail "still running: $(launched)"
}

# The coordinator ends by itself with the cause in its record. launch does not stop it before that.
test_launch_says_who_was_killed() {
	local cause='party-01 did not come back within reconnect_s, 60 s'
	start_launch
	pkill -KILL -f "^$BIN/party --config $T/out/work/party-01" || fail "there is no party-01"
	soon_says launch 'party-01 was killed by signal 9 .Killed.; the coordinator waits for it'
	! gone launch || fail 'launch reports the killed party only at the end'
	ends 3 launch
	[[ $(run_of coordinator .error) == *"$cause"* ]] ||
		fail "coordinator/run.json: $(run_of coordinator .error)"
	says launch "$cause"
	says launch 'party-01 was killed by signal 9 .Killed., and is not restarted'
	[[ $(run_of party-01 '"\(.status) \(.exit_status)"') == "failed 5" ]] ||
		fail "party-01/run.json: $(run_of party-01 .status)"
	[[ -z $(launched) ]] || fail "still running: $(launched)"
}

test_launches_side_by_side() {
	federation 1
	local i
	for i in 1 2 3; do
		COTERIE_BIN=$BIN start "launch-$i" "$ROOT/scripts/launch" --data "$T/pooled" --job \
			"$T/job.json" \
			--parties 2 --seed "$i" --out "$T/out/$i" --quiet
	done
	ends 0 launch-1 launch-2 launch-3
	for i in 1 2 3; do
		[[ $(jq .job.seed "$T/out/$i/coordinator/run.json") == "$i" ]] ||
			fail "run $i has another seed"
		[[ $(find "$T/out/$i" -type f | wc -l) -ge 12 ]] || fail "run $i lacks results"
	done
}

test_launch_reports_a_party_that_cannot_start() {
	federation 1
	sed -i '3s/.*/x/' "$T/pooled/edges.tsv"
	COTERIE_BIN=$BIN start launch "$ROOT/scripts/launch" --data "$T/pooled" --job \
		"$T/job.json" --parties 2 --out "$T/out"
	ends 4 launch
	says launch 'edges\.tsv:3'
}

sample test_cut_off_in_level_1 test_launch_says_who_was_killed
run_tests "$@"
