#!/bin/bash
# Runs a coordinator that tells one lie (tests/hostile/liar.py) with parties of several kinds. The
# lies are about sums, bases, rows, blocks and results. A lie that parties can find ends the job
# with an error that names the coordinator and never a party, and no party has labels. With a lie
# that parties believe no more data leave the parties.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=lies.sh
source "${0%/*}/lies.sh"

# ---- fedsc ----

rows_of() { # VARIANT: makes a federation for it
	needs_python
	rows_federation 3
	rows_job "$1" '. + { min_cluster: 3, restarts: 4, iterations: 5 }'
	[[ $1 != dense ]] || edit job '. + { rounds: 2, tolerance: 0 }'
}

is_done() { # LIE
	fresh_out
	liar "$1"
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
}

# The clusters are those of the coordinator in C: two rows share a cluster here if they share a
# cluster there.
ends_alike() { # LIE
	is_done "$1"
	[[ $(paste -d ' ' <(cut -d , -f 1-2 "$T"/honest/party-0?/labels.csv) \
		<(cut -d , -f 1-2 "$T"/out/party-0?/labels.csv) | sort -u |
		wc -l) == "$together" ]] ||
		fail "$1: not the clusters that there are with a coordinator in C"
}

honest() { # runs the coordinator in C, whose labels are expected
	fresh_out
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	mv "$T/out" "$T/honest"
	together=$(cut -d , -f 1-2 "$T"/honest/party-0?/labels.csv | sort -u | wc -l)
}

sums() { # LIE...: parties find each lie
	local lie
	for lie; do is_found "$lie" "$WRONG_SUM"; done
}

# The lies "sign" and "turned" are harmless. The three clouds are separate, so their eigenvalues are
# equal. A basis that is turned in the space of their eigenvectors is as good, and so is a basis
# with another sign. The clusters are the same.
test_anchor_as_it_is() {
	rows_of anchor
	honest
	ends_alike honest
	ends_alike sign
	ends_alike turned
}

test_sums_of_anchor() {
	rows_of anchor
	sums scale bit=landmarks+0,0 count=landmarks+2 centre=landmarks+3 one=landmarks+4,0
}

test_later_sums_of_anchor() {
	rows_of anchor
	sums bit=anchor+0,0 one=anchor+0,-1 bit=kmeans+1,-2 count=kmeans+2
}

test_dense_as_it_is() {
	rows_of dense
	honest
	ends_alike honest
	ends_alike sign
}

test_sums_of_dense() {
	rows_of dense
	sums bit=totals+2,0 count=landmarks+2 bit=dims+0,0 bit=stage-1+0,0 one=stage-1+1,-1
}

test_later_sums_of_dense() {
	rows_of dense
	sums bit=dense+0,0 one=dense+1,-1 bit=kmeans+0,0 centre=kmeans+3
}

bases_that_are_not() { # LIE...: parties find each basis that is wrong
	local lie
	for lie; do
		is_found "$lie" 'coordinator sent MATRIX with vectors that are not eigenvectors'
	done
	is_found longer 'coordinator sent MATRIX with eigenvectors that are not orthonormal'
	is_found \
		smaller 'coordinator sent MATRIX with .* eigenvectors that are not those of the '\
'largest eigenvalues'
	is_found sign-one 'coordinator broadcast other values to .* than to this party'
}

test_basis_of_anchor() {
	rows_of anchor
	bases_that_are_not value vector-one
}

test_basis_of_dense() {
	rows_of dense
	bases_that_are_not turned vector
}

# ---- fedsc, with noise in sums ----

noisy_rows() { # [EPS]
	rows_of anchor
	edit job ".noise = { on: \"sums\", eps: ${1:-30}, delta: 1e-5, clip: 20 }"
}

# The coordinator changes rows, counts, offsets, the sum B'B of phase "anchor" (README of fedsc),
# and tags. Noise gives each job other labels, so labels are not compared.
test_sums_of_noisy_anchor() {
	noisy_rows
	is_done honest
	sums bit=totals+0,0 n count=landmarks+1 centre=landmarks+2 one=landmarks+3,-1 \
		bit=anchor+0,0 zero=anchor+0
}

test_sums_of_noisy_anchor_out_of_place() {
	noisy_rows
	is_found old=landmarks+1 'coordinator '
	is_found swap=landmarks+1 "$WRONG_SUM"
	is_found again=landmarks+2 'coordinator '
	is_found late=anchor+0 'coordinator '
}

