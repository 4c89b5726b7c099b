# judge.sh -- checks each finished job, and the parties at the end of the run. For nemesis.sh.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # shared with nemesis.sh

wrong() { # TEXT
	WRONG+=("$1")
	tell wrong '' "$1"
}

disturbed_by() { [[ " ${DISTURBED[$1]-} " =~ \ ($2)\  ]]; } # NAME FAULT|FAULT...
anybody_by() { [[ " ${STRUCK[*]} " =~ \ ($1)\  ]]; }        # FAULT|FAULT...

# True if docs/explanation/deadlines-and-attempts.md says that the job survives all its faults.
must_be_done() {
	local i
	! anybody_by 'term|torn|full|twin' || return 1
	! disturbed_by coordinator clock || return 1
	for i in "${!FAULT[@]}"; do
		[[ ${FAULT[i]} != @(stop|silent|clock) ]] || ((LONG[i] < 500 * RECONNECT_S + 1)) ||
			return 1
		[[ ${FAULT[i]} != kill ]] || ! disturbed_by "${WHO[i]}" 'expire|clock' || return 1
	done
}

judge() {
	local name record=$T/out/coordinator/run.json
	[[ $COORDINATOR_STATUS == [012346] ]] ||
		wrong "the coordinator ended with $COORDINATOR_STATUS: $(last_words coordinator)"
	if [[ ${PARTED[coordinator]-} ]]; then
		OUTCOME='second went on'
	elif [[ $COORDINATOR_STATUS == 0 ]]; then
		OUTCOME="done"
		judge_done "$record"
	else
		OUTCOME="failed: $(last_words coordinator | cut -c 1-150)"
		judge_failed "$record"
	fi
	for name in $(names $PARTIES); do judge_party "$name"; done
	[[ $OUTCOME != "done" ]] || ((LASTED > ${TYPICAL[$KIND]-400})) || TYPICAL[$KIND]=$LASTED
	tell judged coordinator "$OUTCOME"
}

judge_done() { # RECORD
	local again
	if [[ ! -s $1 ]]; then
		disturbed_by coordinator full || wrong "the coordinator left no run.json"
		return
	fi
	judge_record coordinator "$1"
	if [[ $(jq -r .status "$1") != "done" ]]; then
		disturbed_by coordinator full ||
			wrong \
			"the coordinator ended with 0, but its run.json says $(jq -r .status "$1")"
		return
	fi
	judge_labels coordinator "$(dirname "$1")"
	# The coordinator's record is kept, because a ledger whose end is cut off disagrees with it.
	cp "$1" "$T/last/coordinator.json"
	again=$(jq .attempt "$1")
	((again == 1)) || OUTCOME="done in attempt $again"
}

judge_failed() { # RECORD
	local said name
	! must_be_done || wrong "it should have been done: $(last_words coordinator)"
	[[ ! -s $1 ]] || judge_record coordinator "$1"
	said=$(last_words coordinator)
	judge_names "the coordinator" "$said"
	[[ ${DISTURBED[coordinator]-} ]] && return
	for name in "${!DISTURBED[@]}"; do [[ $said != *"$name"* ]] || return 0; done
	wrong "the coordinator names nobody who was disturbed: $said"
}

# A fault must have struck each party that SENTENCE names, in this job.
judge_names() { # WHO SENTENCE
	local name
	for name in $(grep -oE 'party-[0-9]+' <<<"$2" | sort -u); do
		[[ ${DISTURBED[$name]-} ]] || wrong "$1 names $name, which nothing happened to: $2"
	done
}

