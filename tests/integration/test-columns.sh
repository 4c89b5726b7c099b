#!/bin/bash
# Clusters columns of the same rows at several parties, without a graph (kmeans.columns).
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

job=$ROOT/configs/jobs/kmeans-columns.json

launch() { # NAME PARTIES ARG...: writes to $T/NAME
	"$BIN/coterie" launch --quiet --data "$T/pooled" --job "$job" --parties "$2" --seed 5 \
		--out "$T/$1" "${@:3}" \
		>"$T/$1.stdout" 2>"$T/$1.stderr"
}

agree() { # A B: two files of labels are equal up to the names of clusters
	local truth
	truth=$(mktemp -p "$T" truth.XXXXXX.csv)
	sed '1s/.*/id,label/' "$1" >"$truth"
	"$BIN/coterie" eval --truth "$truth" "$2" | jq -e '.acc == 1' >/dev/null ||
		fail "$2: other labels than $1: $("$BIN/coterie" eval --truth "$truth" "$2")"
}

# The coordinator, which sums the distances, writes the confidence of each label. No party receives
# it.
is_sure() { # NAME
	local mean
	[[ $(head -1 "$T/$1/coordinator/labels.csv") == id,label,confidence ]] ||
		fail "$1: the coordinator has no confidence"
	mean=$(awk -F \
		, 'NR > 1 { s += $3; wrong += !($3 >= 0 && $3 <= 1) }
			END { print wrong ? -1 : s / (NR - 1) }' "$T/$1/coordinator/labels.csv")
	jq -e --argjson mean \
		"$mean" '.facts | (.confidence - $mean
			| fabs) < 1e-5 and (.confidence - .silhouette | fabs) < 1e-9 and
		(.confidence_tenths | length) == 10' "$T/$1/coordinator/run.json" >/dev/null ||
		fail "$1: mean $mean, $(jq -c .facts "$T/$1/coordinator/run.json")"
	[[ $(head -1 "$T/$1/party-00/labels.csv") == id,label ]] ||
		fail "$1: a party has a confidence"
	"$BIN/coterie" show "$T/$1" |
		grep -Eq '^confidence: 0\.[0-9]{3} \(0: .* [0-9]+ of [0-9]+ rows are unsure' ||
		fail "$1: show has no confidence"
}

# Daemons find the labels of k-means on the pooled columns, by every method. The columns have
# different units.
test_labels_are_those_of_pooled_rows() {
	local way
	"$BIN/coterie" synth --points --nodes 600 --features 4 --clusters 4 --apart 7 --seed 3 \
		--out "$T/pooled" >/dev/null
	"$BIN/coterie-lab" kmeans --data "$T/pooled" --clusters 4 --standardize --out "$T/whole" \
		>/dev/null
	for way in tree flat basic; do
		launch "$way" 4 --set clusters=4 --set "method=$way" ||
			fail "$way: $(<"$T/$way.stderr")"
		agree "$T/whole/labels.csv" "$T/$way/party-02/labels.csv"
		same_labels "$T/$way/coordinator/labels.csv" "$T/$way/party-00/labels.csv"
		is_sure "$way"
		jq -e '.facts.silhouette > 0.3 and .facts.silhouette < 1 and .facts.inertia > 0' \
			"$T/$way/coordinator/run.json" \
			>/dev/null ||
			fail "$way: facts $(jq -c .facts "$T/$way/coordinator/run.json")"
	done
	launch gram 3 --set clusters=4 --set exchange=gram --set secure_sum.modulus_bits=32 ||
		fail "gram: $(<"$T/gram.stderr")"
	agree "$T/whole/labels.csv" "$T/gram/party-01/labels.csv"
	jq -e '[.leaks[] | select(test("clusters are intervals of that column"))] | length == 1' \
		"$T/tree/party-00/run.json" >/dev/null ||
		fail 'run.json does not say what local clusters show'
}

# Parties have different rows. The job uses the rows that all parties have, and each party has the
# labels of these ids.
test_rows_that_all_have() {
	local name
	"$BIN/coterie" synth --points --nodes 600 --features 4 --clusters 4 --apart 7 --seed 3 \
		--out "$T/pooled" >/dev/null
	"$BIN/coterie-lab" kmeans --data "$T/pooled" --clusters 4 --standardize --out "$T/whole" \
		>/dev/null
	launch some 3 --set clusters=4 --set align=intersect --keep 0.8 --keep-data ||
		fail "$(<"$T/some.stderr")"
	sort "$T"/some/work/data/party-*/ids.txt | uniq -c | awk '$1 == 3 { print $2 }' |
		sort >"$T/want"
	[[ -s $T/want ]] || fail 'no rows that all have'
	for name in $(names 3); do
		tail -n +2 "$T/some/$name/labels.csv" | cut -d, -f1 | sort | cmp -s - "$T/want" ||
			fail "$name: other rows than all have"
		awk -F , 'NR == FNR { common[$1]; next } FNR == 1 || $1 in common' "$T/want" \
			"$T/whole/labels.csv" >"$T/truth.csv"
		"$BIN/coterie" eval --truth "$T/truth.csv" "$T/some/$name/labels.csv" |
			jq -e '.acc == 1' >/dev/null ||
			fail "$name: labels are not those of its ids"
	done
}

