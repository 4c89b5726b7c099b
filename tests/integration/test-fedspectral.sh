#!/bin/bash
# Tests FedSpectral between real daemons. Each party has some edges and nodes, which ids match.
#
#     coterie-lab spectral, all edges ---.
#                                     >-- the same labels, however edges are spread (exact)
#     party-00 .. party-NN, by id ---'
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

central() { # [DIR]: clusters $T/pooled or DIR in one process
	"$BIN/coterie-lab" spectral --data "${1:-$T/pooled}" --clusters 3 --seed 7 --out \
		"$T/central" >/dev/null
}

ari() { # LABELS...: prints the ARI against the central labels
	"$BIN/coterie" eval --truth "$T/central/labels.csv" "$@" | jq -r .ari
}

runs() { # L [ARG-OF-COORDINATOR...]
	rm -rf "$T/out"
	coordinator "${@:2}"
	parties "$1"
	completes "$1"
}

# Each party has labels for all of its own nodes, and for no other nodes.
own_labels() { # L
	local name
	for name in $(names "$1"); do
		diff <(sort "$T/data/$name/ids.txt") \
			<(tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 1 | sort) >/dev/null ||
			fail "$name has labels of other nodes than its own"
	done
}

phases_of() { run_of "$1" '[.phases[].name] | join(" ")'; }

# ---- the three variants ----

exact_is_central() { # L [SPLIT-OPTION...]
	edges_federation "$@"
	central
	runs "$1"
	own_labels "$1"
	at_least "$(ari "$T"/out/party-*/labels.csv)" 1 "ARI of $*"
	[[ $(phases_of coordinator) == "offer keys align degrees lanczos kmeans result" ]] ||
		fail "phases $(phases_of coordinator)"
	[[ $(run_of coordinator '.facts | "\(.nodes) \(.clusters)"') == "200 3" ]] ||
		fail "facts $(run_of coordinator '.facts | tostring')"
	at_least "$(run_of coordinator '.facts.eigenvalues | length')" 9 'the number of eigenvalues'
	# The coordinator has seen no id, and no party has seen another party's ids.
	! grep -rEq '\bn[0-9]+\b' "$T/out/coordinator" "$T/coordinator.stderr" ||
		fail 'the coordinator knows an id'
	"$BIN/coterie" show "$T/out" --truth "$T/central/labels.csv" >"$T/shown" ||
		fail 'coterie show'
	grep -q 'ACC 1.0000' "$T/shown" || fail "show: $(<"$T/shown")"
	"$BIN/coterie" report "$T/out" --no-record >/dev/null || fail 'coterie report'
}

test_exact_of_two() { exact_is_central 2; }
test_exact_of_five_with_overlap() { exact_is_central 5 --overlap 0.4; }
test_exact_of_regions() { exact_is_central 4 --regions; }

# Daemons and coterie-lab regularize the joint degrees alike. Another tau gives other eigenvalues.
test_regularized() {
	edges_federation 3
	"$BIN/coterie-lab" spectral --data "$T/pooled" --clusters 3 --seed 7 --regularize 0.5 \
		--out "$T/central" >/dev/null
	runs 3 --set tau=0.5
	at_least "$(ari "$T"/out/party-*/labels.csv)" 1 'ARI with tau 0.5'
	[[ $(run_of coordinator '.facts | has("eigenvalues_near_1")') == false ]] ||
		fail 'eigenvalues near 1, which are not counted'
	jq -ne --argjson found "$(run_of coordinator '.facts.eigenvalues[0]')" --argjson wanted \
		"$(jq '.eigenvalues[0]' "$T/central/result.json")" \
		'$wanted < 0.9 and ($found - $wanted | fabs) < 1e-4' >/dev/null ||
		fail "the first eigenvalue is $(run_of coordinator '.facts.eigenvalues[0]')"
}

test_exact_of_one() {
	edges_federation 1
	central
	edit job '.allow_single = true'
	edit party-00 '.policy.allow_single = true'
	runs 1
	at_least "$(ari "$T"/out/party-00/labels.csv)" 1 'ARI of one party'
}

