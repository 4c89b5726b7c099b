# tables -- speed of reading a table of numbers and ids on one core, compared with pandas, numpy and
# scikit-learn of Debian (skipped if not installed). tests/bench/bench_tables.c measures in memory.
#
# COTERIE_BENCHES: directory of that program, instead of build/plain/tests/bench.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='a table as a party reads it, beside pandas, numpy and scikit-learn'
default_seeds=1 quick_seeds=1

measure() {
	local program=${COTERIE_BENCHES:-build/plain/tests/bench}/bench_tables rows kind other
	[[ -n ${COTERIE_BENCHES-} ]] || make -s "$program"
	rows=$($quick && echo 100000 || echo 1000000)
	mkdir -p "$out/runs"
	"$program" "$rows" "$out/runs/table.csv" >"$out/runs/tables.txt" ||
		{ RUN_FAILED=true && return; }
	for kind in six-digits all-digits; do
		figure "$kind" coterie \
			"$(sed -n "s/^tables $kind .*mb_s=//p" "$out/runs/tables.txt")" 100
	done
	for other in pandas numpy sklearn; do
		if ! /usr/bin/python3 -c "import $other" 2>/dev/null; then
			not_run "$rows x 64" six-digits "$other" "python3-$other is not there"
			continue
		fi
		figure six-digits "$other" \
			"$(/usr/bin/python3 scripts/bench.d/readers.py "$other" \
			"$out/runs/table.csv" |
			awk -v bytes="$(stat -c %s "$out/runs/table.csv")" \
			'{ printf "%.1f", bytes / 1e6 / $1 }')"
	done
	rm "$out/runs/table.csv"
}

figure() { # ROW COLUMN MB/S [GOAL]
	cell "$rows x 64" "$1" "$2" value="$3" runs=1 unit=MB/s goal="${4:+>= $4}" \
		verdict="$([[ -z ${4-} ]] && echo - || verdict "$3" "x >= $4")"
}

render() {
	cat <<-'TEXT'

		Cells have megabytes of text a second on one core, best of several runs.
		`six-digits` has numbers as `%.6f` prints them, `all-digits` as `%.17g` does.
	TEXT
	render_grid '{value}'
}