# `run` and `launch` give the same labels. The report draws the points as they were clustered, with
# a measure of quality.
test_report() {
	"$BIN/coterie" synth --points --nodes 200 --features 3 --clusters 3 --seed 4 --out \
		"$T/pooled" >/dev/null
	# The timeout grows with the size of the data.
	truncate -s 100M "$T/pooled/more.bin"
	launch run 2 --set clusters=3 --keep-data || fail "status $?: $(<"$T/run.stderr")"
	[[ $(jq .join_timeout_s "$T/run/work/coordinator.json") == 112 ]] ||
		fail 'large data are waited for no longer than small ones'
	"$BIN/coterie" run --quiet --data "$T/pooled" --job "$job" --parties 2 --seed 5 --set \
		clusters=3 --out "$T/alone" || fail "status $?"
	cmp "$T/run/party-01/labels.csv" "$T/alone/party-01/labels.csv" ||
		fail 'labels of run and launch differ'
	"$BIN/coterie" report "$T/run/party-00" --data "$T/run/work/data/party-00" --output \
		"$T/party.html" >/dev/null || fail 'no report'
	grep -q "features of .*, [12] of them, standardised" "$T/party.html" ||
		fail 'the picture is not of standardised features'
	"$BIN/coterie" report "$T/run" --truth "$T/pooled/labels.txt" --output "$T/all.html" \
		>/dev/null || fail 'no report'
	grep -q '"confidence_tenths":' "$T/all.html" || fail 'the report has no confidence'
	"$BIN/coterie" show "$T/run" --verbose | grep -Eq '^inertia +[0-9]' ||
		fail 'show has no inertia'
}

# A constant column is left out and named by its number. A party without any other column ends with
# 4 and reports the cause.
test_constant_columns() {
	federation 2
	local i
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "$((i % 3)),5,$((i / 4))"
	done >"$T/data/party-00/features.csv"
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "$((10 * (i % 3)))"
	done >"$T/data/party-01/features.csv"
	for i in 00 01; do
		edit "party-$i" ".data = { features: \"data/party-$i/features.csv\" } | \
.policy.jobs = [\"kmeans.columns\"]"
	done
	echo '{ "kind": "kmeans.columns", "clusters": 3, "seed": 7 }' >"$T/job.json"
	coordinator
	parties 2
	ends 0 coordinator party-00 party-01
	says party-00 '1 of 3 feature columns have the same value in all rows and are left out: '\
'1 \(from 0\)'
	[[ $(run_of party-00 .facts.columns_left_out) == 1 ]] ||
		fail "facts: $(run_of party-00 .facts)"
	rm -rf "$T/out"
	printf '3\n3\n3\n3\n3\n3\n3\n3\n3\n' >"$T/data/party-01/features.csv"
	coordinator
	parties 2
	ends 4 party-01
	says party-01 'each of the 1 feature columns has the same value in all rows'
	ends 4 coordinator
}

test_refused() {
	"$BIN/coterie" synth --points --nodes 60 --features 4 --clusters 3 --out "$T/pooled" \
		>/dev/null
	local status=0
	launch a 2 --set filter.order=2 || status=$?
	((status == 4)) || fail "status $status"
	grep -q 'job.filter' "$T/a.stderr" || fail "says: $(<"$T/a.stderr")"
	status=0
	launch b 2 --set min_cell=3 --set method=basic || status=$?
	((status == 4)) || fail "status $status"
	grep -q 'job.min_cell is 3, expected 1 with method "basic"' "$T/b.stderr" ||
		fail "says: $(<"$T/b.stderr")"
	launch c 2 --set min_cell=3 --set clusters=3 || fail "$(<"$T/c.stderr")"
	jq -e '.facts | has("silhouette_of_cells") and (has("silhouette") | not)' \
		"$T/c/coordinator/run.json" >/dev/null ||
		fail "facts: $(jq -c .facts "$T/c/coordinator/run.json")"
	[[ $(head -1 "$T/c/coordinator/labels.csv") == id,label ]] ||
		fail 'a confidence where nothing was summed over single rows'
}

sample test_labels_are_those_of_pooled_rows test_refused
run_tests "$@"
