#!/bin/bash
# Tests the lab. It runs jobs over networks of a stated rate and delay, and must leave no namespaces
# or processes, however it ends.
#
#     launch --net NAME = netlab === coterie-netlab: coterie-PID-0, -1, -2
#                              `=== launch ====== coordinator, party-00, party-01, each in one of
#                                                 these namespaces
#
# Skipped without root or /dev/net/tun. The accuracy of the network depends on this machine and its
# load. Tests of rates and times are repeated while the machine is too busy to judge them, and are
# then skipped. All other tests use a lab that takes the stated figures as measured, and must pass
# under any load.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# coterie-netlab shapes the traffic by itself, except in tests that pass --emulator auto.
export COTERIE_EMULATOR=own

data() {
	"$BIN/coterie" synth --nodes 150 --features 36 --clusters 3 --seed 5 --out "$T/pooled" \
		>/dev/null
	echo '{ "kind": "kcagc", "method": "tree", "clusters": 3, "seed": 7,
		"filter": { "order": 3 }, "restarts": 4 }' >"$T/job.json"
	launch=("$ROOT/scripts/launch" --quiet --data "$T/pooled" --job "$T/job.json" --parties 2)
}

# Finds the process that runs the lab of process NAME. Its process id is in the names of its
# namespaces.
emulator_of() { # NAME
	until_true 20 pgrep -P "${PID[$1]}" -f "coterie-netlab run" >/dev/null ||
		fail "$1 starts no emulator"
	EMULATOR=$(pgrep -P "${PID[$1]}" -f "coterie-netlab run")
}

spaces() { find /run/netns -name "coterie-$EMULATOR-*" 2>/dev/null; }

all_gone() { [[ -z $(spaces) && ! -e /proc/$EMULATOR ]] && ! pgrep -f "$T/" >/dev/null; }

nothing_left() {
	until_true 15 all_gone || fail "left: $(spaces) $(pgrep -af "$T/")"
}

network_of() { jq -r "$2" "$T/$1/network.json"; } # OUT JQ-PROGRAM

