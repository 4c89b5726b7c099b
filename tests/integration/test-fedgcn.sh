#!/bin/bash
# Tests FedGCN between real daemons. Each party has many graphs. Each graph gets a cluster, and each
# party gets a model for new graphs.
#
#     party-00: a set of graphs ---.
#     party-01: another         ----+-- one network, clusters of the same numbers
#     party-NN: another         ---'
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

all_end() { # L
	# shellcheck disable=SC2046
	ends 0 coordinator $(names "$1")
}

runs() { # L [ARG-OF-COORDINATOR...]
	local name
	rm -rf "$T/out"
	coordinator "${@:2}"
	parties "$1"
	all_end "$1"
	for name in $(names "$1"); do
		for f in run.json labels.csv labels.npy log.jsonl model.fedgcn; do
			[[ -s $T/out/$name/$f ]] || fail "$name left no $f"
		done
		[[ $(run_of "$name" .status) == "done" ]] ||
			fail "$name/run.json: status $(run_of "$name" .status)"
	done
	[[ ! -e $T/out/coordinator/labels.csv ]] || fail 'the coordinator has labels'
	no_leftovers
}

# JQ-PROGRAM: prints a part of the score.
score() { "$BIN/coterie" eval --run "$T/out" --truth own | jq -r "$1"; }

phases_of() { run_of "$1" '[.phases[].name] | join(" ")'; }

# ---- good runs ----

test_three_parties() {
	graphs_federation 3
	runs 3
	at_least "$(score .mean.result.ari)" 0.9 'ARI'
	[[ $(phases_of coordinator) == "offer keys start centres train final" ]] ||
		fail "phases $(phases_of coordinator)"
	[[ $(phases_of party-01) == "offer keys start centres train final" ]] ||
		fail "phases $(phases_of party-01)"
	[[ $(run_of coordinator '.facts | "\(.graphs) \(.rounds)"') == "120 4" ]] ||
		fail "facts $(run_of coordinator '.facts | tostring')"
	[[ $(run_of coordinator '.facts.loss_clusters | length') == 4 ]] ||
		fail 'no loss of each round'
	[[ $(run_of coordinator '.result.cluster_sizes | add') == 120 ]] || fail 'sizes of clusters'
	# Labels are in the order of graph numbers, as in the set.
	[[ $(head -n 2 "$T/out/party-00/labels.csv" | tail -n 1) =~ ^1,[01]$ ]] ||
		fail 'labels do not begin with graph 1'
	[[ $(tail -n 1 "$T/out/party-00/labels.csv") =~ ^40,[01]$ ]] ||
		fail 'labels do not end with graph 40'
	[[ $(run_of party-00 .data.graphs) == "$(realpath "$T/data/party-00")" ]] ||
		fail 'run.json does not say where the graphs are'
	"$BIN/coterie" show "$T/out" --truth own >"$T/shown" || fail 'coterie show'
	grep -q '^weighted' "$T/shown" || fail "show: $(<"$T/shown")"
	"$BIN/coterie" report "$T/out" --truth own --no-record >/dev/null || fail 'coterie report'
}

# A cluster has the same number at all parties.
test_numbers_mean_the_same() {
	graphs_federation 3
	runs 3
	local name label
	for name in $(names 3); do
		label=$(paste -d ' ' "$T/data/$name/${name}_graph_labels.txt" \
			<(tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 2) |
			sort | uniq -c | sort -rn | head -n 1 |
			awk '{ print $2 == 1 ? $3 : 1 - $3 }')
		echo "$label"
	done | sort -u >"$T/numbers"
	[[ $(wc -l <"$T/numbers") == 1 ]] ||
		fail 'class 1 has different numbers at different parties'
}

test_same_seed_same_labels() {
	graphs_federation 2
	runs 2
	mv "$T/out" "$T/first"
	edit_parties 2 '.threads = 3'
	runs 2
	for name in $(names 2); do
		cmp "$T/first/$name/labels.csv" "$T/out/$name/labels.csv" ||
			fail "$name has other labels"
		cmp "$T/first/$name/model.fedgcn" "$T/out/$name/model.fedgcn" ||
			fail "$name has another model"
	done
}

