#!/bin/bash
# A malicious coordinator (extract.py) reads no more single rows than an honest one. It reads more
# edges with their owner only if it lies about so few nodes that no party finds the lie.
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/python.sh
source "${0%/*}/../integration/python.sh"

extractor() { # LIE [PROGRAM OF tests/hostile ARG...]: starts the program and waits until it listens
	rm -rf "$T/ready" "$T/out"
	start coordinator "$PYTHON" "$ROOT/tests/hostile/${2-extract.py}" "${@:3}" --config \
		"$T/coordinator.json" --job "$T/job.json" \
		--ready-file "$T/ready" --truth "$T/data" --lie "$1"
	until_true 60 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator did not become ready"
	ADDRESS=$(<"$T/ready")
}

reads() { # FILE LIE STATUS: runs parties in C; FILE lists the items that were read
	extractor "$2"
	parties 3
	# shellcheck disable=SC2046
	ends "$3" $(names 3)
	ends 0 coordinator
	tail -n 1 "$T/coordinator.stdout" >"$T/$1"
	figure "$1" "$2"
}

figure() { # FILE LIE
	jq -r --arg lie \
		"$2" '"\($lie): read \(.read | length) of \(.of), \(.wrong) wrong, \(.pooled) '\
'pooled, \(.after) after, \(.said)"' "$T/$1"
}

# FILE: prints how many items of FILE the honest coordinator did not read
beyond() {
	jq -n --slurpfile a "$T/honest" --slurpfile b "$T/$1" '$b[0].read - $a[0].read | length'
}

nothing_beyond() { # LIE...
	local lie
	for lie; do
		reads lying "$lie" 2
		[[ $(beyond lying) == 0 ]] ||
			fail "$lie: $(beyond lying) more than an honest coordinator reads"
		[[ $(jq .after "$T/lying") == 0 ]] ||
			fail "$lie: $(jq .after "$T/lying") sums after the lie"
	done
}

# The largest prime below 2^54 was the modulus of tags of version 6, so a word with it added passed.
# A coordinator read 297 of 300 rows in that way.
OLD_PRIME=$(((1 << 54) - 33))

rows_of() { # KIND OR VARIANT
	needs_python
	rows_federation 3 --nodes 300
	rows_job "$1" '. + { min_cluster: 3, restarts: 4, iterations: 10 }'
	case $1 in
	kmeans) edit job '. + { tolerance: 1e-6 }' ;;
	dense) edit job '. + { rounds: 2, tolerance: 0 }' ;;
	esac
}

# Shows that the attack works if parties do not check tags: these parties are in Python.
test_rows_of_parties_that_believe() {
	rows_of kmeans
	local name
	edit job '.secure_sum = { group: "ffdhe2048" } | .clusters = 40 | .iterations = 40
		| .tolerance = 0'
	extractor from=2
	for name in $(names 3); do
		start "$name" "$PYTHON" "$ROOT/tests/interop/party.py" --config "$T/$name.json" \
			--coordinator "$ADDRESS" \
			--labels "$T/$name.labels" --lie believe
	done
	ended coordinator
	tail -n 1 "$T/coordinator.stdout" >"$T/believed"
	figure believed "from=2, believed"
	at_least "$(jq '.read | length' "$T/believed")" 200 "rows read of 300"
}

test_rows_of_kmeans() {
	rows_of kmeans
	reads honest honest 0
	nothing_beyond from=2 from=kmeans+21 prime=$OLD_PRIME
}

test_rows_of_anchor() {
	rows_of anchor
	reads honest honest 0
	nothing_beyond from=landmarks+0 from=landmarks+21 from=kmeans+0 prime=$OLD_PRIME
}

test_rows_of_dense() {
	rows_of dense
	reads honest honest 0
	nothing_beyond from=landmarks+0 from=landmarks+21 from=kmeans+3 prime=$OLD_PRIME
}

# ---- fedspectral: edges with their owner ----

edges_of() { # VARIANT: sets up a job with plain ids, to compare the edges
	needs_python
	edges_federation 3
	edit job ". + { variant: \"$1\", ids: \"plain\" }"
	[[ $1 != fedspectral+ ]] || edit job '.iterations = 1'
}

test_edges_of_exact() {
	edges_of exact
	reads honest honest 0
	# The whole pooled graph is read, so the attack would find owners if it could.
	[[ $(jq .pooled "$T/honest") == $(cat "$T"/data/party-0?/edges.tsv | sort -u | wc -l) ]] ||
		fail "the pooled graph is not read"
	nothing_beyond apart victim merged
}

