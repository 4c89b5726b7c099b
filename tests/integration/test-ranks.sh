#!/bin/bash
# Distributes a party's data over MPI ranks (ranks.n). Labels are the same as without ranks, and
# errors of ranks are reported.
. "${0%/*}/lib.sh"
. "${0%/*}/ranks.sh"
# shellcheck source=lies.sh
source "${0%/*}/lies.sh"

# Makes three blocks of 4096 rows, so that three ranks have rows. The graph shows the clusters, and
# a few hubs have leaves.
dense_federation() { # L
	mkdir -p "$T/pooled"
	/usr/bin/python3 - "$T/pooled" <<-'EOF'
		import sys
		import numpy as np
		n, m, k = 9000, 12, 3
		r = np.random.default_rng(5)
		c = r.integers(0, k, n)
		X = r.normal(size=(n, m)) + 1.5 * r.normal(size=(k, m))[c]
		np.save(sys.argv[1] + "/features.npy", X)
		np.savetxt(sys.argv[1] + "/labels.txt", c, fmt="%d")
		member = [np.flatnonzero(c == j) for j in range(k)]
		with open(sys.argv[1] + "/edges.tsv", "w") as f:
		    for i in range(n):
		        for _ in range(1 if i % 5 == 0 else 4):
		            own = member[c[i]]
		            near = r.random() < 0.8
		            j = own[int(r.random() * len(own))] if near else int(r.random() * n)
		            if i % 5 == 0:
		                j = j // 1000 * 1000 + 1
		            if i != j:
		                f.write(f"{i}\t{j}\n")
	EOF
	"$BIN/coterie" split --by columns --parties "$1" --seed 5 --data "$T/pooled" --out \
		"$T/data" >/dev/null
	cat >"$T/job.json" <<-'EOF'
		{ "kind": "kcagc", "clusters": 3, "seed": 7, "method": "flat",
		"filter": { "order": 4 }, "restarts": 3, "starts": 6,
		  "local_restarts": 2 }
	EOF
	set_up "$1"
}

ledger() { # NAME SQL
	/usr/bin/python3 \
		-c 'import sqlite3, sys; [print(*r) for r in '\
'sqlite3.connect(sys.argv[1]).execute(sys.argv[2])]' \
		"$T/out/$1/state/ledger.db" "$2"
}

# counted_by prints the digest of the data, by which ledgers count. went_out prints all messages of
# some types. A party that is alone sends all its words unmasked.
counted_by() { ledger "$1" "select distinct hex(data) from job"; } # NAME
# NAME TYPES
went_out() {
	ledger \
		"$1" "select step, type, bytes, words, hex(sha256) from row where type in ($2) \
order by number"
}

runs() { # L: parties with rows of their own leave the coordinator without labels
	coordinator
	parties "$1"
	if [[ $(jq -r .kind "$T/job.json") =~ ^(kmeans|fedsc)$ ]]; then
		# shellcheck disable=SC2046
		ends 0 coordinator $(names "$1")
		no_leftovers
	else
		completes "$1"
	fi
}

# Runs the job without ranks and with three. Moves the first results to $T/without.
both_ways() { # L
	edit party-00 'del(.ranks)'
	runs "$1"
	rm -rf "$T/without"
	mv "$T/out" "$T/without"
	on_ranks party-00 "${RANKS:-3}"
	runs "$1"
	same_labels "$T/without/party-00/labels.npy" "$T/out/party-00/labels.npy"
}

# Runs both_ways for a single party. Nothing masks its words, so both runs must send the same words.
same_words() { # CASE
	local sent
	both_ways 1
	sent=$(went_out party-00 "'LOCAL_CLUSTERS', 'MASKED'")
	[[ $sent == *MASKED* ]] || fail "no sums: $sent"
	mv "$T/out" "$T/with" && mv "$T/without" "$T/out"
	[[ $(went_out party-00 "'LOCAL_CLUSTERS', 'MASKED'") == "$sent" ]] ||
		fail "other words on ranks with $1"
	rm -r "$T/out" "$T/with"
}

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
	# the estimate is the memory of one rank, including MPI's own
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

# Replaces party-00's files by PYTHON, which may use np, r, X, edges, and `write` for Matrix Market:
# other numbers or other formats.
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

# On ranks, with any file format, party-00 alone sends the same words, and the ledger counts by the
# same digest.
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
	# The features are words (0 or 1), and the job weights words.
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

