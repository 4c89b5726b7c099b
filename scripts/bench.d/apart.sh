# apart -- two tables. "parties" measures fedspectral's variants exact and fedspectral+, with each
# edge at one of 2, 5 or 10 parties. "neighbours" measures the accuracy of kcagc's methods on graphs
# whose neighbours differ, and compares it with features alone.
#
#   --only WORD     measures only sets whose name contains WORD
#   --part parties | neighbours     measures one of the two tables
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='fedspectral, each edge at one of 2, 5 and 10 parties, beside pooled; kcagc beside features
	alone, over all sets'
default_seeds=3 quick_seeds=1

at='' only='' part=''

# This part has a separate table: its cells have this name in the first field.
neighbours='neighbours'

option() { # NAME VALUE
	case $1 in
	only) only=$2 ;;
	part)
		[[ $2 == parties || $2 == neighbours ]] ||
			fail "--part: $2 is none; expected parties or neighbours"
		part=$2
		;;
	*) return 1 ;;
	esac
}

needs() {
	local set
	for set in football email-eu-core ego-facebook; do
		[[ -e $data/$set/edges.tsv ]] ||
			fail "no $set/edges.tsv in $data; set COTERIE_DATA to a directory with it"
	done
	needs_data cora citeseer wiki bat eat flickr coauthor-cs
}

measure() {
	[[ $part == neighbours ]] || measure_parties
	[[ $part == parties ]] || measure_neighbours
}

# ---- each edge at one party ----

# Makes $at/SET with the edges and truth.csv. truth.csv has the classes or, without classes, the
# clusters of the pooled graph.
make_graphs() {
	local set
	at=$out/runs/apart
	[[ ! -e $at/ready ]] || return 0
	rm -rf "$at"
	mkdir -p "$at"
	/usr/bin/python3 scripts/bench.d/lfr.py "$at/planted" 2000 16 20 0.3 1 ||
		fail 'the graph could not be made: python3-numpy is needed'
	for set in football email-eu-core ego-facebook; do
		mkdir -p "$at/$set"
		cp "$data/$set/edges.tsv" "$at/$set/"
		[[ ! -e $data/$set/labels.txt ]] || cp "$data/$set/labels.txt" "$at/$set/"
	done
	touch "$at/ready"
}

measure_parties() {
	local set k L
	make_graphs
	while read -r set k; do
		[[ $set == *"$only"* ]] || continue
		pooled "$set" "$k"
		for L in 2 5 10; do
			one "$set" "$k" exact "$L"
			one "$set" "$k" fedspectral+ "$L"
			# Overlap 0.4 of two parties is one party for each edge, as without overlap.
			((L == 2)) || one "$set" "$k" 'fedspectral+, overlap' "$L" --overlap 0.4
		done
	done <<-END
		football 12
		planted 16
		email-eu-core 42
		ego-facebook 10
	END
}

score() { # TRUTH LABELS...: prints ACC and ARI in percent
	"$bin/coterie" eval --truth "$@" | jq -r '"\(100 * .acc) \(100 * .ari)"'
}

truth() { # SET SEED
	if [[ -e $at/$1/labels.txt ]]; then echo \
		"$at/$1/labels.txt"; else echo "$at/pooled-$1-$2/labels.csv"; fi
}

# Makes the pooled graph's labels by one run of coterie-lab spectral for each seed.
pooled() { # SET K
	local seed L all=''
	for ((seed = 1; seed <= seeds; seed++)); do
		[[ -e $at/pooled-$1-$seed/result.json ]] ||
			"$bin/coterie-lab" spectral --data "$at/$1" --clusters "$2" --seed "$seed" \
			--out "$at/pooled-$1-$seed" >"$at/said" 2>&1 ||
			{ not_run "$1" pooled ACC "$(tail -n 1 "$at/said")" && return; }
		all+=${all:+$'\n'}$(score "$(truth "$1" "$seed")" "$at/pooled-$1-$seed/labels.csv")
	done
	for L in 2 5 10; do
		cell_known "$1" pooled "ACC: $L parties" ||
			put "$1" pooled "ACC: $L parties" 1 "$all"
	done
}

put() { # SET ROW COLUMN FIELD SCORES
	local values
	values=$(cut -d ' ' -f "$4" <<<"$5")
	cell "$1" "$2" "$3" value="$(mean <<<"$values")" deviation="$(deviation <<<"$values")" \
		runs="$seeds" "${@:6}"
}

one() { # SET K ROW L [RUN-ARG...]
	local seed name=${3%%,*} acc='' ari='' variant before
	! cell_known "$1" "${3//,/;}" "ARI: $4 parties" || return 0
	for ((seed = 1; seed <= seeds; seed++)); do
		jq -n "{kind: \"fedspectral\", variant: \"$name\", clusters: $2, seed: $seed}" \
			>"$at/job.json"
		rm -rf "$at/run"
		"$bin/coterie" run --data "$at/$1" --job "$at/job.json" --parties "$4" --allow \
			fedspectral.exact --seed "$seed" --out "$at/run" \
			"${@:5}" >"$at/said" 2>&1 ||
			{
				not_run "$1" "$3" "ARI: $4 parties" \
					"$(tail -n 1 "$at/said" | tr -d '`')" && return
			}
		acc+=${acc:+$'\n'}$(score "$(truth "$1" "$seed")" "$at"/run/party-*/labels.csv)
		ari+=${ari:+$'\n'}$(score "$at/pooled-$1-$seed/labels.csv" \
			"$at"/run/party-*/labels.csv)
	done
	before=$(awk -F , -v set="$1" '$1 == set && $2 == "pooled" { print $4; exit }' "$csv")
	put "$1" "$3" "ACC: $4 parties" 1 "$acc" goal='at most 2 below pooled' \
		verdict="$(verdict "$(jq -n "$before - $(cut -d ' ' -f 1 <<<"$acc" | mean)")" \
		'x <= 2')"
	put "$1" "$3" "ARI: $4 parties" 2 "$ari"
}

