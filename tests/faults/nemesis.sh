#!/bin/bash
# nemesis -- parties that stay, job after job, while things break around them; and whether all that was said is true.
#
#   tests/faults/nemesis.sh [option...]
#
#     --seconds N    how long new jobs are begun; default 60
#     --seed N       which jobs, which faults, when: the same for the same number; default 1
#     --jobs N       no more than N jobs
#     --first N      begins with job N of this seed; with --jobs 1 that one alone, to see it again
#     --kind KIND    only jobs of this kind; may be given again
#     --fault FAULT  only this fault; may be given again
#     --short        no outage outlasts reconnect_s
#     --out DIR      keeps the history, and all that processes said, there
#     --list         prints kinds and faults
#
#     party-00 == relay ==\
#     party-01 == relay === coordinator, a new one for each job       the relays cut, damage, fall silent
#     party-02 == relay ===
#     party-03 == relay ==/                                           all hold data for every kind of job
#
# Each job gets no fault, one, or two at once, at moments drawn by the seed: so many per cent into the time that jobs
# of this kind take, or (below 0) so many ms after the coordinator was started, when parties may still be coming.
#
#     kill term      kill -9, kill; a party is started again as a service manager does, a killed coordinator too
#     stop           kill -STOP, later kill -CONT
#     hup            SIGHUP, 30 times
#     cut half flip  a connection is closed; in the middle of a piece; a bit is turned
#     silent         a connection stands, and nothing passes
#     data torn      another version of a data file is put in place by rename; half of one, until the job is over
#     renew expire   the same for the certificate, with SIGHUP; an expired one stays until the job is over
#     clock          the host's clock jumps by hours or years, and later back
#     second twin    another process on its output directory; on its state, with a directory of its own
#     full           no file may grow for a while (RLIMIT_FSIZE)
#
# party-00 is never ended, so that what it holds in memory can be compared.
#
# When a job is over, and all at rest: judge.sh says what must be true. In the end every ledger verifies, no party has
# grown, and every kind is done once more with nobody disturbed. A line for each job, then counts; the history is
# DIR/history.jsonl, a line for each start, fault and end. Exit 1 if something was wrong.
#
# shellcheck source=../integration/lib.sh
source "$(dirname "$0")/../integration/lib.sh"
# shellcheck source=judge.sh
source "$ROOT/tests/faults/judge.sh"

PARTIES=4
EVERYONE=(coordinator party-00 party-01 party-02 party-03)
ENDED=(coordinator party-01 party-02 party-03)
KINDS=(tree flat landmark gcc kmeans fedsc fedspectral-exact fedspectral-plain fedspectral+ fedwalk fedgcn)
FAULTS_KNOWN=(kill term stop hup cut half flip silent data torn renew expire clock second twin full)
HEARTBEAT_S=2 RECONNECT_S=8 REJOIN_S=20 JOIN_S=60
RELAY_MS=8
WALKS=1000000 # the number of the first job of kind fedwalk

# ---- the world: data for every kind, two versions of each file, certificates, clocks ----

declare -A FILE_OF=([features]=features.mtx [edges]=edges.tsv [graphs]=set/set_A.txt)

what_it_reads() { # KIND: the file whose replacing matters to it
	case $1 in
	fedspectral* | fedwalk) echo edges ;;
	fedgcn) echo graphs ;;
	*) echo features ;;
	esac
}

job_of() { # KIND
	case $1 in
	tree) echo '"kind": "kcagc", "graphs": "own", "filter": { "order": 3 }, "restarts": 4, "local_restarts": 2, "polish": 2' ;;
	flat) echo '"kind": "kcagc", "graphs": "own", "method": "flat", "filter": { "order": 3 }' ;;
	landmark | gcc) echo "\"kind\": \"kcagc\", \"graphs\": \"own\", \"method\": \"$1\"" ;;
	fedspectral-exact) echo '"kind": "fedspectral", "variant": "exact"' ;;
	fedspectral-plain) echo '"kind": "fedspectral", "variant": "fedspectral"' ;;
	fedspectral+) echo '"kind": "fedspectral", "variant": "fedspectral+"' ;;
	fedwalk) echo '"kind": "fedwalk", "walks": 8, "length": 8, "window": 4' ;;
	fedgcn) echo '"kind": "fedgcn", "rounds": 3, "epochs": 2, "baselines": "off"' ;;
	*) echo "\"kind\": \"$1\"" ;;
	esac
}

