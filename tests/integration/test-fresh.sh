#!/bin/bash
# Data are read when a job is offered. A results directory has the files of one job only.
#
#     job, job, job ==> party (one process)      features.npy replaced between them
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# ---- data ----

# Starts parties that serve jobs until they are stopped.
services() { # L
	local name
	coordinator "${@:2}"
	edit coordinator ".listen = \"$ADDRESS\""
	for name in $(names "$1"); do serves "$name"; done
}

# Prints the directory of the coordinator's last job at party NAME.
of_last() { # NAME
	local id
	id=$(run_of coordinator .job_id)
	echo "$T/out/$1/job-$id-1"
}

data_of() { # DIR: prints the sha256 of the features that the job in DIR read
	jq -r '.files[] | select(.of == "features") | .sha256' "$1/run.json"
}

test_data_replaced_between_jobs() {
	federation 2
	local features old new name
	features=$T/$(jq -r .data.features "$T/party-00.json")
	services 2
	ends 0 coordinator
	old=$(data_of "$(of_last party-00)")
	[[ $old == "$(sha256sum <"$features" | cut -d' ' -f1)" ]] ||
		fail "run.json does not have the digest of the features"
	cp "$(of_last party-00)/labels.csv" "$T/first.csv"
	# Replaces a party's columns by the other party's, as an export does: written to a new file,
	# then renamed.
	cp "$T/$(jq -r .data.features "$T/party-01.json")" "$features.new"
	mv "$features.new" "$features"
	coordinator
	ends 0 coordinator
	new=$(data_of "$(of_last party-00)")
	[[ $new == "$(sha256sum <"$features" | cut -d' ' -f1)" && $new != "$old" ]] ||
		fail "the second job ran on other data than the file's: $new"
	says party-00 'features: .*, sha256'
	for name in $(names 2); do
		kill -TERM "${PID[$name]}"
		ends 0 "$name"
	done
	no_leftovers
}

# The names of columns belong to the data too: run.json has the digest of columns.json, and the next
# job reads the file again.
test_columns_renamed_between_jobs() {
	local columns name digest
	rows_federation 2
	rows_job kmeans
	for name in $(names 2); do
		jq -n '{ columns: [range(6) | { name: "c\(.)", type: "number" }] }' \
			>"$T/data/$name/columns.json"
	done
	columns=$T/data/party-00/columns.json
	services 2
	ends 0 coordinator
	says party-00 'columns: .*columns.json, [0-9]+ bytes of .*, sha256'
	digest=$(jq -r '.files[] | select(.of == "columns") | .sha256' \
		"$(of_last party-00)/run.json")
	[[ $digest == "$(sha256sum <"$columns" | cut -d' ' -f1)" ]] ||
		fail "run.json has not the digest of columns.json, but $digest"
	sed 's/c3/weight/' "$columns" >"$columns.new"
	mv "$columns.new" "$columns"
	coordinator
	ends 2 coordinator
	says coordinator 'its columns differ from those of others in names'
	rm "$columns"
	coordinator
	ends 0 coordinator
	[[ $(jq -c '[.files[].of]' "$(of_last party-00)/run.json") == '["features","ids"]' ]] ||
		fail "$(jq -c .files "$(of_last party-00)/run.json")"
	for name in $(names 2); do
		kill -TERM "${PID[$name]}"
		ends 0 "$name"
	done
}

