#!/bin/bash
# Tests FedSC in its variants and federated k-means between real daemons: their clusters, which
# process learns which labels, and refusals. Deaths are in test-fedsc-death.sh.
#
#     150 rows, 3 clouds --- split --by rows ---> party-00 ===\
#                                                 party-01 ==== coordinator: sums, never labels
#                                                 party-02 ===/   (except variants paper, pairwise)
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# shellcheck source=fedsc.sh
source "${0%/*}/fedsc.sh"

whole_run() { # L NAME [JQ-PROGRAM]
	rows_federation "$1"
	rows_job "$2" "${3-}"
	[[ $2 != pa* ]] || allows "$1" "fedsc.$2"
	coordinator
	parties "$1"
	finds_the_clouds "$1" "$2" "${PHASES[$2]}"
}

test_anchor_of_two() { whole_run 2 anchor; }
test_anchor_of_five() { whole_run 5 anchor; }
test_dense_of_three() { whole_run 3 dense; }
test_kmeans_of_two() { whole_run 2 kmeans; }
test_kmeans_of_five() { whole_run 5 kmeans; }

test_paper_of_three() {
	whole_run 3 paper
	for name in coordinator party-00 party-01 party-02; do says "$name" 'unmasked'; done
}

# The clusters are those of variant paper, up to their numbers. Coordinator and parties warn of the
# disclosure.
test_pairwise_of_five() {
	whole_run 5 paper
	cp -r "$T/out" "$T/paper"
	rows_job pairwise
	allows 5 fedsc.pairwise
	rm -r "$T/out"
	coordinator
	parties 5
	finds_the_clouds 5 pairwise "${PHASES[pairwise]}"
	[[ $(paste -d , "$T/paper/coordinator/labels.csv" "$T/out/coordinator/labels.csv" |
		tail -n +2 | cut -d , -f 2,4 | sort -u | wc -l) == 3 ]] ||
		fail 'other clusters than by variant paper'
	for name in $(names 5); do
		says "$name" "compute this party's rows"
	done
	says coordinator 'the similarity of any two rows'
}

test_one_party() {
	rows_federation 1
	rows_job anchor '.allow_single = true'
	edit party-00 '.policy.allow_single = true'
	coordinator
	parties 1
	finds_the_clouds 1 anchor "${PHASES[anchor]}"
}

# Uses configs/party-with-rows.json with other names and paths.
test_example_configuration() {
	local name
	rows_federation 3
	for name in $(names 3); do
		jq -s '.[0] + (.[1] | del(.policy))' "$ROOT/configs/party-with-rows.json" \
			"$T/$name.json" >"$T/new"
		mv "$T/new" "$T/$name.json"
	done
	coordinator
	parties 3
	finds_the_clouds 3 anchor "${PHASES[anchor]}"
}

# Each party has one class alone, so each cluster has rows of one party.
test_parties_of_one_class() {
	local name
	rows_federation 3
	rm -rf "$T/data"
	"$BIN/coterie" split --by rows --skew 1 --parties 3 --data "$T/pooled" --out "$T/data" \
		>/dev/null
	for name in $(names 3); do
		[[ $(sort -u "$T/data/$name/labels.txt" | wc -l) == 1 ]] ||
			fail "$name has several classes"
	done
	rows_job anchor
	coordinator
	parties 3
	finds_the_clouds 3 anchor "${PHASES[anchor]}"
	for name in $(names 3); do
		[[ $(tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 2 | sort -u |
			wc -l) == 1 ]] || fail "$name has several clusters"
	done
}

test_same_job_same_labels() {
	local name
	whole_run 3 anchor
	mkdir "$T/first"
	for name in $(names 3); do mv "$T/out/$name/labels.csv" "$T/first/$name.csv"; done
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	for name in $(names 3); do same_labels "$T/first/$name.csv" "$T/out/$name/labels.csv"; done
}

# ---- noise ----

test_noise_of_rows() {
	rows_federation 3
	rows_job anchor '.noise = { on: "data", beta: 0.05 }'
	coordinator
	parties 3
	finds_the_clouds 3 anchor "${PHASES[anchor]}"
	[[ $(run_of party-01 \
		.facts.privacy) == "no differential privacy: rows have noise of sigma 0.05 "* ]] ||
		fail "party-01 says: $(run_of party-01 .facts.privacy)"
}

