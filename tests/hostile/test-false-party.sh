#!/bin/bash
# Measures what a party that sends false terms (false_party.py) reads of the others' data. The
# coordinator is in C.
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/python.sh
source "${0%/*}/../integration/python.sh"

# Runs a job with party-00 in Python, which writes what it reads to FILE.
reads() { # FILE STATUS [ARG...]
	rm -rf "$T/out"
	coordinator
	start party-00 "$PYTHON" "$ROOT/tests/hostile/false_party.py" --config "$T/party-00.json" \
		--coordinator "$ADDRESS" \
		--labels "$T/labels" --truth "$T/data/party-01" "$T/data/party-02" "${@:3}"
	party party-01
	party party-02
	ends 0 party-00
	ends "$2" coordinator party-01 party-02
	tail -n 1 "$T/party-00.stdout" >"$T/$1"
	jq -r --arg what "$1" '"\($what): \(. | tostring)"' "$T/$1"
}

rows_of() { # KIND OR VARIANT [JQ-PROGRAM]
	needs_python
	rows_federation 3 --nodes 300
	edit_parties 3 '.policy.jobs += ["fedsc.paper"]'
	patient 3
	rows_job "$1" '. + { secure_sum: { group: "x25519" } }'
	edit job "${2:-.}"
}

reads_more_than_an_honest_one() { # LEAST WHAT
	at_least "$(jq .read "$T/false")" "$1" "$2 read by false terms"
	[[ $(jq .wrong "$T/false") == 0 ]] ||
		fail "$2: $(jq .wrong "$T/false") are read that are none"
	at_least "$(jq .read "$T/false")" $(($(jq .read "$T/honest") + 1)) \
		"$2 read by false terms, above an honest party's"
}

# A false party reads every row of the others in a job that succeeds, with min_cluster 10 and 50.
test_rows_of_kmeans() {
	local least
	rows_of kmeans
	for least in 10 50; do
		edit job ".min_cluster = $least"
		reads honest 0 --honest
		reads false 0
		reads_more_than_an_honest_one 200 'rows of 200'
	done
}

test_rows_of_fedsc() {
	local variant
	rows_of anchor
	for variant in anchor dense paper; do
		rows_job $variant '. + { secure_sum: { group: "x25519" }, min_cluster: 10 }'
		reads honest 2 --honest
		reads false 2
		reads_more_than_an_honest_one 180 "$variant: rows of 200"
	done
}

# The malicious party adds no noise of its own. The noise of the other parties still protects the
# rows.
test_rows_of_noisy_kmeans() {
	rows_of \
		kmeans '. + { clusters: 20, iterations: 7, noise: { on: "sums", eps: 1, delta: '\
'1e-5, clip: 15, colluders: 1 } }'
	reads false 2
	[[ $(jq .read "$T/false") == 0 ]] ||
		fail "$(jq .read "$T/false") rows are read in spite of the noise"
}

# Reads distances between nodes over the others' features: all distances between 11 nodes. An honest
# party knows no such distance. Also reads how much nearer each node is to the first of the 11 nodes
# than to each of the other ten.
distances_of() { # METHOD
	edit job ".method = \"$1\" | .polish = 0 | .iterations = 20 | .restarts = 10 | .secure_sum \
= { group: \"x25519\" }"
	reads false 0
	[[ $(jq -c '[.read, .wrong, .differences == .differences_of]' \
		"$T/false") == '[55,0,true]' ]] ||
		fail "$1: distances read by false terms"
}
nodes_of_kcagc() {
	needs_python
	federation 3
	patient 3
}
nodes_of_columns() {
	nodes_of_kcagc
	edit_parties 3 'del(.data.edges) | .policy.jobs = ["kmeans.columns"]'
	echo '{ "kind": "kmeans.columns", "clusters": 3, "seed": 7 }' >"$T/job.json"
}
test_distances_of_basic() {
	nodes_of_kcagc
	distances_of basic
	[[ $(jq .differences "$T/false") == 1500 ]] ||
		fail 'differences of distances read by false terms'
}
test_distances_of_columns() {
	nodes_of_columns
	distances_of basic
	[[ $(jq .differences "$T/false") == 1500 ]] ||
		fail 'differences of distances read by false terms'
}

# Repeats the attack for nodes that are alone in their cells. With clusters drawn at random most
# nodes are alone.
distances_of_cells() {
	local method
	for method in flat tree; do
		distances_of $method
		at_least "$(jq .alone "$T/false")" 15 "$method: cells of one node"
	done
}
test_distances_of_cells() {
	nodes_of_kcagc
	distances_of_cells
}
test_distances_of_cells_of_columns() {
	nodes_of_columns
	distances_of_cells
}