# Runs launch to its end. Runs it again if the machine was too busy: either the lab reports that, or
# a round trip took longer than LONGEST_MS, which is not the lab's fault.
runs() { # OUT ARG...
	local tries=3 why
	while ((tries--)); do
		rm -rf "${T:?}/$1"
		start launch "${launch[@]}" --out "$T/$1" "${@:2}"
		emulator_of launch
		ended launch $((60 * PATIENCE))
		nothing_left
		if ((STATUS)); then
			said launch 'discarded|not what it states|could not be measured' ||
				fail "$1: status $STATUS"
			why=$(tail -n 1 "$T/launch.stderr")
		else
			why=$(jq -r --argjson most "${LONGEST_MS-null}" '[.peers[].rtt_ms] | max |
				select($most and . > $most)
				| "a round trip of \(.) ms"' "$T/$1"/*/run.json)
			[[ -n $why ]] || return 0
		fi
		echo "$1: this machine is too busy: $why"
		sleep 2
	done
	# A long round trip on an idle machine is a failure.
	((STATUS)) || awk -v cpus="$(nproc)" '{ exit $1 <= cpus }' /proc/loadavg ||
		fail "$1: $why, on a quiet machine"
	skip "this machine is too busy: $why"
}

test_lan() {
	needs_a_lab
	data
	LONGEST_MS=50 runs lan --net lan
	says launch '^netlab: lan: stated 1000 Mbit/s, 0.10 ms round trip; measured [0-9.]+ '\
'Mbit/s, [0-9.]+ ms'
	grep -q 'party-01 joined from 10.99.0.3' "$T/lan/coordinator/log.jsonl" ||
		fail "party-01 is not on its host"
	local rtt
	rtt=$(jq '.peers[0].rtt_ms' "$T/lan/coordinator/run.json")
	at_least "$rtt" 0.1 "the round trip"
	[[ $(network_of \
		lan '"\(.network) \(.hosts) \(.stated.rate_mbit) \(.stated.rtt_ms) \(.discarded) '\
'\(.status)"') == \
		"lan 3 1000 0.1 false 0" ]] || fail "network.json: $(<"$T/lan/network.json")"
	at_least "$(network_of lan .measured.goodput_mbit)" 800 "goodput"
	at_least "$(network_of lan '.run.packets // 1000')" 20 "the number of packets"
	[[ ! -e $T/lan/work ]] || fail "work/ is left"
}

test_wan() {
	needs_a_lab
	data
	LONGEST_MS=300 runs wan --net wan
	local name
	for name in coordinator party-00 party-01; do
		at_least "$(jq '.peers[0].rtt_ms' "$T/wan/$name/run.json")" 200 \
			"the round trip at $name"
		[[ $(jq -r '.peers[0].congestion // ""' "$T/wan/$name/run.json") ]] ||
			fail "no congestion control at $name"
	done
	# Each round of sums takes one way there and one way back.
	at_least "$(jq '.elapsed_s / .rounds' "$T/wan/coordinator/run.json")" 0.2 \
		"seconds per round"
	[[ $(network_of wan '"\(.stated.rate_mbit) \(.stated.delay_ms)"') == "400 100" ]] ||
		fail "not the stated network"
}

# The lab loses about the stated share of the packets. The labels are those of a run without loss.
test_loss() {
	needs_a_lab
	data
	launch+=(--set method=basic --set polish=0 --net custom --rate 100 --delay 2)
	runs whole
	runs torn --loss 4
	same_labels "$T/whole/party-00/labels.csv" "$T/torn/party-00/labels.csv"
	[[ $(network_of whole \
		'"\(.run.lost) \(.stated.loss_percent) \(.stated.loss_host)"') == "0 0 null" ]] ||
		fail "lost without --loss: $(<"$T/whole/network.json")"
	at_least "$(network_of torn .run.packets)" 300 "the number of packets"
	at_least "$(network_of torn '.run | .lost / (.lost + .packets)')" 0.015 \
		"the share that got lost"
	at_least 0.1 "$(network_of torn '.run | .lost / (.lost + .packets)')" \
		"0.1, against the share that got lost,"
}

test_loss_of_one_host() {
	needs_a_lab
	data
	launch+=(--net custom --rate 100 --delay 2)
	runs one --loss 3 --loss-host 1
	[[ $(network_of one .stated.loss_host) == 1 ]] || fail "not of host 1"
	at_least "$(network_of one .run.lost)" 1 "the number of packets lost"
}

test_stopped_by_signal() {
	needs_a_lab
	taken_as_stated
	data
	start launch "${launch[@]}" --net custom --rate 100 --delay 60 --out "$T/out"
	emulator_of launch
	in_phase coordinator level-1
	[[ $(spaces | wc -l) == 3 ]] || fail "expected three namespaces: $(spaces)"
	kill -TERM "${PID[launch]}"
	ends 6 launch
	nothing_left
	[[ $(run_of coordinator .exit_status) == 6 ]] ||
		fail "the coordinator was not stopped but killed"
}

test_launch_is_killed() {
	needs_a_lab
	taken_as_stated
	data
	start launch "${launch[@]}" --net custom --rate 100 --delay 60 --out "$T/out"
	emulator_of launch
	in_phase coordinator level-1
	kill -KILL "${PID[launch]}"
	nothing_left
}

lab() { # NAME COMMAND...: starts a lab with two hosts; it is up when $T/NAME.up exists
	start "$1" "$ROOT/scripts/netlab" --net custom --rate 100 --delay 1 --hosts 2 --dir \
		"$T/$1" -- \
		bash -c "touch $T/$1.up; \"\$@\"" - "${@:2}"
	emulator_of "$1"
	until_true 20 test -e "$T/$1.up" || fail "$1: COMMAND does not run"
}

test_emulator_is_killed() {
	needs_a_lab
	taken_as_stated
	lab killed sleep 100
	kill -KILL "$EMULATOR"
	ends 5 killed
	says killed 'the emulator ended'
	nothing_left
	[[ $(network_of killed .discarded) == null ]] || fail "a run that was cut off is not one"
}

# All processes are killed, so no process can clean up. The next call cleans up.
test_all_are_killed() {
	needs_a_lab
	taken_as_stated
	lab killed sleep 100
	ip netns exec "coterie-$EMULATOR-1" setsid sleep 1000 &
	local inside=$!
	kill -STOP "${PID[killed]}"
	kill -KILL "$EMULATOR" "${PID[killed]}"
	until_true 10 test ! -e "/proc/$EMULATOR" || fail "the emulator lives"
	[[ $(spaces | wc -l) == 2 ]] || fail "this should have left two namespaces, not: $(spaces)"
	"$ROOT/scripts/netlab" --clean
	nothing_left
	[[ -z $(compgen -G "${TMPDIR:-/tmp}/coterie-netlab.${PID[killed]}.*") ]] ||
		fail "its scratch directory is left"
	wait "$inside" && fail "what ran inside still runs"
	# --clean does not touch a running lab.
	lab living sleep 100
	"$ROOT/scripts/netlab" --clean
	[[ $(spaces | wc -l) == 2 ]] || fail "--clean has taken a living lab's namespaces"
}

test_exit_status_is_the_commands() {
	needs_a_lab
	taken_as_stated
	lab three bash -c 'echo "$COTERIE_LAB"; exit 3'
	ends 3 three
	nothing_left
	grep -qx "coterie-$EMULATOR-0=10.99.0.1 coterie-$EMULATOR-1=10.99.0.2 " "$T/three.stdout" ||
		fail "COTERIE_LAB: $(<"$T/three.stdout")"
}

# The emulator is stopped while packets are under way, so they are late.
test_late_run_is_discarded() {
	needs_a_lab
	taken_as_stated
	cat >"$T/command" <<-'END'
		BIN=$1 T=$2
		read -r first second <<<"$COTERIE_LAB"
		emulator=${first#coterie-} emulator=${emulator%%-*}
		ip netns exec "${first%%=*}" "$BIN/coterie-netlab" probe --serve \
		--ready-file "$T/ready" &
		while [[ ! -s $T/ready ]]; do sleep 0.02; done
		ip netns exec "${second%%=*}" "$BIN/coterie-netlab" probe --to 10.99.0.1 \
		--rate 100 --delay 1 &
		sleep 0.3
		kill -STOP "$emulator"
		sleep 0.1
		kill -CONT "$emulator"
		wait $!
		kill %1
	END
	lab late bash "$T/command" "$BIN" "$T"
	ends 1 late
	nothing_left
	says late '^netlab: run discarded: packets were late by up to [0-9.]+ ms'
	[[ $(network_of late '"\(.discarded) \(.status)"') == "true 1" ]] ||
		fail "$(<"$T/late/network.json")"
	at_least "$(network_of late .run.late_max_ms)" 50 "late_max_ms"
}

# A lab measures other figures than it states, because a replaced program reports false figures.
test_lab_that_is_not_what_it_states() {
	needs_a_lab
	local figures
	mkdir "$T/bin"
	cat >"$T/bin/coterie-netlab" <<-END
		#!/bin/bash
		[[ \$1 != probe || \$2 != --to ]] || exec cat "$T/figures"
		exec "$BIN/coterie-netlab" "\$@"
	END
	chmod +x "$T/bin/coterie-netlab"
	for figures in "2.1 79" "2.1 106" "4.5 96" "1.8 96" ""; do
		echo "$figures" >"$T/figures"
		[[ -n $figures ]] || : >"$T/figures"
		STATUS=0
		COTERIE_BIN=$T/bin "$ROOT/scripts/netlab" --net custom --rate 100 --delay 1 \
			--hosts 2 --dir "$T/off" -- \
			touch "$T/ran" 2>"$T/off.stderr" || STATUS=$?
		[[ $STATUS == 1 && ! -e $T/ran ]] || fail "'$figures': status $STATUS"
		[[ $(network_of off .status) == null ]] ||
			fail "'$figures': $(<"$T/off/network.json")"
	done
	says off 'could not be measured'
	echo "2.1 96" >"$T/figures"
	COTERIE_BIN=$T/bin "$ROOT/scripts/netlab" --net custom --rate 100 --delay 1 --hosts 2 -- \
		touch "$T/ran" || true
	[[ -e $T/ran ]] || fail "a sound lab runs nothing"
}

# Runs the commands for netem with a replaced tc, which makes plain queues. So all is tested except
# netem's shaping.
test_netem_is_put_up_and_taken_down() {
	needs_a_lab
	local wanted
	mkdir "$T/bin"
	cat >"$T/bin/tc" <<-END
		#!/bin/bash
		echo "\$*" >>"$T/tc.log"
		args=("\$@")
		for ((i = 0; i < \$#; i++)); do
			[[ \${args[i]} != netem ]] ||
				{ args=("\${args[@]:0:i}" pfifo limit 1000) && break; }
		done
		exec $(command -v tc) "\${args[@]}"
	END
	chmod +x "$T/bin/tc"
	STATUS=0
	PATH=$T/bin:$PATH "$ROOT/scripts/netlab" --emulator auto --net lan --hosts 3 --dir \
		"$T/netem" -- true 2>"$T/netem.stderr" || STATUS=$?
	says netem 'stated 1000 Mbit/s.*measured [0-9.]+ Mbit/s, [0-9.]+ ms .netem, 3 hosts.'
	((STATUS == 1)) || fail "status $STATUS: what nobody shapes is faster than stated"
	[[ $(network_of netem .emulator) == netem ]] || fail "$(<"$T/netem/network.json")"
	EMULATOR=$(sed -n 's/.*-n coterie-\([0-9]*\)-3 .*/\1/p' "$T/tc.log" | head -n 1)
	nothing_left
	# At 1000 Mbit/s 4171 packets of 1500 bytes pass in 50.05 ms, and 4167 in 50 ms. netlab
	# limits each queue to this number and about ten packets more.
	for wanted in '0 .*dev lab0 .*netem delay 0.05ms rate 1000mbit limit 4180' \
		'3 .*dev port2 .*netem rate 1000mbit limit 4176'; do
		grep -q -- "coterie-[0-9]*-$wanted" "$T/tc.log" ||
			fail "tc was not told $wanted: $(<"$T/tc.log")"
	done
}

test_netem_shapes() {
	needs_a_lab
	ip netns add "coterie-test-$$"
	STATUS=0
	tc -n "coterie-test-$$" qdisc add dev lo root netem delay 1ms 2>/dev/null || STATUS=$?
	ip netns del "coterie-test-$$"
	((STATUS == 0)) || skip "this kernel has no netem"
	"$ROOT/scripts/netlab" --emulator auto --net wan --hosts 3 --dir "$T/netem" -- true ||
		fail "status $?"
	[[ $(network_of netem .emulator) == netem ]] || fail "$(<"$T/netem/network.json")"
}

refused() { # REGEX ARG...: netlab refuses to start
	STATUS=0
	"$ROOT/scripts/netlab" "${@:2}" >"$T/refused.stdout" 2>"$T/refused.stderr" || STATUS=$?
	((STATUS == 4)) || fail "${*:2}: status $STATUS"
	says refused "$1"
}

test_bad_input() {
	refused 'no such network' --net moon --hosts 2 -- true
	refused '\-\-net is missing' --hosts 2 -- true
	refused 'needs --rate' --net custom --hosts 2 -- true
	refused 'are for --net custom' --net lan --rate 3 --hosts 2 -- true
	refused '\-\-rate is' --net custom --rate 0 --delay 1 --hosts 2 -- true
	refused '\-\-hosts is' --net lan --hosts 1 -- true
	refused '\-\-hosts is' --net lan --hosts 258 -- true
	refused 'no COMMAND' --net lan --hosts 2
	refused 'no such option' --net lan --hosts 2 --moon -- true
	data
	STATUS=0
	"${launch[@]}" --net moon --out "$T/out" 2>"$T/launch.stderr" || STATUS=$?
	says launch 'no such network'
	[[ $STATUS == 4 && ! -e $T/out ]] || fail "launch --net moon: status $STATUS"
	STATUS=0
	"${launch[@]}" --rate 10 --out "$T/out" 2>"$T/launch.stderr" || STATUS=$?
	[[ $STATUS == 4 && ! -e $T/out ]] || fail "launch --rate without --net: status $STATUS"
}

# The second name that netlab needs is in use. netlab gives the first name back and leaves the
# second alone.
test_name_in_use() {
	needs_a_lab
	start emulator bash \
		-c "ip netns add coterie-\$\$-1; exec $BIN/coterie-netlab run --hosts 3 --rate 100 \
--delay 1 \
		--ready-file $T/ready"
	EMULATOR=${PID[emulator]}
	ends 4 emulator
	says emulator "coterie-$EMULATOR-1 is there already"
	[[ $(spaces) == /run/netns/coterie-$EMULATOR-1 ]] || fail "there is: $(spaces)"
	ip netns del "coterie-$EMULATOR-1"
	nothing_left
}

test_no_root() {
	((EUID == 0)) || skip "needs root, to give it up"
	data
	chmod -R go+rX "$T"
	setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$BIN/coterie-netlab" -a -r \
		"$T/pooled/edges.tsv" ||
		skip "nobody may not read this directory"
	start launch setpriv --reuid 65534 --regid 65534 --clear-groups "${launch[@]}" --net lan \
		--out "$T/out"
	ends 4 launch
	says launch 'needs root'
	[[ ! -e $T/out ]] || fail "an output directory is left"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/coterie-netlab" run --hosts 2 \
		--rate 1 --delay 1 \
		--ready-file "$T/ready" 2>"$T/run.stderr" && fail "the emulator runs without root"
	says run 'needs root'
	# Runs as root without capabilities, as in many containers.
	start launch setpriv --bounding-set -sys_admin,-net_admin "${launch[@]}" --net lan --out \
		"$T/out"
	ends 4 launch
	says launch 'needs root'
}

sample test_bad_input
run_tests "$@"
