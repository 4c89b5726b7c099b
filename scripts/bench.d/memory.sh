# memory -- memory estimate of a job before it began, and its actual peak: each kind at two sizes.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='memory that jobs are said to take, and took: each kind at two sizes (synthetic, three
	parties, loopback), and dense slices; --only kinds or dense'
default_seeds=1

L=3
only=

option() {
	[[ $1 == only && $2 =~ ^(kinds|dense)$ ]] && only=$2
}

measure() {
	[[ $only == dense ]] || kinds
	[[ $only == kinds ]] || dense
}

kinds() {
	local n
	for n in 20000 $($quick || echo 60000); do
		data "graph-$n" --nodes "$n" --features 600 --clusters 7
		for method in tree flat basic; do
			one "kcagc $method" "$n" kcagc-cora --set "method=$method"
		done
		one "kcagc gram, order auto" "$n" kcagc-gram
		one gcc "$n" gcc-cora
		one landmark "$n" landmark-cora
	done
	for n in 100000 $($quick || echo 400000); do
		data "points-$n" --points --nodes "$n" --features 32 --clusters 10
		one kmeans "$n" kmeans
		one "fedsc anchor" "$n" fedsc-dense --set clusters=10 --set variant=anchor
		one "fedsc dense" "$n" fedsc-dense --set clusters=10
	done
	for n in 100000 $($quick || echo 400000); do
		data "edges-$n" --nodes "$n" --features 0 --clusters 10 --degree 8
		one "fedspectral exact" "$n" fedspectral --allow fedspectral.exact
		one "fedspectral+" "$n" fedspectral-plus
		((n > 100000)) || one fedspectral "$n" fedspectral-plain
	done
	for n in 6000 $($quick || echo 12000); do
		data "vertices-$n" --nodes "$n" --features 0 --clusters 10 --degree 8
		one "fedwalk" "$n" fedwalk --set walks=10 --set length=20
	done
	for n in 1000 $($quick || echo 4000); do
		data "graphs-$n" --graphs --nodes "$n" --size 30
		one fedgcn "$n" fedgcn --set rounds=3
	done
	rm -rf "$out/data"
}

data() { # NAME SYNTH-OPTION...
	rm -rf "$out/data"
	mkdir -p "$out/data"
	DATA=$out/data/$1
	"$bin/coterie" synth --seed 1 --out "$DATA" "${@:2}" >/dev/null
}

one() { # KIND N JOB LAUNCH-ARG...
	local who column
	! cell_known "$1" "$2" "party ratio" || return 0
	if ! run "${1// /-}-$2" "$DATA" "configs/jobs/$3.json" $L 1 "${@:4}"; then
		not_run "$1" "$2" "party ratio" "$WHY"
		return
	fi
	for who in coordinator party-00; do
		column=${who%-00}
		cell "$1" "$2" "$column said" \
			value="$(of "$who" '.memory_estimate_bytes / 1e6 | round')" unit=MB
		cell "$1" "$2" "$column took" \
			value="$(of "$who" '.memory_peak_bytes / 1e6 | round')" unit=MB
		cell "$1" "$2" "$column ratio" \
			value="$(of "$who" \
			'.memory_estimate_bytes / .memory_peak_bytes * 100 | round / 100')"
	done
}

# Measures one party with an .npy file of 64 columns, 16 clusters and 10 edges per node. Measures
# whole processes, since libraries take little memory compared with these data.
dense() {
	local n method
	for n in $($quick && echo 20000 || echo 200000 1000000); do
		for method in gcc landmark; do alone "$method" "$n"; done
		rm -rf "$out/data"
	done
}

alone() { # METHOD NODES
	local set="$1, an .npy file of 64 columns" took=$out/runs/$table/alone-$1-$2.json
	! cell_known "$set" "$2" "party ratio" || return 0
	mkdir -p "${took%/*}"
	setpriv --pdeathsig TERM /usr/bin/python3 scripts/bench.d/ranks.py "$bin" "$out/data" "$2" \
		$((10 * $2)) 64 16 2 0 "$1" >"$took" 2>"$took.log" || {
		not_run "$set" "$2" "party ratio" "$(tail -n 1 "$took.log")"
		return
	}
	cell "$set" "$2" "party said" value="$(jq '.said_memory / 1e6 | round' "$took")" unit=MB
	cell "$set" "$2" "party took" value="$(jq '.party_memory / 1e6 | round' "$took")" unit=MB
	cell "$set" "$2" "party ratio" \
		value="$(jq '.said_memory / .party_memory * 100 | round / 100' "$took")"
	cell "$set" "$2" "took / slice" \
		value="$(jq ".party_memory / (8 * 64 * $2) * 100 | round / 100" "$took")"
}

of() { jq "$2" "$RUN/$1/run.json"; } # NAME JQ

render() {
	printf '\nThe tables are by kind and n. *said* is the estimate before the job began, '\
'*took* is the peak of the\nprocess, and *ratio* is the estimate divided by the peak.\n'
	render_grid '{value} {unit}'
}
