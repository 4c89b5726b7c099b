#!/bin/bash
# FedSC in its variants and federated k-means between real daemons: what they find, who learns which
# labels, and what is refused. Deaths are in test-fedsc-death.sh.
#
#     150 rows, 3 clouds --- split --by rows ---> party-00 ===\
#                                                 party-01 ==== coordinator: sums, never labels
#                                                 party-02 ===/              (but for variant paper)
#
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"

labels_of() { # L: the parties' files
	local name
	for name in $(names "$1"); do echo "$T/out/$name/labels.csv"; done
}

# Everybody ends well; each party has the labels of its own rows, in its order, and together they are
# the three clouds. The coordinator has their sizes, and labels only of variant paper.
finds_the_clouds() { # L NAME PHASES
	local name own=0 types
	# shellcheck disable=SC2046
	ends 0 coordinator $(names "$1")
	no_leftovers
	for name in coordinator $(names "$1"); do
		[[ $(run_of "$name" .status) == "done" ]] || fail "$name/run.json: status $(run_of "$name" .status)"
		[[ $(run_of "$name" '[.phases[].name] | join(" ")') == "offer keys $3" ]] ||
			fail "$name went through $(run_of "$name" '[.phases[].name] | join(" ")')"
	done
	for name in $(names "$1"); do
		cmp -s <(tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 1) "$T/data/$name/ids.txt" ||
			fail "$name/labels.csv has other ids than its data, or another order"
		own=$(run_of "$name" .result.rows)
		[[ $own == $(wc -l <"$T/data/$name/ids.txt") ]] || fail "$name/run.json: $own rows"
	done
	# shellcheck disable=SC2046
	[[ $(acc $(labels_of "$1")) == 1 ]] || fail "accuracy of $2 with $1 parties is $(acc $(labels_of "$1"))"
	[[ $(run_of coordinator '.result.cluster_sizes | join(" ")') == "50 50 50" ]] ||
		fail "clusters of $(run_of coordinator '.result.cluster_sizes | join(" ")') rows"
	types=$(run_of coordinator '[.traffic[] | select(.messages_received > 0).type] | unique - ["HEARTBEAT", "ACK", "SEALED"] | join(" ")')
	if [[ $2 == paper ]]; then
		[[ $types == "ACCEPT DONE HELLO KEY MASKED UPLOAD" ]] || fail "the coordinator got $types"
		[[ $(wc -l <"$T/out/coordinator/labels.csv") == 151 ]] || fail "the coordinator lacks labels"
	else # of rows nothing but masked words; SEALED: what parties tell each other
		[[ $types == "ACCEPT DONE HELLO KEY MASKED" ]] || fail "the coordinator got $types"
		[[ ! -e $T/out/coordinator/labels.csv ]] || fail "the coordinator has labels"
	fi
}

declare -A PHASES=(
	[anchor]="totals landmarks anchor kmeans"
	[dense]="totals landmarks dims landmarks stage-1 dense kmeans"
	[paper]="totals landmarks dims landmarks stage-1 upload result"
	[kmeans]="totals kmeans"
)

whole_run() { # L NAME [JQ-PROGRAM]
	rows_federation "$1"
	rows_job "$2" "${3-}"
	[[ $2 != paper ]] || allows "$1" fedsc.paper
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
	for name in coordinator party-00 party-01 party-02; do says "$name" 'in clear'; done
}

test_participants() { whole_run 4 dense '.participants = 2 | .rounds = 6'; }

test_one_party() {
	rows_federation 1
	rows_job anchor '.allow_single = true'
	edit party-00 '.policy.allow_single = true'
	coordinator
	parties 1
	finds_the_clouds 1 anchor "${PHASES[anchor]}"
}

# configs/party-with-rows.json with other names and paths.
test_example_configuration() {
	local name
	rows_federation 3
	for name in $(names 3); do
		jq -s '.[0] + (.[1] | del(.policy))' "$ROOT/configs/party-with-rows.json" "$T/$name.json" >"$T/new"
		mv "$T/new" "$T/$name.json"
	done
	coordinator
	parties 3
	finds_the_clouds 3 anchor "${PHASES[anchor]}"
}

