#!/bin/bash
# Runs a coordinator that tells one lie (tests/hostile/liar.py) with parties of a kmeans job. A lie
# that harms parties ends the job in time, with an error that names the coordinator and never a
# party, and no party has labels. If a lie is about several attempts or jobs, a later one is
# refused.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=lies.sh
source "${0%/*}/lies.sh"

lies_to() { # L: makes a federation for the liar
	needs_python
	rows_federation "$1"
	echo '{ "kind": "kmeans", "clusters": 3, "seed": 7 }' >"$T/job.json"
}

test_sums_that_are_changed() {
	lies_to 3
	local lie
	local lies=("bit=0,0" "bit=1,0" "bit=2,0" "bit=3,0" "bit=5,0" n scale count=2 centre=3
		swap=2 zero=3 "one=2,0" "one=3,-1" "bit=2,-1" "bit=2,-2")
	# The tag covers every word. A sample of these tests changes the first sum, a later sum, a
	# sum for a single party, and the tag itself.
	[[ ! ${COTERIE_SAMPLE-} ]] || lies=("bit=0,0" n count=2 centre=3 "one=3,-1" "bit=2,-2")
	for lie in "${lies[@]}"; do is_found "$lie" "$WRONG_SUM"; done
}

# The coordinator changes a sum of two lists of 24 words each: the columns' deviations, and marks of
# the columns that a party leaves unchanged.
test_deviations_that_are_changed() {
	lies_to 3
	edit job '.standardize = "joint"'
	local lie
	for lie in scale bit=1,0 bit=1,23 bit=1,24 bit=1,47 bit=1,-1; do
		is_found "$lie" "$WRONG_SUM"
	done
}

# The coordinator changes the silhouettes that decide the number of clusters.
test_silhouettes_that_are_changed() {
	lies_to 3
	edit job '.clusters = { from: 2, to: 4 }'
	is_found lone "$WRONG_SUM"
}

# In jobs with noise in sums, the coordinator changes rows, counts, offsets and tags.
test_noisy_sums_that_are_changed() {
	lies_to 3
	local lie
	edit job '. + { iterations: 5, noise: { on: "sums", eps: 4, delta: 1e-5, clip: 50 } }'
	for lie in bit=0,0 n bit=1,0 one=1,-1 count=1 centre=2; do
		is_found "$lie" "$WRONG_SUM"
	done
}

# Tries to reduce the noise. One party is offered a larger eps, or all parties are told of parties
# that do not exist and would share the noise. No numbers made from data leave.
test_less_noise() {
	lies_to 3
	edit job '. + { iterations: 5, noise: { on: "sums", eps: 4, delta: 1e-5, clip: 50 } }'
	is_found weak-one "$OTHER_JOB"
	fresh_out
	liar crowd=5
	parties 3
	# shellcheck disable=SC2046
	ends 2 $(names 3)
	says party-01 'party-90 takes part, but the peers of party-01 do not name it'
	! "$BIN/coterie" ledger --state "$T/out/party-01/state" export --csv | grep -q MASKED ||
		fail 'a term has left'
}

test_sums_out_of_place() {
	lies_to 3
	is_found again=2 'coordinator '
	is_found late=2 'coordinator '
	is_found old=2 'coordinator '
	is_found group=2 'coordinator '
	is_found short=2 'coordinator '
}

test_words_that_are_changed() {
	lies_to 3
	is_found word 'coordinator broadcast other values to .* than to this party'
	is_found nonce 'key advertisement of party-02: .*'
	is_found key 'key advertisement of party-02: .*'
}

# The coordinator speaks version 3, whose sums had no tags. Parties refuse it and report the remedy.
test_version_without_tags() {
	lies_to 3
	liar version
	parties 3
	for name in $(names 3); do
		soon_says \
			"$name" 'coordinator speaks protocol version 3, party-0. speaks [0-9] to '\
'[0-9]: bring both to the same release of coterie'
		[[ ! -e $T/out/$name/labels.csv && ! -e $T/out/$name/state/served ]] ||
			fail "$name went on"
	done
	kill -KILL "${PID[coordinator]}"
	ends '2|3' party-00 party-01 party-02 # the parties dial again for retry_s
}