# One process with all graphs gives bitwise the same result.
test_the_same_as_in_one_process() {
	graphs_federation 3
	runs 3
	"$BIN/coterie-lab" fedgcn --job "$T/job.json" --graphs "$T/data/party-00" --graphs \
		"$T/data/party-01" --graphs "$T/data/party-02" \
		--out "$T/local" >/dev/null || fail 'coterie fedgcn local'
	local name
	for name in $(names 3); do
		cmp "$T/out/$name/model.fedgcn" "$T/local/$name/model.fedgcn" ||
			fail "another model of $name"
		diff <(cut -d , -f 2 "$T/out/$name/labels.csv") \
			<(cut -d , -f 2 "$T/local/$name/labels.csv") || fail "other labels of $name"
	done
}

test_ways() {
	graphs_federation 3
	local way
	for way in aggregation=fedprox final=paper aggregation=fedper; do
		runs 3 --set "$way"
		at_least "$(score .mean.result.ari)" 0.5 "ARI with $way"
	done
	[[ ! -e $T/out/coordinator/model.fedgcn ]] ||
		fail 'there is a shared model where layers stay with their parties'
}

test_baselines() {
	graphs_federation 2
	runs 2 --set baselines=all
	local name
	for name in size log-size untrained alone; do
		[[ -s $T/out/party-01/baseline-$name.csv ]] || fail "no baseline $name"
		[[ $(score ".weighted.\"$name\".acc") != null ]] || fail "no score of $name"
	done
	at_least 0.7 "$(score .weighted.size.acc)" 'the ACC by size, which tells nothing here,'
	[[ $(score .weighted.majority.acc) == 0.5 ]] ||
		fail "majority $(score .weighted.majority.acc)"
	[[ $(run_of party-00 '.facts | has("like_alone")') == true ]] ||
		fail 'run.json does not say how like the baselines it is'
	[[ $(phases_of party-00) == *"final baselines" ]] || fail "phases $(phases_of party-00)"
}

test_one_party() {
	graphs_federation 1
	edit job '.allow_single = true | .baselines = "all"'
	edit party-00 '.policy.allow_single = true'
	runs 1
	[[ $(run_of party-00 .facts.like_alone) == 1 ]] ||
		fail 'FedAvg of one party is not training alone'
}

test_assign_new_graphs() {
	graphs_federation 2
	runs 2
	"$BIN/coterie" synth --graphs --nodes 60 --size 12 --seed 99 --out "$T/new" >/dev/null
	"$BIN/coterie" fedgcn assign --model "$T/out/party-00/model.fedgcn" --graphs "$T/new" \
		--out "$T/assigned" >/dev/null ||
		fail 'coterie fedgcn assign'
	at_least \
		"$("$BIN/coterie" eval --truth "$T/new/new_graph_labels.txt" \
		"$T/assigned/labels.csv" | jq .ari)" 0.9 'ARI of new graphs'
}

# ---- policies ----

test_prototypes_in_clear_must_be_named() {
	graphs_federation 2
	coordinator --set prototypes=kde
	parties 2
	ends 2 coordinator party-00 party-01
	party_says 'the offered job is of kind fedgcn.kde, which policy.jobs of party-0[01] does '\
'not name'
	allows 2 fedgcn.kde
	runs 2 --set prototypes=kde
	says coordinator 'unmasked'
	says party-01 'disclosure: .*every prototype of each party unmasked'
}

test_min_cluster_of_the_policy() {
	graphs_federation 2
	edit party-01 '.policy.min_cluster = 8'
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	party_says 'prototypes of 5 graphs \(job.min_cluster\), policy.min_cluster of party-01 is 8'
	runs 2 --set min_cluster=8
}

# ---- a party or the coordinator dies ----

