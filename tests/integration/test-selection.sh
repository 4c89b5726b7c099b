#!/bin/bash
# Tests jobs with "clusters": { "from": .., "to": .. }. One job tries all numbers of clusters, the
# parties and the coordinator choose the same number, and the report shows why.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

range='.clusters = { from: 2, to: 6 }'

# Each party chooses the number of clusters itself. It records the same number, 3, and the same
# measures as the coordinator.
chose_three() { # NAME
	local name
	ends 0 coordinator party-00 party-01 party-02
	for name in coordinator party-00 party-01 party-02; do
		[[ $(run_of \
			"$name" '[.facts.selection_k, .result.clusters,
				(.facts.selection_silhouette | length)]
				| join(" ")') == "3 3 5" ]] ||
			fail "$1: $name chose $(run_of "$name" '[.facts, .result.clusters]')"
		cmp <(run_of \
			coordinator '[.facts | to_entries[] | select(.key
				| test("^selection_(from|k|margin|sil|inertia|ratio)")).value]') \
			<(run_of \
			"$name" '[.facts | to_entries[] | select(.key
				| test("^selection_(from|k|margin|sil|inertia|ratio)")).value]') ||
			fail "$1: $name measured something else"
		run_of \
			"$name" '.facts.selection_stability
				| (length == 5 and .[1] == max and .[1] > 0.99
				and min < 0.9)' | grep -q true ||
			fail "$1: $name has stability $(run_of "$name" .facts.selection_stability)"
		grep -q '^if clusters is a range' <<<"$(run_of "$name" '.leaks[]')" ||
			fail "$1: $name does not say what a range shows"
	done
	# shellcheck disable=SC2046
	[[ $(acc $(for name in $(names 3); do
		echo "$T/out/$name/labels.csv"
	done)) == 1 ]] || fail "$1: wrong labels"
}

# Counts the measures for each k in the page's data. The page draws each as a curve.
curves() {
	grep -Eo '"selection_(silhouette|inertia|ratio|stability|eigengap)":\[[0-9.]' \
		"$T/page.html" | wc -l
}

test_rows() {
	rows_federation 3
	for job in kmeans anchor; do
		rows_job $job "$range"
		coordinator
		parties 3
		chose_three $job
	done
	"$BIN/coterie" report "$T/out/party-01" --out "$T/page.html" >/dev/null
	(($(curves) == 5)) || fail "the report has $(curves) curves"
	grep -q '"selection_k":3,' "$T/page.html" ||
		fail "the report does not say which k was chosen"
	grep -q 'k = 3 of 2 to 6' <<<"$("$BIN/coterie" show "$T/out/coordinator")" ||
		fail "show does not say which k was chosen"
}

# With landmark and gcc the largest eigengap is at k = 3, which is chosen. party-02 has as many
# clusters as the coordinator, and party-00 has the coordinator's labels.
test_columns() {
	local way
	"$BIN/coterie" synth --nodes 300 --features 40 --clusters 3 --out "$T/pooled" >/dev/null
	for way in landmark gcc; do
		"$BIN/coterie" launch --quiet --data "$T/pooled" --job \
			"$ROOT/configs/jobs/$way-cora.json" --parties 3 --seed 5 --set \
			"$range_set" \
			--out "$T/$way" 2>"$T/stderr" || fail "$way: $(<"$T/stderr")"
		jq -e '.facts.selection_k == 3 and .result.clusters == 3
			and (.facts.selection_eigengap
			| index(max) == 1) and (.facts.selection_stability
			| length == 5 and max <= 1 and max > 0.8)' "$T/$way/coordinator/run.json" \
			>/dev/null ||
			fail "$way: $(jq -c '[.facts, .result.clusters]' \
			"$T/$way/coordinator/run.json")"
		jq -e '.result.clusters == 3' "$T/$way/party-02/run.json" >/dev/null ||
			fail "$way: party-02 has another k"
		# the coordinator's labels have confidences too
		same_labels "$T/$way/coordinator/labels.csv" "$T/$way/party-00/labels.csv"
	done
}

# Parties have different columns, and one sum of the cells' inner products decides k. The job has as
# many sums as a job with the chosen k alone, and finds the same clusters from better starts.
test_by_gram() {
	local kind n=0 given range data
	"$BIN/coterie" synth --points --nodes 300 --clusters 3 --out "$T/points" >/dev/null
	"$BIN/coterie" synth --nodes 300 --features 40 --clusters 3 --out "$T/pooled" >/dev/null
	for kind in '"kmeans.columns"' \
		'"kcagc", "filter": { "order": 2 }, "projection": { "dims": 4 }'; do
		n=$((n + 1)) range=$T/gram-$n-range given=$T/gram-$n-given data=$T/pooled
		((n > 1)) || data=$T/points
		echo "{ \"kind\": $kind, \"clusters\": 3, \"method\": \"flat\",
			\"exchange\": \"gram\", \"local_clusters\": 8 }" >"$T/gram.json"
		"$BIN/coterie" launch --quiet --data "$data" --job "$T/gram.json" --parties 3 \
			--seed 5 --out "$given" 2>"$T/stderr" || fail "$kind: $(<"$T/stderr")"
		"$BIN/coterie" launch --quiet --data "$data" --job "$T/gram.json" --parties 3 \
			--seed 5 --set "$range_set" --out "$range" 2>"$T/stderr" ||
			fail "$kind: $(<"$T/stderr")"
		jq -e '.facts.selection_k == 3 and .result.clusters == 3
			and (.facts.selection_silhouette | length == 5 and .[1] == max)
			and (.facts.selection_stability
			| length == 5 and index(max) ==
			1)' "$range/coordinator/run.json" >/dev/null ||
			fail "$kind: $(jq -c '[.facts, .result.clusters]' \
			"$range/coordinator/run.json")"
		jq -e '.result.clusters == 3 and any(.leaks[];
			startswith("if clusters is a range"))' "$range/party-02/run.json" \
				>/dev/null ||
			fail "$kind: party-02 has another k, or does not say what a range shows"
		cut -d , -f 2 "$given/party-00/labels.csv" | tail -n +2 >"$T/given.txt"
		at_least \
			"$("$BIN/coterie" eval --truth "$T/given.txt" "$range/party-00/labels.csv" |
			jq .acc)" 0.99 "$kind: agreement with the clusters of k = 3"
		cmp <(jq .rounds "$range/coordinator/run.json") \
			<(jq .rounds "$given/coordinator/run.json") || fail "$kind: more rounds"
		"$BIN/coterie" report "$range/coordinator" --out "$T/page.html" >/dev/null
		(($(curves) >= 3)) || fail "$kind: the report has no curves"
		grep -q 'k = 3 of 2 to 6' <<<"$("$BIN/coterie" show "$range/coordinator")" ||
			fail "$kind: show does not say which k was chosen"
	done
}
range_set='clusters={"from":2,"to":6}'

