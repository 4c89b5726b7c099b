# table7 -- privacy level and leakage of the summed distances on cora, by coterie-lab privacy.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='privacy level and leakage of the summed distances on cora, 2 to 16 parties'

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora; }

measure() {
	local preset L
	for preset in default paper; do
		for L in $(pick 2 4 6 8 10 12 14 16); do one "$preset" "$L"; done
	done
}

one() { # PRESET L
	local seed set=cora column said='' all
	local -A figure=([level]=privacy_level [leakage]=privacy_leakage
		["worst feature"]=leakage_of_worst_column
		["h(Y)"]=entropy_bits ["joint leakage"]=joint_leakage)
	[[ $1 == default ]] || set="cora preset=$1"
	! cell_known "$set" "L=$2" "joint leakage" || return 0 # if the last cell exists, all exist
	all=$out/runs/$table/$1-L$2.json
	mkdir -p "${all%/*}"
	: >"$all"
	for ((seed = 1; seed <= seeds; seed++)); do
		"$bin/coterie-lab" privacy --data "$data/cora" --job configs/jobs/kcagc-cora.json \
			--parties "$2" --seed "$seed" \
			--set "preset=$1" >>"$all" 2>"$all.log" || {
				said="coterie-lab privacy: $(tail -n 1 \
					"$all.log")" RUN_FAILED=true && break
			}
	done
	for column in level leakage "worst feature" "h(Y)" "joint leakage"; do
		paper_cell table7 cora "L=$2" "$column"
		if [[ -n $said ]]; then
			not_run "$set" "L=$2" "$column" "$said" paper="$PAPER"
		else
			# shellcheck disable=SC2046 # value=... deviation=...
			cell "$set" "L=$2" "$column" \
				$(jq ".${figure[$column]}" "$all" | few_digits) runs="$seeds" \
				paper="$PAPER"
		fi
	done
}

# Levels are around 10 and leakages around 0.001, so values have four significant digits instead of
# two decimals.
few_digits() {
	awk '{ s += $1; q += $1 * $1 } END { m = s / NR; v = NR > 1 ? (q - s * m) / (NR - 1) : 0
		printf "value=%.4g", m; if (NR > 1) printf " deviation=%.2g\n",
		sqrt(v > 0 ? v : 0) }'
}

render() {
	cat <<-'TEXT'

		A cell is ours / the paper's. *level* is 2^h(Y|X) in units of Y. *leakage* is 1 -
		2^-I(Y;X) for one feature and one sum, as the mean over all features. *worst
		feature* is the maximum over features. h(Y) is in bits. *joint leakage* is for all
		sums of a node and a party's whole row.
	TEXT
	render_grid '{value} +- {deviation} / {paper}' | sed 's| / -||g'
}
