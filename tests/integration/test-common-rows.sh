#!/bin/bash
# Parties have different rows. With align "intersect" a job uses the rows that all have. Its result
# equals, bit for bit, the result on data that were cut to these rows by hand.
#
#     data/party-NN    each has some of the rows, in any order   run (align)  ->  labels.csv: ids in
#                                                                                  one order for all
#     hand/party-NN    these rows, in that order, without ids    run          ->  the same labels
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

other_rows() { # L KEEP [SYNTH-OPTION...]: each party has the part KEEP of the rows
	local name
	"$BIN/coterie" synth --nodes 260 --features 36 --clusters 3 --signal 0.8 --homophily 0.9 \
		--seed 5 \
		--out "$T/pooled" "${@:3}" >/dev/null
	"$BIN/coterie" split --by columns --keep "$2" --parties "$1" --seed 5 --data "$T/pooled" \
		--out "$T/data" >/dev/null
	cat >"$T/job.json" <<-'END'
		{ "kind": "kcagc", "align": "intersect", "clusters": 3, "seed": 7,
		"method": "tree", "filter": { "order": 3 }, "restarts": 4 }
	END
	set_up "$1"
	for name in $(names "$1"); do
		edit "$name" ".state = \"state/$name\" | .policy.jobs = [\"kcagc\", \
\"kcagc.predict\", \"kmeans.columns\"]"
	done
}

runs() { # L: runs a job to its end; results are in $T/run
	coordinator
	parties "$1"
	completes "$1"
	rm -rf "$T/run"
	mv "$T/out" "$T/run"
}

# Cuts each party's data to the ids of $T/run's labels, in their order.
cut_by_hand() { # L: reads $T/data, writes $T/hand
	local name from to
	for name in $(names "$1"); do
		from=$T/data/$name to=$T/hand/$name
		mkdir -p "$to"
		tail -n +2 "$T/run/$name/labels.csv" | cut -d, -f1 >"$to/order"
		awk 'NR == FNR { place[$1] = FNR; next } { print $1 in place ? place[$1] : 0 }' \
			"$to/order" "$from/ids.txt" >"$to/place"
		awk -v \
			n="$(wc -l \
			<"$to/order")" 'NR == FNR { place[FNR] = $1; next } /^%/ { print; next }
				!columns { columns = $2; next }
			place[$1] { entry[count++] = place[$1] " " $2 " " $3 }
			END { print n, columns, count;
			for (i = 0; i < count; i++)
				print entry[i] }' "$to/place" "$from/features.mtx" \
				>"$to/features.mtx"
		awk 'NR == FNR { place[$1] = FNR; next }
			$1 in place && $2 in place { print place[$1] - 1, place[$2] - 1 }' \
			"$to/order" "$from/edges.tsv" >"$to/edges.tsv"
		rm "$to/order" "$to/place"
	done
}

data_is() { # DIR L: sets the data of L parties to DIR
	local name
	for name in $(names "$2"); do
		edit "$name" ".data = { features: \"$1/$name/features.mtx\", edges: \
\"$1/$name/edges.tsv\" }
			+ if \"$1\" == \"hand\" then {} else { ids: \"$1/$name/ids.txt\" } end"
	done
}

as_by_hand() { # L: compares $T/run with a run on the data cut by hand
	local name
	mv "$T/run" "$T/matched"
	cp "$T/job.json" "$T/matched.json"
	edit job 'del(.align)'
	data_is hand "$1"
	runs "$1"
	for name in coordinator $(names "$1"); do
		cmp "$T/matched/$name/labels.npy" "$T/run/$name/labels.npy" ||
			fail "$name: other labels than of data cut by hand"
		[[ $(jq -c '.result | del(.sums[].phase)' "$T/matched/$name/run.json") == "$(jq -c \
			'.result | del(.sums[].phase)' "$T/run/$name/run.json")" ]] ||
			fail "$name: other result than of data cut by hand"
	done
	data_is data "$1"
	mv "$T/matched.json" "$T/job.json"
	rm -rf "$T/run" "$T/hand"
	mv "$T/matched" "$T/run"
}

