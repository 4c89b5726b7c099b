# tables8-9 -- accuracy, NMI and macro-F1 with the paper's second filter, p(l) = (1 - l/||Ls||)^5.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='ACC, NMI, F1 with the filter (1 - l/||Ls||)^5 (cora, citeseer)'

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora citeseer; }

measure() {
	local set row L
	for set in cora citeseer; do
		for row in k^=k k^=2k; do
			for L in $(pick 2 4 8 16); do
				three "$set" "$row" "L=$L" federated_scores "$L"
			done
		done
		three "$set" AGC - agc_scores
	done
}

three() { # SET ROW COLUMN COMMAND...
	local set=$1 row=$2 column=$3 metric ok=true
	local -A paper_table=([cora]=table8 [citeseer]=table9)
	! cell_known "$set" "$row F1" "$column" || return 0 # F1 is measured last of the three
	"$4" "$set" "configs/jobs/kcagc-$set.json" "$row" "${@:5}" --set filter.kind=spectral \
		--set filter.order=5 ||
		ok=false
	for metric in ACC NMI F1; do
		paper_cell "${paper_table[$set]}" "$set" "$row $metric" "$column"
		if $ok; then
			cell "$set" "$row $metric" "$column" value="$(mean <<<"${!metric}")" \
				deviation="$(deviation <<<"${!metric}")" runs="$seeds" \
				paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
		else
			not_run "$set" "$row $metric" "$column" "$WHY" paper="$PAPER" \
				paper_deviation="$PAPER_DEVIATION"
		fi
	done
}

render() {
	render_beside
	render_grid '{value} +- {deviation} / {paper}'
}