strikes() { # VICTIM PHASE: the victim dies, and the next run succeeds
	graphs_federation 3
	edit job '.rounds = 500'
	coordinator
	parties 3
	in_phase "$1" "$2"
	# strikes in the middle of the rounds
	until_true 20 grep -q '"iteration": *2' "$T/out/$1/log.jsonl" || true
	dies_in "$1" "$2" labels.csv
	runs 3 --set rounds=2
}

test_party_dies_in_train() { strikes party-01 train; }
test_coordinator_dies_in_train() { strikes coordinator train; }
test_party_dies_in_centres() { strikes party-02 centres; }

# ---- an exploding loss ----

# A diverging training fails, and the error names the round. Parties and coordinator keep the last
# good model, and parties have no labels.
test_training_that_diverges() {
	graphs_federation 3
	coordinator --set rate=1 --set rounds=200 --set lambda=1e6
	parties 3
	ends '1|2' coordinator party-00 party-01 party-02
	party_says 'party-0[0-2].*round [0-9]+.*'
	party_says 'explodes to'
	[[ $(run_of coordinator .status) == failed ]] ||
		fail "coordinator/run.json: $(run_of coordinator .status)"
	local name kept=0
	for name in $(names 3); do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
		[[ ! -s $T/out/$name/model.fedgcn ]] || kept=$((kept + 1))
	done
	((kept == 3)) || fail "$kept of 3 parties kept their last good model"
	[[ -s $T/out/coordinator/model.fedgcn ]] || fail 'the coordinator kept no good model'
	no_leftovers
}

# ---- unusual data that are valid ----

# A graph without edges is valid.
test_graph_without_edges() {
	graphs_federation 2
	local set=$T/data/party-01/party-01 nodes
	nodes=$(wc -l <"${set}_graph_indicator.txt")
	printf '41\n41\n' >>"${set}_graph_indicator.txt"
	echo 1 >>"${set}_graph_labels.txt"
	runs 2
	says party-01 '1 graphs? (has|have) no edges'
	[[ $(wc -l <"$T/out/party-01/labels.csv") == 42 ]] ||
		fail "$nodes nodes, $(wc -l <"$T/out/party-01/labels.csv") lines of labels"
}

# ---- invalid data ----

# Replaces FILE of party-01's set by stdin. The party ends with 4 before it dials, and REGEX matches
# its error.
refuses() { # FILE REGEX
	local file=$T/data/party-01/party-01_$1.txt
	[[ ! -e $file ]] || cp "$file" "$T/kept"
	cat >"$file"
	party party-01
	ends 4 party-01
	says party-01 "$2"
	rm "$file"
	[[ ! -e $T/kept ]] || mv "$T/kept" "$file"
}

attributes() { # LINE TEXT: prints two attributes for each node, but TEXT at LINE
	awk -v n="$nodes" -v line="$1" -v text="$2" \
		'BEGIN { for (i = 1; i <= n; i++) print i == line ? text : "1.0, 2.0" }'
}

test_bad_files() {
	graphs_federation 2
	local set=$T/data/party-01/party-01 nodes
	nodes=$(wc -l <"${set}_graph_indicator.txt")
	export ADDRESS=127.0.0.1:1
	printf '1\n2\n1\n' | refuses graph_indicator 'graph_indicator\.txt:3: .*indicators rise'
	printf '1\n3\n' | refuses graph_indicator 'graph_indicator\.txt:2: '
	printf '' | refuses graph_indicator 'graph_indicator\.txt'
	printf '0\n' | refuses graph_indicator 'graph_indicator\.txt:1: '
	printf '1, %s\n' "$nodes" | refuses A '_A\.txt:1: '
	printf '1, %s\n' $((nodes + 1)) | refuses A '_A\.txt:1: '
	printf '1\n' | refuses A '_A\.txt:1: '
	printf '1, x\n' | refuses A '_A\.txt:1: '
	printf '' | refuses A 'edge'
	attributes 2 1.0 |
		refuses node_attributes \
		'node_attributes\.txt:2: 1 attributes, 2 in the lines before'
	attributes 3 '1.0, nan' |
		refuses node_attributes 'node_attributes\.txt:3: .not shown. is no number'
	attributes 4 '1.0, 1e999' |
		refuses node_attributes 'node_attributes\.txt:4: .not shown. is no number'
	printf '1.0\n' | refuses node_attributes 'node_attributes\.txt'
	rm "${set}_graph_indicator.txt"
	party party-01
	ends 4 party-01
	says party-01 'graph_indicator'
}

