# secsum -- whole secure sums over TLS, compared with the same sums without masks, with memcpy, and
# with Protocol 4 implemented word by word. tests/bench/bench_secsum_tls.c measures; its comments
# have the details. tests/bench/bench_secsum.c measures the cost of tags in addition to masks, on
# one core.
#
# COTERIE_BENCHES: directory of these programs, instead of build/plain/tests/bench.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='the secure sum over TLS: against the same bytes without masks, memcpy, word by word in GMP'
default_seeds=9 quick_seeds=3 # rounds for sums of 10^7 words; shorter sums have more

measure() {
	local benches=${COTERIE_BENCHES:-build/plain/tests/bench} program words L
	program=$benches/bench_secsum_tls
	[[ -n ${COTERIE_BENCHES-} ]] || make -s "$program" "$benches/bench_secsum"
	mkdir -p "$out/runs"
	# if the last cell exists, all exist
	cell_known tags '15 peers' ratio || tags "$benches/bench_secsum"
	for words in $($quick && echo 1000000 || echo 100000 1000000 10000000); do
		for L in 2 4 $($quick || echo 8 16); do
			# if the last cell exists, all exist
			cell_known "$words words" "L=$L" 'coordinator MiB' || one
		done
	done
}

one() { # measures the cells of $words and $L
	local line=$out/runs/secsum-$words-$L.txt rounds field over goal
	local -A f=()
	rounds=$((seeds * (words < 1000000 ? 7 : words < 10000000 ? 3 : 1)))
	((rounds < 200)) || rounds=200
	if ! setpriv --pdeathsig KILL "$program" "$words" "$L" "$rounds" >"$line" \
		2>"$line.err"; then
		RUN_FAILED=true
		not_run "$words words" "L=$L" seconds "$(tail -n 1 "$line.err" | cut -c 1-200)"
		return
	fi
	for field in $(<"$line"); do f[${field%%=*}]=${field#*=}; done
	# With up to 4 parties the goal limits the time divided by that of the sum without masks.
	# With more parties it limits the time divided by bound_s, which adds to that sum the time
	# that masks alone take on these cores.
	over=${f[goal]%%<=*} goal=${f[goal]#*<=}
	put 'seconds' "${f[elapsed_s]}" '' bound="${f[bound_s]}"
	put 'bytes' "${f[bytes]}"
	put 'x without masks' "${f[over_plain]}" "$([[ $over != over_plain ]] || echo "$goal")"
	put 'x bound' "${f[over_bound]}" "$([[ $over != over_bound ]] || echo "$goal")"
	put 'CPU x without masks' "${f[cpu_over_plain]}"
	put 'CPU x bound' "${f[cpu_over_bound]}"
	put 'x memcpy' "${f[over_memcpy]}"
	put 'word by word' "${f[gmp_over]}" '' note="GMP alone; scaled from ${f[gmp_sample]} words"
	put 'masking GB/s' "${f[masking_gb_s]}" '' note="one stream on one core; all cores at once"
	put 'coordinator MiB' "${f[peak_mib]}" "${f[peak_goal_mib]}"
}

# Measures a party's masks without and with tags, by number of peers. The rate with tags should be
# at least half of the rate without.
tags() { # PROGRAM
	local peers rest masks with runs=$out/runs/secsum-tags.txt
	if ! setpriv --pdeathsig KILL "$1" >"$runs" 2>"$runs.err" &&
		! grep -q 'masked and tagged, 15' "$runs"; then
		RUN_FAILED=true
		not_run tags '15 peers' ratio "$(tail -n 1 "$runs.err" | cut -c 1-200)"
		return
	fi
	while read -r peers rest; do
		masks=$(rate "masked sum, 64-bit words, $peers $rest" "$runs") with=$(rate \
			"masked and tagged, $peers $rest" "$runs")
		cell tags "$peers $rest" 'masked M words/s' value="$masks" verdict=-
		cell tags "$peers $rest" 'with tags M words/s' value="$with" verdict=-
		rest="$peers $rest" masks=$(awk -v a="$with" -v b="$masks" \
			'BEGIN { printf "%.2f", a / b }')
		cell tags "$rest" ratio value="$masks" goal='>= 0.5' \
			verdict="$(verdict "$masks" 'x >= 0.5')"
	done < <(sed -n 's/.*masked and tagged, \([0-9]* peers\{0,1\}\).*/\1/p' "$runs")
}

rate() { # WHAT FILE
	awk -v what="  $1 " 'index($0, what) == 1 { sub(/^  .*peers? */, ""); print $1 }' "$2"
}

put() { # COLUMN VALUE [GOAL [FIELD=VALUE...]]: the value should be at most GOAL
	local met=-
	[[ -z ${3-} ]] || met=$(verdict "$2" "x <= $3")
	cell "$words words" "L=$L" "$1" value="$2" runs="${f[repeats]}" goal="${3:+<= $3}" \
		verdict="$met" "${@:4}"
}

render() {
	cat <<-'TEXT'

		Words have 64 bits. L party processes and a coordinator ran, and the cells are
		medians.

		* *x without masks*: the time, divided by the time to send the same words unmasked
		  through the same channels and to add them (goal 1.3 for L = 2, 1.5 for L = 4)
		* *x bound*: the time, divided by the time without masks plus L (L - 1) mask streams
		  at the masking rate on all cores (goal 1.2 for L = 8 and 16)
		* *CPU*: the same ratios for the CPU time of all processes, which other users of the
		  machine disturb less
		* *x memcpy*: the time, divided by the time to copy as many bytes in one process
		* *word by word*: the time of Protocol 4 for each scalar in GMP on all cores,
		  divided by ours. It is scaled from a sample and has no network.
		* *coordinator MiB*: its peak (goal: 64 MiB and two accumulators)
		* *tags*: one core of a party, 2^20 words, medians of 15. The goal is a ratio of
		  0.5.
	TEXT
	render_grid '{value}'
}
