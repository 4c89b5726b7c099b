# align -- time to find the rows that all parties have, by the secure sum of their tables over TLS.
# The time is compared with that of the same bytes without masks, and of hashing the ids alone.
# tests/bench/bench_align.c measures; its comments have the details.
#
# COTERIE_BENCHES: directory of that program, instead of build/plain/tests/bench.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='rows that all parties have (align "intersect"): against the same bytes over TLS and the
	hashing of ids alone'
default_seeds=5 quick_seeds=2 # number of rounds

measure() {
	local program=${COTERIE_BENCHES:-build/plain/tests/bench}/bench_align ids L goal
	[[ -n ${COTERIE_BENCHES-} ]] || make -s "$program"
	mkdir -p "$out/runs"
	for ids in 100000 1000000 $($quick || echo 10000000); do
		for L in 2 4 $($quick || echo 16); do
			((ids * L <= 40000000)) || continue # larger runs exceed 24 GiB or 2 cores
			# if the last cell exists, all exist
			cell_known "$ids ids" "L=$L" 'bytes an id' || one
		done
	done
}

one() { # measures the cells of $ids and $L
	local line=$out/runs/align-$ids-$L.txt field goal=''
	local -A f=()
	if ! setpriv --pdeathsig KILL "$program" "$ids" "$L" "$seeds" >"$line" 2>"$line.err"; then
		RUN_FAILED=true
		not_run "$ids ids" "L=$L" seconds "$(tail -n 1 "$line.err" | cut -c 1-200)"
		return
	fi
	for field in $(<"$line"); do f[${field%%=*}]=${field#*=}; done
	case $L-$ids in 4-100000) goal=1.5 ;; 4-1000000) goal=4 ;; 4-10000000) goal=45 ;; esac
	put 'seconds' "${f[elapsed_s]}" "$goal"
	put 'CPU seconds' "${f[cpu_s]}"
	put 'MB up a party' "$(awk "BEGIN { print ${f[bytes]} / 1e6 }")"
	put 'x the bytes' "${f[over_plain]}"
	put 'CPU x hashing' "${f[over_hashing]}"
	put 'bytes an id' "${f[bytes_an_id]}" 64
}

put() { # COLUMN VALUE [GOAL]: the value should be at most GOAL
	local met=-
	[[ -z ${3-} ]] || met=$(verdict "$2" "x <= $3")
	cell "$ids ids" "L=$L" "$1" value="$2" runs="${f[repeats]}" goal="${3:+<= $3}" \
		verdict="$met"
}

render() {
	cat <<-'TEXT'

		All parties have the same number of ids, and 7 of 10 ids are at every party. L party
		processes and a coordinator run, with their ids in memory. Each cell is a median.

		* *seconds*: from agreed keys to numbered rows
		* *CPU seconds*: the sum over all processes
		* *x the bytes*: the seconds, divided by the seconds in which the bytes of the
		  tables go through the same channels without masks
		* *CPU x hashing*: CPU seconds, divided by those that all parties need for the HMACs
		  of all ids and a second HMAC of each common id
		* *bytes an id*: growth of a party's memory in the first round, without the ids. If
		  there are few ids, much of it belongs to the channel. A channel keeps up to 1 MB
		  of frames until they are acknowledged, and 1 MB of emptied buffers.

		The goals for seconds are for two quiet cores.

	TEXT
	render_grid '{value}'
}