world() {
	local v name kind of file
	for v in 0 1; do
		"$BIN/coterie" synth --nodes 120 --features 36 --clusters 3 --signal 0.8 --homophily 0.9 --degree 8 --seed $((5 + v)) --out "$T/pooled-$v"
		"$BIN/coterie" split --by columns --parties $PARTIES --seed 5 --data "$T/pooled-$v" --out "$T/columns-$v"
		"$BIN/coterie" split --by vertices --parties $PARTIES --seed 5 --data "$T/pooled-$v" --out "$T/vertices-$v"
	done >/dev/null
	for name in $(names $PARTIES); do
		mkdir -p "$T/versions/$name" "$T/clock"
		printf '\0\0\0\0\0\0\0\0' >"$T/clock/$name"
		"$BIN/coterie" synth --graphs --nodes 24 --size 10 --seed "1${name#*-}" --out "$T/data/$name/set" >/dev/null
		seq 0 119 >"$T/data/$name/ids.txt"
		cp "$T/vertices-0/$name/ids.txt" "$T/data/$name/hosted.txt"
		for v in 0 1; do
			cp "$T/columns-$v/$name/features.mtx" "$T/versions/$name/features.$v"
			cp "$T/vertices-$v/$name/edges.tsv" "$T/versions/$name/edges.$v"
			tail -n +$((1 + 4 * v)) "$T/data/$name/set/set_A.txt" >"$T/versions/$name/graphs.$v"
		done
		for of in "${!FILE_OF[@]}"; do
			file=$T/versions/$name/$of
			head -c $(($(stat -c %s "$file.0") / 2 + 1)) "$file.0" >"$file.torn"
			printf '\n;' >>"$file.torn"
			cp "$file.0" "$T/data/$name/${FILE_OF[$of]}"
			VERSION[$name/$of]=0
		done
	done
	printf '\0\0\0\0\0\0\0\0' >"$T/clock/coordinator"
	mkdir "$T/store"
	find "$T/versions" "$T/data" -type f | while read -r file; do cp "$file" "$T/store/$(sha256sum <"$file" | cut -d ' ' -f 1)"; done
	for kind in "${KINDS[@]}"; do
		echo "{ $(job_of "$kind"), \"clusters\": 3, \"seed\": 7 }" | jq "if .kind == \"fedwalk\" then del(.clusters) else . end" >"$T/job-$kind.json"
	done
	set_up $PARTIES
	configurations
	certificates
}

configurations() {
	local name times=".heartbeat_s = $HEARTBEAT_S | .reconnect_s = $RECONNECT_S | .rejoin_s = $REJOIN_S | .step_timeout_s = 120"
	head -c 32 /dev/zero >"$T/numbering"
	head -c 32 /dev/zero | tr '\0' x >"$T/numbering.coordinator"
	chmod 600 "$T"/numbering*
	edit coordinator "$times | .join_timeout_s = $JOIN_S | .numbering_key = \"numbering.coordinator\""
	for name in $(names $PARTIES); do
		edit "$name" "$times | .state = \"state/\(.name)\" | .numbering_key = \"numbering\" | .retry_s = 0
			| .policy.jobs = [\"kcagc\", \"kmeans\", \"fedsc\", \"fedspectral\", \"fedspectral.exact\", \"fedwalk\", \"fedgcn\"]"
	done
}

# What fedwalk reads excludes what the others do.
data_of() { # fedwalk|others
	local name
	for name in $(names $PARTIES); do
		case $1 in
		fedwalk) edit "$name" ".data = { edges: \"data/$name/edges.tsv\", vertices: \"data/$name/hosted.txt\" }" ;;
		*) edit "$name" ".data = { features: \"data/$name/features.mtx\", edges: \"data/$name/edges.tsv\", ids: \"data/$name/ids.txt\", graphs: \"data/$name/set\" }" ;;
		esac
	done
}

