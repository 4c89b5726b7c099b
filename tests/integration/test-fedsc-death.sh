#!/bin/bash
# A party or the coordinator dies (kill -9) or hangs (kill -STOP) in each stage of FedSC and of
# federated k-means. Every other process ends within its deadline, with status 2 or 3, and names the
# victim. No labels and no other files are left over, and the next run succeeds.
#
#     party-00 ==============\
#     party-01 == relay 40 ms == coordinator
#     party-02 == relay 40 ms ==/
#     party-03 ==============/
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# Makes a job whose stages are long, because a slow relay is before some parties. Few landmarks make
# the later stages come soon.
slow_job() { # NAME STAGE
	rows_federation 4
	case $1 in
	anchor) rows_job anchor '.dims = 8' ;;
	# Without dims, the job searches for the number of dimensions.
	dense) rows_job dense "$([[ $2 == dims ]] || echo ".dims = 6")" ;;
	paper | pairwise) rows_job "$1" '.dims = 6' && allows 4 "fedsc.$1" ;;
	kmeans) rows_job kmeans ;;
	esac
	coordinator
	relay relay 40
	party party-00
	ADDRESS=$RELAY party party-01
	ADDRESS=$RELAY party party-02
	party party-03
}

# All other processes end within their deadline, name the victim, and have no labels. If the victim
# dies after it has stored its result, the coordinator may know that. Then the job is done for the
# other parties.
strikes() { # SIGNAL VICTIM JOB STAGE
	local victim=$2 name statuses='' allowed='2|3' late=false cause
	# a party cannot tell the stages upload and result apart
	[[ $4 != upload && $4 != result ]] || late=true allowed='0|2|3'
	strikes_in "$victim" "$4"
	slow_job "$3" "$4"
	in_phase "$victim" "$4"
	kill "-$1" "${PID[$victim]}"
	goes_on
	for name in coordinator party-00 party-01 party-02 party-03; do
		[[ $name != "$victim" ]] || continue
		ended "$name" 12
		[[ "|$allowed|" == *"|$STATUS|"* ]] ||
			fail "$name ended with status $STATUS, expected $allowed"
		statuses+=" $STATUS"
		((STATUS)) || continue
		says "$name" "$victim"
		if [[ $victim$4 == coordinatoroffer && ! -e $T/out/$name/run.json ]]; then
			continue # the coordinator died before its offer
		fi
		cause=$(run_of "$name" .error)
		[[ $cause == *"$victim"* ]] || fail "$name/run.json does not name $victim: $cause"
		[[ $(run_of "$name" .status) == failed ]] ||
			fail "$name/run.json: status $(run_of "$name" .status)"
		[[ ! -e $T/out/$name/labels.csv || $late == true ]] || fail "$name has labels"
	done
	[[ $victim == coordinator || $(xargs -n 1 <<<"$statuses" | sort -u | wc -l) == 1 ]] ||
		fail "they ended with statuses$statuses"
	kill -KILL "${PID[$victim]}" 2>/dev/null || true
	wait "${PID[$victim]}" 2>/dev/null || true
	unset "PID[$victim]"
	no_leftovers "$victim"
}

number=0
for stage in anchor:offer anchor:keys anchor:totals anchor:landmarks anchor:anchor anchor:kmeans \
	dense:dims dense:stage-1 dense:dense paper:upload paper:result pairwise:pairwise \
	kmeans:kmeans; do
	for victim in party-01 coordinator; do
		name=${stage/:/_in_}
		in_sample $((++number)) 2 || continue
		eval "test_KILL_${victim//-/_}_of_${name//-/_}() { strikes KILL $victim \
${stage%:*} ${stage#*:}; }"
	done
done
test_STOP_party_01_of_anchor_in_landmarks() { strikes STOP party-01 anchor landmarks; }
test_STOP_coordinator_of_dense_in_stage_1() { strikes STOP coordinator dense stage-1; }

# A job that was interrupted can be run again.
test_again_after_a_death() {
	slow_job anchor
	in_phase party-01 landmarks
	kill -KILL "${PID[party-01]}" "${PID[relay]}"
	ends '2|3' coordinator party-00 party-02 party-03
	wait "${PID[party-01]}" 2>/dev/null || true
	unset 'PID[party-01]' 'PID[relay]'
	rm -rf "$T/out/coordinator"
	rows_job anchor
	coordinator
	parties 4
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 4)
	[[ $(acc "$T"/out/party-0?/labels.csv) == 1 ]] ||
		fail "accuracy of the second run is $(acc "$T"/out/party-0?/labels.csv)"
}

sample
run_tests "$@"
