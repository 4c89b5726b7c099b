# protocols.sh -- the protocols that faults are injected into, each as a small federation of four.
#
# Each function sets up data, keys, configurations and $T/job.json. faults.sh puts a slow relay
# before two parties, so that runs are long enough to be struck in any step.
#
# shellcheck shell=bash
# shellcheck disable=SC2034 # the scripts that source this file read PARTIES

PARTIES=4 # enough for a tree: two pairs, then all four
PROTOCOLS=(tree flat basic landmark gcc predict kmeans-columns align intersect fedsc-anchor
	fedsc-dense fedsc-paper fedsc-pairwise kmeans
	fedspectral-exact fedspectral+ fedspectral-plain fedwalk fedwalk-response fedgcn)

columns() { # [JQ-PROGRAM]: makes a job of kcagc that is long enough to be struck in any step
	federation $PARTIES --signal 0.4
	edit job '.polish = 2'
	[[ -z ${1-} ]] || edit job "$1"
}

rows() { # VARIANT [SYNTH-OPTION...]
	rows_federation $PARTIES "${@:2}"
	rows_job "$1"
	edit_parties "$PARTIES" '.policy.jobs += ["fedsc.paper", "fedsc.pairwise"]'
}

edges() { # VARIANT
	edges_federation $PARTIES
	edit job ".variant = \"$1\""
	# the plain variant has no numbering files: each attempt numbers its rows at random
	[[ $1 == fedspectral ]] || numbered $PARTIES
}

protocol() { # NAME
	case $1 in
	tree) columns ;;
	flat | basic) columns ".method = \"$1\" | .polish = 0" ;;
	landmark | gcc) columns "{ kind, clusters, seed, method: \"$1\" }" ;;
	predict) predicting ;;
	kmeans-columns) columns '{ kind: "kmeans.columns", clusters, seed }' &&
		allows $PARTIES kmeans.columns ;;
	fedsc-pairwise) rows pairwise --nodes 40 ;; # powers of ciphertexts take most of its time
	fedsc-*) rows "${1#fedsc-}" ;;
	kmeans) rows kmeans ;;
	fedspectral-exact) edges exact ;;
	fedspectral-plain) edges fedspectral ;;
	fedspectral+) edges fedspectral+ ;;
	fedwalk) vertices_federation $PARTIES ;;
	fedwalk-response) vertices_federation $PARTIES &&
		edit job '{ kind, seed, mode: "randomized-response" }' ;;
	align) ids_alone ;;
	intersect) other_rows ;;
	fedgcn) graphs_federation $PARTIES && ln -s data "$T/pooled" ;;
	*) fail "$1: no such protocol; expected one of ${PROTOCOLS[*]}" ;;
	esac
}

# Each party has 170 ids and no other data; all parties have 110 of them.
ids_alone() {
	local name i=0
	federation $PARTIES
	seq 0 149 >"$T/pooled/ids.txt" # scripts/launch reads it
	echo '{ "kind": "align", "seed": 7 }' >"$T/job.json"
	for name in $(names "$PARTIES"); do
		seq $((20 * i)) $((20 * i + 169)) >"$T/data/$name/ids.txt"
		edit "$name" \
			".data = { \"ids\": \"data/$name/ids.txt\" } | .policy.jobs = [\"align\"]"
		i=$((i + 1))
	done
}

# Each party has some of the rows. The job uses the rows that all parties have, in the same order in
# each run.
other_rows() {
	local name
	columns '.align = "intersect"'
	rm -r "$T/data"
	"$BIN/coterie" split --by columns --keep 0.95 --parties $PARTIES --seed 5 --data \
		"$T/pooled" --out "$T/data" >/dev/null
	(umask 077 && head -c 32 /dev/urandom >"$T/numbering")
	for name in $(names "$PARTIES"); do
		edit "$name" ".data.ids = \"data/$name/ids.txt\" | .numbering_key = \"numbering\""
	done
}

# A first run leaves the models, and the job predicts with them.
predicting() {
	local name model
	columns
	for name in $(names "$PARTIES"); do
		edit "$name" '.state = "state/\(.name)" | .policy.jobs = ["kcagc", "kcagc.predict"]'
	done
	coordinator
	parties "$PARTIES"
	# shellcheck disable=SC2046
	ends 0 coordinator $(names "$PARTIES")
	model=$(run_of coordinator .job_id)
	rm -rf "$T/out"
	jq -n --arg model "$model" '{ kind: "kcagc.predict", clusters: 3, model: $model }' \
		>"$T/job.json"
}
