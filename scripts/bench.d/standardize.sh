# standardize -- columns in different units: ACC of fedsc (anchor) on scikit-learn's set wine at
# eight parties, with job.standardize "none", "joint" and "local". Does the same for wine+, which
# has one more column, N(50000, 9000), without information.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='columns in units of their own: wine, raw, at eight parties, and with a column of noise in a
	large unit'
default_seeds=3 quick_seeds=1

measure() {
	local at set how
	at=$(realpath -m "$out/runs/standardize")
	mkdir -p "$at"
	echo '{ "kind": "fedsc", "clusters": 3 }' >"$at/job.json"
	declare -A worst=() mean=()
	for how in none joint local; do
		for set in wine wine+; do
			[[ -d $at/$set ]] ||
				/usr/bin/python3 scripts/bench.d/k.py "$set" "$at/$set" \
				2>/dev/null || rm -rf "${at:?}/$set"
			if [[ ! -e $at/$set/features.npy ]]; then
				not_run "$set" anchor "$how" 'no python3-sklearn, whose set it is'
			else
				accuracy "$set" "$how"
			fi
		done
	done
}

# Measures ACC of each seed. With "joint", ACC of the worst seed on wine should be at least .94, and
# the random column of wine+ should cost at most .01 of the mean.
accuracy() { # SET HOW
	local seed acc all='' goal='' met=-
	for ((seed = 1; seed <= seeds; seed++)); do
		run "$1-$2-seed$seed" "$at/$1" "$at/job.json" 8 "$seed" --set "standardize=$2" ||
			{ not_run "$1" anchor "$2" "$WHY" && return; }
		acc=$("$bin/coterie" eval --truth "$at/$1/labels.txt" "$RUN"/party-*/labels.csv |
			jq .acc)
		all+=${all:+$'\n'}$acc
	done
	worst[$1]=$(sort -g <<<"$all" | head -n 1)
	mean[$1]=$(awk '{ s += $1 } END { print s / NR }' <<<"$all")
	if [[ $2 == joint && $1 == wine ]]; then
		goal='>= .94' met=$(verdict "${worst[wine]}" 'x >= .94')
	elif [[ $2 == joint && -n ${mean[wine]-} ]]; then
		goal='costs at most .01' met=$(verdict \
			"$(awk -v a="${mean[wine]}" -v b="${mean[wine+]}" \
			'BEGIN { print a - b }')" 'x <= .01')
	fi
	cell "$1" anchor "$2" value="$(xargs printf '%.3f ' <<<"$all" | sed 's/ $//')" \
		runs="$seeds" goal="$goal" verdict="$met"
}

render() {
	cat <<-'TEXT'

		Cells have the ACC of each seed. `wine+` has one more column without information,
		from N(50000, 9000) (numpy's `default_rng(5)`). There are two goals. `joint` has .94
		on wine with each seed, and the further column lowers its mean by at most .01.
	TEXT
	render_grid '{value}'
}
