# ranks -- a party's data on several processes: what they take together, beside one process.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='a party on 4 ranks of MPI: CPU and memory of all together beside one process, what they exchange, equal bits'
default_seeds=1

RANKS=4 COLUMNS=64 CLUSTERS=16 ORDER=10

needs() {
	command -v mpirun >/dev/null && [[ -x $bin/coterie-worker ]] ||
		fail "no mpirun, or no coterie-worker in $bin: scripts/deps --ranks, then make"
	/usr/bin/python3 -c 'import numpy' 2>/dev/null || fail "no numpy for /usr/bin/python3: scripts/deps"
}

measure() {
	local n=1000000 entries
	! $quick || n=100000
	entries=$((20 * n)) # of the adjacency: twice the edges
	RUN=$out/runs/ranks
	row="$n x $COLUMNS"
	! cell_known "$row" words equal || return 0
	mkdir -p "$RUN"
	took 0 || return 0
	took $RANKS || return 0
	cells
	rm -rf "$RUN/data"
}

took() { # RANKS: $RUN/took-RANKS.json
	/usr/bin/python3 scripts/bench.d/ranks.py "$bin" "$RUN/data" "$n" $((entries / 2)) $COLUMNS $CLUSTERS $ORDER "$1" \
		>"$RUN/took-$1.json" 2>"$RUN/took-$1.log" || {
		not_run "$row" "$1 ranks" ratio "$(tail -n 1 "$RUN/took-$1.log")"
		return 1
	}
}

cells() {
	local one=$RUN/took-0.json many=$RUN/took-$RANKS.json ratio
	figure() { jq -rn --slurpfile one "$one" --slurpfile many "$many" "\$one[0] as \$one | \$many[0] as \$many | $1"; }
	# What MPI and waiting take is said apart: on a host with fewer cores than ranks it is the scheduler's, too.
	ratio=$(figure '(($many.ranks_cpu_s | add) - ($many.exchange_cpu_s | add) + $many.party_cpu_s) / $one.party_cpu_s * 1000 | round / 1000')
	cell "$row" CPU "one process" value="$(figure '$one.party_cpu_s | round')" unit=s
	cell "$row" CPU "all together" value="$(figure '($many.ranks_cpu_s | add) + $many.party_cpu_s | round')" unit=s
	cell "$row" CPU "of that in exchanges" value="$(figure '$many.exchange_cpu_s | add | round')" unit=s
	cell "$row" CPU "ratio without exchanges" value="$ratio" goal="x <= 1.15" verdict="$(verdict "$ratio" "x <= 1.15")"
	ratio=$(figure '(($many.ranks_memory | add) + $many.party_memory) / $one.party_memory * 1000 | round / 1000')
	cell "$row" memory "one process" value="$(figure '$one.party_memory / 1e6 | round')" unit=MB
	cell "$row" memory "all together" value="$(figure '(($many.ranks_memory | add) + $many.party_memory) / 1e6 | round')" unit=MB
	cell "$row" memory "largest rank" value="$(figure '$many.ranks_memory | max / 1e6 | round')" unit=MB
	# Where it goes: peaks so far, of the rank that has most.
	cell "$row" memory "largest rank before it reads, MPI and libraries" value="$(figure '$many.ranks_memory_begun | max / 1e6 | round')" unit=MB
	cell "$row" memory "largest rank when the files are read" value="$(figure '$many.ranks_memory_read | max / 1e6 | round')" unit=MB
	cell "$row" memory "largest rank after filter and projection" value="$(figure '$many.ranks_memory_embedded | max / 1e6 | round')" unit=MB
	cell "$row" memory "of that its features, $((n / RANKS)) x $COLUMNS" value="$((n / RANKS * COLUMNS * 8 / 1000000))" unit=MB
	cell "$row" memory party value="$(figure '$many.party_memory / 1e6 | round')" unit=MB
	cell "$row" memory ratio value="$ratio" goal="x <= 1.3" verdict="$(verdict "$ratio" "x <= 1.3")"
	cell "$row" exchange "bytes of all" value="$(figure '$many.exchange_bytes | add / 1e6 | round')" unit=MB
	cell "$row" exchange "at 10 Gbit/s, by the largest rank" value="$(figure '$many.exchange_bytes | max / 1.25e9 * 100 | round / 100')" unit=s
	cell "$row" exchange "time, waiting included" value="$(figure '$many.exchange_s | max | round')" unit=s
	ratio=$(figure 'if ($one.words == $many.words and $one.labels == $many.labels and ($one.words | length) > 1) then 1 else 0 end')
	cell "$row" words equal value="$ratio" goal="x >= 1" verdict="$(verdict "$ratio" "x >= 1")" \
		note="digests of labels and of $(figure '$one.words | length') messages"
}