# A policy allows at most eps 2, and run.json states the differential privacy of each row.
test_private() {
	rows_federation 3
	rows_job kmeans '.noise = { on: "data", eps: 2, delta: 1e-5, clip: 40 }'
	edit party-01 '.policy.max_eps = 2 | .policy.max_delta = 1e-3'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	[[ $(run_of \
		party-01 .facts.privacy) == "(eps 2, delta 1e-05)-differential privacy of each \
row"*"moves the data by at most 80,"* ]] ||
		fail "party-01 says: $(run_of party-01 .facts.privacy)"
}

# Only the number of rows is exact; sizes of clusters are noisy counts. The clouds are found
# nevertheless. At eps 4 they were not found in 3 of 150 runs. At eps 8 they were found in all runs.
test_noise_in_sums() {
	rows_federation 3
	rows_job kmeans '.noise = { on: "sums", eps: 8, delta: 1e-5, clip: 20, colluders: 1 }'
	edit party-01 '.policy.max_eps = 8 | .policy.max_delta = 1e-3'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	# shellcheck disable=SC2046
	awk -v acc="$(acc $(labels_of 3))" 'BEGIN { exit !(acc > 0.9) }' ||
		fail "accuracy is $(acc $(labels_of 3))"
	[[ $(run_of \
		party-01 .facts.privacy) == "(eps 8, delta 1e-05)-differential privacy of each \
row"*"1 of them may tell"* ]] ||
		fail "party-01 says: $(run_of party-01 .facts.privacy)"
	[[ $(run_of coordinator .facts.rows) == "$(run_of party-00 .facts.rows)" ]] ||
		fail "other rows at the coordinator"
	[[ $(run_of coordinator '.facts.lloyd_rounds') == 7 ]] ||
		fail "$(run_of coordinator '.facts.lloyd_rounds') rounds"
	[[ $(run_of coordinator '.result.cluster_sizes | length') == 3 ]] ||
		fail "$(run_of coordinator .result) has other clusters"
	# shellcheck disable=SC2046
	[[ $(run_of coordinator '.result.cluster_sizes | sort[]' | xargs) != "$(cat $(labels_of 3) |
		grep -o '[0-9]*$' | sort | uniq -c |
		awk '{ print $1 }' | sort -n | xargs)" ]] || fail "sizes are exact"
	(("$("$BIN/coterie" ledger export --state "$T/out/party-01/state" --csv |
		awk -F, 'NR > 1 && $(NF - 6) > 0 { n++ } END { print n }')" == 1)) ||
		fail "eps is not in one row of the ledger"
}

# Adds noise to landmarks, and to the ties that rows make between them.
test_noise_in_sums_of_landmarks() {
	rows_federation 3
	rows_job anchor '.noise = { on: "sums", eps: 30, delta: 1e-5, clip: 20 }'
	edit party-01 '.policy.max_eps = 30 | .policy.max_delta = 1e-3'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	[[ $(run_of \
		party-01 .facts.privacy) == "(eps 30, delta 1e-05)-differential privacy of each \
row"*", and the ties of landmarks of "*"half of them may tell"* ]] ||
		fail "party-01 says: $(run_of party-01 .facts.privacy)"
	[[ $(run_of party-01 .leaks) == *'by the discrete Gaussian mechanism in sums'* ]] ||
		fail "leaks: $(run_of party-01 .leaks)"
	[[ $(run_of coordinator \
		'.facts.noise_multiplier_anchor < .facts.noise_multiplier') == true ]] ||
		fail "$(run_of coordinator .facts)"
	[[ $(run_of coordinator .facts.eps_spent) == null &&
		$(run_of party-00 .facts.eps_spent) == 30 ]] || fail "eps is not spent"
}

# ---- policy ----

refused() { # REGEX: all end with 2, and no process has a sum or labels
	local name
	coordinator
	parties 3
	ends 2 coordinator party-00 party-01 party-02
	party_says "$1"
	for name in coordinator party-00 party-01 party-02; do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
	[[ $(run_of coordinator .rounds) == 0 ]] || fail "there were sums"
}

test_paper_is_not_fedsc() {
	rows_federation 3
	rows_job paper
	refused 'the offered job is of kind fedsc\.paper, which policy\.jobs of party-0[0-2] '\
'does not name'
}

test_fedsc_is_not_kmeans() {
	rows_federation 3
	edit party-01 '.policy.jobs = ["kmeans"]'
	refused 'of kind fedsc, which policy\.jobs of party-01 does not name'
}

test_max_eps() {
	rows_federation 3
	rows_job anchor '.noise = { on: "data", eps: 3, delta: 1e-5, clip: 1 }'
	edit party-01 '.policy.max_eps = 2.5 | .policy.max_delta = 1e-3'
	refused 'the offered job\.noise\.eps is 3, policy\.max_eps of party-01 is 2\.5'
}

test_max_eps_of_sums() {
	rows_federation 3
	rows_job kmeans '.noise = { on: "sums", eps: 3, delta: 1e-5, clip: 1 }'
	edit party-01 '.policy.max_eps = 2.5 | .policy.max_delta = 1e-3'
	refused 'the offered job\.noise\.eps is 3, policy\.max_eps of party-01 is 2\.5'
}

test_max_eps_and_no_noise() {
	rows_federation 3
	edit party-01 '.policy.max_eps = 2 | .policy.max_delta = 1e-3'
	refused 'of kind fedsc claims no differential privacy, policy\.max_eps of party-01 is 2'
}

test_min_cluster() {
	rows_federation 3
	edit party-01 '.policy.min_cluster = 5'
	refused 'sums of 3 rows \(job\.min_cluster\), policy\.min_cluster of party-01 is 5'
}

test_min_parties() {
	rows_federation 3
	edit party-01 '.policy.min_parties = 4'
	refused '3 parties\) has sums of 3 parties, policy\.min_parties is 4'
}

# ---- wrong jobs: exit 4 before anything starts ----

# Each JQ-PROGRAM makes $T/job.json wrong. The coordinator ends with 4, and REGEX matches its error.
wrong_job() { # REGEX JQ-PROGRAM...
	local program
	for program in "${@:2}"; do
		jq "$program" "$T/job.json" >"$T/wrong.json"
		start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job \
			"$T/wrong.json" --out "$T/out/coordinator"
		ends 4 coordinator
		says coordinator "$1"
	done
}

test_wrong_noise() {
	rows_federation 2
	wrong_job 'job\.noise\.eps is 0, expected a number from' \
		'.noise = { on: "data", eps: 0, delta: 1e-5, clip: 1 }'
	wrong_job 'job\.noise\.eps is -1, expected' \
		'.noise = { on: "data", eps: -1, delta: 1e-5, clip: 1 }'
	wrong_job 'job\.noise\.beta is -0\.5, expected a number from 0' \
		'.noise = { on: "data", beta: -0.5 }'
	wrong_job 'job\.noise\.eps is 1 without job\.noise\.clip' \
		'.noise = { on: "data", eps: 1, delta: 1e-5 }'
	wrong_job 'job\.noise\.on is "data", but job\.noise\.eps is not given and '\
'job\.noise\.beta is 0' '.noise.on = "data"'
	wrong_job 'job\.noise\.on is "factors", expected "none" or "data" with variant "anchor"' \
		'.noise = { on: "factors", beta: 1 }'
}

test_wrong_profile() {
	rows_federation 2
	rows_job kmeans
	wrong_job 'job\.profile is true, but job\.standardize is "local": each party' \
		'.standardize = "local" | .profile = true'
	wrong_job 'job\.profile is true, but job\.noise\.on is "sums": its sums would take a '\
'part of eps' \
		'.noise = { on: "sums", eps: 1, delta: 1e-5, clip: 20 } | .profile = true'
}

test_wrong_numbers() {
	rows_federation 2
	rows_job dense
	wrong_job 'job\.kernel\.width is -1, expected a number from 0' '.kernel.width = -1'
	wrong_job 'job\.secure_sum\.modulus_bits is 32, expected 64' '.secure_sum.modulus_bits = 32'
	rows_job anchor
	wrong_job 'job\.clusters is 1, expected' '.clusters = 1'
	wrong_job 'job\.dims is 4, expected more than 4 with variant' '.dims = 4'
	wrong_job 'job\.dims is 2, expected at least job\.clusters, 3' '.dims = 2'
}

# ---- wrong data ----

# Replaces a party's rows by rows of the three clouds. The awk statements may change x, the value in
# row i and column j.
rows_are() { # NAME ROWS COLUMNS [AWK-STATEMENTS]
	local dir=$T/data/$1
	rm "$dir"/features.*
	awk -v n="$2" -v m="$3" 'BEGIN {
		srand(5)
		for (i = 0; i < n; i++)
			for (j = 0; j < m; j++) {
				x = 20 * (i % 3) * (j % 2 ? 1 : -1) + rand()
				'"${4-}"'
				printf "%s%s", x, j + 1 < m ? "," : "\n"
			}
	}' >"$dir/features.csv"
	edit "$1" "del(.data.ids) | .data.features = \"data/$1/features.csv\""
}

# All processes end with STATUS and their message matches REGEX; so does the coordinator's record.
ends_saying() { # STATUS REGEX [party: only the party logs the message]
	local name
	coordinator
	parties 3
	ends "$1" coordinator party-00 party-01 party-02
	[[ ${3-} != party ]] || party_says "$2"
	for name in coordinator party-00 party-01 party-02; do
		[[ ${3-} == party ]] || says "$name" "$2"
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
	[[ ${3-} == party || $(run_of coordinator .error) =~ $2 ]] ||
		fail "coordinator/run.json says: $(run_of coordinator .error)"
}

test_other_columns() {
	rows_federation 3
	rows_are party-01 50 5
	ends_saying 4 'party-00 has 6 feature columns and party-01 has 5'
}

test_one_row() {
	rows_federation 3
	rows_are party-01 1 6
	ends_saying 4 'party-01 has 1 row, expected at least 2' party
}

test_no_rows() { # a party reads its data before it dials
	rows_federation 3
	rows_are party-01 0 6
	ADDRESS=127.0.0.1:1 party party-01
	ends 4 party-01
	says party-01 'party-01/features\.csv'
}

test_nan() {
	rows_federation 3
	rows_are party-01 50 6 'if (i == 3 && j == 2) x = "nan"'
	ADDRESS=127.0.0.1:1 party party-01
	ends 4 party-01
	says party-01 'party-01/features\.csv:4: column 3 has no value: say what becomes of it'
}

test_no_features() {
	rows_federation 3
	edit party-01 'del(.data)'
	ADDRESS=127.0.0.1:1 party party-01
	ends 4 party-01
	says party-01 'data'
}

test_constant_column() { # the column separates nothing, and does no harm
	local name
	rows_federation 3
	for name in $(names 3); do rows_are "$name" 50 6 'if (j == 4) x = 7'; done
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	[[ $(run_of coordinator '.result.cluster_sizes | sort | join(" ")') == "48 51 51" ]] ||
		fail "clusters of $(run_of coordinator '.result.cluster_sizes | join(" ")') rows"
}

equal_rows() { # NAME
	local name
	rows_federation 3
	rows_job "$1"
	for name in $(names 3); do rows_are "$name" 50 6 'x = 7'; done
	ends_saying 1 'all 150 rows are equal'
}
test_equal_rows_anchor() { equal_rows anchor; }
test_equal_rows_dense() { equal_rows dense; }
test_equal_rows_kmeans() { equal_rows kmeans; }

too_many() { # NAME JQ-PROGRAM REGEX
	rows_federation 3
	rows_job "$1" "$2"
	ends_saying 1 "$3"
}
test_more_clusters_than_rows() {
	too_many anchor '.clusters = 151' 'job\.clusters is 151, of 150 rows'
}
test_more_clusters_than_rows_kmeans() {
	too_many kmeans '.clusters = 151' 'job\.clusters is 151, of 150 rows'
}
test_more_dims_than_rows() { too_many anchor '.dims = 151' 'job\.dims is 151, of 150 rows'; }
test_more_dims_than_rows_dense() { too_many dense '.dims = 151' 'job\.dims is 151, of 150 rows'; }
test_clusters_below_min_cluster() {
	too_many kmeans '.clusters = 120' '3 rows or more, for 120 clusters'
}

# With lambda 0 and a width r as large as this, the dictionary's kernel is not positive definite.
# Only the party logs lambda and r.
test_kernel_that_is_not_positive() {
	rows_federation 3
	rows_job dense '.kernel = { lambda: 0, width: 100000 }'
	ends_saying 1 'kernel of the dictionary with lambda 0, r 100000' party
}

# The kernel's width is so small or so large that labels would be random. The coordinator refuses
# it, because the coordinator alone sees the eigenvalues.
test_width_at_which_all_is_chance() {
	local width
	rows_federation 3
	allows 3 fedsc.paper
	for width in 0.01 1000; do
		rows_job paper ".kernel = { width: $width }"
		coordinator
		parties 3
		# shellcheck disable=SC2046
		ends '1|2' coordinator $(names 3)
		says coordinator "r $width: .*; a (larger|smaller) r"
		[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/coordinator/labels.csv ]] ||
			fail "width $width: there are labels"
	done
}

