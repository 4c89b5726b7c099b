# vertical -- k-means on columns that two parties have of the same rows, compared with published
# results.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='k-means on two columns at two parties, 10^5 rows, k = 5, at 100 Mbit/s; needs the network lab
	(root)'
default_seeds=3

set='k=5 L=2' link=(--rate 100 --delay 1)

# Results of Mazzone et al. (arXiv 2504.07578) for this shape.
published_mb=73 published_s='< 180'

measure() {
	local rows=100000 no_lab='' at
	! $quick || rows=10000
	at=$(realpath -m "$out/runs/$table")
	mkdir -p "$at"
	[[ -d $at/data ]] ||
		"$bin/coterie" synth --points --nodes $rows --features 2 --clusters 5 --apart 4 \
		--seed 1 --out "$at/data" >/dev/null
	pooled
	NET=custom run net-check "$at/data" configs/jobs/kmeans-columns.json 2 1 "${link[@]}" ||
		no_lab=$WHY
	one tree 'tree' --set method=tree
	one tree-32 'tree in 32-bit words' --set method=tree --set secure_sum.modulus_bits=32
	one basic 'one phase (basic)' --set method=basic
	one basic-32 'one phase (basic) in 32-bit words' --set method=basic --set \
		secure_sum.modulus_bits=32
}

# ROW LABELS: compares LABELS with the truth, and with $reference, the labels on pooled columns
accuracy() {
	cell "$set" "$1" accuracy \
		value="$("$bin/coterie" eval --truth "$at/data/labels.txt" "$2" | jq '100 * .acc' |
		xargs printf '%.3f')" unit=%
	[[ $2 == "$reference" ]] ||
		cell "$set" "$1" 'labels as pooled' \
		value="$("$bin/coterie" eval --truth "$reference" "$2" | jq '100 * .acc' |
			xargs printf '%.3f')" unit=%
}

# Sets $reference to labels on the pooled columns: those of scikit-learn, or without it of
# coterie-lab.
pooled() {
	local python said
	reference=$at/pooled/labels.txt
	rm -rf "$at/pooled"
	"$bin/coterie-lab" kmeans --data "$at/data" --clusters 5 --standardize --out "$at/pooled" \
		>"$at/pooled.json"
	tail -n +2 "$at/pooled/labels.csv" | cut -d, -f2 >"$reference"
	for python in python3 /usr/bin/python3; do
		said=$("$python" scripts/bench.d/kmeans.py "$at/data" 5 "$at/scikit-learn.txt" \
			2>"$at/scikit-learn.log") || continue
		reference=$at/scikit-learn.txt
		cell "$set" 'scikit-learn on pooled columns' seconds value="${said#seconds=}" \
			runs=1 unit=s note='10 starts; no network'
		accuracy 'scikit-learn on pooled columns' "$reference"
		break
	done
	[[ $reference == */scikit-learn.txt ]] ||
		not_run "$set" 'scikit-learn on pooled columns' seconds \
		'no python3 with scikit-learn'
	cell "$set" 'coterie-lab kmeans on pooled columns' seconds \
		value="$(jq .seconds "$at/pooled.json" | xargs printf '%.3f')" runs=1 unit=s \
		note='20 starts; no network'
	accuracy 'coterie-lab kmeans on pooled columns' "$at/pooled/labels.txt"
}

# Like run, but repeats the run if links temporarily differ from the stated values. If the lab
# discards a run because packets were late, the job took longer than over the stated links. If the
# job succeeded, its seconds are then an upper bound, and $bound is set.
run_in_lab() { # ARG...
	local try failed=${RUN_FAILED-}
	bound=''
	for ((try = 1; try <= 8; try++)); do
		NET=custom run "$@" && RUN_FAILED=$failed && return 0
		[[ $WHY == 'discarded three times' ]] || return 1
		if [[ $(jq -r .status "$RUN/coordinator/run.json" 2>/dev/null) == "done" ]]; then
			bound="; an upper bound: packets came up to $(jq '.run.late_max_ms | ceil' \
				"$RUN/network.json") ms late" RUN_FAILED=$failed
			return 0
		fi
		sleep 5
	done
	return 1
}

# NAME ROW LAUNCH-ARG...: measures seconds in the lab. Measures bytes and labels over loopback,
# since they would be the same in the lab.
one() {
	local seed seconds='' bound bounds=''
	if ! cell_known "$set" "$2" 'MB of all parties'; then
		NET='' run "$1-loopback" "$at/data" configs/jobs/kmeans-columns.json 2 1 "${@:3}" ||
			{
			not_run "$set" "$2" 'MB of all parties' "$WHY" && return
		}
		cell "$set" "$2" 'MB of all parties' unit=MB paper=$published_mb \
			note='up and down' \
			value="$(jq '[.traffic[] | .bytes_sent + .bytes_received] | add / 1e6' \
			"$RUN/coordinator/run.json" | xargs printf '%.1f')"
		accuracy "$2" "$RUN/coordinator/labels.csv"
	fi
	! cell_known "$set" "$2" seconds || return 0
	[[ -z $no_lab ]] || { not_run "$set" "$2" seconds "$no_lab" && return; }
	for ((seed = 1; seed <= seeds; seed++)); do
		run_in_lab "$1-seed$seed" "$at/data" configs/jobs/kmeans-columns.json 2 "$seed" \
			"${link[@]}" "${@:3}" || {
			not_run "$set" "$2" seconds "$WHY" && return
		}
		seconds+=${seconds:+$'\n'}$(jq .elapsed_s \
			"$RUN/coordinator/run.json") bounds=${bound:-$bounds}
	done
	cell "$set" "$2" seconds value="$(median <<<"$seconds" | xargs printf '%.2f')" \
		runs="$seeds" unit=s paper="$published_s" \
		note="$(jq .rounds "$RUN/coordinator/run.json") rounds of sums; 100 Mbit/s$bounds"
}

render() {
	printf '\nSeconds are from offer to result. The paper is Mazzone et al., arXiv '\
'2504.07578.\n'
	render_list
}
