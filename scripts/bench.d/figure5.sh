# figure5 -- accuracy by the order of the filter, 1 to 20: kCAGC of two parties with k^ = k,
# compared with AGC.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='accuracy by the order of the filter, 1 to 20: kCAGC with L=2 and k^=k, AGC (cora, citeseer)'

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora citeseer; }

measure() {
	local set psi
	for set in cora citeseer; do
		for psi in $(if $quick; then echo 1 10; else seq 20; fi); do
			one "$set" "$psi" kCAGC federated_scores k^=k 2
			one "$set" "$psi" AGC agc_scores AGC
		done
	done
}

one() { # SET PSI COLUMN COMMAND ROW [L]
	! cell_known "$1" "psi=$2" "$3" || return 0
	"$4" "$1" "configs/jobs/kcagc-$1.json" "${@:5}" --set "filter.order=$2" ||
		{ not_run "$1" "psi=$2" "$3" "$WHY" && return; }
	cell "$1" "psi=$2" "$3" value="$(mean <<<"$ACC")" deviation="$(deviation <<<"$ACC")" \
		runs="$seeds"
}

render() {
	awk -F \
		, 'NR > 1 && $4 != "" { at[$1, $2, $3] = $4; if (!($1 in seen)) { seen[$1];
			set[++S] = $1 }
			if ($3 == "AGC") row[$1] = row[$1] $2 " " }
		END {
			for (s = 1; s <= S; s++) {
				n = split(row[set[s]], r, " "); count = ours = theirs = 0;
				least = 1e9
				for (i = 1; i <= n; i++) {
					if (!((set[s], r[i], "kCAGC") in at)) continue
					d = at[set[s], r[i], "kCAGC"] - at[set[s], r[i], "AGC"]
					count++; ours += at[set[s], r[i], "kCAGC"];
					theirs += at[set[s], r[i], "AGC"]
					if (d < least) { least = d; where = r[i] }
				}
				if (count) printf \
					"\nOn %s kCAGC has %.2f in the mean over %d orders, " \
					"and AGC %.2f.\nThe least difference is %+.2f, at %s.\n", \
					set[s], ours / count, count, theirs / count, least, where
			}
		}' "$csv"
	render_grid '{value} +- {deviation}'
}