# Of each daemon's own key: NAME.crt.now, .renewed, and .expired, which ended yesterday.
certificates() {
	local name dir=$T/ca.d
	mkdir "$dir"
	touch "$dir/index"
	echo 01 >"$dir/serial"
	cat >"$dir/config" <<-EOF
		[ca]
		default_ca = us
		[us]
		new_certs_dir = $dir
		database = $dir/index
		serial = $dir/serial
		default_md = default
		unique_subject = no
		policy = any
		[any]
		commonName = supplied
		[party]
		subjectAltName = \${ENV::SAN}
		extendedKeyUsage = clientAuth
		[coordinator]
		subjectAltName = \${ENV::SAN}
		extendedKeyUsage = serverAuth
	EOF
	for name in "${EVERYONE[@]}"; do
		cp "$T/pki/$name.crt" "$T/pki/$name.crt.now"
		SAN=DNS:$name openssl req -new -config "$dir/config" -key "$T/pki/$name.key" -subj "/CN=$name" -out "$dir/csr" 2>/dev/null ||
			SAN=DNS:$name openssl req -new -key "$T/pki/$name.key" -subj "/CN=$name" -out "$dir/csr"
		signed "$name" renewed 20200101000000Z 20990101000000Z
		signed "$name" expired 20200101000000Z "$(date -u -d '-1 day' +%Y%m%d%H%M%SZ)"
	done 2>"$dir/said" || { cat "$dir/said" && fail "no certificates"; }
}

signed() { # NAME SUFFIX FROM TO
	SAN=DNS:$1 openssl ca -batch -notext -config "$T/ca.d/config" -extensions "${1%-[0-9]*}" -cert "$T/pki/ca.crt" -keyfile "$T/pki/ca.key" \
		-startdate "$3" -enddate "$4" -in "$T/ca.d/csr" -out "$T/pki/$1.crt.$2"
}

put() { # FILE PLACE: by rename
	cp "$1" "$2.new"
	mv "$2.new" "$2"
}

clock_shim() {
	CLOCK=
	! sanitized || return 0 # the sanitizers' library wants to be the first
	CLOCK=$TOOLS/clock.so
	[[ ! $CLOCK -nt $ROOT/tests/faults/clock.c ]] || return 0
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -shared -fPIC -o "$CLOCK.$$" "$ROOT/tests/faults/clock.c"
	mv "$CLOCK.$$" "$CLOCK"
}

set_clock() { # NAME SECONDS: written in place, in one piece
	local i bytes=''
	for ((i = 0; i < 64; i += 8)); do bytes+=$(printf '\\x%02x' $((($2 >> i) & 255))); done
	# shellcheck disable=SC2059
	printf "$bytes" | dd of="$T/clock/$1" conv=notrunc bs=8 count=1 status=none
}

# ---- processes ----

on_its_clock() { # NAME PROGRAM ARG...
	local with=()
	[[ -z $CLOCK ]] || with=(env "LD_PRELOAD=$CLOCK" "COTERIE_CLOCK=$T/clock/$1")
	touch "$T/$1.stderr"
	cat "$T/$1.stderr" >>"$T/$1.before"
	start "$1" "${with[@]}" "${@:2}"
}

start_party() { # NAME
	on_its_clock "$1" "$BIN/party" --config "$T/$1.json" --out "$T/out/$1" --coordinator "${RELAY_OF[$1]}"
	STARTED[$1]=$NOW
	tell started "$1" "pid ${PID[$1]}"
}

start_coordinator() {
	rm -f "$T/ready"
	on_its_clock coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" --out "$T/out/coordinator" --ready-file "$T/ready"
	tell started coordinator "pid ${PID[coordinator]}"
}

