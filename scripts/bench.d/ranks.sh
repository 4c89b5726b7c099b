# ranks -- a party's data on several processes: their total cost, compared with one process.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='a party on 4 ranks of MPI: CPU and memory of all together beside one process, what they
	exchange, equal bits; --only flat, landmark, gcc or fedsc'
default_seeds=1

RANKS=4 CLUSTERS=16 ORDER=10
only= # --only METHOD: measures only the cells of METHOD

option() {
	[[ $1 == only && $2 =~ ^(flat|landmark|gcc|fedsc)$ ]] && only=$2
}

needs() {
	command -v mpirun >/dev/null && [[ -x $bin/coterie-worker ]] ||
		fail "no mpirun, or no coterie-worker in $bin: scripts/deps --ranks, then make"
	/usr/bin/python3 -c 'import numpy' 2>/dev/null ||
		fail "no numpy for /usr/bin/python3: scripts/deps"
}

measure() {
	local method
	for method in flat landmark gcc fedsc; do
		[[ -n $only && $only != "$method" ]] || "cells_of_$method"
	done
}

cells_of_flat() {
	local n=1000000
	! $quick || n=100000
	against_one "$n" 64 $((10 * n))
	! $quick || return 0
	larger 1000000 16 10000000 10000000 100000000
	wire 10000000
}

cells_of_landmark() { by_method landmark 64 10; }
cells_of_gcc() { by_method gcc 64 10; }
# Measures variant anchor, on rows without edges. The tags that verify sums depend on a random key
# of each job, so only labels can be compared.
cells_of_fedsc() { by_method fedsc 32; }

# Compares one process with ranks on this host. MPI takes about 18 MB per rank, a larger part of the
# memory if there are fewer rows, so goals apply only to a million rows.
by_method() { # METHOD COLUMNS [EDGES-OF-A-NODE]
	local n=1000000 edges ORDER=2
	! $quick || n=200000
	edges=$((${3:-0} * n))
	((edges)) || edges=1000 # a value that is not used
	row="$n x $2, $1"
	! cell_known "$row" words equal || return 0
	RUN=$out/runs/ranks-$1
	mkdir -p "$RUN"
	took "$n" "$2" "$edges" 0 "$1" || return 0
	took "$n" "$2" "$edges" $RANKS "$1" || return 0
	cells "$2" "$n"
	rm -rf "$RUN/data"
}

# Compares one process, ranks on this host, and ranks on hosts of the lab's LAN.
against_one() { # NODES COLUMNS EDGES
	row="$1 x $2"
	! cell_known "$row" words equal || ! cell_known "$row" hosts equal || return 0
	RUN=$out/runs/ranks-$1-$2
	mkdir -p "$RUN"
	took "$@" 0 || return 0
	took "$@" $RANKS || return 0
	cells "$2" "$1"
	took_on_hosts "$@" || return 0
	cells_of_hosts
	rm -rf "$RUN/data"
}

# Compares the cost of a node in two graphs: NODES COLUMNS EDGES, and MORE nodes with MORE-EDGES.
larger() { # NODES COLUMNS EDGES MORE MORE-EDGES
	row="$4 x $2"
	! cell_known "$row" CPU ratio || return 0
	RUN=$out/runs/ranks-$1-$2
	mkdir -p "$RUN"
	took "$1" "$2" "$3" $RANKS || return 0
	rm -rf "$RUN/data"
	cp "$RUN/took-$RANKS.json" "$out/runs/ranks-fewer.json"
	RUN=$out/runs/ranks-$4-$2
	mkdir -p "$RUN"
	took "$4" "$2" "$5" $RANKS || return 0
	cells_of_larger "$1" "$4" "$5"
	rm -rf "$RUN/data"
}

took() { # NODES COLUMNS EDGES RANKS [METHOD]: writes $RUN/took-RANKS.json
	/usr/bin/python3 scripts/bench.d/ranks.py "$bin" "$RUN/data" "$1" "$3" "$2" $CLUSTERS \
		$ORDER "$4" "${5:-flat}" \
		>"$RUN/took-$4.json" 2>"$RUN/took-$4.log" || {
		not_run "$row" "$4 ranks" ratio "$(tail -n 1 "$RUN/took-$4.log")"
		return 1
	}
}