facts_are() { # L: $T/run has the right facts, and the ids that all parties have
	local name common own
	sort "$T/data/party-00/ids.txt" >"$T/common"
	for name in $(names "$1"); do
		sort "$T/data/$name/ids.txt" | comm -12 "$T/common" - >"$T/common.new"
		mv "$T/common.new" "$T/common"
	done
	common=$(wc -l <"$T/common")
	[[ $(jq .facts.common_rows "$T/run/coordinator/run.json") == "$common" ]] ||
		fail 'the coordinator has another number of rows'
	[[ $(jq '.facts.own_rows' "$T/run/coordinator/run.json") == null ]] ||
		fail 'the coordinator has rows of its own'
	for name in $(names "$1"); do
		own=$(wc -l <"$T/data/$name/ids.txt")
		tail -n +2 "$T/run/$name/labels.csv" | cut -d, -f1 | sort | cmp - "$T/common" ||
			fail "$name: other ids than common ones"
		cmp "$T/run/party-00/labels.csv" "$T/run/$name/labels.csv" ||
			fail "$name: other labels than party-00"
		[[ $(jq -c '.facts | [.own_rows, .common_rows, .rows_not_placed]' \
			"$T/run/$name/run.json") == "[$own,$common,$((own - common))]" ]] ||
			fail "$name: facts $(jq -c .facts "$T/run/$name/run.json")"
		[[ $(jq .facts.edges_dropped \
			"$T/run/$name/run.json") == "$(awk 'NR == FNR { here[$1]; next }
			!($1 in here && $2 in here)' "$T/common" \
			"$T/data/$name/edges.tsv" | wc -l)" ]] ||
			fail "$name: edges_dropped"
		"$BIN/coterie" show "$T/run" >"$T/shown"
		grep -q "^$name: labels: $T/run/$name/labels.csv ($common of its $own rows, " \
			"$T/shown" || fail "show does not say so of $name"
	done
}

by_method() { # L KEEP [JQ-PROGRAM...]: runs each variant of the job on the same data
	local change
	other_rows "$1" "$2"
	cp "$T/job.json" "$T/plain.json"
	for change in "${@:3}"; do
		cp "$T/plain.json" "$T/job.json"
		edit job "$change"
		runs "$1"
		facts_are "$1"
		cut_by_hand "$1"
		as_by_hand "$1"
	done
}

test_tree_flat_basic() { by_method 3 0.85 . '.method = "flat"' '.method = "basic"'; }
test_landmark_gcc() {
	by_method 2 0.8 '{ kind, align, clusters, seed, method: "landmark" }' \
		'{ kind, align, clusters, seed, method: "gcc" }'
}
test_columns_without_a_graph() {
	by_method 2 0.8 '{ kind: "kmeans.columns", align, clusters, seed }'
}
test_gram_own_graphs() {
	by_method 2 0.8 '.exchange = "gram" | .graphs = "own"' \
		'.filter.order = "auto" | .joint_norm = true'
}

# A model of the common rows labels new data, in which the parties have other rows: all rows that
# they now have in common get labels.
test_predict() {
	local model
	other_rows 2 0.8
	runs 2
	model=$(jq -r .job_id "$T/run/coordinator/run.json")
	rm -r "$T/data"
	"$BIN/coterie" split --by columns --keep 0.9 --parties 2 --seed 5 --data "$T/pooled" --out \
		"$T/data" >/dev/null
	echo "{ \"kind\": \"kcagc.predict\", \"align\": \"intersect\", \"clusters\": 3,
		\"model\": \"$model\" }" >"$T/job.json"
	runs 2
	facts_are 2
	(($(jq .facts.common_rows "$T/run/coordinator/run.json") > 180)) || fail 'no new rows'
	cut_by_hand 2
	as_by_hand 2
}

test_graphs_are_compared() {
	local edge
	other_rows 3 0.85
	runs 3
	cut_by_hand 3
	# Removes an edge between common rows from one party: the first edge of the data cut by
	# hand.
	edge=$(awk 'NR == FNR { id[FNR - 1] = $1; next } { print id[$1] "\t" id[$2]; exit }' \
		<(tail -n +2 "$T/run/party-01/labels.csv" | cut -d, -f1) \
		"$T/hand/party-01/edges.tsv")
	[[ $edge ]] || fail 'no edge'
	grep -vxF "$edge" "$T/data/party-01/edges.tsv" >"$T/fewer" || true
	mv "$T/fewer" "$T/data/party-01/edges.tsv"
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 2 coordinator $(names 3)
	says coordinator \
		'party-0. says: its edges between common nodes differ .*set graphs to .*own'
	any_party_said 'party-01 has other edges than party-00, party-02' ||
		any_party_said 'party-0[02] has other edges than party-01' ||
		fail 'nobody is named'
	[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/coordinator/labels.csv ]] ||
		fail 'there are labels'
	rm -rf "$T/out"
	edit job '.graphs = "own"'
	runs 3
}

test_nothing_in_common() {
	other_rows 2 0.8
	sed -i 's/^/b/' "$T/data/party-01/ids.txt"
	sed -i 's/\(.*\)\t/b\1\tb/' "$T/data/party-01/edges.tsv"
	coordinator
	parties 2
	ends '1|2' coordinator party-00 party-01
	says coordinator 'min_common'
	[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/coordinator/labels.csv ]] ||
		fail 'there are labels'
}