# Lies about one node of 600, five times. Parties find the lie if they compare this node. If they do
# not, the coordinator reads the owners of no more edges than this node has. Parties always find a
# lie about 80 nodes.
test_edges_of_a_few() {
	edges_of exact
	rm -r "$T/data" "$T/pooled"
	"$BIN/coterie" synth --features 0 --nodes 600 --clusters 3 --degree 10 --homophily 0.9 \
		--seed 5 --out "$T/pooled" >/dev/null
	"$BIN/coterie" split --by edges --parties 3 --seed 5 --data "$T/pooled" --out "$T/data" \
		>/dev/null
	reads honest honest 0
	local i found=0 node own
	for ((i = 0; i < 5; i++)); do
		reads few few=1 '0|2'
		if [[ $(jq .after "$T/few") == 0 ]]; then
			found=$((found + 1))
			[[ $(beyond few) == 0 ]] ||
				fail "$(beyond few) edges read by a lie that is found"
			continue
		fi
		node=$(jq -r '.moved[0]' "$T/few")
		# some nodes have no edges
		own=$(cat "$T"/data/party-0?/edges.tsv | grep -cw "$node" || true)
		echo "one node, unnoticed: $(beyond \
			few) edges with their owner beyond an honest one's, of $own that it has"
		(($(beyond few) <= own)) || fail "$(beyond few) edges beyond, of $own of that node"
	done
	echo "found $found of 5 times"
	nothing_beyond few=80
}

# Runs a coordinator that colludes with party-00. The coordinator knows which nodes other parties
# compare with party-00, but not which nodes they compare with each other.
colludes() { # LIE STATUS
	extractor "$1" colluder.py --party "$T/party-00.json"
	party party-01
	party party-02
	ends "$2" party-01 party-02
	ends 0 coordinator
	tail -n 1 "$T/coordinator.stdout" >"$T/colluding"
	figure colluding "$1"
}

test_edges_of_exact_by_two() {
	edges_of exact
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	# Writes the effective job with its keys in their order, because party-00 hashes the offer
	# and knows no defaults. gojq would sort the keys.
	"$PYTHON" -c 'import json, sys; json.dump(json.load(sys.stdin)["job"], sys.stdout)' \
		<"$T/out/coordinator/run.json" >"$T/job.json"
	colludes honest 0 # the honest numbering is readable, and party-00 takes part
	[[ $(jq .pooled "$T/colluding") == $(cat "$T"/data/party-0?/edges.tsv | sort -u |
		wc -l) ]] || fail "the pooled graph is not read"
	colludes apart 2
	any_party_said 'coordinator .*numbers nodes differently for party-0[12] and for this' ||
		fail "nobody names it"
	[[ $(jq '.read | length' "$T/colluding") == 0 && $(jq .after "$T/colluding") == 0 ]] ||
		fail "edges were read"
}

test_edges_of_plus() {
	edges_of fedspectral+
	reads honest honest 0
	nothing_beyond apart victim merged
}

# A coordinator that chooses unmasked prototypes reads almost nothing by four attacks, because two
# rounds have different embeddings. With --still the weights change little, and the attacks by
# differences and by members succeed.
test_prototypes_in_clear() {
	local last
	needs_python
	graphs_federation 3
	"$BIN/coterie" synth --graphs --nodes 120 --size 12 --seed 99 --out "$T/others" >/dev/null
	for last in '' --still; do # only the first run rebuilds graphs
		# shellcheck disable=SC2086
		"$PYTHON" "$ROOT/tests/hostile/prototypes.py" $last ${last:+--no-rebuild} --seeds \
			1 --others "$T/others" "$T"/data/party-0? | tee "$T/read$last"
		[[ $(grep -c 'members named right' "$T/read$last") == 3 ]] || fail "no figures"
	done
	[[ $(grep -c 'by differences 0 | with drift 0 ' "$T/read") == 3 ]] ||
		fail "graphs were read by differences"
	! sed -n 's/.*named right \([0-9]*\) .*/\1/p' "$T/read" |
		awk '$1 > 45 { bad = 1 } END { exit !bad }' || fail "members are named"
	! sed -n 's/.*rebuilt \([0-9]*\) by.*/\1/p' "$T/read" |
		awk '$1 > 5 { bad = 1 } END { exit !bad }' || fail "graphs are rebuilt"
	at_least "$(sed -n 's/^scattered: by differences \([0-9]*\) .*/\1/p' "$T/read--still")" 3 \
		"graphs read where weights stand still"
	at_least "$(sed -n 's/^kde.*named right \([0-9]*\) .*/\1/p' "$T/read--still")" 60 \
		"members named where weights stand still"
	at_least "$(sed -n 's/^kde.*own weights \([0-9]*\) .*/\1/p' "$T/read")" 60 \
		"members named by own weights"
	at_least "$(sed -n 's/^alone: rebuilt \([0-9]*\) .*/\1/p' "$T/read")" 2 \
		"graphs rebuilt from embeddings of their own"
}

sample test_rows_of_kmeans
run_tests "$@"
