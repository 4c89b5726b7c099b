# table4 -- seconds from a job's offer to its result over a LAN of 1000 Mbit/s, by L and k^.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='seconds over a LAN by L and k^: over the network lab as root, else over loopback'

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora citeseer wiki; }

measure() {
	local set row L over=lan
	use_net lan || { over=loopback && echo "bench: over loopback: $WHY"; }
	for set in cora citeseer pubmed wiki; do
		for row in $(pick k^=k k^=2k k^=4k k^=8k); do
			for L in $(pick 2 4 8 16); do one "$set" "$row" "$L" "$over"; done
		done
	done
}

one() { # SET ROW L OVER
	local s
	! cell_known "$1" "$2" "L=$3" "$4" || return 0
	paper_cell table4 "$1" "$2" "L=$3"
	times "$1" "$2" "$3" || { not_run "$1" "$2" "L=$3" "$WHY" paper="$PAPER" && return; }
	s=$(median <<<"$SECONDS_EACH")
	cell "$1" "$2" "L=$3" value="$(printf '%.2f' "$s")" runs="$seeds" unit=s paper="$PAPER" \
		${BOUND_EACH:+bound="$(median <<<"$BOUND_EACH" | xargs printf '%.2f')"} \
		goal="<= $(awk -v p="$PAPER" 'BEGIN { printf "%.3f", p / 10 }')" \
		verdict="$(verdict "$s" "x <= $PAPER / 10")" \
		note="$4${DATA_NOTE:+; $DATA_NOTE}${ACCOUNT:+; $ACCOUNT}"
}

render() {
	local over
	over=$(awk -F , 'NR > 1 && $4 != "" { split($13, n, ";"); count[n[1]]++ }
		END { for (o in count) printf "%s%s in %d cells", between++ ? ", " : "", o,
		count[o] }' "$csv")
	printf '\nA cell has our seconds / the paper'\''s. Network: %s.\n' "$over"
	echo "The goal is at most a tenth of the paper's seconds."
	! grep -q 'random features' "$csv" || echo "Pubmed has random features over its real graph."
	render_grid '{value} / {paper}'
}