test_graphs_replaced_between_jobs() {
	graphs_federation 2
	local dir first
	dir=$T/$(jq -r .data.graphs "$T/party-00.json")
	services 2
	ends 0 coordinator
	first=$(jq -c .files "$(of_last party-00)/run.json")
	for file in "$dir"/*_graph_labels.txt; do
		tac "$file" >"$file.new" && mv "$file.new" "$file"
	done
	coordinator
	ends 0 coordinator
	[[ $(jq -c '.files | length' "$(of_last party-00)/run.json") -ge 2 ]] ||
		fail "run.json names too few files of graphs"
	[[ $(jq -c .files "$(of_last party-00)/run.json") != "$first" ]] ||
		fail "graphs were not read again"
}

# The party declines an offered job because of a damaged file. It stays, and serves the next job
# with the repaired file.
test_half_written_data() {
	federation 2
	local features
	features=$T/$(jq -r .data.features "$T/party-00.json")
	services 2
	ends 0 coordinator
	cp "$features" "$T/whole"
	head -c 300 "$T/whole" >"$features"
	coordinator
	ends 4 coordinator
	says coordinator 'party-00 declined the job: its data cannot be read'
	party_says "$(basename "$features")"
	[[ $(run_of coordinator .status) == failed ]] ||
		fail "run.json says $(run_of coordinator .status)"
	! gone party-00 || fail "the party has ended"
	cp "$T/whole" "$features"
	coordinator
	ends 0 coordinator
}

# A party that is started with a damaged file ends at once.
test_wrong_data_at_the_start() {
	federation 2
	truncate -s 100 "$T/$(jq -r .data.features "$T/party-00.json")"
	start party-00 "$BIN/party" --config "$T/party-00.json"
	ends 4 party-00
}

# ---- results ----

test_results_of_a_job_that_failed() {
	federation 2
	local dir=$T/out/coordinator first id
	coordinator
	parties 2
	completes 2
	first=$(jq -r .job_id "$dir/run.json")
	cp "$dir/labels.csv" "$T/labels.csv"
	edit coordinator '.join_timeout_s = 5'
	coordinator
	[[ $(run_of coordinator .status) == running ]] ||
		fail "before its parties come run.json says $(run_of coordinator .status)"
	ends 3 coordinator
	[[ $(run_of coordinator .status) == failed ]] ||
		fail "parties absent, and run.json says $(run_of coordinator .status)"
	[[ $(run_of coordinator .job_id) != "$first" ]] || fail "run.json is of the first job"
	[[ ! -e $dir/labels.csv && ! -e $dir/labels.npy ]] ||
		fail "labels of the first job lie beside a job that failed"
	same_labels "$T/labels.csv" "$dir/job-$first-1/labels.csv"
	[[ $(jq -r .status "$dir/job-$first-1/run.json") == "done" ]] ||
		fail "the first job's run.json is lost"
	"$BIN/coterie" show "$dir" >"$T/shown" || fail "coterie show: status $?"
	grep -q 'failed' "$T/shown" || fail "coterie show: $(<"$T/shown")"
	! grep -q 'labels.csv' "$T/shown" ||
		fail "coterie show names labels that are not there: $(<"$T/shown")"
	id=$(run_of coordinator .job_id)
	# A party that runs a single job also moves its old results away when a job fails.
	edit coordinator '.join_timeout_s = 20'
	edit party-00 '.policy.min_parties = 3'
	coordinator
	parties 2
	ends '2|4' coordinator party-00 party-01
	[[ $(run_of party-00 .status) == failed && ! -e $T/out/party-00/labels.csv ]] ||
		fail "party-00 declined, and its directory has $(ls "$T/out/party-00")"
	[[ -e $T/out/party-00/job-$first-1/labels.csv ]] || fail "its first labels are lost"
	[[ $(jq -r .status "$dir/job-$id-1/run.json") == failed ]] ||
		fail "the second job's record is lost"
	no_leftovers
}

# run.json exists while the job runs, with status "running".
test_record_of_a_job_that_runs() {
	federation 3
	edit_all 3 '.reconnect_s = 60'
	stretched
	in_phase coordinator level-1
	kill -STOP "${PID[party-02]}" # makes the job last
	[[ $(run_of coordinator .status) == running ]] ||
		fail "the coordinator's says $(run_of coordinator .status)"
	[[ $(run_of party-00 .status) == running ]] ||
		fail "a party's says $(run_of party-00 .status)"
	[[ $(run_of party-00 '.exit_status') == null ]] || fail "a party's has an exit status"
	kill -CONT "${PID[party-02]}"
	completes 3
}

test_offer_that_cannot_be_recorded() {
	federation 2
	local id
	coordinator
	parties 2
	completes 2
	# With a damaged ledger the job is declined, and leaves no directory.
	echo "no ledger" >"$T/out/party-00/state/ledger.db"
	rm -f "$T/out/party-00/state/ledger.db-wal" "$T/out/party-00/state/ledger.db-shm"
	coordinator
	serves party-00
	party party-01
	ended coordinator
	until_true 10 test -e "$T/out/coordinator/run.json"
	id=$(run_of coordinator .job_id)
	soon_says party-00 'ledger.db is no ledger'
	says coordinator 'party-00 declined the job: its ledger cannot be used'
	[[ ! -e $T/out/party-00/job-$id-1 && ! -e $T/out/party-00/job--1 ]] ||
		fail "a declined offer left a directory"
}

# ---- one process ----

test_second_coordinator_on_one_directory() {
	federation 2
	coordinator
	local first=${PID[coordinator]} before
	before=$(jq -c '[.job_id, .status]' "$T/out/coordinator/run.json")
	start second "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" --set \
		seed=9
	ends 4 second
	says second "out/coordinator is in use by process $first"
	[[ $(jq -c '[.job_id, .status]' "$T/out/coordinator/run.json") == "$before" ]] ||
		fail "the first one's run.json has changed"
	parties 2
	completes 2
}

test_second_party_on_one_directory() {
	federation 2
	coordinator
	start party-00 "$BIN/party" --config "$T/party-00.json" --once --coordinator "$ADDRESS"
	soon_says party-00 'admitted'
	start second "$BIN/party" --config "$T/party-00.json" --once --coordinator "$ADDRESS"
	ends 4 second
	says second 'is in use by process'
	party party-01
	completes 2
}

sample test_data_replaced_between_jobs test_half_written_data test_record_of_a_job_that_runs
run_tests "$@"