test_plus() {
	edges_federation 3 --overlap 0.67
	central
	edit job '.variant = "fedspectral+"'
	runs 3
	own_labels 3
	at_least "$(ari "$T"/out/party-*/labels.csv)" 0.8 'ARI of fedspectral+'
	[[ $(phases_of party-01) == "offer keys align power result" ]] ||
		fail "phases $(phases_of party-01)"
	[[ $(run_of coordinator .rounds) == 20 ]] || fail "$(run_of coordinator .rounds) rounds"
	runs 3 --set iterations=1 --set rounds=1
	[[ $(run_of coordinator .rounds) == 1 ]] || fail "$(run_of coordinator .rounds) rounds"
}

# Every sum has noise, so a policy that names only "fedspectral" allows the job. A policy may also
# limit the eps.
test_noise_in_sums() {
	edges_federation 3
	edit job '.noise = { on: "sums", eps: 4, delta: 1e-5 }'
	edit party-01 \
		'.policy.max_eps = 4 | .policy.max_delta = 1e-3 | .policy.jobs = ["fedspectral"]'
	runs 3
	own_labels 3
	[[ $(phases_of party-01) == "offer keys align degrees power kmeans result" ]] ||
		fail "phases $(phases_of party-01)"
	[[ $(run_of coordinator .rounds) == 11 ]] || fail "$(run_of coordinator .rounds) rounds"
	[[ $(run_of \
		party-01 .facts.privacy) == "(eps 4, delta 1e-05)-differential privacy of each \
edge of a party, by the discrete gaussian"* ]] ||
		fail "party-01 says: $(run_of party-01 .facts.privacy)"
	[[ $(run_of party-01 .facts.eps_spent) == 4 ]] || fail "eps is not spent"
	grep -q ',edge,' \
		<<<"$("$BIN/coterie" ledger export --state "$T/out/party-01/state" --csv)" ||
		fail "no claim of edges in the ledger"
	edit job '.noise.eps = 5'
	coordinator
	parties 3
	ends 2 coordinator party-00 party-01 party-02
	grep -q 'the offered job.noise.eps is 5, policy.max_eps of party-01 is 4' \
		"$T/party-01.stderr" || fail "$(tail -n 2 "$T/party-01.stderr")"
}

test_plain() {
	edges_federation 3 --overlap 0.67
	central
	edit job '.variant = "fedspectral"'
	runs 3
	own_labels 3
	at_least "$(ari "$T"/out/party-*/labels.csv)" 0.5 'ARI of fedspectral'
	[[ $(run_of coordinator .rounds) == 0 ]] || fail 'there were sums'
}

# ---- ids ----

test_hashed_and_plain_ids() {
	edges_federation 3
	runs 3
	mv "$T/out" "$T/hashed"
	runs 3 --set ids=plain
	for name in $(names 3); do
		same_labels "$T/hashed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	[[ $(run_of coordinator .job.ids) == plain ]] || fail 'ids were not plain'
}

# Ids may be any words, in any order. A party with edges need not list its ids.
test_other_ids() {
	edges_federation 3
	sed -i -E 's/\bn([0-9]+)\b/+49-\1@ex\xc3\xa4mple/g' "$T"/data/party-*/{ids.txt,edges.tsv} \
		"$T"/pooled/{ids.txt,edges.tsv}
	shuf --random-source="$T/pooled/edges.tsv" -o "$T/data/party-01/ids.txt" \
		"$T/data/party-01/ids.txt"
	edit_parties 3 'del(.data.ids)'
	central
	runs 3
	at_least "$(ari "$T"/out/party-*/labels.csv)" 1 'ARI without ids.txt'
	[[ $(grep -c '@exämple,' "$T/out/party-01/labels.csv") == $(wc -l \
		<"$T/data/party-01/ids.txt") ]] || fail 'ids were not kept'
}

# ---- weights ----

# No two parties have a node in common. A malicious coordinator that gives each party rows of its
# own would look like this, and would learn the owners of edges. So the job is refused, unless it
# sets job.allow_disjoint.
test_nothing_in_common() {
	edges_federation 2
	sed -i -E 's/\bn([0-9]+)\b/other-\1/g' "$T"/data/party-01/{ids.txt,edges.tsv}
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	any_party_said 'no two of them have a node in common \(job.allow_disjoint permits that\)' ||
		fail "nobody says why: $(tail -n 1 "$T"/party-0?.stderr)"
	edit job '.allow_disjoint = true'
	runs 2
	own_labels 2
}