# ---- from the command line ----

launch() { # OUT LAUNCH-ARG...: runs launch, which must succeed
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/pooled" --parties 3 --out "$T/$1" \
		"${@:2}" >"$T/$1.stdout" 2>"$T/$1.stderr" ||
		fail "launch ${*:2}: exit $?: $(tail -n 2 "$T/$1.stderr")"
}

launch_fails() { # REGEX LAUNCH-ARG...: runs launch, which must end with 4
	local status=0
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/pooled" --parties 3 --out "$T/none" \
		"${@:2}" >"$T/said" 2>&1 || status=$?
	((status == 4)) || fail "launch ${*:2}: exit $status, expected 4"
	grep -Eq -- "$1" "$T/said" || fail "launch ${*:2} does not say '$1': $(<"$T/said")"
	rm -rf "$T/none"
}

# Tests split, run, joined score and report, with and without ids.
test_launch() {
	local f
	"$BIN/coterie" synth --points --nodes 150 --features 4 --clusters 3 --apart 12 --out \
		"$T/pooled" >/dev/null
	launch run --job "$ROOT/configs/jobs/fedsc-iris.json" --skew 0.5 --keep-data
	grep -q '^ACC 1.0000 .* of 150 rows$' "$T/run.stdout" || fail "says: $(<"$T/run.stdout")"
	grep -q '^clusters: 3, of 50 50 50 rows$' "$T/run.stdout" ||
		fail "says: $(<"$T/run.stdout")"
	"$BIN/coterie" show "$T/run" --verbose | grep -q '^dims  *[0-9]' || fail 'show has no facts'
	for f in run run/party-01; do
		"$BIN/coterie" report "$T/$f" >/dev/null || fail "report of $f: exit $?"
		grep -q '"facts":{"' "$T/$f/report.html" || fail "$f/report.html has no facts"
		grep -q '"missing":\[\]' "$T/$f/report.html" ||
			fail "$f/report.html says that something is missing"
	done
	grep -q "own features, 4 of them, as they are" "$T/run/party-01/report.html" ||
		fail "no picture"
	"$BIN/coterie" report "$T/run" --truth "$T/pooled/labels.txt" >/dev/null
	[[ $(jq '.evaluation | .acc, .rows' "$T/run/coordinator/run.json" | xargs) == "1 150" ]] ||
		fail "evaluated: $(jq -c .evaluation "$T/run/coordinator/run.json")"
	seq 1000 1149 | sed 's/5$/,"x"/' >"$T/pooled/ids.txt"
	launch ids --job "$ROOT/configs/jobs/kmeans.json" --set clusters=3
	grep -q '^ACC 1.0000 .* of 150 rows$' "$T/ids.stdout" || fail "says: $(<"$T/ids.stdout")"
	launch paper --job "$ROOT/configs/jobs/fedsc-paper.json" --allow fedsc.paper
	grep -q '^ACC 1.0000 .* of 150 rows$' "$T/paper.stdout" ||
		fail "says: $(<"$T/paper.stdout")"
	launch private --job "$ROOT/configs/jobs/fedsc-private.json" --policy max_eps=4 --policy \
		max_delta=1e-5
	[[ $(jq -r .facts.privacy "$T/private/party-00/run.json") == "(eps 4, delta 1e-05)"* ]] ||
		fail "spent: $(jq .facts "$T/private/party-00/run.json")"
}

