# readings -- kCAGC as published, in each possible interpretation of the paper's text, over L and
# k^.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='kCAGC by the letter, in eight readings of its text, over L and k^, b-kCAGC too; --sets
	SET,... for some, --only blocks or counts'
default_seeds=2
sets=cora,citeseer,wiki only=''

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

option() {
	case $1 in
	sets) sets=$2 ;;
	only) [[ $2 == blocks || $2 == counts ]] || fail "--only is $2, expected blocks or counts"
		only=$2 ;;
	*) return 1 ;;
	esac
}

needs() { needs_data ${sets//,/ }; }

# Measures small k^ first, so that an interrupted call has complete tables for few local clusters.
measure() {
	local hat set
	for set in ${sets//,/ }; do
		[[ $set == wiki || $only == counts ]] || blocks_of "$set"
		[[ $set == wiki || $only == blocks ]] || counts_of "$set"
	done
	[[ -z $only ]] || return 0
	for hat in k 2k 4k 8k; do
		! $quick || [[ $hat == k ]] || continue
		for set in ${sets//,/ }; do
			case $set-$hat in
			wiki-2k | cora-8k | citeseer-8k) few_of "$set" "$hat" ;;
			wiki-*) ;;
			*) hat_of "$set" "$hat" ;;
			esac
		done
	done
}

# Distributes columns in blocks, in the order of the file.
blocks_of() { # SET
	local set="$1 in blocks" hat node
	for hat in k 2k; do
		printed "$set" "$hat"
		row "$set" "b-kCAGC: U; d = $hat" "$(letter unit local "$hat") method=basic"
		for node in centre mean; do
			row "$set" "k^=$hat: U; d = k^; ${words[$node]}" \
				"$(letter unit local "$hat") virtual_nodes=$node"
		done
	done
}

# Section 3.4 counts the virtual nodes of all levels, in percent of n. This percentage is also the
# size of kCAGC's sums relative to those of b-kCAGC. Section 3.5 counts iterations until no node
# moves, at most 10. For a tree, counts_of() takes the level with the most iterations.
counts_of() { # SET
	local set="$1 counts" L what method seed values
	local -A paper=([cora L=2]=1.8 [cora L=3]=12.4 [cora L=5]=64)
	local -A jq=(["virtual nodes"]='100 * ([.result.sums[].items] | add) / .result.rows'
		["iterations, kCAGC"]='[.result.sums[].iterations] | max'
			["iterations, b-kCAGC"]='.result.sums[0].iterations')
	for what in "virtual nodes" "iterations, kCAGC" "iterations, b-kCAGC"; do
		for L in $(pick 2 3 5); do
			! cell_known "$set" "$what" "L=$L" || continue
			values='' method=tree
			[[ $what != *b-kCAGC ]] || method=basic
			for ((seed = 1; seed <= seeds; seed++)); do
				ACC='' NMI='' F1=''
				one "$1" "$L" "$seed" "$(letter unit local k) method=$method" ||
					{ not_run "$set" "$what" "L=$L" "$WHY" && continue 2; }
				values+=${values:+$'\n'}$(jq "${jq[$what]}" \
					"$out/runs/$table/run/coordinator/run.json")
			done
			PAPER=4
			[[ $what != virtual* ]] || PAPER=${paper[$1 L=$L]-}
			cell "$set" "$what" "L=$L" value="$(mean <<<"$values")" \
				deviation="$(deviation <<<"$values")" \
				runs="$seeds" paper="$PAPER"
		done
	done
}

# For slow runs (wiki with k^ = 2k, the other sets with 8k) measures only the interpretations with
# d = k^.
few_of() { # SET k^
	local basis node
	printed "$1" "$2"
	for basis in unit scaled; do
		for node in centre mean; do
			row "$1" "k^=$2: ${words[$basis]}; ${words[local]}; ${words[$node]}" \
				"$(letter "$basis" local "$2") virtual_nodes=$node"
		done
	done
}

parties() { # SET: prints the numbers of parties; fewer for wiki
	if [[ $1 == wiki ]]; then pick 2 4; else pick 2 4 8 16; fi
}

# An interpretation has three parts: the projection's basis, its dimensions, and the definition of a
# virtual node.
hat_of() { # SET k^
	local set=$1 hat=$2 basis dims node
	printed "$set" "$hat"
	for basis in unit scaled; do
		for dims in local k; do
			[[ $hat$dims != kk ]] || continue # k^ = k: d = k^ and d = k are equal
			for node in centre mean; do
				row "$set" "k^=$hat: ${words[$basis]}; ${words[$dims]}; \
${words[$node]}" \
					"$(letter "$basis" "$dims" "$hat") virtual_nodes=$node"
			done
			[[ $hat == k || $hat == 2k ]] || continue
			row "$set" "b-kCAGC: ${words[$basis]}; d = $hat" \
				"$(letter "$basis" local "$hat") method=basic"
		done
	done
	[[ $hat == 2k ]] || return 0
	row "$set" "default; k^=2k" local_clusters=2k
	row "$set" "default; k^=2k: U" "local_clusters=2k projection.basis=unit"
	row "$set" "default; k^=2k: d = k^" "local_clusters=2k projection.dims=local"
}

declare -gA \
	words=([unit]=U [scaled]="U Sigma" [local]="d = k^" [k]="d = k" [centre]="local centre"
	[mean]="mean of cell")

letter() { # BASIS DIMS k^
	echo "preset=paper projection.basis=$1 projection.dims=$2 local_clusters=$3"
}

printed() { # SET k^: writes the cells of the paper's own row
	local L
	for L in $(parties "$1"); do
		! cell_known "$1" "k^=$2: **the paper**" "L=$L" || continue
		paper_cell table2 "${1%% *}" "k^=$2" "L=$L"
		cell "$1" "k^=$2: **the paper**" "L=$L" value="$PAPER" deviation="$PAPER_DEVIATION"
		[[ $2 == k ]] || continue
		paper_cell table2 "${1%% *}" b-kCAGC "L=$L"
		cell "$1" "b-kCAGC: **the paper**" "L=$L" value="$PAPER" \
			deviation="$PAPER_DEVIATION"
	done
}

row() { # SET ROW "PATH=VALUE ..."
	local L seed
	for L in $(parties "$1"); do
		! cell_known "$1" "$2" "L=$L" || continue
		ACC='' NMI='' F1=''
		for ((seed = 1; seed <= seeds; seed++)); do
			one "$1" "$L" "$seed" "$3" ||
				{ not_run "$1" "$2" "L=$L" "$WHY" && continue 2; }
		done
		cell "$1" "$2" "L=$L" value="$(mean <<<"$ACC")" deviation="$(deviation <<<"$ACC")" \
			runs="$seeds"
	done
}

# Runs in one process, which gives the same labels as daemons with the same seed in a fraction of
# the time.
one() { # SET L SEED "PATH=VALUE ..."
	local to=$out/runs/$table/run set=${1%% *} change options=()
	[[ $1 != *' in blocks' ]] || options=(--contiguous)
	for change in $4; do options+=(--set "$change"); done
	rm -rf "$to"
	mkdir -p "${to%/*}"
	"$bin/coterie" run --quiet --data "$data/$set" --job "configs/jobs/kcagc-$set.json" \
		--parties "$2" --seed "$3" \
		--out "$to" "${options[@]}" >"$to.log" 2>&1 ||
		{ WHY="$(tail -n 1 "$to.log")" RUN_FAILED=true && return 1; }
	scores "$set" "$to/coordinator/labels.csv"
}

render() {
	[[ -e $csv ]] || return 0
	local all=$csv part
	for part in readings counts; do
		csv=$out/$table.part
		if [[ $part == counts ]]; then
			{ head -n 1 "$all" && grep '^[a-z]* counts,' "$all"; } >"$csv" || true
			render_grid '{value} +- {deviation} / {paper}' | sed 's| / - | |g'
		else
			grep -v '^[a-z]* counts,' "$all" >"$csv" || true
			render_grid '{value} +- {deviation}'
		fi
	done
	rm "$csv"
	csv=$all
	render_when
}