# Each party has one class alone, and so have clusters one party.
test_parties_of_one_class() {
	local name
	rows_federation 3
	rm -rf "$T/data"
	"$BIN/coterie" split --by rows --skew 1 --parties 3 --data "$T/pooled" --out "$T/data" >/dev/null
	for name in $(names 3); do
		[[ $(sort -u "$T/data/$name/labels.txt" | wc -l) == 1 ]] || fail "$name has several classes"
	done
	rows_job anchor
	coordinator
	parties 3
	finds_the_clouds 3 anchor "${PHASES[anchor]}"
	for name in $(names 3); do
		[[ $(tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 2 | sort -u | wc -l) == 1 ]] || fail "$name has several clusters"
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

# ---- standardize ----

# One column in another unit, with nothing in it, decides alone and is warned of by name; with "joint" it costs nothing.
in_another_unit() { # six columns of clouds, and income before them
	local name
	for name in $(names 3); do
		rm "$T/data/$name/features.npy"
		awk -v OFS=, '{ printf "%d", 1000 * (NR * 37 % 50 + 1); for (j = 1; j <= 6; j++) printf ",%.1f", ($1 + 1) * j % 7 + NR * j % 5 / 10; print "" }' \
			"$T/data/$name/labels.txt" >"$T/data/$name/features.csv"
		jq -n '{ columns: [range(7) | { name: "c\(.)", type: "number" }] } | .columns[0].name = "income"' >"$T/data/$name/columns.json"
		edit "$name" ".data.features = \"data/$name/features.csv\""
	done
}

test_standardize() {
	local name
	rows_federation 3
	in_another_unit
	rows_job anchor
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do says "$name" 'column \\"income\\" has [0-9.]+ % of the variance of all 7 columns'; done
	# shellcheck disable=SC2046
	at_least 0.8 "$(acc $(labels_of 3))" "0.8, where one column decides, and accuracy"
	rows_job anchor '.standardize = "joint"'
	coordinator
	parties 3
	finds_the_clouds 3 anchor "${PHASES[anchor]}"
	for name in $(names 3); do
		[[ $(run_of "$name" '.leaks | map(select(startswith("standardize \"joint\""))) | length') == 1 ]] ||
			fail "$name does not say what it shows"
	done
	rows_job kmeans '.standardize = "local"'
	coordinator
	parties 3
	finds_the_clouds 3 kmeans "${PHASES[kmeans]}"
}

# The means of a column by cluster, of rows "label,value...": what centres.csv and profile.csv must say.
mean_of() { # COLUMN CLUSTER [NAME...]
	local name
	for name in "${@:3}"; do
		paste -d , <(tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 2) "$T/data/$name/features.csv"
	done | awk -F , -v j="$1" -v c="$2" '$1 == c { n++; s += $(j + 2) } END { print s / n }'
}

near() { # A B WHAT
	awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-8 * (1 + b * b)) }' || fail "$3 is $1, expected $2"
}

# Each party has the centres, verified, in the data's units, and of its own rows what sets clusters apart.
# Measurements in units of their own, one of which has nearly all the variance; and one more column that says nothing.
test_raw_wine() {
	local csv=/usr/lib/python3/dist-packages/sklearn/datasets/data/wine_data.csv set
	local -A acc
	[[ -e $csv ]] || skip "python3-sklearn is not there, whose set it is"
	for set in wine more; do
		mkdir "$T/$set"
		tail -n +2 $csv | cut -d , -f 14 >"$T/$set/labels.txt"
	done
	tail -n +2 $csv | cut -d , -f 1-13 >"$T/wine/features.csv"
	awk -v OFS=, 'BEGIN { srand(5) } { print $0, 50000 + 9000 * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }' \
		"$T/wine/features.csv" >"$T/more/features.csv"
	echo '{ "kind": "fedsc", "clusters": 3, "standardize": "joint" }' >"$T/wine.json"
	for set in wine more; do
		"$BIN/coterie" run --data "$T/$set" --job "$T/wine.json" --parties 8 --set seed=1 --out "$T/out-$set" >"$T/said" 2>&1 || fail "$(tail -n 1 "$T/said")"
		acc[$set]=$("$BIN/coterie" eval --truth "$T/$set/labels.txt" "$T/out-$set"/party-*/labels.csv | jq .acc)
	done
	at_least "${acc[wine]}" .94 "accuracy of raw wine"
	at_least "$(awk -v a="${acc[wine]}" -v b="${acc[more]}" 'BEGIN { print b - a + .01 }')" 0 "what the column leaves of .01 (${acc[wine]}, ${acc[more]})"
}