# The weight of an edge is the sum of its weights at the parties: here 1 at one party, 1 + 2.5 at
# two.
test_weights_add_up() {
	edges_federation 2 --overlap 1
	awk -v OFS='\t' 'NR % 3 == 0 { print $1, $2, 2.5 }' "$T/pooled/edges.tsv" \
		>"$T/data/party-01/edges.tsv"
	awk -v OFS='\t' '{ print $1, $2, NR % 3 ? 1 : 3.5 }' "$T/pooled/edges.tsv" >"$T/both"
	mv "$T/both" "$T/pooled/edges.tsv"
	central
	runs 2
	at_least "$(ari "$T"/out/party-*/labels.csv)" 1 'ARI of weighted edges'
	jq -e --slurpfile central "$T/central/result.json" '
		[.facts.eigenvalues[:3], $central[0].eigenvalues[:3]] | transpose
		| all(.[0] - .[1] | fabs < 1e-4)' \
		"$T/out/coordinator/run.json" >/dev/null ||
		fail "eigenvalues $(run_of coordinator '.facts.eigenvalues | tostring')"
}

# ---- policies ----

test_exact_must_be_named() {
	edges_federation 2
	edit party-01 '.policy.jobs = ["fedspectral"]'
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	party_says 'the offered job is of kind fedspectral.exact, which policy.jobs of party-01 '\
'does not name'
	for name in coordinator party-00 party-01; do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
	runs 2 --set 'variant=fedspectral+'
	edit party-01 '.policy.jobs = ["fedspectral.exact"]'
	runs 2
	# A party's log has the disclosures of each offer.
	says party-01 'disclosure: .*It can compute the pooled graph from them'
	says party-00 'disclosure: .*each of the two parties learns the other'
}

# ---- a party or the coordinator dies ----

strikes() { # VICTIM PHASE [ARG-OF-COORDINATOR...]: the next run succeeds
	edges_federation 3
	stretched "${@:3}"
	dies_in "$1" "$2" labels.csv
	runs 3 "${@:3}"
}

test_party_dies_in_align() { strikes party-01 align; }
test_party_dies_in_lanczos() { strikes party-01 lanczos; }
test_coordinator_dies_in_lanczos() { strikes coordinator lanczos; }
test_party_dies_in_power() { strikes party-01 power --set variant=fedspectral+; }

# ---- unusual data that are valid ----

test_loops_and_repeated_edges() {
	edges_federation 2
	central
	{
		cat "$T/data/party-01/edges.tsv"
		echo 'n1 n1'
		echo 'n2	n2'
		head -n 3 "$T/data/party-01/edges.tsv" | awk -v OFS='\t' '{ print $2, $1 }'
	} >"$T/more"
	mv "$T/more" "$T/data/party-01/edges.tsv"
	edit party-01 'del(.data.ids)' # the list may lack n1 and n2
	runs 2
	grep -q 'edges.tsv: dropped 2 self-loops and 3 lines that repeat an edge' \
		"$T/party-01.stderr" "$T/out/party-01/log.jsonl" ||
		fail "$(tail -n 3 "$T/party-01.stderr")"
	at_least "$(ari "$T"/out/party-*/labels.csv)" 1 'ARI'
}

test_party_without_edges() {
	edges_federation 3
	: >"$T/data/party-02/edges.tsv"
	cat "$T"/data/party-0[01]/edges.tsv >"$T/pooled/edges.tsv"
	central
	for variant in exact fedspectral+ fedspectral; do
		runs 3 --set "variant=$variant"
		own_labels 3
	done
	runs 3
	at_least "$(ari "$T"/out/party-*/labels.csv)" 1 'ARI'
	: >"$T/data/party-02/ids.txt" # party-02 has no nodes at all
	edit party-02 'del(.data.ids)'
	runs 3
	[[ $(wc -l <"$T/out/party-02/labels.csv") == 1 ]] || fail 'a party without nodes has labels'
}

