# apart -- fedspectral with each edge at one party: exact and fedspectral+ by how many parties there are.
#
#   --only WORD     sets alone whose name has it
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='fedspectral, exact and +, each edge at one of 2, 5 and 10 parties: ACC beside pooled spectral clustering, ARI with it'
default_seeds=3 quick_seeds=1

at='' only=''

option() { # NAME VALUE
	[[ $1 == only ]] || return 1
	only=$2
}

needs() {
	local set
	for set in football email-eu-core ego-facebook; do
		[[ -e $data/$set/edges.tsv ]] || fail "no $set/edges.tsv in $data; set COTERIE_DATA to a directory with it"
	done
}

# $at/SET: edges alone, and truth.csv: classes, or where there are none what pooled clustering finds.
make_graphs() {
	local set
	at=$out/runs/apart
	[[ ! -e $at/ready ]] || return 0
	rm -rf "$at"
	mkdir -p "$at"
	/usr/bin/python3 scripts/bench.d/lfr.py "$at/planted" 2000 16 20 0.3 1 || fail 'the graph could not be made: python3-numpy is needed'
	for set in football email-eu-core ego-facebook; do
		mkdir -p "$at/$set"
		cp "$data/$set/edges.tsv" "$at/$set/"
		[[ ! -e $data/$set/labels.txt ]] || cp "$data/$set/labels.txt" "$at/$set/"
	done
	touch "$at/ready"
}

measure() {
	local set k L
	make_graphs
	while read -r set k; do
		[[ $set == *"$only"* ]] || continue
		pooled "$set" "$k"
		for L in 2 5 10; do
			one "$set" "$k" exact "$L"
			one "$set" "$k" fedspectral+ "$L"
			one "$set" "$k" 'fedspectral+, overlap' "$L" --overlap 0.4
		done
	done <<-END
		football 12
		planted 16
		email-eu-core 42
		ego-facebook 10
	END
}

score() { # TRUTH LABELS...: ACC and ARI in percent
	"$bin/coterie" eval --truth "$@" | jq -r '"\(100 * .acc) \(100 * .ari)"'
}

truth() { # SET SEED
	if [[ -e $at/$1/labels.txt ]]; then echo "$at/$1/labels.txt"; else echo "$at/pooled-$1-$2/labels.csv"; fi
}

# The pooled graph's labels, a run of coterie spectral for each seed.
pooled() { # SET K
	local seed L all=''
	for ((seed = 1; seed <= seeds; seed++)); do
		[[ -e $at/pooled-$1-$seed/result.json ]] ||
			"$bin/coterie" spectral --data "$at/$1" --clusters "$2" --seed "$seed" --out "$at/pooled-$1-$seed" >"$at/said" 2>&1 ||
			{ not_run "$1" pooled ACC "$(tail -n 1 "$at/said")" && return; }
		all+=${all:+$'\n'}$(score "$(truth "$1" "$seed")" "$at/pooled-$1-$seed/labels.csv")
	done
	for L in 2 5 10; do
		cell_known "$1" pooled "ACC: $L parties" || put "$1" pooled "ACC: $L parties" 1 "$all"
	done
}

put() { # SET ROW COLUMN FIELD SCORES
	local values
	values=$(cut -d ' ' -f "$4" <<<"$5")
	cell "$1" "$2" "$3" value="$(mean <<<"$values")" deviation="$(deviation <<<"$values")" runs="$seeds" "${@:6}"
}

one() { # SET K ROW L [RUN-ARG...]
	local seed name=${3%%,*} acc='' ari='' variant before
	! cell_known "$1" "$3" "ARI: $4 parties" || return 0
	for ((seed = 1; seed <= seeds; seed++)); do
		jq -n "{kind: \"fedspectral\", variant: \"$name\", clusters: $2, seed: $seed}" >"$at/job.json"
		rm -rf "$at/run"
		"$bin/coterie" run --data "$at/$1" --job "$at/job.json" --parties "$4" --allow fedspectral.exact --seed "$seed" --out "$at/run" \
			"${@:5}" >"$at/said" 2>&1 ||
			{ not_run "$1" "$3" "ARI: $4 parties" "$(tail -n 1 "$at/said" | tr -d '`')" && return; }
		acc+=${acc:+$'\n'}$(score "$(truth "$1" "$seed")" "$at"/run/party-*/labels.csv)
		ari+=${ari:+$'\n'}$(score "$at/pooled-$1-$seed/labels.csv" "$at"/run/party-*/labels.csv)
	done
	before=$(awk -F , -v set="$1" '$1 == set && $2 == "pooled" { print $4; exit }' "$csv")
	put "$1" "$3" "ACC: $4 parties" 1 "$acc" goal='at most 2 below pooled' \
		verdict="$(verdict "$(jq -n "$before - $(cut -d ' ' -f 1 <<<"$acc" | mean)")" 'x <= 2')"
	put "$1" "$3" "ARI: $4 parties" 2 "$ari"
}

render() { render_grid '{value} +- {deviation}'; }
