#!/bin/bash
# Distributes a party's data over MPI ranks (ranks.n). Labels are the same as without ranks.
. "${0%/*}/lib.sh"
. "${0%/*}/ranks.sh"
# shellcheck source=lies.sh
source "${0%/*}/lies.sh"

test_same_labels_and_model() {
	local digest
	needs_ranks
	dense_federation 2
	both_ways 2
	same_labels "$T/without/party-01/labels.npy" "$T/out/party-01/labels.npy"
	mv "$T/out" "$T/with" && mv "$T/without" "$T/out" &&
		digest=$(counted_by party-00; went_out party-00 "'LOCAL_CLUSTERS'")
	mv "$T/out" "$T/without" && mv "$T/with" "$T/out"
	[[ $digest &&
		$(counted_by party-00; went_out party-00 "'LOCAL_CLUSTERS'") == "$digest" ]] ||
		fail "the ledger has other data or clusters on ranks than without"
	[[ $(run_of party-00 '.facts.ranks_memory | length') == 3 ]] ||
		fail "run.json has no memory of three ranks"
	[[ $(run_of \
		party-00 '.facts | [.ranks_memory_begun, .ranks_memory_read, .ranks_memory_embedded,
			.ranks_memory] | transpose |
		[.[] | . == sort and .[0] > 0 and .[1] > .[0]]
		| all') == true ]] || fail "peaks of memory do not rise as ranks get on"
	# the estimate is near the peak of the largest rank, which includes MPI's own memory
	[[ $(run_of \
		party-00 '.memory_estimate_bytes / (.facts.ranks_memory | max)
			| . > 0.7 and . < 1.5') == true ]] ||
		fail "estimate and peaks $(run_of party-00 \
		'[.memory_estimate_bytes, .facts.ranks_memory] | tostring')"
	[[ $(run_of party-00 \
		'.facts | [.ranks_cpu_read_s, .ranks_cpu_embedded_s, .ranks_cpu_s] | transpose |
		[.[] | . == sort and .[0] > 0]
		| all') == true ]] || fail "seconds of ranks do not rise as they get on"
	[[ ! -e $T/out/party-00/state/ranks ]] || fail "pipes are left"
	# The model is the same, and predicts the same labels on ranks.
	cmp -s <(tail -c +29 "$T"/without/party-00/state/model-*.bin | head -c -32) \
		<(tail -c +29 "$T"/out/party-00/state/model-*.bin | head -c -32) ||
		fail "the model is another one on ranks"
	jq -n --arg model "$(run_of coordinator .job_id)" \
		'{ kind: "kcagc.predict", clusters: 3, model: $model }' >"$T/job.json"
	for name in party-00 party-01; do
		edit "$name" '.policy.jobs = ["kcagc", "kcagc.predict"]'
	done
	cp -r "$T/out" "$T/kept"
	runs 2
	mv "$T/out/party-00/labels.npy" "$T/predicted.npy"
	rm -r "$T/out" && mv "$T/kept" "$T/out"
	edit party-00 'del(.ranks)'
	runs 2
	same_labels "$T/predicted.npy" "$T/out/party-00/labels.npy"
	rm -r "$T/out"
	echo '{ "kind": "kcagc", "clusters": 3, "seed": 7, "method": "basic", "filter": {
		"order": 1 }, "restarts": 2, "starts": 3 }' >"$T/job.json"
	both_ways 2
}

# Runs PYTHON, which replaces party-00's files by files of other numbers or formats. It may use np,
# r (random numbers), X (features), edges, and write() for Matrix Market.
as_files() { # PYTHON
	/usr/bin/python3 - "$T/data/party-00" "$1" <<-'EOF'
		import sys
		import numpy as np
		folder = sys.argv[1]
		X = np.load(folder + "/features.npy")
		edges = np.loadtxt(folder + "/edges.tsv", usecols=(0, 1)).astype(int)
		edges = np.unique(np.sort(edges, axis=1), axis=0)
		r = np.random.default_rng(9)
		def write(name, kind, sizes, lines):
		    with open(folder + "/" + name, "w") as f:
		        f.write(f"%%MatrixMarket matrix {kind}\n% some\n{sizes}\n"
		                + "\n".join(lines) + "\n")
		exec(sys.argv[2])
	EOF
}

# party-00 is alone in the job. With the files as they are, it must send the same numbers on ranks
# as without ranks, and its ledger must have the same digest of the data.
same_as_without() { # WHAT
	local sent digest
	both_ways 1
	cmp -s "$T"/{without,out}/party-00/labels.csv ||
		fail "labels.csv is another one on ranks with $1"
	sent=$(went_out party-00 "'LOCAL_CLUSTERS', 'MASKED'") digest=$(counted_by party-00)
	[[ $sent == *MASKED* && $digest ]] || fail "no sums: $sent"
	rm -rf "$T/with" && mv "$T/out" "$T/with" && mv "$T/without" "$T/out"
	[[ $(went_out party-00 "'LOCAL_CLUSTERS', 'MASKED'") == "$sent" ]] ||
		fail "other words on ranks with $1"
	[[ $(counted_by party-00) == "$digest" ]] ||
		fail "other data in the ledger on ranks with $1"
	rm -r "$T/out" "$T/with"
}

# Tests Matrix Market: entries in row order or in none, arrays, one triangle or both, and weights.
test_other_files() {
	needs_ranks
	dense_federation 1
	edit party-00 '.policy.allow_single = true'
	edit job '.allow_single = true'
	as_files 'write("features.mtx", "coordinate real general",
	    f"{X.shape[0]} {X.shape[1]} {X.size}",
	    [f"{i + 1} {j + 1} {X[i, j]:.17g}" for i in range(X.shape[0])
	     for j in range(X.shape[1])])
write("edges.mtx", "coordinate pattern symmetric", f"{len(X)} {len(X)} {len(edges)}",
      [f"{v + 1} {u + 1}" for u, v in edges])'
	edit party-00 '.data = { features: "data/party-00/features.mtx",
		edges: "data/party-00/edges.mtx" }'
	same_as_without "sorted Matrix Market"
	as_files 'order = r.permutation(X.size)
write("features.mtx", "coordinate real general", f"{X.shape[0]} {X.shape[1]} {X.size}",
    [f"{i // X.shape[1] + 1} {i % X.shape[1] + 1} {X.flat[i]:.17g}" for i in order])
write("edges.mtx", "coordinate real general", f"{len(X)} {len(X)} {len(edges)}",
    [f"{u + 1} {v + 1} {1 + (u + v) % 5 / 4}" for u, v in r.permutation(edges)])'
	same_as_without "shuffled Matrix Market and weights"
	as_files 'write("features.mtx", "array real general", f"{X.shape[0]} {X.shape[1]}",
      [f"{x:.17g}" for x in X.T.flat])
with open(folder + "/edges.tsv", "w") as f:
    for u, v in r.permutation(edges):
        f.write(f"{v}\t{u}\t{1 / (1 + (u + v) % 3):.17g}\n")'
	edit party-00 '.data.edges = "data/party-00/edges.tsv"'
	same_as_without "an array and weights"
	# The features are 0 or 1, so the job weights columns by their frequency (idf).
	as_files 'i, j = np.nonzero(X > 1)
write("features.mtx", "coordinate pattern general", f"{X.shape[0]} {X.shape[1]} {len(i)}",
      [f"{a + 1} {b + 1}" for a, b in zip(i, j)])'
	same_as_without "words"
	# The ids give the rows another order than that of the files.
	as_files 'write("edges.mtx", "coordinate real general", f"{len(X)} {len(X)} {len(edges)}",
    [f"{u + 1} {v + 1} {1 + (u + v) % 5 / 4}" for u, v in r.permutation(edges)])
with open(folder + "/ids.txt", "w") as f:
    f.writelines(f"node-{i}\n" for i in r.permutation(len(X)))'
	edit party-00 '.data = { features: "data/party-00/features.npy",
		edges: "data/party-00/edges.mtx", ids: "data/party-00/ids.txt" }'
	same_as_without "ids"
	edit party-00 '.data.features = "data/party-00/features.mtx"'
	same_as_without "ids of Matrix Market"
	edit party-00 '.ranks.n = 3'
	echo one-more >>"$T/data/party-00/ids.txt"
	ADDRESS=127.0.0.1:1 party party-00
	ends 4 party-00
	says party-00 'ids.txt: 9001 ids, expected 9000 as .*features.mtx has that many rows'
	echo "1 13" >>"$T/data/party-00/features.mtx"
	ADDRESS=127.0.0.1:1 party party-00
	ends 4 party-00
	says party-00 'features.mtx: the line at byte [0-9]+: the column is .*, expected a whole '\
'number from 1 to 12'
}

# kmeans broadcasts sums whose tags use a key of the run, so no two runs send the same numbers.
# Compares centres, labels and confidences instead.
same_rows() { # WHAT
	local sent digest
	both_ways 1
	cmp -s "$T"/{without,out}/party-00/labels.csv ||
		fail "labels.csv is another one on ranks with $1"
	cmp "$T"/{without,out}/party-00/model.rows ||
		fail "model.rows is another one on ranks with $1"
	sent=$(went_out party-00 "'MASKED'" | cut -d ' ' -f 1-4) digest=$(counted_by party-00)
	rm -rf "$T/with" && mv "$T/out" "$T/with" && mv "$T/without" "$T/out"
	[[ $sent == *MASKED* && $(went_out party-00 "'MASKED'" | cut -d ' ' -f 1-4) == "$sent" ]] ||
		fail "other sums on ranks with $1"
	[[ $digest && $(counted_by party-00) == "$digest" ]] ||
		fail "other data in the ledger on ranks with $1"
	rm -r "$T/out" "$T/with"
}

# Runs kmeans over rows with and without ranks, and compares the number of terms, the labels and the
# confidences.
test_rows() {
	local more
	needs_ranks
	dense_federation 1
	edit party-00 'del(.data.edges) | .policy.allow_single = true | .policy.jobs = ["kmeans"]'
	for more in '.' '.clusters = { from: 2, to: 4 } | .restarts = 2'; do
		echo '{ "kind": "kmeans", "clusters": 3, "seed": 7, "allow_single": true }' |
			jq "$more" >"$T/job.json"
		RANKS=4 same_rows "kmeans, $more" # one of the four ranks has no rows
	done
	as_files 'i, j = np.nonzero(X > 0)
write("features.mtx", "coordinate real general", f"{X.shape[0]} {X.shape[1]} {len(i)}",
      [f"{a + 1} {b + 1} {X[a, b]:.17g}" for a, b in zip(i, j)])
with open(folder + "/ids.txt", "w") as f:
    f.writelines(f"row-{i}\n" for i in r.permutation(len(X)))'
	edit party-00 \
		'.data = { features: "data/party-00/features.mtx", ids: "data/party-00/ids.txt" }'
	same_rows "kmeans of Matrix Market with ids"
	# One of two parties has ranks. The other party need not know that.
	rm -rf "$T"/{data,pooled,out,pki}
	dense_federation 2
	for name in party-00 party-01; do edit "$name" '.policy.jobs = ["kmeans"]'; done
	cp "$T/data/party-00/features.npy" "$T/data/party-01/features.npy"
	echo '{ "kind": "kmeans", "clusters": 3, "seed": 7 }' >"$T/job.json"
	both_ways 2
	same_labels "$T/without/party-01/labels.npy" "$T/out/party-01/labels.npy"
}

# Tests fedsc, variant anchor: landmarks, ties of rows to landmarks, the embedding and its k-means.
test_anchors() {
	local ranks
	needs_ranks
	row_federation 1 fedsc
	edit party-00 '.policy.allow_single = true'
	echo '{ "kind": "fedsc", "clusters": 3, "seed": 7, "allow_single": true }' >"$T/job.json"
	# one of four ranks has no rows
	for ranks in 1 2 4; do RANKS=$ranks same_rows "fedsc and $ranks ranks"; done
	edit job '.clusters = { from: 2, to: 4 } | .dims = 40'
	RANKS=4 same_rows "a range of fedsc"
}

# Only one of three parties is on ranks. Labels and models do not change.
test_anchors_of_several() {
	needs_ranks
	row_federation 3 fedsc
	echo '{ "kind": "fedsc", "clusters": 3, "seed": 7, "dims": 60 }' >"$T/job.json"
	both_ways 3
	same_labels "$T/without/party-01/labels.npy" "$T/out/party-01/labels.npy"
	cmp "$T"/{without,out}/party-00/model.rows || fail "model.rows is another one on ranks"
}

# Nothing masks the numbers of a party that is alone, so they must be the same with and without
# ranks.
test_same_words() {
	needs_ranks
	dense_federation 1
	edit party-00 '.policy.allow_single = true'
	local more raw='joint_norm = true | .features = "raw"'
	raw+=' | .projection = { "basis": "unit", "dims": 4 }'
	for more in '' 'virtual_nodes = "centre" | .method = "tree"' "$raw"; do
		edit job ".allow_single = true${more:+ | .}$more"
		same_words "$more"
	done
}

# Landmark projection, GCC and filter.order "auto" need sums over all rows, which ranks add up. A
# party that is alone sends its sums unmasked, and its ledger shows that they are the same with and
# without ranks.
test_other_methods() {
	needs_ranks
	dense_federation 1
	edit party-00 '.policy.allow_single = true'
	for more in '.method = "landmark" | .polish = 2' \
		'.method = "landmark" | .filter.order = 2 | .landmark.power = false' \
		'.method = "gcc"' \
		'.method = "gcc" | .degrees = "beside"' \
		'.method = "landmark" | .degrees = "alone" | .landmark.power = false' \
		'.method = "tree" | .starts = 6 | .restarts = 3 | .local_restarts = 2'; do
		echo '{ "kind": "kcagc", "clusters": 3, "seed": 7, "allow_single": true, "filter": {
			"order": "auto" } }' >"$T/job.json"
		edit job "$more"
		same_words "$more"
	done
	# After the local phase rows are read again. With ids the rows are not in the file's order.
	as_files 'with open(folder + "/ids.txt", "w") as f:
    f.writelines(f"node-{i}\n" for i in r.permutation(len(X)))
