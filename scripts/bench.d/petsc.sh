# petsc -- filter and singular vectors on ranks: the general libraries PETSc and SLEPc compared with
# our code.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='the same filter and singular vectors by PETSc and SLEPc, on 1 and 4 ranks: CPU and memory
	beside ours, equal bits'
default_seeds=1

COLUMNS=64 CLUSTERS=16 ORDER=10

needs() {
	command -v mpirun >/dev/null && [[ -x $bin/coterie-worker ]] ||
		fail "no mpirun, or no coterie-worker in $bin: scripts/deps --ranks, then make"
	/usr/bin/python3 -c 'import numpy' 2>/dev/null ||
		fail "no numpy for /usr/bin/python3: scripts/deps"
}

measure() {
	local n=1000000 edges ranks
	! $quick || n=100000
	edges=$((10 * n))
	RUN=$out/runs/petsc
	row="$n x $COLUMNS"
	! cell_known "$row" bits theirs || return 0
	if ! /usr/bin/python3 scripts/bench.d/petsc.py --installed; then
		not_run "$row" bits theirs "no petsc4py and slepc4py: scripts/deps --petsc"
		return 0
	fi
	mkdir -p "$RUN"
	for ranks in 1 4; do
		ours $ranks && theirs $ranks || return 0
	done
	for ranks in 1 4; do compare $ranks; done
	for who in ours theirs; do
		ratio=$(jq -rn --slurpfile one "$RUN/$who-1.json" --slurpfile many \
			"$RUN/$who-4.json" \
			'if $one[0].bits == $many[0].bits then 1 else 0 end')
		note="1 if 4 ranks have the bits of 1"
		[[ $who == ours ]] ||
			note+="; theirs differ by $(jq -r .differ \
			"$RUN/theirs-4.json") of the largest entry of a singular vector"
		cell "$row" bits "$who" value="$ratio" note="$note"
	done
	rm -rf "$RUN/data"
}

# Runs ranks.py. $RUN/ours-RANKS.json gets cpu (seconds of all ranks), memory (peak bytes of all
# ranks), begun (the same before they read data) and bits (digests and labels). theirs() writes the
# same, and more, of petsc.py.
ours() { # RANKS
	took "ours-$1" scripts/bench.d/ranks.py "$bin" "$RUN/data" "$n" "$edges" $COLUMNS \
		$CLUSTERS $ORDER "$1" || return 1
	jq '{ cpu: (.embed_cpu_s | add), memory: (.ranks_memory_embedded
		| add), begun: (.ranks_memory_begun | add),
		bits: (.words + [.labels]) }' "$RUN/ours-$1.log.json" >"$RUN/ours-$1.json"
}

theirs() { # RANKS
	local root=()
	((EUID)) || root=(--allow-run-as-root)
	took "theirs-$1" scripts/bench.d/petsc.py --mpirun "${root[*]-}" "$1" "$RUN/data" $ORDER \
		$CLUSTERS || return 1
	jq '{ cpu: (.cpu_s | add), filter: (.filter_s | add), memory: (.memory
		| add), begun: (.begun | add), bits, off, differ }' \
		"$RUN/theirs-$1.log.json" >"$RUN/theirs-$1.json"
}

took() { # NAME COMMAND...
	/usr/bin/python3 "${@:2}" >"$RUN/$1.log.json" 2>"$RUN/$1.log" || {
		not_run "$row" "$1" bits "$(tail -n 1 "$RUN/$1.log")"
		return 1
	}
}

compare() { # RANKS
	figure() {
		jq -rn --slurpfile ours "$RUN/ours-$ranks.json" --slurpfile theirs \
			"$RUN/theirs-$ranks.json" \
			"\$ours[0] as \$ours | \$theirs[0] as \$theirs | $1"
	}
	local unit=ranks
	((ranks > 1)) || unit=rank
	cell "$row" "$ranks $unit" "CPU, ours" value="$(figure '$ours.cpu * 10 | round / 10')" \
		unit=s
	cell "$row" "$ranks $unit" "CPU, theirs" value="$(figure '$theirs.cpu * 10 | round / 10')" \
		unit=s note="of that the filter $(figure '$theirs.filter * 10 | round / 10') s"
	cell "$row" "$ranks $unit" "CPU, theirs over ours" \
		value="$(figure '$theirs.cpu / $ours.cpu * 100 | round / 100')"
	cell "$row" "$ranks $unit" "memory, ours" value="$(figure '$ours.memory / 1e6 | round')" \
		unit=MB note="before anything was read $(figure '$ours.begun / 1e6 | round') MB"
	cell "$row" "$ranks $unit" "memory, theirs" \
		value="$(figure '$theirs.memory / 1e6 | round')" unit=MB \
		note="before anything was read $(figure '$theirs.begun / 1e6 | round') MB"
	cell "$row" "$ranks $unit" "memory since then, theirs over ours" \
		value="$(figure '($theirs.memory - $theirs.begun) / ($ours.memory - $ours.begun) *
			100 | round / 100')"
	cell "$row" "$ranks $unit" "residual of theirs" value="$(figure '$theirs.off')" \
		note="of a singular vector, over its singular value"
}
