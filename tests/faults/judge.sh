# judge.sh -- judges the end of a cell of faults.sh. Processes that succeeded must have the results
# of a run without a fault; processes that failed must have failed cleanly. Reads $protocol, $fault,
# $victim, $T, $base and STATUS_OF of the cell. Each function judge* ends the cell: it calls outcome
# or fail.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # the cell's

judge_late() {
	local name
	for name in coordinator $(names "$PARTIES"); do
		((STATUS_OF[$name] == 0)) || fail "the fault came too late, and yet: $(statuses)"
	done
	nothing_unexpected
	same_results
	outcome late
}

# Some process must log that it lost its connection through the relay.
cut_was_felt() { cat "$T"/*.stderr | grep -Eq '; waiting for .*, for up to|; dialling again for'; }

judge() {
	local name all=0 failed=0
	[[ $fault != gone ]] || judge_gone
	for name in coordinator $(names "$PARTIES"); do
		case ${STATUS_OF[$name]} in
		0) all=$((all + 1)) ;;
		1 | 2 | 3 | 5) failed=$((failed + 1)) ;;
		6) [[ $fault$name == "term$victim" ]] && failed=$((failed + 1)) ||
			fail "$name ended with 6" ;;
		*) fail "$name ended with ${STATUS_OF[$name]}" ;;
		esac
	done
	nothing_unexpected
	if ((failed == 0)); then
		same_results
		nothing_left_over
		[[ $fault != cut ]] || cut_was_felt || outcome late
		outcome survived "$(attempts)"
	fi
	if ((failed == 1)) && { died_when_all_were_done || has_no_record; }; then
		same_results
		nothing_left_over "$victim"
		outcome survived 'it had its results'
	fi
	((all == 0)) || fail "some are done and some failed: $(statuses)"
	[[ $fault != term || ${STATUS_OF[$victim]} == 6 ]] ||
		fail "$victim was told to end, and ended with ${STATUS_OF[$victim]}"
	same_causes
	nothing_left_over "$victim"
	no_results
	outcome 'failed cleanly' \
		"$(cause "$([[ $victim == coordinator ]] && echo party-00 || echo coordinator)")"
}

# The remaining processes must have the results of a job without the victims, and must name the
# victims. If all processes were done before the loss, they have the results of the whole job.
judge_gone() {
	local name missing
	nothing_unexpected
	for name in ${victim//+/ }; do rm -rf "$T/out/$name"; done # nothing judges these
	! too_few "$victim" || all_is_done || judge_too_few
	for name in coordinator $(rest_of "$victim"); do
		((STATUS_OF[$name] == 0)) || fail "the others do not go on: $(statuses)"
		[[ $(run_of "$name" .status) == "done" ]] ||
			fail "$name/run.json has status $(run_of "$name" .status)"
		missing=$(run_of "$name" '[(.left_out // [])[].name] | join("+")')
		if [[ $missing ]]; then
			[[ $missing == "$victim" ]] ||
				fail "$name says that ${missing:-nobody} is missing"
			same_as_of "$base/$protocol/without-$victim" "$name"
		else
			[[ $(run_of coordinator .attempt) == 1 ]] ||
				fail "$name does not say who is missing"
			same_as_of "$base/$protocol/undisturbed" "$name"
		fi
	done
	nothing_left_over
	outcome survived "$(attempts)"
}

all_is_done() {
	local name
	for name in coordinator $(rest_of "$victim"); do ((STATUS_OF[$name] == 0)) || return 1; done
}

# No process has results. Each reports which party is gone, or that too few parties are left.
judge_too_few() {
	local name gone
	for name in coordinator $(rest_of "$victim"); do
		[[ ${STATUS_OF[$name]} == [1235] ]] ||
			fail "$name ended with ${STATUS_OF[$name]}, and too few are left: \
$(statuses)"
		[[ ! -s $T/out/$name/run.json || $(run_of "$name" .status) != "done" ]] ||
			fail "$name/run.json says the job is done"
		cause "$name" | grep -Eq "${victim//+/|}|$TOO_FEW" ||
			fail "$name does not say why: $(cause "$name")"
	done
	for gone in ${victim//+/ }; do
		grep -q "$gone" "$T/coordinator.stderr" ||
			fail "the coordinator does not name $gone"
	done
	no_results
	nothing_left_over
	outcome 'failed cleanly' "$(cause coordinator)"
}

TOO_FEW='policy.allow_loss of party-0[02]'

same_as_of() { # DIRECTORY NAME
	local file
	for file in labels.csv labels.npy; do
		[[ ! -e $1/$2/$file ]] || [[ $protocol == fedspectral* && $file == labels.npy ]] ||
			same_rows "$2" "$1/$2/$file" "$T/out/$2/$file" || fail "$2 has other $file"
	done
}

# True if the victim died after all processes had finished. After SIGTERM it has status 6. After
# kill -9 of a party, the party's second process is refused, or it dials in vain because the
# coordinator has ended too.
died_when_all_were_done() {
	[[ $fault != term ]] || { ((STATUS_OF[$victim] == 6)); return; }
	[[ $fault$victim == killparty* ]] && ((STATUS_OF[$victim] == 2)) && {
		{
			said "$victim" 'refused by coordinator: the job is done' &&
				said coordinator "$victim has its results"
		} ||
			{
				said "$victim" 'was tried for retry_s' &&
					[[ $(run_of coordinator .status) == "done" ]]
			}
	}
}

has_no_record() {
	[[ $fault == disk ]] && ((STATUS_OF[$victim] == 1)) &&
		said "$victim" 'the job is done, but its record was not written: .*No space'
}

statuses() {
	local name
	for name in coordinator $(names "$PARTIES"); do
		printf '%s %s ' "$name" "${STATUS_OF[$name]}"
	done
}

attempts() { run_of coordinator '"attempt \(.attempt)"' 2>/dev/null || true; }
cause() { run_of "$1" '.error // ""' 2>/dev/null | sed 's/,/;/g' | cut -c 1-200; }

# Without numbering files fedspectral numbers rows at random in each job. Clusters of equal size
# then have random numbers too. So same_rows compares clusterings. At the coordinator, whose rows
# have those random numbers, it compares only the sizes of clusters. The launch script, which runs
# the cells of loss, makes no numbering files.
numbered_alike() { [[ $protocol != fedspectral* || -e $T/parties.numbering && $fault != loss ]]; }

same_rows() { # NAME FILE FILE
	local sizes='{ n[$2]++ } END { for (k in n) print n[k] }'
	numbered_alike && { cmp -s "$2" "$3"; return; }
	case $1$protocol in
	coordinatorfedspectral*) cmp -s <(awk -F , "$sizes" "$2" | sort) \
		<(awk -F , "$sizes" "$3" | sort) ;;
	*) [[ $("$BIN/coterie" eval --truth "$2" "$3" | jq .ari) == 1 ]] ;;
	esac
}

same_embeddings() { # NAME
	local was=$base/$protocol/undisturbed/$1 is=$T/out/$1
	[[ -s $was/embeddings.npy && -s $is/embeddings.npy ]] || return 1
	[[ $(stat -c %s "$was/embeddings.npy") == "$(stat -c %s "$is/embeddings.npy")" ]] ||
		return 1
	[[ ! -e $was/ids.csv ]] || cmp -s "$was/ids.csv" "$is/ids.csv"
}

same_results() {
	local name was
	for name in coordinator $(names "$PARTIES"); do
		was=$base/$protocol/undisturbed/$name
		records_done "$name" || fail "$name/run.json has status $(run_of "$name" .status)"
		same_files "$name" || fail "$name has not the files of an undisturbed run"
		# Each job of fedwalk draws other noise, so only the ids and the sizes of the
		# embeddings are compared.
		if [[ $protocol == fedwalk* ]]; then
			same_embeddings "$name" || fail "$name has other embeddings"
			continue
		fi
		# Each job draws another order of the common ids, so the sorted ids are compared.
		[[ ! -e $was/ids.txt ]] ||
			cmp -s <(sort "$was/ids.txt") <(sort "$T/out/$name/ids.txt") ||
			fail "$name has other ids"
		[[ -e $was/labels.csv ]] || continue
		same_rows "$name" "$was/labels.csv" "$T/out/$name/labels.csv" ||
			fail "$name has other labels"
		! numbered_alike || cmp -s "$was/labels.npy" "$T/out/$name/labels.npy" ||
			fail "$name has other labels.npy"
	done
}

# Compares file names: each file that the undisturbed run left must exist and not be empty. Names of
# models contain the job's identifier, so only their number is compared. profile.csv is written when
# all parties are done. A victim that is killed at that time has no profile.csv. A victim without
# disk space has no profile.csv either, and logs that.
same_files() { # NAME
	local was=$base/$protocol/undisturbed/$1 is=$T/out/$1 aside late=none
	aside=$(put_aside "$1")
	if [[ $1 == "$victim" ]]; then
		! died_when_all_were_done || late=profile.csv
		! said "$1" 'profile.csv: cannot write: No space' || late=profile.csv
	fi
	files_in() {
		(cd "$1" &&
			find . -type f -size +0 ! -name run.json ! -name log.jsonl ! -name filling \
			! -name "$late" ! -path './state/ledger*' ! -path "./${aside:-none}/*" |
			sed 's/model-.*\.bin/model/' | sort)
	}
	diff <(files_in "$was") <(files_in "$is") >&2
}

# A second attempt at the job moves the partial results of a killed process to another directory.
# Prints a pattern for the names of such directories.
put_aside() { # NAME
	[[ $fault == kill ]] || return 0
	run_of "$1" 'select(.attempt > 1) | "job-\(.job_id)-*"' 2>/dev/null || true
}

# run.json must say that the job is done. If the victim died when all processes were done, its
# run.json may say something else or be missing. If the victim's disk was full, it may have no
# run.json, and must then log that.
records_done() { # NAME
	if [[ -s $T/out/$1/run.json ]]; then
		[[ $(run_of "$1" .status) == "done" ]] ||
			{ [[ $1 == "$victim" ]] && died_when_all_were_done; }
	elif [[ $1 != "$victim" ]]; then
		return 1
	elif [[ $fault == disk ]]; then
		has_no_record
	else
		died_when_all_were_done
	fi
}

# The coordinator and the parties word the cause differently, but each of them names the victim.
same_causes() {
	local name
	for name in coordinator $(names "$PARTIES"); do
		[[ $name != "$victim" ]] || continue
		grep -q "$victim" "$T/$name.stderr" ||
			fail "$name does not name $victim: $(tail -n 1 "$T/$name.stderr" |
			cut -c 1-200)"
		[[ -s $T/out/$name/run.json ]] || continue # $name got no job
		[[ $(run_of "$name" .status) != "done" ]] ||
			fail "$name/run.json says the job is done"
		[[ $(cause "$name") == *"$victim"* ]] ||
			fail "$name does not name $victim: $(cause "$name")"
	done
	[[ $fault != disk ]] || full_disk_is_the_cause
}

# The victim logs that its disk is full. The other processes log which one ended the job.
full_disk_is_the_cause() {
	local name
	for name in coordinator $(names "$PARTIES"); do
		if [[ $name == "$victim" ]]; then
			grep -Eq 'No space left|disk (I/O|is full)|disk full' "$T/$name.stderr" ||
				fail "$name does not know that its disk is full: $(tail -n 1 \
				"$T/$name.stderr" | cut -c 1-200)"
		else
			grep -Eq ' (says|declined the job): ' "$T/$name.stderr" ||
				fail "$name does not know who ended the job: $(tail -n 1 \
				"$T/$name.stderr" | cut -c 1-200)"
		fi
	done
}

# A party that failed has no results. The victim may have been unable to delete its results. The
# coordinator computes its own results and is not checked.
no_results() {
	local name file
	for name in $(names "$PARTIES"); do
		[[ $name != "$victim" ]] || continue
		for file in labels.csv labels.npy embeddings.npy ids.csv ids.txt; do
			[[ ! -e $T/out/$name/$file ]] ||
				fail "$name was left with $file of a job that failed"
		done
	done
}

nothing_left_over() { # [VICTIM]
	rm -f "${mounted:-$T}/filling"
	no_leftovers "$@"
}

nothing_unexpected() {
	local state name
	! grep -lE 'AddressSanitizer|runtime error:|Assertion' "$T"/*.stderr ||
		fail "a process crashed"
	while read -r name state; do
		counts_its_rows "${state:-$T/out/$name/state}" ||
			fail "the ledger of $name: $(<"$T/counts")"
	done < <(states)
}