# A peer's text cannot move a cursor, forge a line or reverse text. C0, C1, direction marks and line
# separators are replaced.
harmless() { # FILE
	[[ -s $1 ]] || fail "$1 is empty"
	! LC_ALL=C grep \
		-qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|'\
'\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1" ||
		fail "$1 has $(LC_ALL=C grep -aP \
		'[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x8[01]' "$1" | head -n 3 | cat -v)"
}

test_harmful_texts() {
	lies_to 3
	local name \
		f evil=$'\e[2J\e]0;owned\a \u009b31m \u202e dednepsus \u2066\u2028\n00:00:00.000 '\
'info forged\r'
	liar refused
	parties 3
	for name in $(names 3); do
		soon_says "$name" 'refused by coordinator: .*owned.*dednepsus.*forged'
		harmless "$T/$name.stderr"
		harmless "$T/out/$name/log.jsonl"
		! grep -q '^00:00:00' "$T/$name.stderr" || fail "$name has a forged line"
	done
	kill -KILL "${PID[coordinator]}"
	ends '2|3' party-00 party-01 party-02
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for f in "$T"/out/*/run.json; do # as if another program had written it
		jq --arg evil \
			"$evil" '.name += $evil | .error = $evil | .submitter += $evil
				| .peers[0].name += $evil
			| .facts = { ($evil): $evil } | .leaks += [$evil]
			| .phases[0].name += $evil
			| .data.features += $evil' "$f" >"$f.new" && mv "$f.new" "$f"
	done
	for f in "$T/out" "$T/out/party-00"; do
		"$BIN/coterie" show "$f" >"$T/shown" 2>&1 || true
		grep -q dednepsus "$T/shown" || fail "show $f says nothing of it: $(<"$T/shown")"
		harmless "$T/shown"
	done
	"$BIN/coterie" compare "$T/out" "$T/out/party-00" >"$T/shown" 2>&1 || true
	harmless "$T/shown"
}

# Programs that stop at a byte 0 would take "party-02" and "party-02\0x" for the same name; other
# programs would not.
test_names_with_a_zero() {
	lies_to 3
	is_found nul "the offer's name of party 2 has a byte 0 in it"
	is_found nul-submitter "the offer's submitter is not a name"
}

# The policy is checked before the data are opened. A coordinator whose offer is not allowed does
# not even learn whether the data can be read.
test_data_are_not_looked_at() {
	lies_to 3
	local name features
	export ADDRESS
	liar probing=1 # the liar waits until all parties are connected
	edit party-02 '.retry_s = 0'
	for name in party-00 party-01; do
		edit "$name" '.policy.min_cluster = 4'
		serves "$name"
		soon_says "$name" 'admitted by coordinator'
		features=$T/$(jq -r .data.features "$T/$name.json")
		mv "$features" "$features.away"
	done
	serves party-02
	ends 0 coordinator
	for name in party-00 party-01; do
		says "$name" 'policy.min_cluster of party-0[01] is 4'
		! said "$name" 'features.*No such file' ||
			fail "$name looked for its data: $(grep 'No such' "$T/$name.stderr")"
	done
	for name in $(names 3); do
		kill -TERM "${PID[$name]}"
		ended "$name"
	done
}

# Parties are stopped while only the coordinator's DONE is missing. They have results, and report
# that.
test_stopped_before_the_last_word() {
	lies_to 3
	local name
	liar last
	parties 3
	held() { grep -q 'held back' "$T/coordinator.stdout"; }
	until_true 60 held || fail "nothing is held back"
	# all earlier messages have arrived by then; parties wait for DONE for 20 s at most
	sleep "$(longer 1)"
	for name in $(names 3); do kill -TERM "${PID[$name]}"; done
	for name in $(names 3); do
		ended "$name"
		[[ $(run_of "$name" .status) == "done" ]] ||
			fail "$name/run.json says $(run_of "$name" .status): $(run_of "$name" \
			.error)"
		[[ -s $T/out/$name/labels.csv ]] || fail "$name has no labels"
		says "$name" 'the heads of the other ledgers are unknown, since coordinator'
	done
}

# Results of an attempt are not replaced, even if state/served, which records the attempt, was lost.
test_results_that_are_there() {
	lies_to 3
	local name there
	there=job-$(printf '11%.0s' {1..16})-1
	services known=1
	for name in $(names 3); do
		[[ -s $T/out/$name/$there/labels.csv ]] ||
			fail "$name has no labels: $(<"$T/coordinator.stdout")"
		rm "$T/out/$name/state/served"
		ls -l --time-style=full-iso "$T/out/$name/$there" >"$T/$name.before"
	done
	liar known=1
	for name in $(names 3); do serves "$name"; done
	ended coordinator
	for name in $(names 3); do
		soon_says \
			"$name" "attempt 1 of job (11){16} left its results before, in .*$there: \
they are not replaced"
		kill -TERM "${PID[$name]}"
		ended "$name"
		ls -l --time-style=full-iso "$T/out/$name/$there" | diff "$T/$name.before" - ||
			fail "$name has replaced them"
	done
}

# Only the daemon's user may read its files, under any umask.
test_files_are_for_their_user() {
	lies_to 3
	rm -rf "$T/out"
	(
		umask 0
		coordinator
		parties 3
		ends 0 coordinator party-00 party-01 party-02
	)
	[[ -s $T/out/party-00/labels.csv &&
		-s $T/out/party-00/state/ledger.db && -s $T/out/coordinator/run.json ]] ||
		fail "no results"
	[[ -z $(find "$T"/out/* -perm /077) ]] ||
		fail "others may look at $(find "$T"/out/* -perm /077 -printf '%m %p\n' |
		head -n 3)"
}

# The coordinator accuses a party. The other parties report this as the coordinator's claim.
test_blame() {
	lies_to 3
	is_found third 'coordinator says: party-01 cheated'
	is_found number 'ABORT of a coordinator, whose ending has a number'
}

# The answer to a lie reveals nothing about the data. Lies about rows and counts, for all parties or
# for one, get the same fixed ending.
test_answers_to_lies() {
	lies_to 3
	local lie
	for lie in rows=1 rows=50 rows=149 rows=151 none-at=2 count=2; do
		is_found "$lie" "$WRONG_SUM"
		sed 's/party-0[0-2]/party/' "$T/coordinator.stderr" >>"$T/answers"
	done
	[[ $(sort -u "$T/answers") == 'liar: party says: ending 2, code 2' ]] ||
		fail "it hears $(sort -u "$T/answers")"
}

# A party does not wait without end for a coordinator that only reports progress.
test_endless_progress() {
	lies_to 3
	local name
	edit_parties 3 '.job_timeout_s = 4'
	liar none=2
	parties 3
	# the liar ends the job for the others when the first party gives up
	ends '2|3' party-00 party-01 party-02
	grep -q '"text":"[^"]*job_timeout_s[^"]*(exit 3' "$T"/party-0?.stderr ||
		fail "nobody has had enough"
	for name in $(names 3); do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
}

# Starts parties that serve several offers.
services() { # LIE
	local name
	edit_parties 3 '.rejoin_s = 20'
	liar "$1"
	for name in $(names 3); do serves "$name"; done
	ends 0 coordinator
	for name in $(names 3); do
		kill -TERM "${PID[$name]}" 2>/dev/null || true
		ended "$name"
	done
}

test_attempts_without_end() {
	lies_to 3
	local name
	services attempts=9
	[[ $(grep -c 'enough of this attempt' "$T/coordinator.stdout") == 3 ]] ||
		fail "more than three attempts: $(<"$T/coordinator.stdout")"
	grep -q 'attempt 4: party-0[0-2] declined the job' "$T/coordinator.stdout" ||
		fail "$(<"$T/coordinator.stdout")"
	for name in $(names 3); do
		[[ -z $(find "$T/out/$name" -name labels.csv) ]] || fail "$name has labels"
	done
}

# Prints the coordinator's knowledge of the columns' sums: the error of one attempt (or job), the
# error of the mean over all, and the number of attempts.
errors() {
	"$PYTHON" - "$T" <<-'EOF'
		import glob, sys
		import numpy as np
		files = glob.glob(sys.argv[1] + "/data/party-*/features.npy")
		true = sum(np.load(f).astype(float).sum(axis=0) for f in files)
		seen = [np.array(line.split()[2:], float) - true
		        for line in open(sys.argv[1] + "/coordinator.stdout")
		        if line.startswith("sums:")]
		print(np.linalg.norm(seen, axis=1).mean(), np.linalg.norm(np.mean(seen, axis=0)),
		      len(seen))
	EOF
}

