#!/bin/bash
# Tests FedWalk between real daemons. Each party hosts vertices and knows only the ties of these.
#
#     party-00 .. party-NN, by vertex --- walks, sealed ---> embeddings.npy, ids.csv of own vertices
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

runs() { # L [ARG-OF-COORDINATOR...]
	local name
	rm -rf "$T/out"
	coordinator "${@:2}"
	parties "$1"
	# shellcheck disable=SC2046
	ends 0 coordinator $(names "$1")
	for name in coordinator $(names "$1"); do
		[[ $(run_of "$name" .status) == "done" ]] ||
			fail "$name/run.json: status $(run_of "$name" .status)"
	done
	no_leftovers
}

# Each party has an embedding of 128 floats for each of its own vertices, and for no other vertex.
own_embeddings() { # L
	local name rows
	for name in $(names "$1"); do
		rows=$(wc -l <"$T/data/$name/ids.txt")
		diff <(sort "$T/data/$name/ids.txt") <(tail -n +2 "$T/out/$name/ids.csv" | sort) \
			>/dev/null ||
			fail "$name has embeddings of other vertices than its own"
		grep -aq "'descr': '<f4'.*'shape': ($rows, 128)" \
			<(head -c 128 "$T/out/$name/embeddings.npy") ||
			fail "$name/embeddings.npy: $(head -c 100 "$T/out/$name/embeddings.npy" |
			tr -d '\0')"
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
}

phases_of() { run_of "$1" '[.phases[].name] | join(" ")'; }
fact_of() { run_of "$1" ".facts.$2"; }

# A fact of the coordinator lies between LEAST and MOST.
between() { # WHAT LEAST MOST
	awk -v x="$(fact_of coordinator "$1")" -v a="$2" -v b="$3" \
		'BEGIN { exit !(x >= a && x <= b) }' ||
		fail "$1 is $(fact_of coordinator "$1"), expected $2 to $3"
}

test_walks() {
	vertices_federation 4
	runs 4
	own_embeddings 4
	[[ $(phases_of coordinator) == "offer keys align directory degrees tree walks train result \
attack" ]] ||
		fail "phases $(phases_of coordinator)"
	[[ $(phases_of \
		party-02) == "offer keys align directory degrees tree walks result attack" ]] ||
		fail "phases $(phases_of party-02)"
	[[ $(run_of coordinator \
		'.facts | "\(.vertices) \(.walks + 20 * .isolated) \(.bins)"') == "120 2400 4" ]] ||
		fail "facts $(run_of coordinator '.facts | tostring')"
	# A walk of length 12 needs 9.3056 messages on average, if job.p is 0.2. The mean of 2400
	# walks is close to that.
	between messages_per_walk 9.21 9.40
	between messages_expected 9.305 9.306
	[[ $(fact_of coordinator messages_crossing) == "$(fact_of coordinator messages_came)" ]] ||
		fail 'walks were lost on their way'
	[[ $(fact_of coordinator messages) == "$(fact_of party-03 messages)" ]] ||
		fail 'a party has other numbers'
	between attack_recall 0.8 1
	run_of \
		coordinator '[.facts | to_entries[] | select(.key | startswith("account_"))
			| .value] | join("\n")' >"$T/account"
	grep -q '^degree vectors: unit edge, sensitivity 1, eps 2 each' "$T/account" ||
		fail "account: $(<"$T/account")"
	grep -q '^encoder: ' "$T/account" || fail "account: $(<"$T/account")"
	# The coordinator has seen no id and writes none.
	! grep -rEq --exclude='*.npy' '\bn[0-9]+\b' "$T/out/coordinator" "$T/coordinator.stderr" ||
		fail 'the coordinator knows an id'
	grep -aq "'shape': (120, 128)" "$T/out/coordinator/embeddings.npy" ||
		fail 'the coordinator has not kept the embeddings'
	grep -q 'this job will take about' "$T/out/coordinator/log.jsonl" ||
		fail 'the memory was not estimated'
	says party-01 'disclosure: .*The encoder leaves nearly every vertex unchanged'
	"$BIN/coterie" show "$T/out" --verbose >"$T/shown" || fail 'coterie show'
	grep -q 'attack_recall' "$T/shown" || fail "show: $(<"$T/shown")"
	"$BIN/coterie" report "$T/out" --no-record >/dev/null || fail 'coterie report'
	grep -q 'exponential mechanism' "$T/out/report.html" || fail 'the report has no account'
	grep -q '"vertices":120' "$T/out/report.html" || fail 'the report has no vertices'
	! grep -Eq 'no cluster sizes|"round_trips_bound"' "$T/out/report.html" ||
		fail 'the report misses clusters, or has a bound for walks'
	"$BIN/coterie" report "$T/out/party-01" --no-record >/dev/null ||
		fail 'coterie report of a party'
	[[ $(grep -c 'class="pt ' "$T/out/party-01/report.html") == $(wc -l \
		<"$T/data/party-01/ids.txt") ]] || fail 'the report has no picture'
}

