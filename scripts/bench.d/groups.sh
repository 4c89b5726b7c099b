# groups -- compares k-means with many parties under the key agreements X25519 and ffdhe3072.
# Federations run one after the other over loopback, alternating between the two.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='many parties, secure_sum.group x25519 beside ffdhe3072: kmeans on synthetic rows, seconds and
	processor seconds, their ratios, memory of the coordinator'
default_seeds=3 quick_seeds=1

measure() {
	local at=$out/runs/groups/data L goal
	mkdir -p "${at%/*}"
	[[ -d $at ]] ||
		"$bin/coterie" synth --nodes 5120 --features 16 --clusters 5 --out "$at" \
		>/dev/null ||
		fail 'coterie synth failed'
	for L in 16 64 $($quick || echo 128 256); do
		case $L in 16) goal='' ;; 64) goal=0.333 ;; *) goal=0.2 ;; esac
		cell_known "$L parties" 'processor seconds of the job' ratio || one ||
			RUN_FAILED=true
	done
}

one() { # measures the cells of $L and $goal
	local seed group job starts x
	local -A each=() processor=() memory=([ffdhe3072]=0 [x25519]=0)
	rm -rf "$out/runs/groups/starts"
	starts=$(timed only_starts)
	for ((seed = 1; seed <= seeds; seed++)); do
		for group in ffdhe3072 x25519; do
			job=$out/runs/groups/$group.json
			printf '{ "kind": "kmeans", "clusters": 5, "seed": 1, "secure_sum": {
				"group": "%s" } }\n' $group >"$job"
			processor[$group]+=$(timed run "L$L" "$at" "$job" "$L" "$seed" |
				awk -v s="$starts" '{ print $1 - s }')$'\n'
			RUN=$out/runs/$table/L$L
			[[ $(jq -r .status "$RUN/coordinator/run.json" 2>/dev/null) == done ]] ||
				{
					not_run "$L parties" 'processor seconds of the job' $group \
						"$(last_word "$RUN.log")" && return 1
				}
			each[$group]+=$(jq .elapsed_s "$RUN/coordinator/run.json")$'\n'
			x=$(jq '.memory_peak_bytes / 1e6 | round' "$RUN/coordinator/run.json")
			memory[$group]=$((x > memory[$group] ? x : memory[$group]))
		done
	done
	row 'seconds of the job' "${each[ffdhe3072]}" "${each[x25519]}"
	row 'processor seconds of the job' "${processor[ffdhe3072]}" "${processor[x25519]}"
	for group in ffdhe3072 x25519; do
		cell "$L parties" 'processor seconds of starts' $group value="$starts" runs=1 unit=s
	done
	for group in ffdhe3072 x25519; do
		x=${memory[$group]}
		cell "$L parties" "MB at the coordinator" $group value="$x" runs="$seeds" unit=MB \
			goal="<= 100" verdict="$(verdict "$x" "x <= 100")"
	done
}

row() { # NAME FFDHE X25519: writes a row; the arguments have the seconds of each run, one per line
	local f x ratio
	f=$(printf %s "$2" | median)
	x=$(printf %s "$3" | median)
	ratio=$(awk "BEGIN { printf \"%.3f\", $x / $f }")
	cell "$L parties" "$1" ffdhe3072 value="$f" runs="$seeds" unit=s
	cell "$L parties" "$1" x25519 value="$x" runs="$seeds" unit=s
	cell "$L parties" "$1" ratio value="$ratio" runs="$seeds" goal="${goal:+<= $goal}" \
		verdict="$([[ -z $goal ]] && echo - || verdict "$ratio" "x <= $goal")"
}

# Prints the processor seconds of a command and of all its children.
timed() { # COMMAND...
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk 'END { print $1 + $2 }'
}

# Runs a federation that only starts: all parties connect, and then decline the job.
only_starts() {
	printf '{ "kind": "kmeans", "clusters": 5, "seed": 1 }\n' >"$out/runs/groups/starts.json"
	scripts/launch --quiet --data "$at" --job "$out/runs/groups/starts.json" --parties "$L" \
		--policy min_cluster=1000000 --out "$out/runs/groups/starts"
}

render() {
	cat <<-'TEXT'

		The data are 5120 synthetic rows of 16 columns, split among the parties, with k = 5.
		Each party and the coordinator has its own process. Each cell is a median.

		* *seconds of the job*: from offer to result, without the start of processes
		* *processor seconds of the job*: the sum over all processes, less *of starts*. On a
		  machine with other users it says more than seconds.
		* *of starts*: the same federation splits the data, makes key files, starts, and
		  ends because all parties decline the job
		* *ratio*: x25519 divided by ffdhe3072

		The coordinator's memory is the maximum over these runs.

	TEXT
	render_grid '{value}'
}