test_more_clusters_than_graphs() {
	graphs_federation 2
	coordinator --set clusters=41
	parties 2
	ends '1|2|4' coordinator party-00 party-01
	party_says 'party-0[01] has 40 graphs, expected at least job.clusters, 41'
}

test_drawings_need_the_same_coordinates() {
	graphs_federation 2
	coordinator --set features=drawing
	parties 2
	ends '1|2|4' coordinator party-00 party-01
	party_says 'party-0[01] has graphs with 0 attributes of a node, expected at least 2'
	for name in $(names 2); do
		rm -r "$T/data/$name"
		"$BIN/coterie" synth --graphs --nodes 40 --size 12 --features 2 --out \
			"$T/data/$name" >/dev/null
	done
	runs 2 --set features=drawing
	rm -r "$T/data/party-01"
	"$BIN/coterie" synth --graphs --nodes 40 --size 12 --features 3 --out "$T/data/party-01" \
		>/dev/null
	coordinator --set features=drawing
	parties 2
	ends '1|2|4' coordinator party-00 party-01
	says coordinator 'party-00 has graphs with 2 attributes of a node and party-01 with 3'
}

test_no_graphs_at_all() {
	federation 2
	echo '{ "kind": "fedgcn", "clusters": 2 }' >"$T/job.json"
	allows 2 fedgcn
	coordinator
	parties 2
	ends '2|4' coordinator
	party_says 'has no data.graphs, which a job of kind fedgcn needs'
}

# ---- split and launch ----

test_split_and_launch() {
	local \
		launch=(env COTERIE_BIN="$BIN" "$ROOT/scripts/launch" --quiet --job
		"$ROOT/configs/jobs/fedgcn.json" --set rounds=2 --set epochs=2)
	"$BIN/coterie" synth --graphs --nodes 90 --size 12 --out "$T/all" >/dev/null
	"$BIN/coterie" split --by graphs --parties 3 --data "$T/all" --out "$T/split" >/dev/null ||
		fail 'coterie split'
	[[ $(cat "$T"/split/party-*/graphs.txt | sort -n | uniq | wc -l) == 90 ]] ||
		fail 'not each graph is with one party'
	[[ $(cat "$T"/split/party-*/graphs_A.txt | wc -l) == $(wc -l <"$T/all/all_A.txt") ]] ||
		fail 'edges were lost'
	"${launch[@]}" --data "$T/all" --parties 3 --out "$T/a" >"$T/a.stderr" 2>&1 ||
		fail "launch: status $?: $(tail -n 3 "$T/a.stderr")"
	"${launch[@]}" --data "$T/split" --parties 3 --out "$T/b" >"$T/b.stderr" 2>&1 ||
		fail "launch of sets: status $?: $(tail -n 3 "$T/b.stderr")"
	for name in $(names 3); do
		cmp "$T/a/$name/labels.csv" "$T/b/$name/labels.csv" ||
			fail 'sets and their split differ'
	done
	"$BIN/coterie" eval --run "$T/b" --truth "$T/split" |
		jq -e '.weighted.alone.acc > 0.5' >/dev/null || fail 'no scores'
	! "${launch[@]}" --data "$T/split" --parties 2 --out "$T/c" >"$T/c.stderr" 2>&1 ||
		fail 'two parties for three sets'
	says c '3 sets of graphs, expected --parties, 2'
}

sample test_three_parties test_training_that_diverges
run_tests "$@"
