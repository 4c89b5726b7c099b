# ranks.sh -- for parties whose data are distributed over MPI ranks (ranks.n).
#
# shellcheck shell=bash

needs_ranks() {
	command -v mpirun >/dev/null || skip "there is no mpirun (scripts/deps --ranks)"
	[[ -x $BIN/coterie-worker ]] ||
		skip "there is no coterie-worker in $BIN: it is built where libopenmpi-dev is"
}

on_ranks() { edit "$1" ".ranks.n = $2"; } # NAME N

# Makes 9000 rows: three blocks of at most 4096, so that three ranks have rows. Most edges are
# within the planted clusters. Each fifth node has an edge to one of nine hubs.
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

# counted_by prints the digest of the data under which the party's ledger counts jobs. went_out
# prints all messages of some types. A party that is alone in a job sends all its numbers unmasked.
counted_by() { ledger "$1" "select distinct hex(data) from job"; } # NAME
# NAME TYPES
went_out() {
	ledger \
		"$1" "select step, type, bytes, words, hex(sha256) from row where type in ($2) \
order by number"
}

runs() { # L: runs the job; in kmeans and fedsc the coordinator has no labels to compare
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

# Runs both_ways for a single party. Nothing masks its numbers, so both runs must send the same
# ones.
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

# Makes parties that all have the rows of party-00 and no edges. Their policies allow only KIND.
row_federation() { # L KIND
	local name
	dense_federation "$1"
	for name in $(names "$1"); do
		edit "$name" "del(.data.edges) | .policy.jobs = [\"$2\"]"
		[[ $name == party-00 ]] || cp "$T"/data/{party-00,"$name"}/features.npy
	done
}
