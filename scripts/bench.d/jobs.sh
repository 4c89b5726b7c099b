# jobs -- compares the cost of a job for a party process that stays, in the first jobs and after a
# thousand jobs. The cost must not grow.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='processor time, memory and open files of parties that stay for 1000 jobs (50 with --quick),
	three of them, loopback'
default_seeds=1

L=3 ratio=1.15

#   runs/jobs/made      keys, configurations and slices, left by scripts/launch
#             parties   results and states of the parties, which stay for all jobs
#             jobs.tsv  after each job, for each party: ticks, kB, descriptors
measure() {
	local jobs=1000 status=0
	! $quick || jobs=50
	cell_known "$jobs jobs" "L=$L" 'processor time, last tenth by first' || serve || status=1
	for name in "${party[@]}" "${hub[@]}"; do kill -KILL "$name" 2>/dev/null || true; done
	wait 2>/dev/null || true
	((!status)) || {
		not_run "$jobs jobs" "L=$L" 'processor time, last tenth by first' "$WHY" &&
			RUN_FAILED=true
	}
}

party=() hub=()

serve() { # $jobs
	local at i l name
	at=$(realpath -m "$out/runs/jobs")
	rm -rf "$at" && mkdir -p "$at/parties"
	"$bin/coterie" synth --nodes 200 --features 30 --clusters 3 --out "$at/data" >/dev/null ||
		{ WHY='coterie synth failed' && return 1; }
	echo '{ "kind": "kcagc", "method": "tree", "clusters": 3, "filter": { "order": 2 } }' \
		>"$at/job.json"
	run made "$at/data" "$at/job.json" $L 1 --keep-data || return 1
	for ((i = 1; i <= jobs; i++)); do
		rm -rf "$at/ready" "$at/hub"
		setpriv --pdeathsig KILL "$bin/coordinator" --config \
			"$at/made/work/coordinator.json" --job "$at/job.json" \
			--out "$at/hub" --ready-file "$at/ready" >"$at/hub.log" 2>&1 &
		hub=($!)
		((i > 1)) || { come "$at" || return 1; }
		wait "${hub[0]}" || { WHY="job $i: $(last_word "$at/hub.log")" && return 1; }
		for l in "${!party[@]}"; do
			name=/proc/${party[l]}
			printf '%d\t%d\t%d\t%d\t%d\n' "$i" "$l" \
				"$(awk '{ print $14 + $15 }' "$name/stat")" \
				"$(awk '/VmRSS/ { print $2 }' "$name/status")" \
				"$(find "$name/fd" -type l | wc -l)"
		done >>"$at/jobs.tsv"
	done
	put "$at/jobs.tsv"
	rm -rf "$at"
}

come() { # DIR: connects the parties to the coordinator that listens
	local l name end=$((SECONDS + 60))
	while [[ ! -s $1/ready ]] && ((SECONDS < end)); do sleep 0.02; done
	address=$(<"$1/ready")
	jq --arg address "$address" '.listen = $address' "$1/made/work/coordinator.json" \
		>"$1/made/work/same.json"
	# A restarted coordinator must listen at the same port, where the parties connect again.
	mv "$1/made/work/same.json" "$1/made/work/coordinator.json"
	for ((l = 0; l < L; l++)); do
		name=$(printf 'party-%02d' "$l")
		setpriv --pdeathsig KILL "$bin/party" --config "$1/made/work/$name.json" --out \
			"$1/parties/$name" \
			--coordinator "$address" >"$1/$name.log" 2>&1 &
		party+=($!)
	done
}

put() { # TSV
	local first last x
	read -r first last x < <(awk -v jobs="$jobs" '
		{ at[$1] += $3; if ($4 > kb[$1]) kb[$1] = $4; if ($5 > open[$1]) open[$1] = $5 }
		END { t = jobs / 10
			printf "%.2f %.2f %.3f\n", 10 * (at[t + 1] - at[1]) / t / 3,
			10 * (at[jobs] - at[jobs - t]) / t / 3,
				(at[jobs] - at[jobs - t]) / (at[t + 1] - at[1]) }' "$1")
	cell "$jobs jobs" "L=$L" 'processor time, last tenth by first' value="$x" runs=1 \
		goal="<= $ratio" \
		verdict="$(verdict "$x" "x <= $ratio")" note="$first and $last ms a job and party"
	x=$(awk -v jobs="$jobs" \
		'$4 > kb[$1] { kb[$1] = $4 } END { printf "%d", kb[jobs] - kb[jobs / 5] }' "$1")
	cell "$jobs jobs" "L=$L" 'memory, end less a fifth of the way' value="$x" runs=1 unit=kB \
		goal='<= 2048' \
		verdict="$(verdict "$x" 'x <= 2048')"
	x=$(awk -v jobs="$jobs" \
		'$5 > open[$1] { open[$1] = $5 } END { printf "%d", open[jobs] - open[2] }' "$1")
	cell "$jobs jobs" "L=$L" 'open files, end less the second job' value="$x" runs=1 \
		goal='<= 0' \
		verdict="$(verdict "$x" 'x <= 0')"
}
