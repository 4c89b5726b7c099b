# table2 -- the accuracy of kCAGC over L and k^, of b-kCAGC, and of the centralised AGC.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='accuracy: kCAGC by L and k^, b-kCAGC, AGC (cora, citeseer, wiki; pubmed if it has features)'

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora citeseer wiki; }

measure() {
	local set row L
	for set in cora citeseer wiki pubmed; do
		for row in $(pick k^=k k^=2k k^=4k k^=8k) b-kCAGC; do
			for L in $(pick 2 4 8 16); do one "$set" "$row" "L=$L" federated_scores "$L"; done
		done
		one "$set" AGC - agc_scores
	done
}

one() { # SET ROW COLUMN COMMAND...
	local set=$1 row=$2 column=$3 job
	! cell_known "$set" "$row" "$column" || return 0
	paper_cell table2 "$set" "$row" "$column"
	if ! compgen -G "$data/$set/features.*" >/dev/null; then
		not_run "$set" "$row" "$column" "$set's features are not there" paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
		return
	fi
	job=configs/jobs/kcagc-$set.json
	if "$4" "$set" "$job" "$row" "${@:5}"; then
		cell "$set" "$row" "$column" value="$(mean <<<"$ACC")" deviation="$(deviation <<<"$ACC")" runs="$seeds" \
			paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
	else
		not_run "$set" "$row" "$column" "$WHY" paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
	fi
}

render() {
	render_beside
	render_grid '{value} +- {deviation} / {paper}'
}