noisy() { # makes a federation that allows as many attempts and jobs as possible
	local name
	lies_to 3
	edit job '.noise = { on: "data", eps: 0.5, delta: 1e-5, clip: 100 }'
	edit_parties 3 '.policy.max_attempts = 16'
	many=16 # no policy allows more; the 17th of 50 attempts is declined
}

# All attempts have the same noise, so their mean is as far from the truth as one attempt. Jobs have
# noise and eps of their own, so their mean is nearer.
test_mean_of_attempts() {
	local one mean n
	noisy
	services attempts=50
	read -r one mean n < <(errors)
	echo "error of the columns' sums: of one attempt $one, of the mean of $n $mean"
	[[ $n == "$many" ]] ||
		fail "$n attempts, expected $many: $(tail -n 1 "$T/coordinator.stdout")"
	at_least "$one" 100 "the error of one attempt"
	at_least "$mean" "$(jq -n "$one * 0.999999")" "the error of the mean"
	services jobs="$many"
	read -r one mean n < <(errors)
	echo "error of the columns' sums: of one job $one, of the mean of $n $mean"
	[[ $n == "$many" ]] || fail "$n jobs, expected $many"
	at_least "$(jq -n "$one * 0.7")" "$mean" "seven tenths of the error of one job"
}

# Without noise the first attempt shows the sums, and further attempts show nothing else.
test_attempts_without_noise() {
	local one mean n
	noisy
	edit job 'del(.noise)'
	services attempts=50
	read -r one mean n < <(errors)
	at_least 1e-6 "$one" "the least error"
	[[ $(grep sums: "$T/coordinator.stdout" | sort -u | wc -l) == 1 && $n == "$many" ]] ||
		fail "$n attempts of other sums"
}