write("edges.mtx", "coordinate real general", f"{len(X)} {len(X)} {len(edges)}",
      [f"{u + 1} {v + 1} 1" for u, v in edges])'
	edit party-00 \
		'.data.ids = "data/party-00/ids.txt" | .data.edges = "data/party-00/edges.mtx"'
	edit job 'del(.starts, .restarts, .local_restarts) | .method = "landmark"'
	same_words 'landmark, dense, ids'
}

# The features are degrees. Ranks find that too, and replace rows by degrees.
test_words_of_degrees() {
	needs_ranks
	dense_federation 1
	edit party-00 '.policy.allow_single = true'
	/usr/bin/python3 - "$T/data/party-00" <<-'EOF'
		import sys
		import numpy as np
		edges = np.loadtxt(sys.argv[1] + "/edges.tsv", dtype=int)
		i, j = np.unique(np.sort(edges, axis=1), axis=0).T
		degree = np.bincount(np.concatenate((i, j)), minlength=9000)
		np.save(sys.argv[1] + "/features.npy", np.eye(30)[np.minimum(degree, 29)])
	EOF
	echo '{ "kind": "kcagc", "clusters": 3, "seed": 7, "allow_single": true,
		"method": "landmark" }' >"$T/job.json"
	coordinator
	parties 1
	completes 1
	[[ $(run_of coordinator \
		'.facts | .degrees == "alone" and .degrees_explain > 0.9') == true ]] ||
		fail "facts $(run_of coordinator '.facts | tostring')"
	rm -rf "$T/out"
	same_words 'words of degrees'
}

