# scale -- seconds, bytes and peak memory against the number of nodes: four parties over loopback.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='seconds, bytes and memory for 10^4 to 10^6 nodes (synthetic, four parties, loopback)'
default_seeds=1

L=4

# Graphs have average degree 10, 64 sparse columns for each party, and ten clusters.
measure() {
	local n
	note_peaks
	for n in 10000 $($quick || echo 30000) 100000 \
		$($quick || echo 300000 1000000); do one "$n"; done
}

one() { # NODES
	local row=$1 seed seconds='' bytes='' dir=$out/data/scale-$1 job=$out/data/scale.json
	! cell_known kCAGC "$row" coordinator || return 0 # if the last cell exists, all exist
	mkdir -p "$out/data"
	echo '{ "kind": "kcagc", "method": "tree", "clusters": 10, "filter": { "order": 5 } }' \
		>"$job"
	for ((seed = 1; seed <= seeds; seed++)); do
		"$bin/coterie" synth --nodes "$1" --features $((64 * L)) --clusters 10 --degree 10 \
			--seed "$seed" \
			--out "$dir" >/dev/null || {
				WHY='coterie synth failed' RUN_FAILED=true && lost "$row" && return
			}
		((seed > 1)) || rm -f "$peaks"
		run "n$1-seed$seed" "$dir" "$job" $L "$seed" ||
			{ rm -rf "$dir" && lost "$row" && return; }
		rm -rf "$dir" # the directory may have hundreds of megabytes
		seconds+=${seconds:+$'\n'}$(jq .elapsed_s "$RUN/coordinator/run.json")
		bytes+=${bytes:+$'\n'}$(jq \
			'[.traffic[] | .bytes_sent + .bytes_received] | add / 1e6' \
			"$RUN/coordinator/run.json")
	done
	cell kCAGC "$row" "seconds" value="$(median <<<"$seconds" | xargs printf '%.2f')" \
		runs="$seeds" unit=s
	cell kCAGC "$row" "traffic" value="$(median <<<"$bytes" | xargs printf '%.1f')" \
		runs="$seeds" unit=MB
	cell kCAGC "$row" "party" value="$(peak_of party)" runs="$seeds" unit=MiB
	cell kCAGC "$row" "coordinator" value="$(peak_of coordinator)" runs="$seeds" unit=MiB
}

lost() { # NODES
	local column
	for column in seconds traffic party coordinator; do
		not_run kCAGC "$1" "$column" "$WHY"
	done
}

render() {
	printf '\nThe rows are by number of nodes. *seconds* is from offer to result, and '\
'*traffic* is the bytes of all\nlinks. *party* is the largest memory of any party, '\
'and *coordinator* the coordinator'\''s.\n'
	render_grid '{value} {unit}'
}