# Three segments of customers lie on a line; a region and a date are random. Two clusters have the
# larger silhouette, but are not stable: two halves of the rows cut the middle segment at different
# places. Each kind is launched once.
test_segments_beside_noise() {
	local kind facts
	mkdir "$T/customers"
	awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
		BEGIN { srand(7); for (i = 0; i < 3000; i++) { s = int(3 * rand())
			print s > "'"$T"'/customers/labels.txt"
			print s + normal() / 10 "," s + normal() / 10 "," s + normal() / 10 "," \
				1 + int(8 * rand()) "," 730 * rand() } }' \
		>"$T/customers/features.csv"
	for kind in kmeans kmeans.columns; do
		echo "{ \"kind\": \"$kind\", \"clusters\": { \"from\": 2, \"to\": 8 },
			\"standardize\": \"joint\"$([[ $kind == kmeans ]] ||
				echo ', "exchange": "gram"') }" >"$T/job.json"
		"$BIN/coterie" launch --data "$T/customers" --job "$T/job.json" --parties 4 --seed \
			1 --out "$T/$kind" >"$T/said" 2>"$T/stderr" ||
			fail "$kind: $(<"$T/stderr")"
		facts=$(jq -c .facts "$T/$kind/coordinator/run.json")
		jq -e '.selection_k == 3 and (.selection_silhouette
			| index(max) == 0) and .selection_stability[0] < 0.6
			and (.selection_stability
			| index(max) == 1) and .selection_margin >
			0' >/dev/null <<<"$facts" || fail "$kind: $facts"
		grep -q '3 clusters of 2 to 8: silhouette 0.4.*; 2: 0.5.* (unstable)' \
			<(tr -s '\n ' ' ' <"$T/said") || fail "$kind: says $(<"$T/said")"
		grep -q "3 clusters of 2 to 8: silhouette" "$T/$kind/coordinator/log.jsonl" ||
			fail "$kind: the log does not say which k was chosen"
	done
}

# A setting that allows no range, or an invalid range, gives an error before anything is sent.
refused() { # KIND-OR-VARIANT VALUE WORDS
	local status=0
	"$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" --set "$1" --set \
		"clusters=$2" --check-config >"$T/said" 2>&1 || status=$?
	((status == 4)) || fail "$1, $2: status $status: $(<"$T/said")"
	grep -qF -- "$3" "$T/said" || fail "$1, $2: says $(<"$T/said")"
}

test_refused() {
	rows_federation 2
	refused variant=dense \
		'{"from":2,"to":6}' 'job.clusters is {"from": 2, "to": 6}, expected one number: '\
'only variant "anchor" chooses k from a range'
	refused variant=anchor \
		'{"from":6,"to":2}' 'job.clusters is {"from":6,"to":2}, expected a whole number '\
'from 2 to 65536, or {"from": .., "to": ..}'
	refused variant=anchor '{"from":2}' 'job.clusters.to is missing'
	refused variant=anchor '{"from":2,"to":6,"step":2}' 'job.clusters.step is unknown'
	refused kind=fedspectral '{"from":2,"to":6}' \
		'expected a whole number from 2 to 65536, or "auto"'
	echo '{ "kind": "kcagc", "filter": { "order": 2 }, "clusters": 3 }' >"$T/job.json"
	refused method=flat '{"from":2,"to":6}' \
		'methods "landmark" and "gcc" choose k from a range, and exchange "gram"'
	echo '{ "kind": "kmeans.columns", "clusters": 3 }' >"$T/job.json"
	refused method=flat '{"from":2,"to":6}' \
		'expected one number: only exchange "gram" chooses k from a range'
}

sample test_rows test_refused
run_tests "$@"