# One party has all rows, the other party has some of them.
test_one_has_all() {
	other_rows 2 1
	mv "$T/data/party-00" "$T/whole"
	rm -r "$T/data"
	"$BIN/coterie" split --by columns --keep 0.6 --parties 2 --seed 5 --data "$T/pooled" --out \
		"$T/data" >/dev/null
	rm -r "$T/data/party-00"
	mv "$T/whole" "$T/data/party-00"
	runs 2
	facts_are 2
	[[ $(jq .facts.rows_not_placed "$T/run/party-01/run.json") == 0 ]] ||
		fail 'party-01 has rows left'
	cut_by_hand 2
	as_by_hand 2
}

# All parties have all rows, in different orders. Nothing is dropped.
test_all_in_common() {
	other_rows 2 1
	runs 2
	facts_are 2
	[[ $(jq -c '.facts | [.rows_not_placed, .edges_dropped]' \
		"$T/run/party-01/run.json") == '[0,0]' ]] || fail 'something went'
}

test_more_memory_than_allowed() {
	other_rows 2 0.8
	edit party-01 '.policy.max_memory = 1000000'
	coordinator
	parties 2
	# shellcheck disable=SC2046
	ends '2|4' coordinator $(names 2)
	says party-01 'takes about .* of memory at party-01, policy.max_memory is 1 MB'
	says coordinator 'party-01 says: the job needs more memory than its limit for a job'
	[[ $(run_of party-01 .facts.common_rows) -gt 0 ]] || fail 'the rows were not known'
	rm -rf "$T/out"
	edit party-01 'del(.policy.max_memory)'
	edit coordinator '.max_memory = 1000000'
	coordinator
	parties 2
	# shellcheck disable=SC2046
	ends '2|4' coordinator $(names 2)
	says coordinator 'takes about .* of memory at coordinator, max_memory is 1 MB'
}

# Without align the refusal names the setting that would help.
test_same_is_refused_with_a_way_forward() {
	other_rows 2 0.8
	edit job 'del(.align)'
	rm -r "$T/data/party-00"
	"$BIN/coterie" split --by columns --keep 0.7 --parties 2 --seed 5 --data "$T/pooled" --out \
		"$T/fewer" >/dev/null
	mv "$T/fewer/party-00" "$T/data"
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	says coordinator 'party-00 has 182 nodes and party-01 has 208 .set align to \\"intersect\\"'
	rm -rf "$T/out" "$T/data/party-00"
	"$BIN/coterie" split --by columns --keep 0.8 --parties 2 --seed 6 --data "$T/pooled" --out \
		"$T/others" >/dev/null
	mv "$T/others/party-00" "$T/data"
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	says coordinator 'different sets of ids .set align to \\"intersect\\" in the job'
}

# A party dies while rows are matched. The next attempt matches them again and gives the undisturbed
# result.
test_party_dies_in_align() {
	local name
	other_rows 3 0.85 --signal 0.3
	(umask 077 && head -c 32 /dev/urandom >"$T/numbering")
	edit_all 3 '.rejoin_s = 20'
	edit_parties 3 '.numbering_key = "numbering"'
	undisturbed
	wired
	in_phase party-01 align
	kill -KILL "${PID[party-01]}"
	wait "${PID[party-01]}" 2>/dev/null || true
	ADDRESS=$RELAY party party-01
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	for name in coordinator $(names 3); do
		[[ $(run_of "$name" .attempt) == 2 ]] ||
			fail "$name: attempt $(run_of "$name" .attempt)"
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	[[ $(run_of party-00 '[.phases[] | select(.name == "align")] | length') == 1 ]] ||
		fail 'the second attempt did not match rows'
}

