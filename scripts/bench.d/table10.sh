# table10 -- seconds from a job's offer to its result over a WAN of 400 Mbit/s with 100 ms one way.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='seconds over a WAN by L and k^, beside the paper and the bound; needs the network lab (root)'
default_seeds=3

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora citeseer wiki; }

measure() {
	local set row L no_lab=''
	use_net wan || no_lab=$WHY
	for set in cora citeseer pubmed wiki; do
		for row in $($quick && echo k^=k || echo k^=k k^=2k k^=4k k^=8k); do
			for L in $(pick 2 4 8 16); do one "$set" "$row" "$L"; done
		done
	done
}

one() { # SET ROW L
	local s b
	! cell_known "$1" "$2" "L=$3" || return 0
	paper_cell table10 "$1" "$2" "L=$3"
	[[ -z $no_lab ]] || { not_run "$1" "$2" "L=$3" "$no_lab" paper="$PAPER" && return; }
	times "$1" "$2" "$3" || { not_run "$1" "$2" "L=$3" "$WHY" paper="$PAPER" && return; }
	s=$(median <<<"$SECONDS_EACH") b=$(median <<<"$BOUND_EACH")
	cell "$1" "$2" "L=$3" value="$(printf '%.2f' "$s")" runs="$seeds" unit=s paper="$PAPER" \
		bound="$(printf '%.2f' "$b")" \
		goal="<= $(awk -v b="$b" 'BEGIN { printf "%.2f", 1.5 * b }')" \
		verdict="$(verdict "$s" "x <= 1.5 * $b")" \
		note="wan${DATA_NOTE:+; $DATA_NOTE}; $ACCOUNT"
}

render() {
	printf '\nA cell is our seconds / the paper'\''s. In brackets is the bound, and then our '\
'seconds divided by it.\nThe goal is at most 1.5 times the bound.'
	awk -F , \
		'/random features/ { printf " Pubmed has random features over its real graph.";
			exit }' "$csv"
	echo
	render_grid '{value} / {paper} ({bound}, {ratio})'
}