# ---- where neighbours differ ----

# Measures sets with features, a graph and classes, with 4 parties. Columns are distributed
# differently for each seed. The last two sets are large and get one seed.
measure_neighbours() {
	local set k seeds=$seeds
	while read -r set k; do
		[[ $set == *"$only"* ]] || continue
		[[ $set != flickr && $set != coauthor-cs ]] || seeds=1
		alone "$set" "$k"
		method "$set" "$k" tree '{"method":"tree"}'
		method "$set" "$k" 'tree; order 30' \
			'{"method":"tree","filter":{"order":30}}'
		method "$set" "$k" landmark '{"method":"landmark"}'
		method "$set" "$k" gcc '{"method":"gcc"}'
		[[ $set != bat && $set != eat ]] ||
			method "$set" "$k" 'landmark; degrees off' \
			'{"method":"landmark","degrees":"off"}'
	done <<-END
		bat 4
		eat 4
		cora 7
		citeseer 6
		wiki 17
		flickr 9
		coauthor-cs 15
	END
}

# Sets ACC to the accuracies in percent, one line per seed; or fails and sets WHY.
accuracy() { # DATA LABELS JOB
	local seed run=$out/runs/neighbours/run said=$out/runs/neighbours/said
	ACC=''
	mkdir -p "${run%/*}"
	for ((seed = 1; seed <= seeds; seed++)); do
		jq -n --argjson job "$3" "{kind: \"kcagc\", seed: $seed} + \$job" \
			>"$out/runs/neighbours/job.json"
		rm -rf "$run"
		"$bin/coterie" run --quiet --data "$1" --job "$out/runs/neighbours/job.json" \
			--parties 4 --seed "$seed" --out "$run" >"$said" 2>&1 ||
			{ WHY=$(tail -n 1 "$said" | tr -d '`') && return 1; }
		ACC+=${ACC:+$'\n'}$("$bin/coterie" eval --truth "$2" "$run/coordinator/labels.csv" |
			jq '100 * .acc')
	done
}

# Clusters features alone: runs landmark on them with a graph that has no edges.
alone() { # SET K
	local at=$out/runs/neighbours/$1
	rm -rf "$at"
	mkdir -p "$at"
	ln -s "$(realpath "$data/$1")"/features.* "$at/"
	: >"$at/edges.tsv"
	of "$1" 'features alone' "$at" \
		"{\"clusters\": $2, \"method\": \"landmark\", \"filter\": {\"order\": 1}}"
}

method() { # SET K COLUMN JOB
	of "$1" "$3" "$data/$1" "{\"clusters\": $2, \"filter\": {\"order\": \"auto\"}} + $4"
}

# landmark and gcc should be near the best of three results: features alone, tree with filter order
# "auto", and tree with order 30. These three are measured first.
of() { # SET COLUMN DATA JOB
	local m bound='' judged=()
	! cell_known "$neighbours" "$1" "$2" || return 0
	if ! accuracy "$3" "$data/$1/labels.txt" "$(jq -n "$4")"; then
		not_run "$neighbours" "$1" "$2" "$WHY"
		return
	fi
	m=$(mean <<<"$ACC")
	[[ $2 != landmark && $2 != gcc ]] || bound=$(best_of "$1")
	[[ -z $bound ]] ||
		judged=(bound="$bound" goal='at most 2 below the best of features alone and tree'
		verdict="$(verdict "$(jq -n "$bound - $m")" 'x <= 2')")
	cell "$neighbours" "$1" "$2" value="$m" deviation="$(deviation <<<"$ACC")" runs="$seeds" \
		"${judged[@]}"
}

best_of() { # SET: prints nothing unless all three exist
	awk -F , -v set="$neighbours" -v row="$1" '
		$1 == set && $2 == row && ($3 == "features alone" || $3 ~ /^tree/) && $4 != "" {
		n++; if ($4 > best) best = $4 }
		END { if (n == 3) print best }' "$csv"
}

# ---- the printed table ----

render() {
	local all=$csv
	csv=$out/apart.part
	grep -v "^$neighbours," "$all" >"$csv" || true
	echo
	echo 'ACC compares with the classes, ARI with the pooled clustering, in percent. The '\
'goal is an ACC at most 2 points below pooled.'
	render_grid '{value} +- {deviation}'
	if grep -q "^$neighbours," "$all"; then
		grep -E "^(set|$neighbours)," "$all" >"$csv"
		echo
		echo 'Where neighbours differ: ACC in percent, four parties. The goal of '\
'`landmark` and `gcc` is at most 2 points below the best of the first three columns.'
		render_grid '{value} +- {deviation}'
	fi
	rm "$csv"
	csv=$all
	render_when
}