test_launch_refuses() {
	local status=0
	"$BIN/coterie" synth --points --nodes 60 --features 4 --clusters 3 --out "$T/pooled" \
		>/dev/null
	launch_fails '--by is "nodes"' --job "$ROOT/configs/jobs/kmeans.json" --by nodes
	launch_fails '--by is columns, expected rows with this job' --job \
		"$ROOT/configs/jobs/kmeans.json" --by columns
	launch_fails 'skew.* expected a number from 0 to 1' --job "$ROOT/configs/jobs/kmeans.json" \
		--skew 2
	launch_fails '--allow is "x,y"' --job "$ROOT/configs/jobs/kmeans.json" --allow x,y
	launch_fails '--policy is "jobs=1"' --job "$ROOT/configs/jobs/kmeans.json" --policy jobs=1
	launch_fails 'no edges\.tsv, edges\.mtx or edges\.csv' --job \
		"$ROOT/configs/jobs/kcagc-cora.json"
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/pooled" --parties 3 --out "$T/paper" \
		--quiet \
		--job "$ROOT/configs/jobs/fedsc-paper.json" >"$T/said" 2>&1 || status=$?
	((status == 4)) || fail "launch of variant paper: exit $status, expected 4"
	grep -q 'needs --allow fedsc.paper' "$T/said" || fail "says: $(<"$T/said")"
}

sample test_anchor_of_two test_dense_of_three test_kmeans_of_two test_paper_of_three \
	test_private test_min_parties
run_tests "$@"