judge_record() { # NAME RECORD: compares the record's fields with each other and with the job
	local status exit_status elapsed attempt attempts error
	read -r status exit_status elapsed attempt attempts \
		< <(jq \
		-r '[.status, (.exit_status // "-"), (.elapsed_s // 0
			| floor), .attempt, (.attempts | length)] | join(" ")' "$2")
	error=$(jq -r '.error // ""' "$2")
	case $status in
	"done") [[ $exit_status == 0 && ! $error ]] ||
		wrong "$2: done, with status $exit_status, error '$error'" ;;
	failed) [[ $exit_status == [12346] ]] && { [[ $error ]] || disturbed_by "$1" full; } ||
		# If a process was killed, the next one marks its record as failed, with status 5.
		{ [[ $exit_status == 5 && ! $error ]] && disturbed_by "$1" kill; } ||
		wrong "$2: failed, with status $exit_status, error '$error'" ;;
	running) [[ ${AGAIN[$1]-} ]] || disturbed_by "$1" full ||
		wrong "$2: says that the job runs" ;;
	*) wrong "$2: status '$status'" ;;
	esac
	[[ $1 != coordinator || $status == running || ${PARTED[coordinator]-} ]] ||
		disturbed_by "$1" full || ((exit_status == COORDINATOR_STATUS)) ||
		wrong \
		"the coordinator ended with $COORDINATOR_STATUS, its run.json says $exit_status"
	((elapsed >= 0 && elapsed <= (NOW - JOB_BEGAN) / 1000 + 1)) ||
		wrong "$2: took $elapsed s, of $(((NOW - JOB_BEGAN) / 1000))"
	# run.json lists the attempts before the current one. If the job failed between two
	# attempts, the list also has the last attempt.
	[[ $status == failed ]] || attempts=$((attempts + 1))
	((attempt >= 1 && attempt <= 3 && attempts <= attempt)) ||
		wrong "$2: attempt $attempt, and of attempts it lists too many"
	[[ $status != failed ]] || judge_names "$1" "$error"
}

judge_party() { # NAME
	local dir has=false
	for dir in "$T/out/$1"/job-* "$T/out/twin-$1"/job-*; do
		[[ -e $dir/run.json ]] || continue
		judge_record "$1" "$dir/run.json"
		judge_ledger "$1" "$dir/run.json"
		if [[ $(jq -r .status "$dir/run.json") == "done" ]]; then
			has=true
			judge_labels "$1" "$dir"
			cp "$dir/run.json" "$T/last/$1.json"
		else
			[[ ! -e $dir/labels.csv && ! -e $dir/embeddings.npy ]] ||
				disturbed_by "$1" 'kill|full' ||
				wrong "$dir has results of a job that failed"
		fi
	done
	case $OUTCOME in
	"done"*) $has || disturbed_by "$1" 'kill|term|full|twin' ||
		wrong "the coordinator says done, $1 does not" ;;
	failed*) ! $has || disturbed_by coordinator 'kill|term|full|clock' ||
		wrong "$1 says done, the coordinator does not" ;;
	esac
}

# Each message that the party's record counts as sent is in its ledger.
judge_ledger() { # NAME RECORD
	local job attempt short
	read -r job attempt < <(jq -r '.job_id + " " + (.attempt | tostring)' "$2")
	short=$(join -a 1 -e 0 -o 1.1,1.2,2.2 \
		<(jq -r '[.traffic[] | select(.messages_sent > 0 and (.type
			| IN("HELLO", "HEARTBEAT", "ABORT", "PADDING", "ACK", "RESUME") | not))]
			| group_by(.type)[] |
			"\(.[0].type) \(map(.messages_sent) | add)"' "$2" | sort) \
		<("$BIN/coterie" ledger export --state "$T/state/$1" --csv --job "$job" |
		awk -F '"' -v \
		attempt="$attempt" 'NR > 1 { split($1, of, ","); split($11, a, ",");
			if (of[4] == attempt) n[a[2]]++ }
			END { for (t in n) print t, n[t] }' | sort) |
		awk '$2 > $3 { print $1 ": " $2 " sent, " $3 " booked" }' | head -n 1)
	# A party whose disk is full sends a DECLINE that its ledger cannot record.
	[[ -z $short ]] || { [[ $short == DECLINE* ]] && disturbed_by "$1" full; } ||
		wrong "the ledger of $1 has less than $2: $short"
}

# ---- labels: compared with an undisturbed run over the files that the parties report ----

judge_labels() { # NAME DIR
	local reference file
	reference=$(reference_for "$(jq -r .job_id "$2/run.json")") ||
		{ wrong "no run to compare with: $reference" && return; }
	[[ $reference ]] || return 0
	for file in labels.csv labels.npy ids.csv; do
		[[ ! -e $reference/$1/$file ]] || cmp -s "$reference/$1/$file" "$2/$file" ||
			wrong "$2/$file differs from $reference/$1/$file"
	done
	# Parties draw their walks secretly and anew in each job. So only the sizes of the
	# embeddings are compared.
	file=embeddings.npy
	[[ ! -e $reference/$1/$file ]] ||
		[[ $(stat -c %s "$reference/$1/$file") == "$(stat -c %s "$2/$file")" ]] ||
		wrong "$2/$file is no $file of $reference/$1"
	LABELS=$((LABELS + 1))
}

