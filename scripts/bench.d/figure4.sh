# figure4 -- two parties that each have a part of the graph: accuracy together, and of each alone.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='accuracy by the part of the graph that each of two parties has: kCAGC, b-kCAGC, AGC alone
	(cora)'

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora; }

measure() {
	local F
	for F in $(pick 0.5 1.0 0.6 0.7 0.8 0.9); do
		one "$F" AGC_A alone_scores 0
		one "$F" AGC_B alone_scores 1
		one "$F" b-kCAGC together_scores b-kCAGC
		one "$F" kCAGC together_scores k^=2k
	done
	one '' - agc_scores cora configs/jobs/kcagc-cora.json AGC
}

one() { # F COLUMN COMMAND [ARG...]
	local row=${1:+F=$1} best=''
	F=$1 row=${row:-AGC}
	! cell_known cora "$row" "$2" || return 0
	"${@:3}" || { not_run cora "$row" "$2" "$WHY" && return; }
	local -a beside=()
	if [[ $2 == *kCAGC ]]; then
		best=$(printf '%s\n%s\n' "$(value_of cora "$row" AGC_A)" \
			"$(value_of cora "$row" AGC_B)" | sort -g | tail -n 1)
		[[ -z $best ]] ||
			beside=(goal=">= $best"
			verdict="$(verdict "$(mean <<<"$ACC")" "x >= $best")")
	fi
	cell cora "$row" "$2" value="$(mean <<<"$ACC")" deviation="$(deviation <<<"$ACC")" \
		runs="$seeds" "${beside[@]}"
}

together_scores() { # ROW
	federated_scores cora configs/jobs/kcagc-cora.json "$1" 2 --shared-edges "$F" --set \
		graphs=own
}

# A party alone has only its own columns and edges.
alone_scores() { # PARTY
	local seed at=$out/runs/$table/alone
	ACC='' NMI='' F1=''
	for ((seed = 1; seed <= seeds; seed++)); do
		rm -rf "$at"
		mkdir -p "$at"
		{ "$bin/coterie" split --data "$data/cora" --out "$at" --parties 2 --seed "$seed" \
			--shared-edges "$F" &&
			"$bin/coterie-lab" agc --data "$at/party-0$1" --job \
			configs/jobs/kcagc-cora.json --set "seed=$seed" \
				--out "$at/agc"; } >"$at.log" 2>&1 ||
			{ WHY="$(tail -n 1 "$at.log")" RUN_FAILED=true && return 1; }
		scores cora "$at/agc/labels.csv" || return 1
	done
}

render() {
	cat <<-'TEXT'

		F is the part of the complete graph that each party has. AGC_A and AGC_B are one
		party alone, with its own columns and edges. AGC is centralised, with all columns
		and the complete graph. The goal: together, the parties are no worse than the better
		of the two alone.
	TEXT
	local all=$csv # sorts rows along the curve, since rows are in the order of measurement
	csv=$out/$table.rows
	{ head -n 1 "$all" && tail -n +2 "$all" | sort -s -t , -k 2,2; } >"$csv"
	render_grid '{value} +- {deviation}'
	rm "$csv"
}