# NODES COLUMNS EDGES: writes $RUN/took-hosts.json. Fails without root, or if the lab or the run
# fails, for example because the machine is too busy.
took_on_hosts() {
	((EUID == 0)) || { not_run "$row" hosts equal "a lab needs root" && return 1; }
	scripts/netlab --net lan --hosts $RANKS --dir "$RUN/net" -- /usr/bin/python3 \
		scripts/bench.d/ranks.py "$bin" "$RUN/data" \
		"$1" "$3" "$2" $CLUSTERS $ORDER $RANKS >"$RUN/took-hosts.json" \
		2>"$RUN/took-hosts.log" </dev/null || {
		not_run "$row" hosts equal "$(tail -n 1 "$RUN/took-hosts.log")"
		return 1
	}
}

figure() { # EXPRESSION: evaluates it on $one and $many, the results of took()
	jq -rn --slurpfile one "$RUN/took-0.json" --slurpfile many \
		"${many:-$RUN/took-$RANKS.json}" "\$one[0] as \$one | \$many[0] as \$many | $1"
}

cells_of_hosts() {
	local many=$RUN/took-hosts.json ratio
	cell "$row" hosts "rate of the links" \
		value="$(jq .measured.goodput_mbit "$RUN/net/network.json")" unit=Mbit/s
	cell "$row" hosts "bytes by the largest rank" \
		value="$(figure '$many.exchange_bytes | max / 1e6 | round')" unit=MB
	cell "$row" hosts "bytes / rate" \
		value="$(figure \
		"\$many.exchange_bytes | max * 8e-6 / $(jq .measured.goodput_mbit \
		"$RUN/net/network.json") | round")" unit=s
	cell "$row" hosts "time, waiting included" \
		value="$(figure '$many.exchange_s | max | round')" unit=s \
		note="two cores for four hosts and the network between them"
	ratio=$(figure 'if ($one.words == $many.words and $one.labels == $many.labels
		and ($one.words | length) > 1) then 1 else 0 end')
	cell "$row" hosts equal value="$ratio" goal="x >= 1" \
		verdict="$(verdict "$ratio" "x >= 1")" \
		note="digests of labels and of $(figure '$one.words | length') messages"
}

cells_of_larger() { # FEWER MORE MORE-EDGES
	local ratio fewer=$out/runs/ranks-fewer.json
	# prints the microseconds per node
	each() {
		jq -r "((.ranks_cpu_s | add) + .party_cpu_s) / $2 * 1e6 | . * 100 | round / 100" \
			"$1"
	}
	ratio=$(awk \
		"BEGIN { printf \"%.3f\", $(each "$RUN/took-$RANKS.json" "$2") / $(each "$fewer" \
		"$1") }")
	cell "$row" CPU "a node of $1" value="$(each "$fewer" "$1")" unit=us
	cell "$row" CPU "a node of $2, $3 edges" value="$(each "$RUN/took-$RANKS.json" "$2")" \
		unit=us
	cell "$row" CPU ratio value="$ratio" goal="x <= 1.5" \
		verdict="$(verdict "$ratio" "x <= 1.5")"
	ratio=$(jq '.ranks_memory | max / 1e6 | round' "$RUN/took-$RANKS.json")
	cell "$row" memory "largest rank" value="$ratio" unit=MB goal="x <= 4295" \
		verdict="$(verdict "$ratio" "x <= 4295")"
	cell "$row" memory party \
		value="$(jq '.party_memory / 1e6 | round' "$RUN/took-$RANKS.json")" unit=MB
	cell "$row" exchange "bytes of all" \
		value="$(jq '.exchange_bytes | add / 1e6 | round' "$RUN/took-$RANKS.json")" unit=MB
	cell "$row" exchange "at 10 Gbit/s, by the largest rank" \
		value="$(jq '.exchange_bytes | max / 1.25e9 * 10 | round / 10' \
		"$RUN/took-$RANKS.json")" unit=s
}