# Prints the directory of the reference run. Prints nothing unless each party has recorded the job
# as done.
reference_for() { # JOB
	local name run key=$KIND
	local -A record=()
	for name in $(names $PARTIES); do
		for run in "$T/out/$name/job-$1"-*/run.json \
			"$T/out/twin-$name/job-$1"-*/run.json; do
			[[ ! -e $run ]] || ! jq -e '.status == "done"' "$run" >/dev/null ||
				record[$name]=$run
		done
		[[ ${record[$name]-} ]] || return 0
		key+=" $(jq -r '.files[].sha256' "${record[$name]}" | tr '\n' ' ')"
	done
	key=$T/reference/$(sha256sum <<<"$key" | cut -c 1-16)
	[[ -e $key/party-00/run.json ]] || make_reference "$key" || return 1
	echo "$key"
}

make_reference() { # DIR: runs the job that the parties have recorded, without faults
	local name place sha file dir=$1
	rm -rf "$dir"
	mkdir -p "$dir"
	for name in $(names $PARTIES); do
		cp -R "$T/data/$name" "$dir/data-$name"
		while read -r sha file; do
			place=${file##*/data/"$name"/}
			[[ -e $T/store/$sha ]] || {
				echo "$name says that it read $file with SHA-256 $sha, which it \
never was" && return 1
			}
			cp "$T/store/$sha" "$dir/data-$name/$place"
		done < <(jq -r '.files[] | .sha256 + " " + .path' "${record[$name]}")
		jq --arg dir "$dir/data-$name" --arg state "$dir/state-$name" \
			'.state = $state | .data |= map_values($dir + "/" + sub("^data/[^/]*/";
				""))' "$T/$name.json" >"$T/reference-$name.json"
	done
	jq '.listen = "127.0.0.1:0"' "$T/coordinator.json" >"$T/reference-coordinator.json"
	rm -f "$dir/ready"
	(
		trap - EXIT
		PID=()
		start reference "$BIN/coordinator" --config "$T/reference-coordinator.json" --job \
			"$T/job-$KIND.json" --out "$dir/coordinator" --ready-file "$dir/ready"
		until_true 20 test -s "$dir/ready" || exit 1
		for name in $(names $PARTIES); do
			start "reference-$name" "$BIN/party" --config "$T/reference-$name.json" \
				--once --out "$dir/$name" --coordinator "$(<"$dir/ready")"
		done
		for name in "${!PID[@]}"; do wait "${PID[$name]}" || exit 1; done
	) || { echo "an undisturbed run fails: $(last_words reference)" && return 1; }
}

# ---- at the end of the run ----

judge_ledgers() {
	local name said
	for name in $(names $PARTIES); do
		# shellcheck disable=SC2046
		said=$("$BIN/coterie" ledger verify --state "$T/state/$name" \
			$(printf -- '--against %s ' "$T"/last/*) 2>&1) ||
			wrong "the ledger of $name: $said"
		awk '$2 > 3 { exit 1 }
			$2 == 0 { over[$1] = 1; next }
			over[$1] || seen[$1, $2]++ {
			exit 1 }' "$T/state/$name/served" ||
				wrong "$name served an attempt twice, a fourth, or one of a job \
that was done"
	done
}

memory_of() { # NAME: prints resident KiB, open files, threads
	local pid=${PID[$1]}
	echo "$(awk '/^VmRSS/ { print $2 }' \
		"/proc/$pid/status") $(find "/proc/$pid/fd" -mindepth 1 |
		wc -l) $(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)"
}

remember_memory() {
	local name
	for name in $(names $PARTIES); do
		MEMORY[$name]="${PID[$name]} $(memory_of "$name")"
		tell memory "$name" "${MEMORY[$name]}"
	done
}

# Memory may grow by a quarter and 8 MiB, because allocators keep freed pages; with a sanitizer by a
# quarter and 512 MiB. Open files and threads may each become two more.
judge_memory() {
	local name before now pid kib=8192
	! sanitized || kib=524288
	for name in $(names $PARTIES); do
		[[ ${MEMORY[$name]-} ]] || continue
		read -r pid before <<<"${MEMORY[$name]}"
		[[ ${PID[$name]-} == "$pid" ]] || continue
		now=$(memory_of "$name")
		tell memory "$name" "$now"
		echo "$before $now" |
			awk -v kib=$kib \
			'{ exit !($4 <= $1 * 1.25 + kib && $5 <= $2 + 2 && $6 <= $3 + 2) }' ||
			wrong "$name has grown: KiB, files, threads were $before, are $now"
	done
}