# kmeans broadcasts sums, with tags by a key of the run, so no two runs send the same words.
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

# Compares the number of terms, the labels and the confidences of kmeans over rows.
test_rows() {
	local more
	needs_ranks
	dense_federation 1
	edit party-00 'del(.data.edges) | .policy.allow_single = true | .policy.jobs = ["kmeans"]'
	for more in '.' '.clusters = { from: 2, to: 4 } | .restarts = 2'; do
		echo '{ "kind": "kmeans", "clusters": 3, "seed": 7, "allow_single": true }' |
			jq "$more" >"$T/job.json"
		RANKS=4 same_rows "kmeans, $more" # one of four has no rows
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

# Makes parties with one party's rows, of which only the columns matter.
row_federation() { # L KIND
	local name
	dense_federation "$1"
	for name in $(names "$1"); do
		edit "$name" "del(.data.edges) | .policy.jobs = [\"$2\"]"
		[[ $name == party-00 ]] || cp "$T"/data/{party-00,"$name"}/features.npy
	done
}

# Tests landmarks (fedsc, anchor): ties of rows, B'B, the embedding and its k-means.
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

# Nothing masks the words of a party that is alone, so they must be the same words.
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

# Landmark projection, GCC and the search for the order have sums over all rows, and weights over
# all words. A party that is alone sends unmasked words, and its ledger shows that they are the
# same.
test_other_methods() {
	needs_ranks
	dense_federation 1
	edit party-00 '.policy.allow_single = true'
	for more in '.method = "landmark" | .polish = 2' \
		'.method = "landmark" | .filter.order = 2 | .landmark.power = false' \
		'.method = "gcc"' \
		'.method = "gcc" | .degrees = "beside"' \
		'.method = "landmark" | .degrees = "alone" | .landmark.power = false' \
		'.starts = 6 | .restarts = 3 | .local_restarts = 2'; do
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

# A block reaches the ranks before it is fully checked. A wrong block still ends the job, and the
# party with ranks finds it too.
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
	for more in '.method = "landmark" | .polish = 2' '.method = "gcc"' '.restarts = 3'; do
		echo '{ "kind": "kcagc", "clusters": 3, "seed": 7, "allow_single": true, "filter": {
			"order": "auto" } }' >"$T/job.json"
		edit job "$more"
		same_as_without "$more, coordinates, weights and ids"
	done
	# One process would not have memory for these features after filtering, so landmark and GCC
	# use products instead. Ranks do not use products, and the job is refused.
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

worker_of() { # RANK: prints its process id from the party's log
	sed -n "s/.*rank $1 of [0-9]*: process \\([0-9]*\\) on .*/\\1/p" "$T/party-00.stderr" |
		tail -n 1
}

# Ranks on one host have a network of their own, so no other process can reach their ports.
apart() { # PID...
	local pid
	for pid; do
		[[ $(readlink "/proc/$pid/ns/net") == net:* ]] || fail "process $pid is gone"
		[[ $(readlink "/proc/$pid/ns/net") != "$(readlink /proc/self/ns/net)" ]] ||
			fail "process $pid listens on this host's interfaces: $(ss -ltnp)"
	done
	says party-00 "process $1 on"
}

# A killed rank costs an attempt. The error names the rank and its host, and the next attempt
# succeeds.
test_killed_rank() {
	local name host
	needs_ranks
	dense_federation 2
	for name in coordinator party-00 party-01; do
		edit "$name" '.rejoin_s = 30 | .reconnect_s = 10'
	done
	edit job 'del(.local_restarts) | .method = "basic" | .restarts = 20 | .starts = 40
		| .iterations = 50'
	on_ranks party-00 "${RANKS:-3}"
	coordinator
	relay relay "$(longer 40)"
	party party-00
	ADDRESS=$RELAY party party-01
	in_phase party-00 joint
	# matches Open MPI 4 and 5
	apart "$(worker_of 0)" "$(worker_of 1)" \
		"$(pgrep -P "$(pgrep -P "${PID[party-00]}" coterie-ranks)" 'mpirun|prte')"
	kill -KILL "$(worker_of 1)"
	soon_says party-00 'rank 1 of 3, on [^ ]+, was ended by signal 9'
	host=$(hostname)
	says party-00 "rank 1 of 3, on ${host%%.*}"
	completes 2
	[[ $(run_of party-00 .attempt) == 2 ]] ||
		fail "attempt $(run_of party-00 .attempt), expected 2"
	run_of party-00 \
		'.attempts[0].cause // .attempts_before[0].cause // (.. | .cause? // empty)' |
		grep -q 'rank 1 of 3' ||
		fail "run.json does not name the rank: $(run_of party-00 '[.. | .cause? // empty]')"
	! pgrep -f "coterie-worker $T" >/dev/null || fail "ranks are left"
}

