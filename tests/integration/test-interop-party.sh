#!/bin/bash
# Runs a party in Python (tests/interop) with parties and a coordinator in C.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

python_party() { # NAME [ARG...]
	start "$1" "$PYTHON" "$ROOT/tests/interop/party.py" --config "$T/$1.json" --coordinator \
		"$ADDRESS" --labels "$T/$1.labels" "${@:2}"
}

test_secure_sum() {
	needs_python
	"$PYTHON" "$ROOT/tests/interop/test_secsum.py"
}

kmeans_with() { # [CHANGE OF THE JOB]
	local name
	needs_python
	rows_federation 3
	for name in $(names 3); do # the party in Python compares columns.json
		jq -n '{ columns: [range(6) | { name: "größe \(.)",
			type: "number" } + if . > 2 then { unit: "m" } else {} end] }' \
			>"$T/data/$name/columns.json"
	done
	patient 3
	rows_job kmeans
	edit job "${1:-.}"
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	tail -n +2 "$T/out/party-01/labels.csv" | cut -d , -f 2 >"$T/expected"
	coordinator
	party party-00
	python_party party-01
	party party-02
	ends 0 coordinator party-00 party-01 party-02
	same_labels "$T/expected" "$T/party-01.labels"
}

test_kmeans() { kmeans_with; }
test_kmeans_by_x25519() { kmeans_with '.secure_sum.group = "x25519"'; }

# Runs kCAGC by method "basic". With 12 clusters its sums have several chunks.
test_kcagc() {
	needs_python
	federation 3
	patient 3
	edit job '.method = "basic" | .clusters = 12'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	tail -n +2 "$T/out/party-01/labels.csv" | cut -d , -f 2 >"$T/expected"
	coordinator
	party party-00
	python_party party-01
	party party-02
	ends 0 coordinator party-00 party-01 party-02
	same_labels "$T/expected" "$T/party-01.labels"
	cut -d , -f 2 "$T/out/party-00/labels.csv" | tail -n +2 | cmp -s "$T/expected" - ||
		fail "the parties in C have other labels"
}

# Runs fedspectral. Each pair of parties compares the rows that common nodes have. No two parties
# may have different labels for a node.
fedspectral_with() { # JQ-PROGRAM: changes the job
	needs_python
	edges_federation 3
	patient 3
	edit job ".variant = \"exact\" | $1"
	coordinator
	party party-00
	python_party party-01
	party party-02
	ends 0 coordinator party-00 party-01 party-02
	tail -n +2 "$T/out/party-00/labels.csv" | cut -d , -f 2 |
		paste -d , "$T/data/party-00/ids.txt" - >"$T/labelled"
	paste -d , "$T/data/party-01/ids.txt" "$T/party-01.labels" | sort -u - "$T/labelled" |
		cut -d , -f 1 | uniq -d >"$T/twice"
	[[ ! -s $T/twice ]] ||
		fail "two parties have other labels for one node: $(head -n 3 "$T/twice")"
	[[ $(cut -d , -f 2 "$T/labelled" | sort -u | wc -l) == 3 ]] ||
		fail "$(sort "$T/labelled" | head -n 3)"
}
test_fedspectral() { fedspectral_with .; }
test_fedspectral_plain_ids() { fedspectral_with '.ids = "plain"'; }

# Runs fedgcn with a party in Python, which adds floats in another order than C. So numbers are not
# compared. Masks depend on the questions (README of protocols/fedgcn), so a job succeeds only if
# all parties have equal questions.
fedgcn_with() { # JQ-PROGRAM...: changes the job
	local settings name
	needs_python
	graphs_federation 3
	patient 3
	edit_parties 3 '.policy.jobs = ["fedgcn", "fedgcn.kde"]'
	for settings; do
		edit job "$settings"
		rm -f "$T/party-01.labels"
		coordinator
		party party-00
		python_party party-01
		party party-02
		ends 0 coordinator party-00 party-01 party-02
		mv "$T/party-01.labels" "$T/labels.txt"
	done
}

test_fedgcn() {
	fedgcn_with '.clusters = 6 | .min_cluster = 3' '.clusters = 2'
	at_least \
		"$("$BIN/coterie" eval "$T/labels.txt" --truth \
		"$(echo "$T"/data/party-01/*_graph_labels.txt)" | jq -r .ari)" 0.9 'ARI'
}
test_fedgcn_prototypes() { fedgcn_with '.prototypes = "kde"'; }
test_fedgcn_stacked() { fedgcn_with '.prototypes = "printed" | .bounded = false'; }
test_fedgcn_aggregation() {
	fedgcn_with '.aggregation = "fedprox" | .mu = 0.1' 'del(.mu) | .aggregation = "fedper"'
}

# Two parties share a key beforehand, one of them in Python.
test_shared_beforehand() {
	needs_python
	rows_federation 3
	patient 3
	rows_job kmeans
	(umask 077 && openssl rand -hex 32 >"$T/a.psk")
	edit party-00 '.peers["party-01"] |= { fingerprint: ., psk: "a.psk" }'
	edit party-01 '.peers["party-00"] |= { fingerprint: ., psk: "a.psk" }'
	coordinator
	party party-00
	python_party party-01
	party party-02
	ends 0 coordinator party-00 party-01 party-02
}

lies() { # LIE WHO SENTENCE
	needs_python
	rows_federation 3
	patient 3
	rows_job kmeans
	coordinator
	party party-00
	python_party party-01 --lie "$1"
	party party-02
	ends 2 coordinator party-00 party-02
	says "$2" "$3"
	[[ ! -e $T/out/party-00/labels.csv ]] || fail "labels in spite of it"
}

test_wrong_tag() { lies tag party-00 'not the sum of the parties'; }
test_wrong_mask() { lies mask coordinator 'masks'; }

sample test_secure_sum test_kmeans test_wrong_tag test_wrong_mask
run_tests "$@"