test_done_again() {
	lies_to 3
	services redo=2
	grep -q 'attempt 1: done' "$T/coordinator.stdout" || fail "$(<"$T/coordinator.stdout")"
	grep -q 'attempt 2: party-0[0-2] declined the job: ending 12' "$T/coordinator.stdout" ||
		fail "$(<"$T/coordinator.stdout")"
}

# Two jobs have identifiers with the same first half. The second job does not overwrite the results
# of the first job.
test_another_job_of_the_same_first_half() {
	lies_to 3
	services twin=2
	[[ $(grep -c ': done' "$T/coordinator.stdout") == 2 ]] || fail "$(<"$T/coordinator.stdout")"
	[[ $(find "$T/out/party-00" -name labels.csv | wc -l) == 2 ]] ||
		fail "$(find "$T/out/party-00")"
}

# The coordinator tries which offers parties decline. After 60 offers parties consider no further
# offer, and no offer leaves a directory.
test_probing() {
	lies_to 3
	local name
	edit job '.min_cluster = 2'
	services probing=62
	[[ $(grep -c 'declined the job: ending 10' "$T/coordinator.stdout") == 62 ]] ||
		fail "$(<"$T/coordinator.stdout")"
	for name in $(names 3); do
		[[ $(grep -c 'job failed: .*policy.min_cluster of' "$T/$name.stderr") -le 60 ]] ||
			fail "$name considered more than 60"
		[[ -z $(find "$T/out/$name" -name 'job-*') ]] ||
			fail "$name: a declined offer left $(find "$T/out/$name" -name 'job-*')"
	done
	any_party_said '60 offers were declined within an hour' || fail "nobody says why"
}

# An approval is for one offer with its parameters, parties, coordinator and data. It does not serve
# a second job.
test_approval_twice() {
	lies_to 3
	local id
	edit party-01 '.policy.confirm = true | .confirm_s = 5'
	liar twin=2
	for name in $(names 3); do
		edit "$name" '.rejoin_s = 20'
		serves "$name"
	done
	soon_says party-01 'waits for approval'
	id=$(ls "$T/out/party-01/state/offers" | sed -n 's/\.json$//p' | head -n 1)
	"$BIN/coterie" approve --state "$T/out/party-01/state" "$id" >/dev/null || fail "approve"
	ends 0 coordinator
	grep -q 'attempt 1: done' "$T/coordinator.stdout" || fail "$(<"$T/coordinator.stdout")"
	[[ $(grep -c ': done' "$T/coordinator.stdout") == 1 ]] ||
		fail "an answer served twice: $(<"$T/coordinator.stdout")"
}

sample test_sums_that_are_changed test_less_noise
run_tests "$@"