test_killed_rank_of_rows() {
	needs_ranks
	row_federation 2 fedsc
	for name in coordinator party-00 party-01; do
		edit "$name" '.rejoin_s = 30 | .reconnect_s = 10'
	done
	echo '{ "kind": "fedsc", "clusters": 3, "seed": 7, "dims": 30 }' >"$T/job.json"
	runs 2
	mv "$T/out" "$T/without"
	rm "$T/ready"
	on_ranks party-00 3
	coordinator
	relay relay "$(longer 40)"
	party party-00
	ADDRESS=$RELAY party party-01
	in_phase party-00 kmeans
	kill -KILL "$(worker_of 1)"
	soon_says party-00 'rank 1 of 3, on [^ ]+, was ended by signal 9'
	ends 0 coordinator party-00 party-01
	[[ $(run_of party-00 .attempt) == 2 ]] ||
		fail "attempt $(run_of party-00 .attempt), expected 2"
	same_labels "$T/without/party-00/labels.npy" "$T/out/party-00/labels.npy"
	! pgrep -f "coterie-worker $T" >/dev/null || fail "ranks are left"
}

# Runs four hosts: network namespaces with names of their own, reached by a replacement of ssh. Rank
# 3 has no rows.
test_four_hosts() {
	local sent
	needs_ranks
	needs_a_lab
	dense_federation 1
	edit party-00 '.policy.allow_single = true'
	edit job '.allow_single = true'
	runs 1
	sent=$(went_out party-00 "'LOCAL_CLUSTERS', 'MASKED'")
	mv "$T/out" "$T/without"
	cat >"$T/agent" <<-'EOF'
		#!/bin/bash
		host=$1
		shift
		for pair in $COTERIE_LAB; do [[ ${pair#*=} != "$host" ]] || ns=${pair%=*}; done
		exec nsenter --net="/run/netns/$ns" unshare --uts bash -c \
			"hostname host-${host##*.}; $*"
	EOF
	cat >"$T/lab" <<-EOF
		for pair in \$COTERIE_LAB; do echo "\${pair#*=} slots=1"; done >"$T/hosts"
		ns=\${COTERIE_LAB%%=*}
		ip -n "\$ns" link set lo up
		ip netns exec "\$ns" unshare --uts bash "$T/first"
	EOF
	cat >"$T/first" <<-EOF
		hostname host-1
		"$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" \
			--out "$T/out/coordinator" --ready-file "$T/ready" &
		until [[ -s $T/ready ]]; do sleep 0.05; done
		"$BIN/party" --config "$T/party-00.json" --once --out "$T/out/party-00" \
			--coordinator "\$(<"$T/ready")" 2>"$T/party-00.stderr"
		wait
	EOF
	chmod +x "$T/agent"
	rm "$T/ready"
	edit party-00 '.ranks = { n: 4, hostfile: "hosts" }'
	edit coordinator '.join_timeout_s = 300'
	taken_as_stated
	COTERIE_EMULATOR=own OMPI_MCA_plm_rsh_agent=$T/agent start lab "$ROOT/scripts/netlab" \
		--net lan --hosts 4 -- bash "$T/lab"
	# On a busy machine packets may be late, and the lab then discards the run and exits with
	# 1. party-00 must still have sent the same numbers as without ranks.
	ends '0|1' lab
	[[ $STATUS == 0 ]] || says lab 'run discarded: packets were late'
	[[ $(run_of party-00 .status) == 'done' ]] || fail "party-00 is not done"
	for rank in 0 1 2 3; do
		says party-00 "rank $rank of 4: process [0-9]+ on host-$((rank + 1))"
	done
	[[ $sent == *MASKED* && $(went_out party-00 "'LOCAL_CLUSTERS', 'MASKED'") == "$sent" ]] ||
		fail "other words on four hosts"
}

test_refused() {
	needs_ranks
	dense_federation 2
	refuses() { # JQ-PROGRAM REGEX
		edit party-00 "del(.ranks) | $1"
		"$BIN/party" --config "$T/party-00.json" --check-config >"$T/said" 2>&1 &&
			fail "$1 is not refused"
		grep -Eq -- "$2" "$T/said" || fail "$1: $(<"$T/said")"
	}
	refuses '.ranks.n = 0' 'party.ranks.n is 0, expected a whole number from 1 to 1024'
	refuses '.ranks.n = 2000' 'party.ranks.n is 2000'
	refuses '.ranks.hostfile = "hosts"' 'ranks.hostfile is given without ranks.n'
	refuses '.ranks = { n: 2, hostfile: "absent" }' 'ranks.hostfile: .*/absent: No such file'
	printf '# none\n\n' >"$T/hosts"
	refuses '.ranks = { n: 2, hostfile: "hosts" }' \
		'hosts names no host, expected a line "HOST slots=N"'
	cp "$T/party-00.json" "$T/before.json"
	refuses '.ranks.n = 2 | .data.features = "data/party-00/features.csv"' \
		'ranks: data.features is .*features.csv .*expected a file .npy'
	refuses '.ranks.n = 2 | .data.features = "data/party-00/features.npy" | .data.ids = "x"' \
		'data.ids is given and data.edges is .*edges.tsv, which names nodes by ids'
	cp "$T/before.json" "$T/party-00.json"
	# There is no mpirun in PATH.
	mkdir "$T/bin"
	edit party-00 '.ranks = { n: 2 }'
	PATH=$T/bin "$BIN/party" --config "$T/party-00.json" --check-config >"$T/said" 2>&1 &&
		fail "runs without mpirun"
	grep -q 'no mpirun in PATH.*openmpi-bin' "$T/said" || fail "$(<"$T/said")"
	# coterie doctor does not read data on ranks.
	"$BIN/coterie" doctor --config "$T/party-00.json" --json >"$T/said" 2>/dev/null || :
	[[ $(jq -r '.[] | select(.check == "data") | .verdict + " " + .found' "$T/said") == \
		"note on 2 ranks"* ]] || fail "doctor: $(<"$T/said")"
	# mpirun's own error is reported.
	echo "localhost slots=1" >"$T/hosts"
	edit party-00 '.ranks = { n: 2, hostfile: "hosts" }'
	ADDRESS=127.0.0.1:1 party party-00
	ends 4 party-00
	says party-00 'the ranks \(mpirun\) ended with status [0-9]+ before all ranks were '\
'there: .*not enough slots'
	# Any rank may find invalid edges.
	edit party-00 '.ranks = { n: 2 }'
	echo "8999 9000" >>"$T/data/party-00/edges.tsv"
	ADDRESS=127.0.0.1:1 party party-00
	ends 4 party-00
	says party-00 'rank 1 on [^ ]+: .*edges.tsv: the line at byte [0-9]+: the node is .*, '\
'expected a whole number from 0 to 8999'
}

# The party declines jobs that ranks cannot do, and logs the cause.
test_declined() {
	needs_ranks
	dense_federation 2
	on_ranks party-00 2
	edit job '.standardize = "local"'
	coordinator
	parties 2
	ends '2|4' coordinator party-00 party-01
	party_says 'the data of party-00 are on ranks \(ranks.n is 2\), where a job of kind '\
'kcagc does not run: it standardizes columns'
	rm -rf "$T/out" "$T/ready"
	for name in party-00 party-01; do
		edit "$name" '.policy.jobs = ["kmeans"] | del(.data.edges)'
	done
	cp "$T/data/party-00/features.npy" "$T/data/party-01/features.npy"
	echo '{ "kind": "kmeans", "clusters": 3, "standardize": "joint" }' >"$T/job.json"
	coordinator
	parties 2
	ends '2|4' coordinator party-00 party-01
	party_says 'the data of party-00 are on ranks \(ranks.n is 2\), where a job of kind '\
'kmeans does not run: it standardizes columns'
	rm -rf "$T/out" "$T/ready"
	for name in party-00 party-01; do edit "$name" '.policy.jobs = ["fedsc"]'; done
	echo '{ "kind": "fedsc", "clusters": 3, "variant": "dense" }' >"$T/job.json"
	coordinator
	parties 2
	ends '2|4' coordinator party-00 party-01
	party_says 'the data of party-00 are on ranks \(ranks.n is 2\), where a job of kind '\
'fedsc does not run: its variant is not'
}

sample test_same_words test_killed_rank
run_tests "$@"
