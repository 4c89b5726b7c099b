# wan-methods -- cora over a WAN by landmark, gram and distances: seconds, and gram's round trips.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='seconds over a WAN on cora: landmark, gram, distances, with L=2 and 16; needs the network lab
	(root)'
default_seeds=3

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora; }

# distances is the method of Table 10: tree, k^ = k and three polish steps, as in the preset. gram
# has the same parameters.
measure() {
	local no_lab='' L
	local -A landmark=([2]=2.5 [16]=2.5) gram=([2]=2.5 [16]=4) distances=([2]=5 [16]=16)
	use_net wan || no_lab=$WHY
	for L in 2 $($quick || echo 16); do
		one landmark 'landmark k^=k' "$L" "${landmark[$L]}"
		one gram 'gram k^=k' "$L" "${gram[$L]}"
		one distances 'k^=k' "$L" "${distances[$L]}"
	done
}

one() { # METHOD ROW L GOAL
	local s trips limit P
	! cell_known seconds "$1" "L=$3" || ! cell_known 'round trips' "$1" "L=$3" || return 0
	[[ $1 == landmark ]] && PAPER='' || paper_cell table10 cora k^=k "L=$3"
	[[ -z $no_lab ]] && times cora "$2" "$3" || {
		not_run seconds "$1" "L=$3" "${no_lab:-$WHY}" paper="$PAPER" goal="<= $4 s"
		not_run 'round trips' "$1" "L=$3" "${no_lab:-$WHY}"
		return
	}
	s=$(median <<<"$SECONDS_EACH")
	# The bound applies only to trees, so landmark has none.
	[[ $1 != landmark ]] || { BOUND_EACH='' && ACCOUNT=${ACCOUNT#* rounds of }; }
	cell seconds "$1" "L=$3" value="$(printf '%.2f' "$s")" runs="$seeds" unit=s paper="$PAPER" \
		${BOUND_EACH:+bound="$(median <<<"$BOUND_EACH" | xargs printf '%.2f')"} \
		goal="<= $4" verdict="$(verdict "$s" "x <= $4")" \
		note="wan; $ACCOUNT"
	# Round trips of the last run after set-up, which is the offer and the keys.
	trips=$(jq \
		'[.phases[] | select(.name != "offer" and .name != "keys") | .round_trips] | add' \
		"$RUN/coordinator/run.json")
	P=$(jq '.job.polish' "$RUN/coordinator/run.json")
	limit=$(awk -v L="$3" -v P="$P" \
		'BEGIN { for (n = 1; n < L; n *= 2) levels++; print 2 + P + levels }')
	if [[ $1 == gram ]]; then
		cell 'round trips' "$1" "L=$3" value="$trips" goal="<= $limit" \
			verdict="$(verdict "$trips" "x <= $limit")" \
			note="after set-up; 2 + P + ceil(log2 L) with P = $P"
	else
		cell 'round trips' "$1" "L=$3" value="$trips" note="after set-up"
	fi
}

render() { render_list; }