# A BLOCK, vectors by which parties multiply their features, reaches the ranks before it is fully
# checked. A wrong BLOCK still ends the job, and the party with ranks finds it too.
test_wrong_blocks() {
	local method lie says
	needs_ranks
	needs_python
	dense_federation 3
	on_ranks party-00 2
	for method in gcc landmark; do
		rm -rf "$T/out" "$T/ready"
		echo "{ \"kind\": \"kcagc\", \"clusters\": 3, \"seed\": 7, \"method\": \"$method\",
			\"filter\": { \"order\": 2 }, \"secure_sum\": { \"modulus_bits\": 64 } }" \
				>"$T/job.json"
		runs 3
		jq .job "$T/out/coordinator/run.json" >"$T/job.json"
		for lie in block block-turned block-end block-nan; do
			says='coordinator sent a BLOCK whose columns are not orthogonal'
			[[ $lie != block-nan ]] ||
				says='coordinator sent BLOCK with entry 0 that is no finite number'
			is_found "$lie" "$says"
			said party-00 "$says" ||
				fail "$method, $lie: party-00 says $(tail -n 1 \
				"$T/party-00.stderr")"
		done
	done
}

# Runs the other methods with coordinates, weighted edges, and ids that change the order of rows.
test_other_methods_of_other_files() {
	local more
	needs_ranks
	dense_federation 1
	sparse_and_weighted
	as_files 'with open(folder + "/ids.txt", "w") as f:
    f.writelines(f"node-{i}\n" for i in r.permutation(len(X)))'
	edit party-00 '.policy.allow_single = true | .data.ids = "data/party-00/ids.txt"'
	for more in '.method = "landmark" | .polish = 2' '.method = "gcc"' \
		'.method = "tree" | .restarts = 3'; do
		echo '{ "kind": "kcagc", "clusters": 3, "seed": 7, "allow_single": true, "filter": {
			"order": "auto" } }' >"$T/job.json"
		edit job "$more"
		same_as_without "$more, coordinates, weights and ids"
	done
	# One process would not have memory for these features after filtering, so landmark and GCC
	# only multiply by them (common/graph/filtered.h). Ranks cannot do that, and the job is
	# refused.
	as_files 'write("features.mtx", "coordinate real general", f"{X.shape[0]} 8000 '\