# Reads embeddings of single graphs under the weights of the first network. An honest party has
# differences of sums too, but cannot tell which difference is the embedding of a graph.
test_graphs_of_fedgcn() {
	needs_python
	graphs_federation 3
	patient 3
	edit job '.secure_sum = { group: "x25519" }'
	reads honest 0 --honest
	reads false 0
	at_least "$(jq .wrong "$T/honest")" 5 "guesses of an honest party that are wrong"
	[[ $(jq -c '[.read > 0, .wrong]' "$T/false") == '[true,0]' ]] ||
		fail 'graphs read by false terms'
}

# Reads edges of the two others between ids that the party has. It also claims ids that no party
# has.
edges_by_false_terms() { # JQ-PROGRAM
	edit job ". + { secure_sum: { group: \"x25519\" } } | $1"
	reads honest 0 --honest
	reads false 0
}
edges_of() { # HOW-MANY-WRONG-AT-MOST LEAST-READ JQ-PROGRAM
	needs_python
	edges_federation 3
	patient 3
	edges_by_false_terms "$3"
	[[ $(jq .read "$T/honest") == 0 ]] || fail 'an honest party reads edges'
	at_least "$(jq .read "$T/false")" "$2" 'edges read by false terms'
	(($(jq .wrong "$T/false") <= $1)) || fail 'edges that are read are none'
}
test_edges_of_exact() { edges_of 0 667 '.variant = "exact"'; }
test_edges_of_plus() { edges_of 0 660 '.variant = "fedspectral+" | .iterations = 1'; }

# With more iterations an entry of a block counts walks, not edges. So only a few guesses are right.
test_edges_of_plus_with_iterations() {
	edges_of 300 25 '.variant = "fedspectral+" | .iterations = 6'
	(($(jq .read "$T/false") <= 100)) || fail 'as many edges are read as by one iteration'
}

# Reads ties between vertices of the two others. An honest party and a malicious one both read at
# least LEAST ties, with at most MOST-WRONG errors.
ties_of() { # LEAST MOST-WRONG WALKS
	needs_python
	vertices_federation 3
	patient 3
	edit job ".secure_sum = { group: \"x25519\" } | .walks = $3"
	reads honest 0 --honest
	reads false 0
	for who in honest false; do
		at_least "$(jq .read "$T/$who")" "$1" "$who: ties read"
		(($(jq .wrong "$T/$who") <= $2)) || fail "$who: ties that are read are none"
	done
}
test_ties_of_many_walks() { ties_of 180 25 20; }
test_ties_of_few_walks() { ties_of 140 70 2; }

# Reads inner products of the others' rows with the means of landmark sets.
test_products_of_landmark() {
	needs_python
	federation 3 --features 300
	patient 3
	echo '{ "kind": "kcagc", "clusters": 3, "seed": 7, "method": "landmark", "filter": {
		"order": 3 }, "degrees": "off",
		"secure_sum": { "group": "x25519", "modulus_bits": 64 } }' >"$T/job.json"
	reads false 0
	at_least "$(jq .read "$T/false")" 1600 'inner products read by false terms'
	(($(jq .wrong "$T/false") <= 100)) || fail 'inner products that are read are others'
}

# Reads distances over the others' features in method "gcc", in memory, from the broadcast blocks.
test_distances_of_gcc() {
	needs_python
	federation 3 --features 300
	"$PYTHON" "$ROOT/tests/hostile/false_blocks.py" --dims 13 "$T/data/party-01" \
		"$T/data/party-02" | tee "$T/false"
	at_least "$(jq .read "$T/false")" 8000 'distances of 11175 read by false terms'
}

# A party whose policy requires noise declines these jobs, so nothing is read.
declines() { # JQ-PROGRAM
	echo '{ "clusters": 3, "seed": 7, "secure_sum": { "group": "x25519" } }' >"$T/job.json"
	edit job "$1"
	rm -rf "$T/out"
	coordinator
	start party-00 "$PYTHON" "$ROOT/tests/hostile/false_party.py" --config "$T/party-00.json" \
		--coordinator "$ADDRESS" \
		--labels "$T/labels" --truth "$T/data/party-01" "$T/data/party-02"
	party party-01
	party party-02
	ends 1 party-00
	ends 2 coordinator party-01 party-02
	grep -q 'without noise, policy.require_noise of party-01 is true' "$T/party-01.stderr" ||
		fail "$1: nobody says why"
	[[ ! -s $T/party-00.stdout ]] || fail "$1: something is read"
}
test_require_noise_declines_distances() {
	local how
	nodes_of_kcagc
	edit party-01 '.policy.require_noise = true'
	for how in flat tree landmark; do
		declines ".kind = \"kcagc\" | .method = \"$how\" | .filter.order = 3"
	done
}
test_require_noise_declines_edges() {
	local how
	needs_python
	edges_federation 3
	patient 3
	edit party-01 '.policy.require_noise = true'
	for how in exact fedspectral+; do
		declines ".kind = \"fedspectral\" | .variant = \"$how\""
	done
}

sample test_require_noise_declines_distances
run_tests "$@"