# A party dies after rows were matched. The numbering key gives the rows the same order again, so
# party-00 uses the cache of the first attempt.
test_party_dies_after_align() {
	local name
	other_rows 3 0.85 --signal 0.3
	(umask 077 && head -c 32 /dev/urandom >"$T/numbering")
	edit_all 3 '.rejoin_s = 20'
	edit_parties 3 '.numbering_key = "numbering"'
	edit job '.polish = 4'
	undisturbed
	wired
	in_phase party-01 level-1
	kill -KILL "${PID[party-01]}"
	wait "${PID[party-01]}" 2>/dev/null || true
	ADDRESS=$RELAY party party-01
	# shellcheck disable=SC2046
	ends 0 coordinator $(names 3)
	for name in coordinator $(names 3); do
		same_labels "$T/undisturbed/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	[[ $(run_of party-00 '.facts | [.cached_embedding, .cached_clusters]' |
		tr -d ' \n') == '[1,1]' ]] ||
		fail "party-00 computed again: $(run_of party-00 .facts)"
}

# Two parties have more rows in common than three parties, so the job's rows differ. The data still
# count as the same data set, so the job is refused unless both parties set policy.allow_subsets.
test_with_a_party_less() {
	local name
	other_rows 3 0.85
	runs 3
	edit coordinator '.parties = ["party-00", "party-01"]'
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	any_party_said 'an earlier one over the same data was of party-00 party-01 party-02: '\
'policy.allow_subsets of party-0[01] is false' ||
		fail "nobody says why: $(tail -n 1 "$T"/party-0?.stderr)"
	! compgen -G "$T/out/party-0?/labels.*" >"$T/null" || fail 'there are labels'
	for name in party-00 party-01; do edit "$name" '.policy.allow_subsets = true'; done
	rm -rf "$T/out"
	runs 2
	facts_are 2
}

# launch and run give the same labels. eval and report accept true labels of more rows than the job
# had.
test_launch_and_run() {
	local way
	"$BIN/coterie" synth --nodes 300 --features 40 --clusters 3 --out "$T/pooled" >/dev/null
	for way in launch run; do
		"$BIN/coterie" $way --data "$T/pooled" --job "$ROOT/configs/jobs/kcagc-cora.json" \
			--parties 2 --seed 5 --keep 0.8 \
			--set clusters=3 --set align=intersect --keep-data --out "$T/$way" \
			>"$T/$way.shown" 2>"$T/$way.stderr" ||
			fail "coterie $way: status $?: $(<"$T/$way.stderr")"
		grep -Eq '^party-01: labels: .* \([0-9]+ of its 240 rows, ' "$T/$way.shown" ||
			fail "$way does not say how many rows: $(<"$T/$way.shown")"
		grep -Eq "of $(jq .facts.common_rows "$T/$way/coordinator/run.json") rows" \
			"$T/$way.shown" || fail "$way: no score"
	done
	for name in coordinator party-00 party-01; do
		cmp "$T/launch/$name/labels.csv" "$T/run/$name/labels.csv" ||
			fail "labels of $name differ"
	done
	"$BIN/coterie" report "$T/run/party-01" --truth "$T/run/work/truth.csv" >/dev/null ||
		fail 'no report'
	grep -q 'class="pt ' "$T/run/party-01/report.html" || fail 'no picture'
	grep -q 'rows_not_placed' "$T/run/party-01/report.html" ||
		fail 'the report does not say how many rows were not placed'
	"$BIN/coterie" eval --common --truth "$T/run/work/truth.csv" "$T/run/party-00/labels.csv" \
		>"$T/score" || fail 'no score'
	[[ $(jq .rows "$T/score") == "$(jq .facts.common_rows "$T/run/coordinator/run.json")" ]] ||
		fail "score: $(<"$T/score")"
	! "$BIN/coterie" eval --truth "$T/run/work/truth.csv" "$T/run/party-00/labels.csv" \
		2>/dev/null || fail 'scored without --common'
	! "$BIN/coterie" launch --data "$T/pooled" --job "$ROOT/configs/jobs/kcagc-cora.json" \
		--parties 2 --keep 0.8 --out "$T/no" \
		2>"$T/refused" || fail 'launched without align'
	grep -q 'add --set align=intersect' "$T/refused" || fail "$(<"$T/refused")"
}

sample test_nothing_in_common test_one_has_all
run_tests "$@"