test_centres_and_profile() {
	local name c
	rows_federation 3
	in_another_unit
	rows_job kmeans '.standardize = "joint"'
	coordinator
	parties 3
	finds_the_clouds 3 kmeans "${PHASES[kmeans]}"
	[[ $(head -n 1 "$T/out/party-01/centres.csv") == cluster,income,c1,c2,c3,c4,c5,c6 ]] || fail "$(head -n 1 "$T/out/party-01/centres.csv")"
	for name in party-01 party-02; do cmp "$T/out/party-00/centres.csv" "$T/out/$name/centres.csv" || fail "$name has other centres"; done
	[[ ! -e $T/out/coordinator/profile.csv ]] || fail "the coordinator has a profile"
	for c in 0 1 2; do
		# shellcheck disable=SC2046
		near "$(awk -F , -v c="$c" '$1 == c { print $2 }' "$T/out/party-00/centres.csv")" "$(mean_of 0 "$c" $(names 3))" "income of centre $c"
		near "$(awk -F , -v c="$c" '$1 == c && $3 == "c1" { print $4 }' "$T/out/party-02/profile.csv")" "$(mean_of 1 "$c" party-02)" \
			"c1 of cluster $c at party-02"
	done
	"$BIN/coterie" report "$T/out/party-02" --out "$T/page.html" >/dev/null
	grep -q 'id="profile-table"' "$T/page.html" || fail "the report has no profile"
	grep -q '>c1<br>' "$T/page.html" || fail "the report's profile lacks c1"
	sed -i '2s/,c[0-9],/,"c/' "$T/out/party-02/profile.csv"
	"$BIN/coterie" report "$T/out/party-02" --out "$T/page.html" >/dev/null
	grep -q 'id="profile-table"' "$T/page.html" && fail "a profile that is broken is shown"
	grep -q 'profile.csv' "$T/page.html" || fail "the report does not say that the profile is broken"
}

# Over all parties, from sums: what pooled rows say, the same at all, under each one's names; and only where all allow it.
test_joint_profile() {
	local name kind c
	rows_federation 3
	in_another_unit
	for kind in kmeans anchor; do
		rows_job $kind '.standardize = "joint" | .profile = true | .profile_noise = 0'
		for name in party-00 party-01; do edit "$name" '.policy.profile = true'; done
		edit party-02 'del(.policy.profile)'
		coordinator
		parties 3
		ends 2 coordinator party-00 party-01 party-02
		says party-02 'the offered job asks for a profile of clusters over all parties \(job.profile\), which policy.profile of party-02 does not allow'
		rm -r "$T/out"
		edit party-02 '.policy.profile = true'
		coordinator
		parties 3
		finds_the_clouds 3 $kind "${PHASES[$kind]} profile"
		for name in party-01 party-02; do cmp "$T/out/party-00/profile-joint.csv" "$T/out/$name/profile-joint.csv" || fail "$name has another profile"; done
		[[ ! -e $T/out/coordinator/profile-joint.csv ]] || fail "the coordinator has a profile"
		for c in 0 1 2; do
			# shellcheck disable=SC2046
			near "$(awk -F , -v c="$c" '$1 == c && $3 == "c1" { print $4 }' "$T/out/party-00/profile-joint.csv")" "$(mean_of 1 "$c" $(names 3))" \
				"$kind: c1 of cluster $c"
			[[ $(awk -F , -v c="$c" '$1 == c { print $2; exit }' "$T/out/party-00/profile-joint.csv") == 50 ]] || fail "$kind: cluster $c has not 50 rows"
		done
		"$BIN/coterie" report "$T/out/party-00" --out "$T/page.html" >/dev/null
		grep -q 'id="profile-joint-table"' "$T/page.html" || fail "the report has no joint profile"
		says party-00 'this job shows: job.profile: coordinator and parties see, of each cluster that has min_cluster rows or more'
		rm -r "$T/out"
	done
	rows_job kmeans '.standardize = "joint" | .profile = true'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	says party-00 'this job shows: the sums of that profile have noise'
	[[ $(cut -d , -f 1,2 "$T/out/party-00/profile-joint.csv" | sort -u | paste -sd' ') == "0,50 1,50 2,50 cluster,rows" ]] || fail "$(<"$T/out/party-00/profile-joint.csv")"
}

