# kernels -- compares each numerical kernel with its bound and with the same computation in SciPy
# and scikit-learn, and a whole federated run with centralised AGC written with these libraries.
# tests/bench/bench_kernels.c, kernels.py and agc.py measure in turn, with one thread each.
#
# COTERIE_BENCHES: directory of bench_kernels, instead of build/plain/tests/bench. COTERIE_PYTHON: a
# Python with SciPy and scikit-learn, instead of /usr/bin/python3.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='filter, k-means, projection, spectral solve: against their bounds, SciPy and scikit-learn'
default_seeds=3 quick_seeds=1 # number of rounds; in a round each figure is a median of five

python=${COTERIE_PYTHON:-/usr/bin/python3}
absent='SciPy and scikit-learn are not installed'

measure() {
	local dir=$out/runs/kernels
	mkdir -p "$dir"
	"$python" -c 'import scipy, sklearn' 2>/dev/null || python=''
	cell_known kernels 'spectral 1433x1433 d=7' 'x bound' || kernels || RUN_FAILED=true
	cell_known cora 'kCAGC L=2 k^=k' seconds || whole_run || RUN_FAILED=true
}

# ---- kernels ----

kernels() {
	local program=${COTERIE_BENCHES:-build/plain/tests/bench}/bench_kernels round what shape
	[[ -n ${COTERIE_BENCHES-} ]] || make -s "$program" || return 1
	rm -f "$dir"/ours.* "$dir"/theirs.*
	for ((round = 1; round <= seeds; round++)); do
		COTERIE_DATA=$data BENCH_ROWS=$dir setpriv --pdeathsig KILL "$program" filter \
			kmeans restarts projection spectral >"$dir/ours.$round" || return 1
		[[ -z $python ]] ||
			BENCH_ROWS=$dir setpriv --pdeathsig KILL "$python" \
				scripts/bench.d/kernels.py "$data" >"$dir/theirs.$round" || return 1
	done
	rm -f "$dir"/rows-*
	while read -r what shape; do one; done < <(awk '/bound_ms=/ { print $1, $2 }' "$dir/ours.1")
	while read -r what shape; do restarts; done < <(awk '/^restarts/ { print $1, $2 }' \
		"$dir/ours.1")
}

field() { # ours|theirs NAME: prints $what's value in each round, one per line
	cat "$dir/$1".* 2>/dev/null | awk -v what="$what" -v shape="$shape" -v name="$2" '
		$1 == what && $2 == shape { for (i = 3; i <= NF; i++) if (sub("^" name "=", "",
		$i)) print $i }'
}

one() { # measures the cell of $what and $shape
	local ms theirs goal='' met=-
	ms=$(field ours ms | median)
	[[ $what != filter ]] || goal=350
	[[ -z $goal ]] || met=$(verdict "$ms" "x <= $goal")
	put ms "$ms" goal="${goal:+<= $goal}" verdict="$met"
	put 'bound ms' "$(field ours bound_ms | median)" \
		note="$(field ours bound | head -n 1 | tr -- - ' ')"
	put 'x bound' "$(field ours over_bound | median)"
	theirs=$(field theirs ms)
	if [[ -n $theirs ]]; then
		theirs=$(median <<<"$theirs")
		put 'SciPy ms' "$theirs"
		put 'SciPy / ours' "$(awk "BEGIN { printf \"%.2f\", $theirs / $ms }")"
	elif [[ -z $python ]]; then
		not_run kernels "$what ${shape//,/ }" 'SciPy ms' "$absent"
	fi
}

restarts() { # measures the cell of $what and $shape
	local name="${shape//,/ } restarts ${what#*-}" ours theirs spread
	ours=$(field ours s | median)
	if [[ -z $python ]]; then
		cell k-means "$name" 'ours s' value="$ours" runs="$seeds"
		not_run k-means "$name" 'scikit-learn s' "$absent"
		return
	fi
	theirs=$(field theirs s | median)
	spread=$(awk -v a="$(field ours inertia | median)" -v b="$(field theirs inertia | median)" \
		'BEGIN { printf "%.5f", a / b }')
	cell k-means "$name" 'ours s' value="$ours" runs="$seeds" goal="<= $theirs" \
		verdict="$(verdict "$ours" "x <= $theirs")"
	cell k-means "$name" 'scikit-learn s' value="$theirs" runs="$seeds"
	cell k-means "$name" 'inertia, ours / theirs' value="$spread" runs="$seeds" goal='<= 1.01' \
		verdict="$(verdict "$spread" 'x <= 1.01')"
}

put() { # COLUMN VALUE [FIELD=VALUE...]
	cell kernels "$what ${shape//,/ }" "$1" value="$2" runs="$seeds" "${@:3}"
}

# ---- a whole run: kCAGC over TLS against AGC in one Python process ----

whole_run() {
	local ours='' theirs='' threads round line least=''
	if ! compgen -G "$data/cora/features.*" >/dev/null; then
		not_run cora 'kCAGC L=2 k^=k' seconds "no cora in $data"
		return
	fi
	local -A by_threads=()
	for ((round = 1; round <= 3 * seeds; round++)); do
		run "cora-$round" "$data/cora" configs/jobs/kcagc-cora.json 2 "$round" --set \
			local_clusters=k ||
			{ not_run cora 'kCAGC L=2 k^=k' seconds "$WHY" && return 1; }
		ours+=$(jq .elapsed_s "$RUN/coordinator/run.json")$'\n'
		for threads in ${python:+1 $(nproc)}; do
			OPENBLAS_NUM_THREADS=$threads OMP_NUM_THREADS=$threads setpriv --pdeathsig \
				KILL "$python" \
				scripts/bench.d/agc.py "$data/cora" 7 9 "$round" >"$dir/agc" ||
				return 1
			line=$(<"$dir/agc")
			line=${line#seconds=}
			by_threads[$threads]+=${line%% *}$'\n'
		done
	done
	ours=$(median <<<"${ours%$'\n'}")
	if [[ -z $python ]]; then
		not_run cora 'AGC in SciPy and scikit-learn' seconds "$absent"
		cell cora 'kCAGC L=2 k^=k' seconds value="$ours" runs=$((3 * seeds))
		return
	fi
	for threads in "${!by_threads[@]}"; do
		line=$(median <<<"${by_threads[$threads]%$'\n'}")
		cell cora "AGC in SciPy and scikit-learn; threads: $threads" seconds value="$line" \
			runs=$((3 * seeds)) \
			note="centralised; without imports and reading"
		[[ -n $least ]] &&
			least=$(printf '%s\n%s' "$least" "$line" | sort -g | head -n 1) ||
			least=$line
	done
	cell cora 'kCAGC L=2 k^=k' seconds value="$ours" runs=$((3 * seeds)) goal="<= $least" \
		verdict="$(verdict "$ours" "x <= $least")" \
		note="over TLS on loopback, from offer to result"
}

render() {
	cat <<-'TEXT'

		The kernels run on one thread. `ms` is CPU time. `bound ms` is the bytes over
		memcpy's bandwidth, or the operations over dgemm's rate, measured in the same run.
		Below 1 x the caches helped. The goal of the filter is 350 ms. On cora a federated
		run over loopback must take no longer than centralised AGC in SciPy and scikit-
		learn, with the number of threads that suits it best. The k-means of both programs
		have equal rows and at most 300 iterations. The library's figure is the faster of
		its two algorithms, Lloyd and Elkan. The goal is at most its time, and at most
		1.01 times its inertia.
	TEXT
	render_grid '{value}'
}
