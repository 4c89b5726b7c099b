# strikes.sh -- `fault_X WHO LONG` strikes process WHO with fault X, and calls `later` to undo the
# fault after LONG ms. It returns false if there was nothing to strike. For nemesis.sh.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # shared with nemesis.sh

later() { # MS COMMAND...: runs COMMAND after MS ms, or, with "end", after the coordinator has ended
	if [[ $1 == end ]]; then UNDO+=("${*:2}"); else
		DUE+=($((NOW + $1)))
		DO+=("${*:2}")
	fi
}

send() { # SIGNAL NAME: returns false if NAME has ended, or is too young to handle SIGHUP
	[[ $1 != HUP ]] || ((NOW - ${STARTED[$2]-0} >= 1000)) || return
	[[ ${PID[$2]-} ]] && ! gone "$2" && kill "-$1" "${PID[$2]}" 2>/dev/null
}

fault_kill() { send KILL "$1" && SENT[$1]+=KILL; }
fault_term() { send TERM "$1" && SENT[$1]+=TERM; }

fault_stop() {
	send STOP "$1" || return
	later "$2" "send CONT $1"
}

fault_hup() {
	local i
	for ((i = 0; i < 30; i++)); do
		send HUP "$1" || return
		nap 0.01
	done
}

# True if a new process may end with 4: its files, certificate or clock are bad, or became good less
# than 20 s ago.
unfit() { [[ ${UNFIT[$1]-} ]] || ((NOW < ${FIT_SINCE[$1]-0} + 20000)); }

fit_again() {
	UNFIT[$1]=
	FIT_SINCE[$1]=$NOW
}

fault_cut() { kill -HUP "${PID[relay-$1]}"; }
fault_half() { kill -USR2 "${PID[relay-$1]}"; }
fault_flip() { kill -WINCH "${PID[relay-$1]}"; }

fault_silent() {
	[[ -z ${SILENT[$1]-} ]] || return
	SILENT[$1]=yes
	kill -USR1 "${PID[relay-$1]}"
	later "$2" "speaks_again $1"
}

speaks_again() {
	SILENT[$1]=
	kill -USR1 "${PID[relay-$1]}"
}

fault_data() {
	local of
	of=$(what_it_reads "$KIND")
	[[ -z ${UNFIT[$1]-} ]] || return
	VERSION[$1/$of]=$((1 - ${VERSION[$1/$of]}))
	in_place "$1" "$of"
	send HUP "$1" || true
}

in_place() { put "$T/versions/$1/$2.${VERSION[$1/$2]}" "$T/data/$1/${FILE_OF[$2]}"; } # NAME OF

fault_torn() {
	local of
	of=$(what_it_reads "$KIND")
	UNFIT[$1]=yes
	put "$T/versions/$1/$of.torn" "$T/data/$1/${FILE_OF[$of]}"
	send HUP "$1" || true
	later end "whole_again $1 $of"
}

whole_again() {
	in_place "$1" "$2"
	fit_again "$1"
}

fault_renew() {
	put "$T/pki/$1.crt.renewed" "$T/pki/$1.crt"
	send HUP "$1" || true
	later end "certified $1"
}

fault_expire() {
	UNFIT[$1]=yes
	put "$T/pki/$1.crt.expired" "$T/pki/$1.crt"
	send HUP "$1" || true
	later end "certified $1"
}

certified() {
	put "$T/pki/$1.crt.now" "$T/pki/$1.crt"
	fit_again "$1"
	send HUP "$1" || true
}

fault_clock() {
	local by=(-7200 -86400 -600 60 3600 86400 31536000 94608000)
	[[ $CLOCK ]] || return
	UNFIT[$1]=yes
	set_clock "$1" "${by[$2 % ${#by[@]}]}"
	later "$2" "right_time $1"
}

right_time() {
	set_clock "$1" 0
	fit_again "$1"
}

# Starts a second process on the same output directory. The second process must end at once and name
# the first process.
fault_second() {
	local arg=(--out "$T/out/$1")
	[[ ${PID[$1]-} && -z ${PID[second-$1]-} && -z ${UNFIT[$1]-} ]] && ! gone "$1" || return
	if [[ $1 == coordinator ]]; then
		start "second-$1" "$BIN/coordinator" --config "$T/$1.json" --job "$T/job.json" \
			"${arg[@]}"
	else
		start "second-$1" "$BIN/party" --config "$T/$1.json" "${arg[@]}" --coordinator \
			"${RELAY_OF[$1]}"
	fi
	FIRST[$1]=${PID[$1]}
	later 0 "second_ended $1 $((NOW + 30000))"
}

# Checks the second process. If the first has ended, the second runs in its place and gets SIGTERM.
second_ended() { # NAME UNTIL
	local second=second-$1 first_lives=false
	[[ ${PID[$1]-} != "${FIRST[$1]}" ]] || gone "$1" || first_lives=true
	if gone "$second"; then
		reap "$second"
		if $first_lives && {
			((STATUS != 4)) || ! said "$second" "in use by process ${FIRST[$1]}"
		}; then
			wrong "a second $1 ended with $STATUS: $(last_words "$second")"
		fi
	elif $first_lives && ((NOW < $2)); then
		later 100 "second_ended $1 $2"
	else
		! $first_lives || wrong "a second $1 runs beside the first"
		PARTED[$1]=yes
		kill -TERM "${PID[$second]}" 2>/dev/null || true
		later 0 "second_gone $second"
	fi
}

second_gone() { # NAME
	if gone "$1"; then reap "$1"; else later 100 "second_gone $1"; fi
}

fault_twin() {
	[[ -z ${PID[twin-$1]-} && -z ${UNFIT[$1]-} ]] || return
	start "twin-$1" "$BIN/party" --config "$T/$1.json" --out "$T/out/twin-$1" --coordinator \
		"${RELAY_OF[$1]}"
	later $(($2 + 500)) "twin_leaves $1"
}

twin_leaves() {
	kill -TERM "${PID[twin-$1]}" 2>/dev/null || true
	later 0 "twin_ended $1 $((NOW + 60000))"
}

twin_ended() { # NAME UNTIL
	if gone "twin-$1"; then
		reap "twin-$1"
		[[ $STATUS == [0264] ]] ||
			wrong "a second process of $1 ended with $STATUS: $(last_words "twin-$1")"
	elif ((NOW < $2)); then
		later 100 "twin_ended $1 $2"
	else
		wrong "a second process of $1 does not end"
		kill -KILL "${PID[twin-$1]}"
	fi
}

fault_full() {
	[[ ${PID[$1]-} ]] && ! gone "$1" || return
	prlimit --pid "${PID[$1]}" --fsize=$(($2 % 3 * 4096)): 2>/dev/null || return
	later "$2" "room_again $1 ${PID[$1]}"
}

# NAME PID: lets the process's files grow again
room_again() {
	[[ ${PID[$1]-} != "$2" ]] || prlimit --pid "$2" --fsize=unlimited: 2>/dev/null || true
}
