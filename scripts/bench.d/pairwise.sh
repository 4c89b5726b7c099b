# pairwise -- FedSC's variant pairwise (Appendix C): seconds and bytes by rows, against the bound.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
#
# COTERIE_BENCHES: directory of bench_paillier, instead of build/plain/tests/bench.
about='FedSC by encryption between five parties (variant pairwise): seconds and bytes of 150, 300,
	600 rows (30 with --quick)'
default_seeds=1

L=5 goal=60

# The bound is the processor time of encrypting all ciphertexts and of combining and decrypting all
# products, divided by the number of cores.
measure() {
	local rows program=${COTERIE_BENCHES:-build/plain/tests/bench}/bench_paillier
	[[ -n ${COTERIE_BENCHES-} ]] || make -s "$program"
	for rows in $($quick && echo 30 || echo 150 300 600); do
		cell_known pairwise "n=$rows" seconds || one || lost
	done
}

lost() {
	not_run pairwise "n=$rows" seconds "$WHY"
	RUN_FAILED=true
}

one() { # measures the cells of $rows
	local at seed
	at=$(realpath -m "$out/runs/pairwise/rows$rows")
	mkdir -p "$at"
	rm -rf "$at/data"
	"$bin/coterie" synth --points --nodes "$rows" --features 4 --clusters 3 --seed 1 --out \
		"$at/data" >/dev/null ||
		{ WHY='coterie synth failed' && return 1; }
	SECONDS_EACH=''
	for ((seed = 1; seed <= seeds; seed++)); do
		run "rows$rows/paper$seed" "$at/data" configs/jobs/fedsc-pairwise.json $L "$seed" \
			--set variant=paper \
			--allow fedsc.paper || return 1
		paper=$RUN
		run "rows$rows/seed$seed" "$at/data" configs/jobs/fedsc-pairwise.json $L "$seed" \
			--allow fedsc.pairwise || return 1
		SECONDS_EACH+=${SECONDS_EACH:+$'\n'}$(jq .elapsed_s "$RUN/coordinator/run.json")
	done
	put
}

put() {
	local s d groups made read time bytes pairs
	s=$(median <<<"$SECONDS_EACH")
	d=$(jq .facts.dims "$RUN/coordinator/run.json")
	groups=$(((rows / L + 32) / 33)) # each party has rows / L rows
	made=$((L * groups * d)) read=$((rows * (L - 1) * groups))
	time=$("$program" "$d") || { WHY='bench_paillier failed' && return 1; }
	time=$(tr ' ' '\n' <<<"$time" |
		awk -F = -v made=$made -v read=$read -v cores="$(nproc)" '{ t[$1] = $2 }
		END { printf "%.1f", (made * t["encrypt_s"] + read * (t["combine_s"] + \
			t["decrypt_s"])) / cores }')
	bytes=$(jq '[.traffic[] | select(.type == "SEALED").bytes_received] | add / 1e6' \
		"$RUN/coordinator/run.json")
	pairs=$(paste -d , "$paper/coordinator/labels.csv" "$RUN/coordinator/labels.csv" |
		tail -n +2 | cut -d , -f 2,4 | sort -u | wc -l)
	cell pairwise "n=$rows" seconds value="$(printf '%.1f' "$s")" runs="$seeds" unit=s \
		bound="$time" \
		goal="$( ((rows != 150)) || echo "<= $goal")" \
		verdict="$( ((rows != 150)) && echo - || verdict "$s" "x <= $goal")" \
		note="d=$d; $made ciphertexts; $read products; $( ((pairs == 3)) && echo the same ||
		echo other) clusters as variant paper"
	cell pairwise "n=$rows" 'in sealed boxes' value="$(printf '%.2f' "$bytes")" runs=1 unit=MB
	cell pairwise "n=$rows" 'the coordinator received' runs=1 unit=MB \
		value="$(jq '[.traffic[].bytes_received] | add / 1e6' "$RUN/coordinator/run.json" |
		xargs printf '%.2f')"
}

render() {
	echo
	fmt -w \
		100 <<<"Times are from offer to result, with five parties and the coordinator on \
one machine. The bound counts powers modulo n^2. Each ciphertext, product and decryption has a \
power of 2048 bits. Each product also has d powers of 32 bits. A power counts with its measured \
processor time (tests/bench/bench_paillier.c). The sum is divided by the cores."
	render_list
}