test_less_noise_of_anchor() {
	noisy_rows
	is_found weak-one "$OTHER_JOB"
}

# With much noise landmarks are tied only to themselves, and each of them is an eigenvector of the
# same eigenvalue. Parties then cannot distinguish the largest eigenvalues from the eigenvalues that
# are left out. So this test has less noise. A changed number of one vector may give either of two
# errors.
test_basis_of_noisy_anchor() {
	noisy_rows 300
	is_found vector-one 'coordinator sent MATRIX with .*vectors that are not'
	bases_that_are_not value
}

# ---- lies that parties believe ----

# Prints the type of each message in the party's ledger, and its number of words.
left() { # NAME
	"$BIN/coterie" ledger --state "$T/out/$1/state" export --csv >"$T/ledger.csv" ||
		fail "$1's ledger"
	"$PYTHON" - "$T/ledger.csv" <<-'EOF'
		import csv, sys
		rows = list(csv.DictReader(open(sys.argv[1])))
		print([(r["type"], r["words"]) for r in rows])
	EOF
}

# Parties cannot check labels, but labels come last. With false labels no more data leave than with
# the true labels.
no_more_leaves() { # [LIE]
	local name
	is_done honest
	for name in $(names 3); do left "$name" >"$T/$name.left"; done
	is_done "${1-result}"
	for name in $(names 3); do
		left "$name" | cmp -s - "$T/$name.left" ||
			fail "$name: $(left "$name"), expected $(<"$T/$name.left")"
		grep -q MASKED "$T/$name.left" || fail "$(<"$T/$name.left")"
	done
}

# ---- fedgcn ----

# Parties check sums of weights and prototypes. The lies change a bit for all or for one party or a
# count, exchange two words, or send an earlier sum again.
test_sums_of_fedgcn() {
	needs_python
	graphs_federation 3
	edit job '.rounds = 2 | .epochs = 1'
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
	is_done honest
	sums bit=0,0 count=0 one=3,-1 bit=13,5 one=13,0 swap=14 bit=15,0
	is_found old=14 'coordinator '
}

# The coordinator can broadcast any prototypes, whatever the uploads are. Parties check only that
# they are finite, not too large, and the same for all parties.
test_prototypes_of_fedgcn() {
	local name
	needs_python
	graphs_federation 3
	edit_parties 3 '.policy.jobs = ["fedgcn.kde"]'
	edit job '.rounds = 2 | .epochs = 1 | .prototypes = "kde"'
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
	no_more_leaves elsewhere
	is_found large 'coordinator sent MATRIX with prototype 1 with 1e\+13'
	is_found nan 'coordinator sent MATRIX .*no finite number'
	is_found proto-one "$WRONG_SUM" # masks do not cancel, so the next sum is noise
}

# ---- fedspectral ----

edges_for() { # VARIANT: makes three parties with the same nodes
	needs_python
	edges_federation 3
	edit job ". + { variant: \"$1\", ids: \"hashed\" }"
}

rows_that_are_not_the_same() {
	is_found apart 'coordinator (sent ROWS of [0-9]+ nodes, as|numbers nodes differently)'
	is_found victim 'coordinator numbers nodes differently'
	is_found merged 'coordinator numbers nodes differently'
	is_found box 'as coordinator passed it on'
}

test_fedspectral_exact_as_it_is() {
	edges_for exact
	honest
	ends_alike honest
}

test_rows_of_exact() {
	edges_for exact
	rows_that_are_not_the_same
	is_found boxes 'as coordinator passed it on'
	is_found few=60 'coordinator numbers nodes differently'
}

test_degrees() {
	edges_for exact
	sums bit=degrees+0,0 one=degrees+0,3 count=degrees+0 bit=degrees+0,-1
	is_found word 'coordinator broadcast other values to .* than to this party'
}

test_blocks_of_exact() {
	edges_for exact
	is_found block 'coordinator sent a BLOCK whose columns are not orthogonal'
	is_found block-turned 'coordinator sent a BLOCK whose columns are not orthogonal'
	is_found block-one 'coordinator broadcast other values to .* than to this party'
	is_found wide 'coordinator sent CHOICE'
}

test_result_is_believed() {
	edges_for exact
	no_more_leaves
	is_found clusters 'coordinator sent CHOICE'
}

