# many -- k-means with more parties than daemons allow, as threads of one process: the bytes that
# each party sends, and the total cost.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='up to 1000 parties in one process (coterie run, a build of its own): bytes a party, processor
	time, memory'
default_seeds=1

many=build/many

needs() {
	make -s -j"$(nproc)" CFLAGS='-O2 -g -DCOTERIE_PARTIES_MAX=1024' B=$many BIN=$many/bin \
		$many/bin/coterie ||
		fail "$many cannot be built"
}

measure() {
	local at=$out/runs/many/data L
	mkdir -p "${at%/*}"
	[[ -d $at ]] ||
		"$bin/coterie" synth --points --nodes 5120 --features 16 --clusters 5 --out "$at" \
		>/dev/null ||
		fail 'coterie synth failed'
	echo '{ "kind": "kmeans", "clusters": 5, "secure_sum": { "group": "x25519" } }' \
		>"$out/runs/many/job.json"
	for L in 16 64 $($quick || echo 256 1000); do
		cell_known kmeans "$L parties" memory || one || RUN_FAILED=true
	done
}

one() { # measures the cells of $L and $at
	local run=$out/runs/many/L$L times=$out/runs/many/times
	rm -rf "$run"
	if ! (TIMEFORMAT='%U %S' &&
		time "$many/bin/coterie" run --quiet --data "$at" --job "$out/runs/many/job.json" \
		--parties "$L" \
		--out "$run" 2>"$run.log") 2>"$times"; then
		not_run kmeans "$L parties" memory "$(last_word "$run.log")"
		return 1
	fi
	most sent
	most received
	cell kmeans "$L parties" processor value="$(awk '{ printf "%.1f", $1 + $2 }' "$times")" \
		unit=s
	cell kmeans "$L parties" memory \
		value="$(jq '.memory_peak_bytes / 1e6 | round' "$run/coordinator/run.json")" unit=MB
	rm -rf "$run"
}

most() { # sent or received: writes the cell of these bytes, the maximum over parties
	cell kmeans "$L parties" "$1" unit=kB \
		value="$(cat "$run"/party-*/run.json |
		jq -s "map([.traffic[].bytes_$1] | add) | max / 1e3 | round")"
}

render() {
	cat <<-'TEXT'

		The data are 5120 synthetic rows of 16 columns, with k = 5 and keys by X25519.
		*sent* and *received* have the party with the most bytes. *processor* and *memory*
		have the total of all parties and the coordinator, including the split of the data.
		On separate hosts, each of 1000 parties would need a thousandth of this.

	TEXT
	render_grid '{value} {unit}'
}