'{X.shape[0]}", [f"{i + 1} {i % 8000 + 1} 1.5" for i in range(len(X))])'
	edit job 'del(.restarts) | .method = "landmark"'
	on_ranks party-00 2
	rm -f "$T/ready"
	coordinator
	parties 1
	ends '2|4' coordinator party-00
	party_says 'features of 9000 x 8000 with 9000 entries are filtered by landmark and gcc '\
'as products alone, which ranks do not do: run without ranks'
}

# Gives party-00 a third of its values, as coordinates, and edges of several weights.
sparse_and_weighted() {
	as_files 'i, j = np.nonzero(X > 1)
write("features.mtx", "coordinate real general", f"{X.shape[0]} {X.shape[1]} {len(i)}",
      [f"{a + 1} {b + 1} {X[a, b]:.17g}" for a, b in zip(i, j)])
write("edges.mtx", "coordinate real general", f"{len(X)} {len(X)} {len(edges)}",
    [f"{u + 1} {v + 1} {1 / (1 + (u + v) % 5):.17g}" for u, v in r.permutation(edges)])'
	edit party-00 '.data = { features: "data/party-00/features.mtx",
		edges: "data/party-00/edges.mtx" }'
}

# One of two parties is on ranks. The landmark model labels the same rows on ranks and without.
test_landmark_model() {
	needs_ranks
	dense_federation 2
	sparse_and_weighted
	cp "$T/data/party-00/edges.mtx" "$T/data/party-01/edges.mtx"
	edit party-01 '.data.edges = "data/party-01/edges.mtx"'
	echo '{ "kind": "kcagc", "clusters": 3, "seed": 7, "method": "landmark", "polish": 2 }' \
		>"$T/job.json"
	both_ways 2
	same_labels "$T/without/party-01/labels.npy" "$T/out/party-01/labels.npy"
	cmp -s <(tail -c +29 "$T"/without/party-00/state/model-*.bin | head -c -32) \
		<(tail -c +29 "$T"/out/party-00/state/model-*.bin | head -c -32) ||
		fail "the model is another one on ranks"
	jq -n --arg model "$(run_of coordinator .job_id)" \
		'{ kind: "kcagc.predict", clusters: 3, model: $model, joint_norm: true,
		secure_sum: { fraction_bits: 24 } }' >"$T/job.json"
	for name in party-00 party-01; do
		edit "$name" '.policy.jobs = ["kcagc", "kcagc.predict"]'
	done
	cp -r "$T/out" "$T/kept"
	runs 2
	mv "$T/out/party-00/labels.npy" "$T/predicted.npy"
	rm -r "$T/out" && mv "$T/kept" "$T/out"
	edit party-00 'del(.ranks)'
	runs 2
	same_labels "$T/predicted.npy" "$T/out/party-00/labels.npy"
}

sample test_same_words
run_tests "$@"