# The file was put in another's place while the job ran: no profile is made of it, and the job is done.
test_no_profile_of_other_data() {
	rows_federation 3
	in_another_unit
	rows_job anchor
	stretched
	until_true 60 said party-01 '"phase":"landmarks"'
	cp "$T/data/party-01/features.csv" "$T/other"
	mv "$T/other" "$T/data/party-01/features.csv"
	ends 0 coordinator party-00 party-01 party-02
	says party-01 'there is no profile.csv: .*features.csv has changed since the job began'
	[[ -e $T/out/party-00/profile.csv && ! -e $T/out/party-01/profile.csv ]] || fail "profiles: $(ls "$T"/out/*/profile.csv)"
}

# Who takes a column for a category and who does not are told so, by the sums too where one has no names to compare.
test_columns_that_differ() {
	local name
	rows_federation 3
	in_another_unit
	for name in party-00 party-02; do columns_become "$name" '.columns[3].type = "category"'; done
	rm "$T/data/party-01/columns.json"
	rows_job anchor '.standardize = "joint"'
	coordinator
	parties 3
	ends 1 coordinator party-00 party-01 party-02
	for name in coordinator $(names 3); do says "$name" 'column 3 \(from 0\) is a category or sparse at 2 of 3 parties'; done
	for name in $(names 3); do says "$name" 'the columns of party-01 have no names \(columns.json\)'; done
}

columns_become() { # PARTY JQ-PROGRAM
	jq "$2" "$T/data/$1/columns.json" >"$T/new"
	mv "$T/new" "$T/data/$1/columns.json"
}

