# align -- rows that all parties have, by the secure sum of their tables: over TLS, beside the same
# bytes without masks and beside the hashing of the ids alone. tests/bench/bench_align.c measures,
# and says what exactly.
#
# COTERIE_BENCHES: where that program is, instead of build/plain/tests/bench as make leaves it.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='rows that all parties have (align "intersect"): against the same bytes over TLS and the
	hashing of ids alone'
default_seeds=5 quick_seeds=2 # rounds

measure() {
	local program=${COTERIE_BENCHES:-build/plain/tests/bench}/bench_align ids L goal
	[[ -n ${COTERIE_BENCHES-} ]] || make -s "$program"
	mkdir -p "$out/runs"
	for ids in 100000 1000000 $($quick || echo 10000000); do
		for L in 2 4 $($quick || echo 16); do
			((ids * L <= 40000000)) || continue # more than two cores and 24 GiB are for
			cell_known "$ids ids" "L=$L" 'bytes an id' || one # the last of its cells
		done
	done
}

one() { # of $ids and $L
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

put() { # COLUMN VALUE [GOAL]: at most GOAL
	local met=-
	[[ -z ${3-} ]] || met=$(verdict "$2" "x <= $3")
	cell "$ids ids" "L=$L" "$1" value="$2" runs="${f[repeats]}" goal="${3:+<= $3}" \
		verdict="$met"
}

render() {
	cat <<-'TEXT'

		As many ids at each party, 7 in 10 of them with all; from agreed keys to numbered
		rows, medians; L party processes and a coordinator, ids in memory. *CPU seconds*: of
		all processes together. *x the bytes*: seconds by those in which the tables' bytes
		go through the same channels without masks. *CPU x hashing*: CPU seconds by those of
		the HMACs of all ids, and of the common ones once more, at all parties. *bytes an
		id*: what a party's memory grew by in the first round, beside its ids; of few ids a
		good part is the channel's, which keeps up to a MB of frames until they are
		acknowledged, and a MB of emptied buffers. Goals of seconds are for two quiet cores.

	TEXT
	render_grid '{value}'
}
