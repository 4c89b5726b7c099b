#!/bin/bash
# Compares coterie run, which has all processes in one, with coterie launch, which starts daemons: a
# seed gives the same labels.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

modes() { (cd "$1" && stat -c '%n %a' -- *); } # DIRECTORY

# Compares the labels of `coterie launch` and `coterie run`: each party's, and the coordinator's if
# it has any.
same_as_daemons() { # JOB [ARG...]: a job of configs/jobs
	local name way
	for way in launch run; do
		"$BIN/coterie" $way --quiet --data "$T/pooled" --job "$ROOT/configs/jobs/$1.json" \
			--parties 3 --seed 5 \
			--out "$T/$way-$1" "${@:2}" 2>"$T/$way.stderr" ||
			fail "coterie $way $1: status $?: $(<"$T/$way.stderr")"
	done
	for name in coordinator $(names 3); do
		rm "$T/launch-$1/$name/log.jsonl"
		[[ $(modes "$T/launch-$1/$name") == "$(modes "$T/run-$1/$name")" ]] ||
			fail "$1: other files or modes in $name: $(modes "$T/run-$1/$name")"
		[[ -z $(find "$T/run-$1/$name" -perm /077) ]] ||
			fail "$1: others can read $(find "$T/run-$1/$name" -perm /077)"
		# fedspectral numbers the coordinator's rows anew in each job, so the coordinator's
		# labels are not compared.
		[[ ! -e $T/launch-$1/$name/labels.csv || $1-$name == fedspectral-coordinator ]] ||
			cmp "$T/launch-$1/$name/labels.csv" "$T/run-$1/$name/labels.csv" ||
			fail "$1: labels of $name differ"
		[[ $(jq -c '[.status, .kind, .job]' "$T/launch-$1/$name/run.json") == "$(jq -c \
			'[.status, .kind, .job]' "$T/run-$1/$name/run.json")" ]] ||
			fail "$1: run.json of $name differs"
	done
	[[ ! -e $T/run-$1/work ]] || fail "$1: work/ is left"
	[[ ! -e $T/run-$1/party-00/state/ledger.db ]] ||
		"$BIN/coterie" ledger verify --state "$T/run-$1/party-00/state" >/dev/null ||
		fail "$1: the ledger does not verify"
}

test_kcagc() {
	"$BIN/coterie" synth --nodes 300 --features 40 --clusters 3 --out "$T/pooled" >/dev/null
	same_as_daemons kcagc-cora --set clusters=3
	same_as_daemons landmark-cora --set clusters=3
	same_as_daemons gcc-cora --set clusters=3
}

test_rows() {
	"$BIN/coterie" synth --points --nodes 240 --features 5 --clusters 3 --out "$T/pooled" \
		>/dev/null
	same_as_daemons kmeans --set clusters=3
	same_as_daemons fedsc-iris
}

test_graph_of_edges() {
	"$BIN/coterie" synth --features 0 --nodes 200 --clusters 3 --degree 10 --homophily 0.9 \
		--seed 5 --out "$T/pooled" >/dev/null
	same_as_daemons fedspectral --set clusters=3 --allow fedspectral.exact
}

test_whole_graphs() {
	"$BIN/coterie" synth --graphs --nodes 90 --size 12 --out "$T/pooled" >/dev/null
	same_as_daemons fedgcn --set rounds=2 --set epochs=2
}

test_embeddings() {
	"$BIN/coterie" synth --nodes 120 --features 4 --clusters 3 --out "$T/pooled" >/dev/null
	"$BIN/coterie" run --quiet --data "$T/pooled" --job "$ROOT/configs/jobs/fedwalk.json" \
		--parties 3 --set walks=3 --out "$T/run" ||
		fail "status $?"
	[[ -s $T/run/party-01/embeddings.npy && -s $T/run/party-01/ids.csv ]] ||
		fail 'no embeddings'
}

# With more than a hundred parties party-100 comes before party-11: parties are sorted by name, as
# in any job.
test_more_than_a_hundred_parties() {
	"$BIN/coterie" synth --points --nodes 303 --features 4 --clusters 3 --out "$T/pooled" \
		>/dev/null
	"$BIN/coterie" run --quiet --data "$T/pooled" --job "$ROOT/configs/jobs/kmeans.json" --set \
		clusters=3 --set secure_sum.group=x25519 \
		--parties 101 --out "$T/out" 2>"$T/run.stderr" ||
		fail "status $?: $(<"$T/run.stderr")"
	(($(cat "$T"/out/party-*/labels.csv | grep -vc '^id') == 303)) ||
		fail 'rows without a label'
	[[ $(jq -r .status "$T/out/party-100/run.json") == "done" ]] ||
		fail 'party-100 has no results'
}