# Computes the bytes that two parties with 8 columns each send to the coordinator, without ranks:
# labels in the fewest bits, distances in words of 32 bits.
wire() { # NODES
	local acc steps data=$out/runs/wire job=$out/runs/ranks-wire.json
	row="$1 x 16"
	! cell_known "$row" wire accuracy || return 0
	echo '{ "kind": "kcagc", "method": "tree", "clusters": 10, "filter": { "order": 2 } }' \
		>"$job"
	"$bin/coterie" synth --nodes "$1" --features 16 --clusters 10 --degree 10 \
		--out "$data" >/dev/null
	run wire "$data" "$job" 2 1 || { not_run "$row" wire sums "$WHY" && return 0; }
	acc=$("$bin/coterie" eval --truth "$data/labels.txt" "$RUN/coordinator/labels.npy" |
		jq '.acc * 1e5 | round / 1e5')
	steps=$(jq '.phases[] | select(.name == "polish") | .rounds' "$RUN/coordinator/run.json")
	megabytes() { # MESSAGE-TYPE: prints the MB of one party, half of the bytes of both
		jq --arg type "$1" '
			[.traffic[] | select(.type == $type).bytes_received] | add / 2e6 | round' \
			"$RUN/coordinator/run.json"
	}
	cell "$row" wire "local clusters of a party" value="$(megabytes LOCAL_CLUSTERS)" unit=MB
	cell "$row" wire "sums of a party" value="$(megabytes MASKED)" unit=MB note="$steps steps"
	cell "$row" wire accuracy value="$acc"
	rm -rf "$data" "$out"/runs/ranks/wire
}

cells() { # COLUMNS NODES
	local many='' ratio
	# Reports the time of MPI and of waiting separately, because on a host with fewer cores than
	# ranks this time also depends on the scheduler.
	ratio=$(figure '(($many.ranks_cpu_s | add) - ($many.exchange_cpu_s
		| add) + $many.party_cpu_s) / $one.party_cpu_s * 1000 | round / 1000')
	cell "$row" CPU "one process" value="$(figure '$one.party_cpu_s | round')" unit=s
	cell "$row" CPU "all together" \
		value="$(figure '($many.ranks_cpu_s | add) + $many.party_cpu_s | round')" unit=s
	cell "$row" CPU "of that in exchanges" \
		value="$(figure '$many.exchange_cpu_s | add | round')" unit=s
	cell "$row" CPU "ratio without exchanges" value="$ratio" goal="x <= 1.15" \
		verdict="$(verdict "$ratio" "x <= 1.15")"
	ratio=$(figure '(($many.ranks_memory
		| add) + $many.party_memory) / $one.party_memory * 1000 | round / 1000')
	cell "$row" memory "one process" value="$(figure '$one.party_memory / 1e6 | round')" unit=MB
	cell "$row" memory "all together" \
		value="$(figure \
		'(($many.ranks_memory | add) + $many.party_memory) / 1e6 | round')" unit=MB
	cell "$row" memory "largest rank" \
		value="$(figure '$many.ranks_memory | max / 1e6 | round')" unit=MB
	# Writes, for each stage, the memory peak of the rank whose peak is largest.
	cell "$row" memory "largest rank before it reads, MPI and libraries" \
		value="$(figure '$many.ranks_memory_begun | max / 1e6 | round')" unit=MB
	cell "$row" memory "largest rank when the files are read" \
		value="$(figure '$many.ranks_memory_read | max / 1e6 | round')" unit=MB
	cell "$row" memory "largest rank after filter and projection" \
		value="$(figure '$many.ranks_memory_embedded | max / 1e6 | round')" unit=MB
	cell "$row" memory "of that its features, $(($2 / RANKS)) x $1" \
		value="$(($2 / RANKS * $1 * 8 / 1000000))" unit=MB
	cell "$row" memory party value="$(figure '$many.party_memory / 1e6 | round')" unit=MB
	cell "$row" memory ratio value="$ratio" goal="x <= 1.3" \
		verdict="$(verdict "$ratio" "x <= 1.3")"
	cell "$row" exchange "bytes of all" \
		value="$(figure '$many.exchange_bytes | add / 1e6 | round')" unit=MB
	cell "$row" exchange "at 10 Gbit/s, by the largest rank" \
		value="$(figure '$many.exchange_bytes | max / 1.25e9 * 100 | round / 100')" unit=s
	cell "$row" exchange "time, waiting included" \
		value="$(figure '$many.exchange_s | max | round')" unit=s
	local same='$one.words == $many.words and' note
	note="digests of labels and of $(figure '$one.words | length') messages"
	[[ $row != *fedsc ]] || {
		same='($one.words | length) == ($many.words | length) and' &&
			note="digests of labels"
	}
	ratio=$(figure "if ($same \$one.labels == \$many.labels and
		(\$one.words | length) > 1) then 1 else 0 end")
	cell "$row" words equal value="$ratio" goal="x >= 1" \
		verdict="$(verdict "$ratio" "x >= 1")" note="$note"
}
