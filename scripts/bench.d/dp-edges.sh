# dp-edges -- accuracy lost by differential privacy of an edge: fedspectral's `exact` with noise in
# its sums, compared with noise on edges and without noise.
#
#   --only WORD     measures only sets whose name contains WORD
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='ARI of fedspectral by eps of an edge: noise in sums, with few columns or many, on edges,
	none; planted and real graphs'
default_seeds=2 quick_seeds=1

delta=1e-5 at='' only=''
EPS=(1 2 4 8 20)

option() { # NAME VALUE
	[[ $1 == only ]] || return 1
	only=$2
}

# Planted graphs have 2000 nodes in 16 classes and mean degrees of 20, 40 and 100. For real graphs,
# the truth is central clustering into 10 clusters.
make_graphs() {
	local d set
	at=$out/runs/dp-edges
	[[ ! -e $at/ready ]] || return 0
	rm -rf "$at"
	for d in 20 40 100; do
		"$bin/coterie" synth --features 0 --nodes 2000 --degree "$d" --clusters 16 --out \
			"$at/planted-$d" >/dev/null
		paste -d , "$at/planted-$d/ids.txt" "$at/planted-$d/labels.txt" |
			sed '1i id,label' >"$at/planted-$d/truth.csv"
	done
	for set in ego-facebook email-eu-core; do
		mkdir -p "$at/$set"
		cp "$data/$set/edges.tsv" "$at/$set/"
		rm -rf "$at/central"
		"$bin/coterie-lab" spectral --data "$at/$set" --clusters 10 --out "$at/central" \
			>/dev/null
		cp "$at/central/labels.csv" "$at/$set/truth.csv"
	done
	touch "$at/ready"
}

needs() {
	local set
	for set in ego-facebook email-eu-core; do
		[[ -e $data/$set/edges.tsv ]] ||
			fail "no $set/edges.tsv in $data; set COTERIE_DATA to a directory with it"
	done
}

measure() {
	local set k L eps
	make_graphs
	while read -r set k; do
		[[ $set == *"$only"* ]] || continue
		for L in 2 8; do
			one "$set" "$k" none "L=$L" '{}' ''
			for eps in "${EPS[@]}"; do
				one "$set" "$k" "sums, eps $eps" "L=$L" \
					"{\"on\":\"sums\",\"eps\":$eps,\"delta\":$delta}" ''
			done
			for eps in 8 20; do
				one "$set" "$k" "sums of k columns, eps $eps" "L=$L" \
					"{\"on\":\"sums\",\"eps\":$eps,\"delta\":$delta}" \
					",\"block\":$k"
				[[ $set == ego-facebook ]] || on_edges "$set" "$k" "$eps" "L=$L"
			done
		done
	done <<-END
		planted-20 16
		planted-40 16
		planted-100 16
		email-eu-core 10
		ego-facebook 10
	END
}

ari_of() { "$bin/coterie" eval --truth "$at/$1/truth.csv" "${@:2}" | jq .ari; }

put() { # SET ROW COLUMN ARI...
	local all
	all=$(printf '%s\n' "${@:4}")
	cell "$1" "$2" "$3" value="$(mean <<<"$all")" deviation="$(deviation <<<"$all")" \
		runs="$seeds"
}

one() { # SET K ROW COLUMN NOISE MORE
	local seed got=()
	! cell_known "$1" "$3" "$4" || return 0
	for ((seed = 1; seed <= seeds; seed++)); do
		echo "{\"kind\":\"fedspectral\",\"clusters\":$2,\"seed\":$seed,\"noise\":$5$6}" \
			>"$at/job.json"
		rm -rf "$at/run"
		"$bin/coterie" run --data "$at/$1" --job "$at/job.json" --parties "${4#L=}" \
			--allow fedspectral.exact --out "$at/run" \
			--seed "$seed" >"$at/said" 2>&1 || {
				not_run "$1" "$3" "$4" "$(tail -n 1 "$at/said")"
				return 0
			}
		got+=("$(ari_of "$1" "$at"/run/party-*/labels.csv)")
	done
	put "$1" "$3" "$4" "${got[@]}"
}

# Adds noise to each entry of each party's matrix, and then applies spectral clustering to the sum
# of the matrices.
on_edges() { # SET K EPS COLUMN
	local seed got=()
	! cell_known "$1" "edges, eps $3" "$4" || return 0
	for ((seed = 1; seed <= seeds; seed++)); do
		/usr/bin/python3 scripts/bench.d/dp-edges.py "$at/$1/edges.tsv" "$2" "$3" "$delta" \
			"${4#L=}" "$seed" >"$at/found.csv" ||
			{
				not_run "$1" "edges, eps $3" "$4" \
					'python3-scipy or -sklearn is not installed'
				return 0
			}
		got+=("$(ari_of "$1" "$at/found.csv")")
	done
	put "$1" "edges, eps $3" "$4" "${got[@]}"
}

render() { render_grid '{value} +- {deviation}'; }