gains() { # LINE...: regular expressions; each must match a line of the table
	local line
	for line in '' "$@"; do
		grep -Eq "^$line\$" "$T/run.stdout" || fail "no line '$line': $(<"$T/run.stdout")"
	done
	[[ ! -e $T/out/work ]] || fail 'work/ is left'
	rm -r "$T/out"
}

# The table compares each party's own result with the joint one. The scores use the classes if they
# are known. If parties have rows of their own, the scores are over these rows.
test_what_is_gained() {
	local some='[01]\.[0-9]{4}' run=("$BIN/coterie" run --parties 2 --out "$T/out")
	"$BIN/coterie" synth --points --nodes 150 --features 4 --clusters 3 --apart 4 --out \
		"$T/pooled" >/dev/null
	run+=(--data "$T/pooled" --set clusters=3)
	"${run[@]}" --job "$ROOT/configs/jobs/kmeans-columns.json" >"$T/run.stdout"
	gains 'what federation gains, ACC of .*:' 'data of +alone +together' \
		"party-0[01] +$some +$some" "pooled +([01]\.[0-9]{4}) +\1"
	"${run[@]}" --job "$ROOT/configs/jobs/kmeans.json" >"$T/run.stdout"
	gains 'party-00 .*' 'party-01 .*' 'pooled .*'
	"${run[@]}" --job "$ROOT/configs/jobs/kmeans-columns.json" --set exchange=gram --set \
		'clusters={ "from": 2, "to": 4 }' \
		>"$T/run.stdout"
	gains "party-0[01] +$some +$some" "pooled +$some +$some"
	"${run[@]}" --quiet --job "$ROOT/configs/jobs/kmeans.json" >"$T/run.stdout"
	[[ ! -s $T/run.stdout ]] || fail "--quiet says $(<"$T/run.stdout")"
	rm -r "$T/out" "$T/pooled/labels.txt"
	"${run[@]}" --job "$ROOT/configs/jobs/kmeans-columns.json" >"$T/run.stdout"
	gains 'what federation gains, rows grouped as by all parties, of .*:' 'data of +alone' \
		"party-0[01] +$some" 'pooled +1\.0000'
	"${run[@]}" --job "$ROOT/configs/jobs/kcagc-cora.json" >"$T/run.stdout" 2>&1 &&
		fail 'a graph is not missed'
	"$BIN/coterie" synth --nodes 200 --features 20 --clusters 3 --out "$T/graph" >/dev/null
	"$BIN/coterie" launch --job "$ROOT/configs/jobs/kcagc-intersect.json" --set clusters=3 \
		--set filter.order=2 --data "$T/graph" --parties 2 --keep 0.8 \
		--out "$T/out" >"$T/run.stdout" 2>"$T/run.stderr" || fail "$(<"$T/run.stderr")"
	gains "party-0[01] +$some +$some" "pooled +$some +$some"
}

refused() { # STATUS REGEX ARG...
	local status=0
	"$BIN/coterie" "${COMMAND-run}" "${@:3}" >"$T/said" 2>&1 || status=$?
	((status == $1)) || fail "coterie run ${*:3}: status $status, expected $1: $(<"$T/said")"
	grep -Eq -- "$2" "$T/said" || fail "coterie run ${*:3} does not say '$2': $(<"$T/said")"
}