# The data are three separate graphs, and a node without edges.
test_disconnected() {
	edges_federation 2
	rm -r "$T/data"
	mkdir "$T/data" "$T/apart"
	awk 'BEGIN { for (c = 0; c < 3; c++) for (i = 0; i < 20; i++) for (j = 0; j < i; j++)
		if ((3 * i + 5 * j) % 11)
			print "c" c "-" i "\t" "c" c "-" j }' >"$T/apart/edges.tsv"
	{ tr '\t' '\n' <"$T/apart/edges.tsv" | sort -u && echo alone; } >"$T/apart/ids.txt"
	"$BIN/coterie" split --by edges --parties 2 --data "$T/apart" --out "$T/data" >/dev/null
	over_edges 2
	central "$T/apart"
	runs 2 --set tau=0
	at_least "$(ari "$T"/out/party-*/labels.csv)" 1 'ARI'
	[[ $(run_of coordinator '.facts | "\(.eigenvalues_near_1) \(.isolated)"') == "3 1" ]] ||
		fail "facts $(run_of coordinator '.facts | tostring')"
	says coordinator 'eigenvalues within 1e-5 of 1: 3"'
	says coordinator '1 of [0-9]+ nodes have no edges'
	[[ $(cat "$T"/out/party-*/labels.csv | grep '^alone,') == alone,3 ]] ||
		fail 'the isolated node is not by itself'
	runs 2 --set clusters=auto
	[[ $(run_of coordinator .facts.clusters) == 3 ]] ||
		fail "auto found $(run_of coordinator .facts.clusters)"
}

# ---- invalid data ----

# Replaces FILE of party-01 by stdin. The party ends with 4 before it dials, and REGEX matches its
# error.
refuses() { # FILE REGEX
	cat >"$T/data/party-01/$1"
	party party-01
	ends 4 party-01
	says party-01 "$2"
	[[ $(wc -c <"$T/party-01.stderr") -lt 2000 ]] ||
		fail "says it in $(wc -c <"$T/party-01.stderr") bytes"
}

test_bad_files() {
	edges_federation 2
	local long
	export ADDRESS=127.0.0.1:1
	long=$(head -c 10240 /dev/zero | tr '\0' x)
	edit party-01 'del(.data.ids)'
	printf 'n1 n2\nn2 n3 -0.5\n' |
		refuses edges.tsv 'edges\.tsv:2: the weight is .not shown., expected more than 0'
	printf 'n1 n2\n\nn2 n3 0\n' |
		refuses edges.tsv 'edges\.tsv:3: the weight is .not shown., expected more than 0'
	printf 'n1 n2 nan\n' | refuses edges.tsv 'edges\.tsv:1: .not shown. is not a finite number'
	printf 'n1 n2 1e999\n' |
		refuses edges.tsv 'edges\.tsv:1: .not shown. is not a finite number'
	printf 'n1\n' | refuses edges.tsv 'edges\.tsv:1: .*an id is expected'
	printf 'a\tb\tc\n' | refuses edges.tsv 'edges\.tsv:1: .not shown. is not a finite number'
	printf 'n1 n2 1\nn2 n1 2\n' |
		refuses \
		edges.tsv 'edges\.tsv:2: the edge is given with weight .not shown., but with '\
'.not shown. on line 1'
	printf 'n1 %s\n' "$long" | refuses edges.tsv 'edges\.tsv:1: .*10240 bytes'
	printf 'n1 n\x01\n' | refuses edges.tsv 'edges\.tsv:1: '
	edit party-01 '.data.ids = "data/party-01/ids.txt"'
	printf 'n1 n2\n' >"$T/data/party-01/edges.tsv"
	printf 'n1\nn2\tn3\n' | refuses ids.txt 'ids\.txt:2: '
	printf 'n1\n%s\n' "$long" | refuses ids.txt 'ids\.txt:2: .*10240 bytes'
	printf 'n1\nn2\nn1\n' |
		refuses ids.txt 'ids\.txt:3: the id .not shown. is given twice, first on line 1'
	printf 'n1\nn3\n' | refuses ids.txt 'edges\.tsv:1: .not shown. is none of the 2 ids'
}

test_more_clusters_than_nodes() {
	edges_federation 2
	printf 'a b\nb c\n' >"$T/data/party-00/edges.tsv"
	printf 'd c\n' >"$T/data/party-01/edges.tsv"
	printf 'a\nb\nc\nlonely\n' >"$T/data/party-00/ids.txt"
	printf 'c\nd\n' >"$T/data/party-01/ids.txt"
	coordinator --set clusters=5
	parties 2
	ends '1|2' coordinator party-00 party-01
	for name in coordinator party-00 party-01; do
		says "$name" '4 of 5 nodes have edges, which cannot be put into 5 clusters'
	done
	runs 2 --set clusters=2
	[[ $(grep lonely "$T/out/party-00/labels.csv") == lonely,2 ]] ||
		fail "$(<"$T/out/party-00/labels.csv")"
}

