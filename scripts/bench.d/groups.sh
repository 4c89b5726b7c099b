# groups -- k-means with many parties by X25519 beside ffdhe3072: one federation after the other, in turn, loopback.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='many parties, secure_sum.group x25519 beside ffdhe3072: kmeans on synthetic rows, seconds, their ratio, memory of the coordinator'
default_seeds=3 quick_seeds=1

measure() {
	local at=$out/runs/groups/data L goal
	mkdir -p "${at%/*}"
	[[ -d $at ]] || "$bin/coterie" synth --nodes 5120 --features 16 --clusters 5 --out "$at" >/dev/null ||
		fail 'coterie synth failed'
	for L in 16 64 $($quick || echo 128 256); do
		case $L in 16) goal='' ;; 64) goal=0.333 ;; *) goal=0.2 ;; esac
		cell_known "$L parties" seconds ratio || one || RUN_FAILED=true
	done
}

one() { # of $L and $goal
	local seed group job s=() x
	local -A each=() memory=([ffdhe3072]=0 [x25519]=0)
	for ((seed = 1; seed <= seeds; seed++)); do
		for group in ffdhe3072 x25519; do
			job=$out/runs/groups/$group.json
			printf '{ "kind": "kmeans", "clusters": 5, "secure_sum": { "group": "%s" } }\n' $group >"$job"
			run "L$L" "$at" "$job" "$L" "$seed" || { not_run "$L parties" seconds $group "$WHY" && return 1; }
			each[$group]+=$(jq .elapsed_s "$RUN/coordinator/run.json")$'\n'
			x=$(jq '.memory_peak_bytes / 1e6 | round' "$RUN/coordinator/run.json")
			memory[$group]=$((x > memory[$group] ? x : memory[$group]))
		done
	done
	for group in ffdhe3072 x25519; do
		s+=("$(printf %s "${each[$group]}" | median)")
		cell "$L parties" seconds $group value="${s[-1]}" runs="$seeds" unit=s
	done
	x=$(awk "BEGIN { printf \"%.3f\", ${s[1]} / ${s[0]} }")
	cell "$L parties" seconds ratio value="$x" runs="$seeds" goal="${goal:+<= $goal}" \
		verdict="$([[ -z $goal ]] && echo - || verdict "$x" "x <= $goal")"
	for group in ffdhe3072 x25519; do
		x=${memory[$group]}
		cell "$L parties" "MB at the coordinator" $group value="$x" runs="$seeds" unit=MB goal="<= 100" verdict="$(verdict "$x" "x <= 100")"
	done
}

render() {
	cat <<-'TEXT'

		Synthetic rows, 5120 of 16 columns, k = 5, dealt out to the parties; each party a process of its own beside the coordinator,
		medians of seconds from offer to result. *ratio*: x25519 by ffdhe3072.
		The coordinator's memory is the most that it held in any of these runs.

	TEXT
	render_grid '{value}'
}