test_without_prediction() {
	vertices_federation 2
	runs 2 --set p=0 --set keep_embeddings=false --set ids=plain
	between messages_per_walk 11 11
	[[ ! -e $T/out/coordinator/embeddings.npy ]] ||
		fail 'the coordinator has kept the embeddings'
	own_embeddings 2
}

test_of_one() {
	vertices_federation 1
	edit job '.allow_single = true'
	edit party-00 '.policy.allow_single = true'
	runs 1
	own_embeddings 1
}

test_dtw_must_be_named() {
	vertices_federation 2
	edit job '.dissimilarity = "dtw"'
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	party_says 'the offered job is of kind fedwalk.dtw, which policy.jobs of party-0[01] '\
'does not name'
	edit_parties 2 '.policy.jobs = ["fedwalk.dtw"]'
	runs 2
	own_embeddings 2
	says party-00 'disclosure: .*dtw discloses every edge'
	grep -q 'ordered degree matrices' "$T/out/party-00/run.json" ||
		fail 'the account does not have the matrices'
	runs 2 --set dtw_rows=4
}

test_randomised_response() {
	vertices_federation 3
	runs 3 --set mode=randomized-response
	own_embeddings 3
	[[ $(phases_of \
		coordinator) == "offer keys align directory reports walks train result attack" ]] ||
		fail "phases $(phases_of coordinator)"
	[[ $(phases_of party-01) == "offer keys align directory reports result attack" ]] ||
		fail "phases $(phases_of party-01)"
	[[ $(run_of coordinator .job.eps) == 8 ]] || fail "eps $(run_of coordinator .job.eps)"
	between attack_recall 0.95 1
	grep -q 'randomised response: unit edge' "$T/out/coordinator/run.json" || fail 'no account'
	runs 3 --set mode=randomized-response --set eps=0.5
	awk -v p="$(fact_of coordinator attack_precision)" -v \
		r="$(fact_of coordinator attack_recall)" 'BEGIN { exit !(p * r < 0.25) }' ||
		fail "at eps 0.5 the attack has precision $(fact_of coordinator \
		attack_precision), recall $(fact_of coordinator attack_recall)"
}

# ---- unusual data that are valid ----

# The data have a tie that only one of two parties knows, a neighbour that no party hosts, and a
# vertex without ties.
test_odd_ties() {
	vertices_federation 3
	local own other
	own=$(head -n 1 "$T/data/party-00/ids.txt") other=$(head -n 1 "$T/data/party-01/ids.txt")
	grep -vP "^($own\t$other|$other\t$own)$" "$T/data/party-00/edges.tsv" >"$T/fewer"
	mv "$T/fewer" "$T/data/party-00/edges.tsv"
	grep -qP "^($own\t$other|$other\t$own)$" "$T/data/party-01/edges.tsv" ||
		printf '%s\t%s\n' "$other" "$own" >>"$T/data/party-01/edges.tsv"
	printf '%s\tnobody\n' "$own" >>"$T/data/party-00/edges.tsv"
	echo alone >>"$T/data/party-02/ids.txt"
	runs 3
	[[ $(run_of coordinator \
		'.facts | "\(.vertices) \(.one_sided_ties) \(.unhosted_ties)"') == "121 1 1" ]] ||
		fail "facts $(run_of coordinator '.facts | tostring')"
	(($(fact_of coordinator isolated) >= 1)) || fail 'the vertex without ties was not seen'
	says party-00 'dropped 1 ties to vertices that no party hosts'
	says party-00 'added 1 ties that only one of their two'
	own_embeddings 3
}

# ---- invalid data ----

test_claimed_twice() {
	vertices_federation 3
	head -n 2 "$T/data/party-00/ids.txt" >>"$T/data/party-02/ids.txt"
	coordinator
	parties 3
	ends 4 coordinator party-00 party-01 party-02
	for name in coordinator party-00 party-01 party-02; do
		says "$name" 'party-00 and party-02 both claim 2 of the same vertices'
		[[ ! -e $T/out/$name/embeddings.npy ]] || fail "$name has embeddings"
	done
}

# party-01 ends with 4 before it dials, and REGEX matches its error.
refuses() { # FILE REGEX: replaces FILE by stdin
	cat >"$T/data/party-01/$1"
	party party-01
	ends 4 party-01
	says party-01 "$2"
}