# Parties dial one address all the time, through relays: a port below those that the kernel gives away.
an_address() {
	local port tries=20
	while ((tries--)); do
		port=$((20000 + SRANDOM % 12000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	ADDRESS=127.0.0.1:$port
	edit coordinator ".listen = \"$ADDRESS\""
}

# Its exit status is in $STATUS.
reap() { # NAME
	STATUS=0
	wait "${PID[$1]}" 2>/dev/null || STATUS=$?
	unset "PID[$1]"
	tell ended "$1" "status $STATUS: $(last_words "$1")"
}

last_words() { tail -n 1 "$T/$1.stderr" | jq -r '.text? // empty' 2>/dev/null || tail -n 1 "$T/$1.stderr"; } # NAME

# What a service manager does: whoever is gone is started again, soon.
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

party_ended() { # NAME STATUS: only by what it was sent, or, at its start, with what it cannot use
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

# ---- faults: `fault_X WHO LONG` strikes, and says with `later` what is to be undone ----

later() { # MS COMMAND...: in so many, or with the word "end" when the coordinator has ended
	if [[ $1 == end ]]; then UNDO+=("${*:2}"); else
		DUE+=($((NOW + $1)))
		DO+=("${*:2}")
	fi
}

send() { # SIGNAL NAME: false if it is gone
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

# With a file, a certificate or a clock as it is, a process that starts may end with 4; one just started may so still.
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

# It ends at once, and names the first.
fault_second() {
	local arg=(--out "$T/out/$1")
	[[ ${PID[$1]-} && -z ${PID[second-$1]-} && -z ${UNFIT[$1]-} ]] && ! gone "$1" || return
	if [[ $1 == coordinator ]]; then
		start "second-$1" "$BIN/coordinator" --config "$T/$1.json" --job "$T/job.json" "${arg[@]}"
	else
		start "second-$1" "$BIN/party" --config "$T/$1.json" "${arg[@]}" --coordinator "${RELAY_OF[$1]}"
	fi
	FIRST[$1]=${PID[$1]}
	later 0 "second_ended $1 $((NOW + 30000))"
}

# If the first ended meanwhile, the second is the first, and is told to go.
second_ended() { # NAME UNTIL
	local second=second-$1 first_lives=false
	[[ ${PID[$1]-} != "${FIRST[$1]}" ]] || gone "$1" || first_lives=true
	if gone "$second"; then
		reap "$second"
		if $first_lives && { ((STATUS != 4)) || ! said "$second" "in use by process ${FIRST[$1]}"; }; then
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
	start "twin-$1" "$BIN/party" --config "$T/$1.json" --out "$T/out/twin-$1" --coordinator "${RELAY_OF[$1]}"
	later $(($2 + 500)) "twin_leaves $1"
}

twin_leaves() {
	kill -TERM "${PID[twin-$1]}" 2>/dev/null || true
	later 0 "twin_ended $1 $((NOW + 60000))"
}

twin_ended() { # NAME UNTIL
	if gone "twin-$1"; then
		reap "twin-$1"
		[[ $STATUS == [0264] ]] || wrong "a second process of $1 ended with $STATUS: $(last_words "twin-$1")"
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

room_again() { [[ ${PID[$1]-} != "$2" ]] || prlimit --pid "$2" --fsize=unlimited: 2>/dev/null || true; } # NAME PID

# ---- what happens: drawn before the job, done in it ----

# RANDOM is bash's own generator, so that a number stands for the same jobs everywhere.
draw() { # N
	local i n long
	RANDOM=$((16#$(sha256sum <<<"$SEED $1" | cut -c 1-7)))
	KIND=${kinds[($1 + SEED) % ${#kinds[@]}]}
	FAULT=() WHO=() AT=() LONG=()
	n=$((RANDOM % 10))
	n=$((n == 0 ? 0 : n < 5 ? 1 : 2))
	for ((i = 0; i < n; i++)); do
		FAULT+=("${faults[RANDOM % ${#faults[@]}]}")
		long=$RANDOM # here: in a subshell it is another generator
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
nap() { read -rt "$1" -u "$NAP" _ || true; } # without a process for it

tell() { # WHAT WHO TEXT: a line of the history
	local text=${3//\\/}
	printf '{"ms":%d,"job":%d,"what":"%s","who":"%s","text":"%s"}\n' $((NOW - BEGAN)) "$N" "$1" "$2" "${text//\"/\'}" >>"$T/history.jsonl"
}

turn() { # what is due is done
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
	local i typical=${TYPICAL[$KIND]-700}
	now
	OVER=0 BEGUN=0 COORDINATOR_STATUS='' WRONG=() STRUCK=() HIT=() DUE=() DO=() UNDO=() JOB_BEGAN=$NOW
	DISTURBED=() AGAIN=() PARTED=() SENT[coordinator]=
	cp "$T/job-$KIND.json" "$T/job.json"
	START_AT[coordinator]=$NOW
	tell job coordinator "$KIND"
	for i in "${!FAULT[@]}"; do ((AT[i] >= 0)) || later $((-AT[i])) "strike $i"; done
	while ((!OVER)); do
		turn
		if ((!BEGUN)) && [[ ${PID[coordinator]-} && $(<"$T/coordinator.stderr") == *'the job begins'* ]]; then
			BEGUN=$NOW
			for i in "${!FAULT[@]}"; do ((AT[i] < 0)) || later $((typical * AT[i] / 1000)) "strike $i"; done
		fi
		((NOW - JOB_BEGAN < 400000)) || { wrong "the coordinator does not end" && fault_kill coordinator && OVER=1; }
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

# Nothing more is due, all parties are there, and none is in a job.
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

# A record that says "running" is of a process that runs it, or of one that is gone.
in_a_job() { # NAME
	local run
	for run in "$T/out/$1"/job-*/run.json; do
		[[ -e $run ]] || continue
		! disturbed_by "$1" full || continue # it may have had no room to write how the job ended
		jq -e '.status == "running"' "$run" >/dev/null && (($(date -r "$run" +%s%3N) >= ${STARTED[$1]})) && return 0
	done
	return 1
}

clear_up() {
	local name
	if ((${#WRONG[@]})); then
		mkdir -p "$T/wrong/$N"
		cp -R "$T/out" "$T/wrong/$N"
		for name in "${EVERYONE[@]}"; do tail -n 300 "$T/$name.stderr" >"$T/wrong/$N/$name.stderr"; done
	fi
	rm -rf "$T"/out/*/job-* "$T"/out/twin-* "$T"/out/coordinator/{run.json,labels.*,embeddings.npy,model.fedgcn}
	for name in "${EVERYONE[@]}"; do [[ ! -e $T/out/$name/log.jsonl ]] || : >"$T/out/$name/log.jsonl"; done
}

report() {
	local i text=''
	JOBS_DONE=$((JOBS_DONE + 1))
	for i in "${!FAULT[@]}"; do text+="${FAULT[i]} ${WHO[i]} at $((AT[i] < 0 ? AT[i] : AT[i] / 10)) for ${LONG[i]} ms${HIT[i]- (too late)}, "; done
	[[ $text ]] || text='nothing, '
	printf '%4d %-18s %s%s, %d.%d s\n' "$N" "$KIND" "$text" "$OUTCOME" $((TOOK / 1000)) $((TOOK % 1000 / 100))
	for i in "${WRONG[@]}"; do echo "     WRONG: $i; again with --seed $SEED --first $N --jobs 1"; done
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
			[[ ${2-} =~ ^[0-9]{1,9}$ ]] || wrong_use "$1 is '${2-}', expected a number"
			case $1 in
			--seconds) SECONDS_MAX=$2 ;;
			--seed) SEED=$2 ;;
			--jobs) JOBS=$2 ;;
			--first) FIRST_JOB=$2 ;;
			esac
			shift 2
			;;
		--kind)
			[[ ${2-} && " ${KINDS[*]} " == *" $2 "* ]] || wrong_use "--kind '${2-}': expected one of ${KINDS[*]}"
			chosen+=("$2") && shift 2
			;;
		--fault)
			[[ ${2-} && " ${FAULTS_KNOWN[*]} " == *" $2 "* ]] || wrong_use "--fault '${2-}': expected one of ${FAULTS_KNOWN[*]}"
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
	declare -gA VERSION=() RELAY_OF=() STARTED=() START_AT=() SENT=() UNFIT=() FIT_SINCE=() SILENT=() FIRST=() AGAIN=() PARTED=() DISTURBED=() \
		TYPICAL=() COUNT=() OUTCOMES=() PID=() MEMORY=()
	DUE=() DO=() UNDO=() WRONG=() ALL_WRONG=0 JOBS_DONE=0 LABELS=0 N=0 OVER=1 FAULTS=0
	T=$(mktemp -d "${TMPDIR:-/tmp}/coterie-nemesis.XXXXXX")
	trap 'end $?' EXIT
	trap 'exit 130' INT TERM HUP
	exec 2> >(grep -vE 'line [0-9]+: +[0-9]+ (Killed|Terminated|File size limit)' >&2 || true) # bash says so of what is killed
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

# The same processes from the first job to the last, but for whom the nemesis ends.
life() { # fedwalk|others FIRST-JOB SECONDS
	local name end_at=$((NOW + 1000 * $3)) first=$2
	mapfile -t kinds < <(printf '%s\n' "${chosen[@]}" | if [[ $1 == fedwalk ]]; then grep -x fedwalk; else grep -vx fedwalk; fi)
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

# Every kind once more, and nobody is disturbed: all is as it was.
quiet_jobs() {
	for KIND in $(printf '%s\n' "${kinds[@]}" | if ((SECONDS_MAX < 60)); then sed -n "$((SEED % ${#kinds[@]} + 1))p"; else cat; fi); do
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
	printf 'jobs %d, wrong %d, faults %d, results compared %d, seed %d' $JOBS_DONE $ALL_WRONG $all $LABELS "$SEED"
	while read -r name; do printf '; %s %d' "$name" "${OUTCOMES[$name]}"; done < <(printf '%s\n' "${!OUTCOMES[@]}" | sort)
	echo
}

{
	options "$@"
	main
	exit
} # in one piece: bash reads a script as it goes, and this one may be edited meanwhile