noisy_edges() {
	edges_for exact
	edit job '.noise = { on: "sums", eps: 8, delta: 1e-5 }'
}

test_rows_of_noisy_exact() {
	noisy_edges
	rows_that_are_not_the_same
	is_found few=60 'coordinator numbers nodes differently'
}

test_less_noise_of_exact() {
	noisy_edges
	is_found weak-one "$OTHER_JOB"
}

# A BLOCK has vectors, by which parties multiply their edges. Parties check the number of blocks,
# their width, and that all received the same blocks.
test_blocks_of_noisy_exact() {
	noisy_edges
	is_found word 'coordinator broadcast other values to .* than to this party'
	is_found block-one 'coordinator broadcast other values to .* than to this party'
	is_found block-nan 'coordinator sent BLOCK .*no finite number'
	is_found wide 'coordinator sent BLOCK'
	is_found more 'coordinator sent BLOCK'
	is_found fewer 'coordinator sent CHOICE'
	is_found clusters 'coordinator sent CHOICE'
}

# The coordinator may send any block. The answers to it have noise, and no additional answer leaves
# a party.
test_blocks_of_noisy_exact_that_are_answered() {
	noisy_edges
	no_more_leaves block
	no_more_leaves block-turned
	no_more_leaves
}

result_of() { # METHOD
	needs_python
	federation 3
	echo "{ \"kind\": \"kcagc\", \"clusters\": 3, \"seed\": 7, \"filter\": { \"order\": 3 },
		\"method\": \"$1\" }" >"$T/job.json"
	[[ $1 != basic ]] || edit job '.polish = 0 | .joint_norm = false'
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	jq .job "$T/out/coordinator/run.json" >"$T/job.json"
}

test_result_of_basic() {
	result_of basic
	is_found result \
		'coordinator sent a RESULT that is not what its last assignment made of the nodes'
}

test_result_of_gcc_is_believed() {
	result_of gcc
	no_more_leaves
}

# A first job leaves models of columns. A second job assigns rows to clusters with these models, and
# the parties receive only RESULT. With 4 clusters an entry has 3 bits, so it can also hold 4 to 7,
# which are no clusters.
placed() {
	local name
	needs_python
	"$BIN/coterie" synth --points --nodes 90 --features 6 --clusters 4 --apart 8 --seed 3 \
		--out "$T/points" >/dev/null
	federation 3
	rm -rf "$T/data"
	"$BIN/coterie" split --by columns --parties 3 --seed 5 --data "$T/points" --out "$T/data" \
		>/dev/null
	for name in $(names 3); do
		edit "$name" ".data = { features: \"$(cd "$T" && ls "data/$name"/features.*)\" } |
			.policy.jobs = [\"kmeans.columns\", \"kmeans.columns.predict\"]"
	done
	echo '{ "kind": "kmeans.columns", "clusters": 4, "seed": 7 }' >"$T/job.json"
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	jq -n --arg model "$(run_of coordinator .job_id)" \
		'{ kind: "kmeans.columns.predict", clusters: 4, model: $model }' >"$T/job.json"
	for name in $(names 3); do
		mkdir -p "$T/kept/$name/state"
		mv "$T/out/$name/state"/model-*.bin "$T/kept/$name/state"
	done
	honest
	jq .job "$T/honest/coordinator/run.json" >"$T/job.json"
}

test_result_of_columns_predict() {
	placed
	ends_alike honest
	is_found label=4 'coordinator sent RESULT with entry 0 in none of 4 clusters'
	is_found label=5 'coordinator sent RESULT'
	is_found label=7 'coordinator sent RESULT'
	is_found labels=0 'coordinator sent RESULT'
	is_found labels=89 'coordinator sent RESULT'
	is_found labels=91 'coordinator sent RESULT'
	is_found label-one 'coordinator broadcast other values to .* than to this party'
	is_found twice 'coordinator sent RESULT'
	is_found for-done 'coordinator sent RESULT'
}

test_result_of_columns_predict_is_believed() {
	placed
	no_more_leaves
}

test_rows_of_plus() {
	edges_for fedspectral+
	rows_that_are_not_the_same
}

test_fedspectral_plus() {
	edges_for fedspectral+
	is_done honest
	is_found block-turned 'coordinator sent a BLOCK whose columns are not orthogonal'
	is_found block-one 'coordinator broadcast other values to .* than to this party'
}

sample test_rows_of_exact test_prototypes_of_fedgcn
run_tests "$@"