# If one process fails, all processes end, with the same error as between daemons.
test_errors() {
	"$BIN/coterie" synth --points --nodes 60 --features 4 --clusters 3 --out "$T/pooled" \
		>/dev/null
	local job=(--data "$T/pooled" --parties 3)
	refused 4 'the job needs --allow fedsc\.paper' "${job[@]}" --job \
		"$ROOT/configs/jobs/fedsc-paper.json" --out "$T/a"
	[[ ! -e $T/a ]] || fail 'something was split'
	COMMAND=launch refused 2 'policy.min_cluster of party-02 is 40.*' "${job[@]}" --job \
		"$ROOT/configs/jobs/kmeans.json" --policy min_cluster=40 --out "$T/l"
	! grep '^launch: .*{' "$T/said" || fail 'a party answers in JSON'
	grep -q '^launch: --policy and --allow are' "$T/said" || fail "no remedy: $(<"$T/said")"
	refused 2 '^launch: --policy and --allow are' "${job[@]}" --job \
		"$ROOT/configs/jobs/kmeans.json" --policy min_cluster=40 --out "$T/a"
	[[ $(jq -r .status "$T/a/party-01/run.json") == failed ]] ||
		fail 'party-01 does not say that it failed'
	refused 4 'job\.clusters is 1, expected' "${job[@]}" --job \
		"$ROOT/configs/jobs/kmeans.json" --set clusters=1
	refused 4 'no such directory' --data "$T/nowhere" --parties 2 --job \
		"$ROOT/configs/jobs/kmeans.json"
	refused 4 'earlier run' "${job[@]}" --job "$ROOT/configs/jobs/kmeans.json" --out "$T/a"
	refused 4 'masks nothing' --data "$T/pooled" --parties 1 --job \
		"$ROOT/configs/jobs/kmeans.json"
	sed -i '3s/.*/x,1,2,3/' "$T/pooled/features.csv" 2>/dev/null ||
		printf 'x' >"$T/pooled/features.npy"
	refused 4 'features' "${job[@]}" --job "$ROOT/configs/jobs/kmeans.json" --out "$T/b"
}

test_stopped() {
	"$BIN/coterie" synth --nodes 8000 --features 300 --clusters 3 --out "$T/pooled" >/dev/null
	start run "$BIN/coterie" run --data "$T/pooled" --job "$ROOT/configs/jobs/kcagc-cora.json" \
		--parties 3 --out "$T/out" --verbose \
		--set local_restarts=64 --set local_clusters=60 --set iterations=100
	until_true 30 grep -qs '"local"' "$T/run.stderr" || fail 'does not come to phase local'
	kill -INT "${PID[run]}"
	ends 6 run
	[[ ! -e $T/out/work ]] || fail 'work/ is left'
}

# A user stops or kills the command while it splits the data. No files are left, so the command can
# be started again.
test_stopped_in_the_split() {
	local signal way=launch
	"$BIN/coterie" synth --points --nodes 60000 --features 60 --clusters 3 --out "$T/pooled" \
		>/dev/null
	for signal in TERM KILL; do
		"$BIN/coterie" $way --data "$T/pooled" --job "$ROOT/configs/jobs/kmeans.json" \
			--parties 3 --out "$T/out" >/dev/null 2>&1 &
		until_true 30 test -e "$T/out/work/data" || fail "$way splits nothing"
		kill "-$signal" $! && ! wait $! 2>/dev/null || fail "$way ends well after $signal"
		until_true 30 test ! -e "$T/out" || fail "$signal leaves $(ls -R "$T/out")"
		way=run
	done
}

# Writes to $T/cpu the processor time of a job on GRAPH, with 40000 nodes, about as many edges, and
# 16 columns.
cpu_of() { # GRAPH METHOD
	local TIMEFORMAT=%U
	{ time "$BIN/coterie" run --quiet --data "$T/$1" --job "$T/job.json" --parties 2 --set \
		"method=$2" --out "$T/out-$1-$2" \
		>"$T/stdout" 2>"$T/run.stderr"; } 2>"$T/cpu" ||
		fail "$1, $2: status $?: $(<"$T/run.stderr")"
}

# A star, in which one node is the neighbour of all others, costs less than three times as much as a
# ring. The sum of squared degrees, by contrast, is 10^4 times as large for the star.
test_star() {
	local method star graph
	echo '{ "kind": "kcagc", "clusters": 2, "filter": { "order": 3 } }' >"$T/job.json"
	seq 1 39999 | sed 's/^/0\t/' >"$T/star.tsv"
	seq 0 39999 | awk '{ print $1 "\t" ($1 + 1) % 40000 }' >"$T/ring.tsv"
	for graph in star ring; do
		"$BIN/coterie-lab" noise --edges "$T/$graph.tsv" --nodes 40000 --features 16 \
			--density 0.5 --out "$T/$graph" >"$T/null"
	done
	for method in tree landmark gcc; do
		cpu_of star "$method"
		star=$(<"$T/cpu")
		cpu_of ring "$method"
		echo "$method: $star s of processor for a star, $(<"$T/cpu") s for a ring"
		awk "BEGIN { exit !($star < 3 * $(<"$T/cpu")) }" ||
			fail "$method: a star takes too much"
	done
}

sample test_kcagc test_errors
run_tests "$@"