test_bad_files() {
	vertices_federation 2
	export ADDRESS=127.0.0.1:1
	printf 'a\n' >"$T/data/party-01/ids.txt"
	printf 'a b\nb c\n' |
		refuses edges.tsv 'the tie of .not shown. and .not shown. has neither end in'
	printf 'a b 2\n' | refuses edges.tsv 'ties have weights, which walks do not read'
	printf 'a\n' | refuses edges.tsv 'edges\.tsv:1: '
	printf 'a b\n' >"$T/data/party-01/edges.tsv"
	printf 'a\na\n' | refuses ids.txt 'ids\.txt:2: '
	edit party-01 '.data.ids = "data/party-01/ids.txt"'
	printf 'a\n' |
		refuses ids.txt \
		'party\.data\.vertices is given, expected party\.data\.edges beside it and neither'
	edit party-01 'del(.data.ids) | del(.data.edges)'
	printf 'a\n' | refuses ids.txt 'party\.data is empty'
}

test_edges_alone_are_declined() {
	vertices_federation 2
	edit party-01 '.data.ids = .data.vertices | del(.data.vertices)'
	cut -f 1 "$T/data/party-01/edges.tsv" >"$T/both" &&
		cut -f 2 "$T/data/party-01/edges.tsv" >>"$T/both"
	sort -u "$T/both" "$T/data/party-01/ids.txt" >"$T/all" &&
		mv "$T/all" "$T/data/party-01/ids.txt"
	coordinator
	parties 2
	ends '2|4' coordinator
	party_says 'party-01 has no data.vertices, which a job of kind fedwalk needs'
}

test_bad_jobs() {
	vertices_federation 2
	local set
	for set in length=2 p=1.5 p=-0.1 eps=0 eps=-1 window=12 bins=0 mode=dp; do
		"$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json" --set "$set" \
			--check-config >"$T/said" 2>&1 &&
			fail "$set was taken"
		grep -q "job\.${set%=*} is .*expected" "$T/said" || fail "$set: $(<"$T/said")"
	done
}

test_no_ties() {
	vertices_federation 2
	for name in $(names 2); do : >"$T/data/$name/edges.tsv"; done
	coordinator
	parties 2
	ends '1|2' coordinator party-00 party-01
	says coordinator "no party's vertices have ties"
}

# The job takes more memory than the coordinator may use. The coordinator ends with 4.
test_no_room() {
	! sanitized || skip 'address space is the sanitizer'"'"'s'
	vertices_federation 2
	edit job '.walks = 3000 | .length = 1000 | .window = 4'
	ulimit -Sv 1500000
	coordinator
	ulimit -Sv unlimited
	parties 2
	ends 4 coordinator
	says coordinator 'takes about 2\.9 GB of memory at coordinator, which may use 1\.5 GB'
}

# ---- a party or the coordinator dies ----

strikes() { # VICTIM PHASE: the victim dies, and the next run succeeds
	vertices_federation 3
	stretched
	dies_in "$1" "$2" embeddings.npy
	runs 3
}

test_party_dies_in_directory() { strikes party-01 directory; }
test_party_dies_in_walks() { strikes party-01 walks; }
test_coordinator_dies_in_walks() { strikes coordinator walks; }

# ---- scripts/launch, and evaluation of its results ----

test_launch() {
	"$BIN/coterie" synth --features 0 --nodes 120 --clusters 3 --degree 8 --homophily 0.9 \
		--seed 5 --out "$T/pooled" >/dev/null
	COTERIE_BIN="$BIN" "$ROOT/scripts/launch" --quiet --data "$T/pooled" --parties 3 --job \
		"$ROOT/configs/jobs/fedwalk.json" \
		--set walks=5 --out "$T/a" >"$T/a.stderr" 2>&1 ||
		fail "launch: status $?: $(tail -n 3 "$T/a.stderr")"
	[[ -s $T/a/party-02/embeddings.npy && -s $T/a/party-02/ids.csv ]] ||
		fail 'launch left no embeddings'
	COTERIE_BIN="$BIN" "$ROOT/scripts/launch" --quiet --data "$T/pooled" --parties 3 --job \
		"$ROOT/configs/jobs/fedwalk-dtw.json" \
		--set walks=5 --allow fedwalk.dtw --out "$T/b" >"$T/b.stderr" 2>&1 ||
		fail "launch of dtw: status $?"
	COTERIE_BIN="$BIN" "$ROOT/scripts/launch" --quiet --data "$T/pooled" --parties 3 --job \
		"$ROOT/configs/jobs/fedwalk-private.json" \
		--set walks=5 --out "$T/c" >"$T/c.stderr" 2>&1 ||
		fail "launch of randomised response: status $?"
	[[ ! -e $T/c/coordinator/embeddings.npy ]] || fail 'the coordinator has kept embeddings'
}

sample test_walks test_randomised_response test_bad_files
run_tests "$@"