test_features_alone_are_declined() {
	federation 2
	echo '{ "kind": "fedspectral", "clusters": 3, "variant": "fedspectral+" }' >"$T/job.json"
	edit_parties 2 '.policy.jobs = ["fedspectral"] | del(.data.edges)'
	coordinator
	parties 2
	ends '2|4' coordinator
	party_says 'has no data.edges, which a job of kind fedspectral needs'
}

# ---- scripts/launch ----

test_launch() {
	local \
		launch=(env COTERIE_BIN="$BIN" "$ROOT/scripts/launch" --quiet --data "$T/pooled"
		--parties 3 --job)
	"$BIN/coterie" synth --features 0 --nodes 200 --clusters 3 --degree 10 --homophily 0.9 \
		--seed 5 --out "$T/pooled" >/dev/null
	central
	"${launch[@]}" "$ROOT/configs/jobs/fedspectral.json" --set clusters=3 --allow \
		fedspectral.exact --overlap 0.67 \
		--out "$T/a" >"$T/a.stderr" 2>&1 ||
		fail "launch: status $?: $(tail -n 3 "$T/a.stderr")"
	at_least "$(ari "$T"/a/party-*/labels.csv)" 1 'ARI of launch'
	"${launch[@]}" "$ROOT/configs/jobs/fedspectral-plus.json" --set clusters=3 --regions --out \
		"$T/b" >"$T/b.stderr" 2>&1 ||
		fail "launch of fedspectral+: status $?"
	"${launch[@]}" "$ROOT/configs/jobs/fedspectral-plain.json" --set clusters=3 --out "$T/c" \
		>"$T/c.stderr" 2>&1 ||
		fail "launch of fedspectral: status $?"
	local status=0
	"${launch[@]}" "$ROOT/configs/jobs/fedspectral.json" --out "$T/d" >"$T/d.stderr" 2>&1 ||
		status=$?
	((status == 4)) || fail "launch without --allow: status $status, expected 4"
	says d 'the job needs --allow fedspectral.exact: parties disclose more'
	status=0
	"${launch[@]}" "$ROOT/configs/jobs/fedspectral.json" --by rows --out "$T/e" >"$T/e.stderr" \
		2>&1 || status=$?
	((status == 4)) || fail "launch --by rows: status $status, expected 4"
	says e '--by is rows, expected edges'
}

# The graph has no clear clusters. With numbering files two runs of a seed give the same labels.
# Without numbering files the two runs give different labels. A file that only one party has, or
# that others may read, is refused.
test_same_seed_same_labels() {
	edges_federation 3
	rm -r "$T/data" "$T/pooled"
	"$BIN/coterie" synth --features 0 --nodes 200 --clusters 3 --degree 6 --homophily 0.4 \
		--seed 5 --out "$T/pooled" >/dev/null
	"$BIN/coterie" split --by edges --parties 3 --seed 5 --data "$T/pooled" --out "$T/data" \
		>/dev/null
	over_edges 3
	edit job '.variant = "fedspectral+" | .clusters = 8'
	numbered 3
	runs 3
	mv "$T/out" "$T/first"
	runs 3
	same_labels "$T/first/party-01/labels.csv" "$T/out/party-01/labels.csv"
	[[ $(jq -r .facts.numbering "$T/first/coordinator/run.json") == "$(run_of coordinator \
		.facts.numbering)" ]] || fail "numbered otherwise"
	edit_all 3 'del(.numbering_key)'
	runs 3
	says coordinator 'numbered at random'
	[[ $(jq -r .facts.numbering "$T/first/coordinator/run.json") != "$(run_of coordinator \
		.facts.numbering)" ]] || fail "numbered alike"
	! cmp -s "$T/first/party-01/labels.csv" "$T/out/party-01/labels.csv" ||
		fail "such a graph's labels should differ"
	edit party-01 '.numbering_key = "parties.numbering"'
	coordinator
	parties 3
	ends '1|2|4' coordinator party-00 party-01 party-02
	says party-01 'party-00 has another numbering_key than party-01, or none'
	chmod 644 "$T/parties.numbering"
	"$BIN/party" --config "$T/party-01.json" --check-config >"$T/checked" 2>&1 &&
		fail "a file that all may read is taken"
	grep -q 'mode 0644' "$T/checked" || fail "$(<"$T/checked")"
}

sample test_exact_of_two test_plus test_noise_in_sums test_plain
run_tests "$@"