# Each party hears from whose columns its own differ; the coordinator hears that, and no name.
test_columns_of_other_names() {
	local kind
	rows_federation 3
	in_another_unit
	columns_become party-01 '.columns[2].name = "shoe size"'
	columns_become party-02 '.columns[1:3] |= reverse'
	for kind in kmeans anchor; do
		rows_job $kind
		coordinator
		parties 3
		ends 2 coordinator party-00 party-01 party-02
		# Who is first ends it for all; the sentence of one at least is its own.
		cat "$T"/out/party-*/log.jsonl | grep -Eq 'the columns of party-0[0-2] are not those of all: compared with its own, there is party-0[0-2] with (other names|the same names in another order)' ||
			fail "$kind: no party says which columns differ"
		says coordinator 'its columns have other names, types or units than those of others, or stand in another order'
		! cat "$T"/out/coordinator/* | grep -q 'shoe size' || fail "the coordinator has a column's name"
		! cat "$T"/out/coordinator/* | grep -q 'income' || fail "the coordinator has a column's name"
		rm -r "$T/out"
	done
	columns_become party-01 '.columns[2].name = "c2"'
	columns_become party-02 '.columns[1:3] |= reverse'
	rows_job kmeans
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
}

# ---- noise ----

test_noise_of_rows() {
	rows_federation 3
	rows_job anchor '.noise = { on: "data", beta: 0.05 }'
	coordinator
	parties 3
	finds_the_clouds 3 anchor "${PHASES[anchor]}"
	[[ $(run_of party-01 .facts.privacy) == "no differential privacy: rows have noise of sigma 0.05 "* ]] ||
		fail "party-01 says: $(run_of party-01 .facts.privacy)"
}

# A policy that asks for it, and what has been spent.
test_private() {
	rows_federation 3
	rows_job kmeans '.noise = { on: "data", eps: 2, delta: 1e-5, clip: 40 }'
	edit party-01 '.policy.max_eps = 2'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	[[ $(run_of party-01 .facts.privacy) == "(eps 2, delta 1e-05)-differential privacy of each row"*"moves the data by at most 80,"* ]] ||
		fail "party-01 says: $(run_of party-01 .facts.privacy)"
}

# Nothing exact but the number of rows: sizes are of noisy counts, and the clouds come back all the same (at eps 4 they do
# not in 3 of 150 runs, at 8 in none).
test_noise_in_sums() {
	rows_federation 3
	rows_job kmeans '.noise = { on: "sums", eps: 8, delta: 1e-5, clip: 20, colluders: 1 }'
	edit party-01 '.policy.max_eps = 8'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	# shellcheck disable=SC2046
	awk -v acc="$(acc $(labels_of 3))" 'BEGIN { exit !(acc > 0.9) }' || fail "accuracy is $(acc $(labels_of 3))"
	[[ $(run_of party-01 .facts.privacy) == "(eps 8, delta 1e-05)-differential privacy of each row"*"1 of them may tell"* ]] ||
		fail "party-01 says: $(run_of party-01 .facts.privacy)"
	[[ $(run_of coordinator .facts.rows) == "$(run_of party-00 .facts.rows)" ]] || fail "other rows at the coordinator"
	[[ $(run_of coordinator '.facts.lloyd_rounds') == 7 ]] || fail "$(run_of coordinator '.facts.lloyd_rounds') rounds"
	[[ $(run_of coordinator '.result.cluster_sizes | length') == 3 ]] || fail "$(run_of coordinator .result) has other clusters"
	# shellcheck disable=SC2046
	[[ $(run_of coordinator '.result.cluster_sizes | sort[]' | xargs) != "$(cat $(labels_of 3) | grep -o '[0-9]*$' | sort | uniq -c |
		awk '{ print $1 }' | sort -n | xargs)" ]] || fail "sizes are exact"
	(("$("$BIN/coterie" ledger export --state "$T/out/party-01/state" --csv | awk -F, 'NR > 1 && $(NF - 6) > 0 { n++ } END { print n }')" == 1)) ||
		fail "eps is not in one row of the ledger"
}

# ---- policy ----

refused() { # REGEX: exit 2 at all; nobody has a sum or labels
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
	refused 'the offered job is of kind fedsc\.paper, which policy\.jobs of party-0[0-2] does not name'
}

test_fedsc_is_not_kmeans() {
	rows_federation 3
	edit party-01 '.policy.jobs = ["kmeans"]'
	refused 'of kind fedsc, which policy\.jobs of party-01 does not name'
}

test_max_eps() {
	rows_federation 3
	rows_job anchor '.noise = { on: "data", eps: 3, delta: 1e-5, clip: 1 }'
	edit party-01 '.policy.max_eps = 2.5'
	refused 'the offered job\.noise\.eps is 3, policy\.max_eps of party-01 is 2\.5'
}

test_max_eps_of_sums() {
	rows_federation 3
	rows_job kmeans '.noise = { on: "sums", eps: 3, delta: 1e-5, clip: 1 }'
	edit party-01 '.policy.max_eps = 2.5'
	refused 'the offered job\.noise\.eps is 3, policy\.max_eps of party-01 is 2\.5'
}

test_max_eps_and_no_noise() {
	rows_federation 3
	edit party-01 '.policy.max_eps = 2'
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

# ---- wrong jobs: exit 4, nothing is started ----

wrong_job() { # REGEX JQ-PROGRAM...: of the last rows_job
	local program
	for program in "${@:2}"; do
		jq "$program" "$T/job.json" >"$T/wrong.json"
		start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/wrong.json" --out "$T/out/coordinator"
		ends 4 coordinator
		says coordinator "$1"
	done
}

test_wrong_noise() {
	rows_federation 2
	wrong_job 'job\.noise\.eps is 0, expected a number from' '.noise = { on: "data", eps: 0, delta: 1e-5, clip: 1 }'
	wrong_job 'job\.noise\.eps is -1, expected' '.noise = { on: "data", eps: -1, delta: 1e-5, clip: 1 }'
	wrong_job 'job\.noise\.beta is -0\.5, expected a number from 0' '.noise = { on: "data", beta: -0.5 }'
	wrong_job 'job\.noise\.eps is 1 without job\.noise\.clip' '.noise = { on: "data", eps: 1, delta: 1e-5 }'
	wrong_job 'job\.noise\.on is "data", but job\.noise\.eps is not given and job\.noise\.beta is 0' '.noise.on = "data"'
	wrong_job 'job\.noise\.on is "factors", expected "none" or "data" with variant "anchor"' '.noise = { on: "factors", beta: 1 }'
}

test_wrong_profile() {
	rows_federation 2
	rows_job kmeans
	wrong_job 'job\.profile is true, but job\.standardize is "local": each party' '.standardize = "local" | .profile = true'
	wrong_job 'job\.profile is true, but job\.noise\.on is "sums": its sums would take a part of eps' \
		'.noise = { on: "sums", eps: 1, delta: 1e-5, clip: 20 } | .profile = true'
	wrong_job 'job\.profile_noise is -1, expected a number from 0' '.profile = true | .profile_noise = -1'
}

test_wrong_numbers() {
	rows_federation 2
	rows_job dense
	wrong_job 'job\.kernel\.width is -1, expected a number from 0' '.kernel.width = -1'
	wrong_job 'job\.dims is 2, expected at least job\.clusters, 3' '.dims = 2'
	wrong_job 'job\.secure_sum\.modulus_bits is 32, expected 64' '.secure_sum.modulus_bits = 32'
	rows_job anchor
	wrong_job 'job\.clusters is 1, expected' '.clusters = 1'
	wrong_job 'job\.dims is 4, expected more than job\.near, 4' '.dims = 4'
}

# ---- wrong data ----

# Other rows for a party, those of three clouds, with awk's EXPRESSION of row i and column j in place
# of some of their values, in x.
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

# All end so, and say this, which stands in the coordinator's record.
ends_saying() { # STATUS REGEX [party: it is parties' own sentence]
	local name
	coordinator
	parties 3
	ends "$1" coordinator party-00 party-01 party-02
	[[ ${3-} != party ]] || party_says "$2"
	for name in coordinator party-00 party-01 party-02; do
		[[ ${3-} == party ]] || says "$name" "$2"
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
	[[ ${3-} == party || $(run_of coordinator .error) =~ $2 ]] || fail "coordinator/run.json says: $(run_of coordinator .error)"
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

test_no_rows() { # its data are looked at before it dials
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
	says party-01 'party-01/features\.csv:4: column ..#3.. has no value ...nan...: say what becomes of it'
}

test_no_features() {
	rows_federation 3
	edit party-01 'del(.data)'
	ADDRESS=127.0.0.1:1 party party-01
	ends 4 party-01
	says party-01 'data'
}

test_constant_column() { # tells nothing apart, and does no harm
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
test_more_clusters_than_rows() { too_many anchor '.clusters = 151' 'job\.clusters is 151, of 150 rows'; }
test_more_clusters_than_rows_kmeans() { too_many kmeans '.clusters = 151' 'job\.clusters is 151, of 150 rows'; }
test_more_dims_than_rows() { too_many anchor '.dims = 151' 'job\.dims is 151, of 150 rows'; }
test_more_dims_than_rows_dense() { too_many dense '.dims = 151' 'job\.dims is 151, of 150 rows'; }
test_clusters_below_min_cluster() { too_many kmeans '.clusters = 120' '3 rows or more, for 120 clusters'; }

# The message names party, lambda and r.
test_kernel_that_is_not_positive() {
	rows_federation 3
	rows_job dense '.kernel = { lambda: 0, width: 100000 }'
	ends_saying 1 'kernel of the dictionary with lambda 0, r 100000' party
}

# Labels would be by chance: refused by the coordinator, who alone has what tells.
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
		[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/coordinator/labels.csv ]] || fail "width $width: there are labels"
	done
}

# ---- from the command line ----

launch() { # OUT LAUNCH-ARG...: must succeed
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/pooled" --parties 3 --out "$T/$1" "${@:2}" >"$T/$1.stdout" 2>"$T/$1.stderr" ||
		fail "launch ${*:2}: exit $?: $(tail -n 2 "$T/$1.stderr")"
}

launch_fails() { # REGEX LAUNCH-ARG...: exit 4
	local status=0
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/pooled" --parties 3 --out "$T/none" "${@:2}" >"$T/said" 2>&1 || status=$?
	((status == 4)) || fail "launch ${*:2}: exit $status, expected 4"
	grep -Eq -- "$1" "$T/said" || fail "launch ${*:2} does not say '$1': $(<"$T/said")"
	rm -rf "$T/none"
}

# Split, run, joined score, report, with and without ids.
test_launch() {
	local f
	"$BIN/coterie" synth --points --nodes 150 --features 4 --clusters 3 --apart 12 --out "$T/pooled" >/dev/null
	launch run --job "$ROOT/configs/jobs/fedsc-iris.json" --skew 0.5 --keep-data
	grep -q '^ACC 1.0000 .* of 150 rows$' "$T/run.stdout" || fail "says: $(<"$T/run.stdout")"
	grep -q '^cluster sizes *50 50 50$' "$T/run.stdout" || fail "says: $(<"$T/run.stdout")"
	grep -q '^dims  *[0-9]' "$T/run.stdout" || fail "says: $(<"$T/run.stdout")"
	for f in run run/party-01; do
		"$BIN/coterie" report "$T/$f" >/dev/null || fail "report of $f: exit $?"
		grep -q 'id="facts"' "$T/$f/report.html" || fail "$f/report.html has no facts"
		! grep -q 'What is missing' "$T/$f/report.html" || fail "$f/report.html says that something is missing"
	done
	grep -q "own features, 4 of them, as they are" "$T/run/party-01/report.html" || fail "no picture"
	"$BIN/coterie" report "$T/run" --truth "$T/pooled/labels.txt" >/dev/null
	[[ $(jq '.evaluation | .acc, .rows' "$T/run/coordinator/run.json" | xargs) == "1 150" ]] || fail "evaluated: $(jq -c .evaluation "$T/run/coordinator/run.json")"
	seq 1000 1149 | sed 's/5$/,"x"/' >"$T/pooled/ids.txt"
	launch ids --job "$ROOT/configs/jobs/kmeans.json" --set clusters=3
	grep -q '^ACC 1.0000 .* of 150 rows$' "$T/ids.stdout" || fail "says: $(<"$T/ids.stdout")"
	launch paper --job "$ROOT/configs/jobs/fedsc-paper.json" --allow fedsc.paper
	grep -q '^ACC 1.0000 .* of 150 rows$' "$T/paper.stdout" || fail "says: $(<"$T/paper.stdout")"
	launch private --job "$ROOT/configs/jobs/fedsc-private.json" --policy max_eps=4
	[[ $(jq -r .facts.privacy "$T/private/party-00/run.json") == "(eps 4, delta 1e-05)"* ]] || fail "spent: $(jq .facts "$T/private/party-00/run.json")"
}

# OPERATIONS, "On one machine", followed to the letter.
test_operations_on_one_machine() {
	local command lines=0
	mkdir -p "$T/build"
	ln -s "$BIN" "$T/build/bin"
	ln -s "$ROOT/scripts" "$ROOT/configs" "$T"
	cd "$T" || fail "no $T"
	while read -r command; do
		bash -c "$command" </dev/null >"$T/line" 2>"$T/line.stderr" || fail "$command: status $?"
		lines=$((lines + 1))
		[[ $command == *synth* ]] || grep -Eq 'ACC 1\.0000|"acc": 1,' "$T/line" || fail "$command: $(<"$T/line")"
	done < <(sed -n '/^### On one machine/,/^### /s/^    //p' "$ROOT/docs/OPERATIONS.md")
	((lines == 4)) || fail "$lines commands in OPERATIONS.md, expected 4"
}

test_launch_refuses() {
	local status=0
	"$BIN/coterie" synth --points --nodes 60 --features 4 --clusters 3 --out "$T/pooled" >/dev/null
	launch_fails '--by is "nodes"' --job "$ROOT/configs/jobs/kmeans.json" --by nodes
	launch_fails '--by is columns, expected rows with this job' --job "$ROOT/configs/jobs/kmeans.json" --by columns
	launch_fails 'skew.* expected a number from 0 to 1' --job "$ROOT/configs/jobs/kmeans.json" --skew 2
	launch_fails '--allow is "x,y"' --job "$ROOT/configs/jobs/kmeans.json" --allow x,y
	launch_fails '--policy is "jobs=1"' --job "$ROOT/configs/jobs/kmeans.json" --policy jobs=1
	launch_fails 'no edges\.tsv, edges\.mtx or edges\.csv' --job "$ROOT/configs/jobs/kcagc-cora.json"
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/pooled" --parties 3 --out "$T/paper" --quiet \
		--job "$ROOT/configs/jobs/fedsc-paper.json" >"$T/said" 2>&1 || status=$?
	((status == 2)) || fail "launch of variant paper: exit $status, expected 2"
	grep -q 'of kind fedsc.paper, which policy.jobs' "$T/said" || fail "says: $(<"$T/said")"
}

run_tests "$@"
