# predict -- seconds to predict 10^5 new nodes by the model of an earlier run: four parties over
# loopback.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='seconds to predict 10^5 new nodes (10^4 with --quick): k = 10, synthetic, four parties,
	loopback'
default_seeds=3

L=4 goal=3

#   runs/predict/oldN/all     synthetic nodes, of which the first N are old
#                     old     only the old nodes, and the run that leaves a model at each party
#                     made    that run by scripts/launch; its keys and configurations are used
#                             again
#                     seedS   the prediction for old and new nodes, over the same columns
measure() {
	local new=100000 old
	! $quick || new=10000
	for old in $((new / 4)) $($quick || echo $new); do
		cell_known "$new new nodes beside $old" "k=10 L=$L" seconds || one || lost
	done
}

lost() {
	not_run "$new new nodes beside $old" "k=10 L=$L" seconds "$WHY" goal="<= $goal"
	RUN_FAILED=true
}

one() { # measures the cells of $new and $old
	local seed at
	at=$(realpath -m "$out/runs/predict/old$old")
	mkdir -p "$at"
	data_and_model || return 1
	SECONDS_EACH=''
	for ((seed = 1; seed <= seeds; seed++)); do
		rm -rf "$at/seed$seed"
		federation kcagc.predict "$at/seed$seed" all || return 1
		SECONDS_EACH+=${SECONDS_EACH:+$'\n'}$(jq .elapsed_s \
			"$at/seed$seed/coordinator/run.json")
	done
	put
	rm -rf "$at/all" "$at/old" "$at/made" # these have hundreds of megabytes
}

put() {
	local s result=$at/seed$seeds/coordinator set="$new new nodes beside $old"
	s=$(median <<<"$SECONDS_EACH")
	cell "$set" "k=10 L=$L" seconds value="$(printf '%.2f' "$s")" runs="$seeds" unit=s \
		goal="<= $goal" \
		verdict="$(verdict "$s" "x <= $goal")" \
		note="$(jq '.rounds' "$result/run.json") rounds; $(
			jq '[.traffic[] | .bytes_sent + .bytes_received] | add / 1e6 | round' \
				"$result/run.json") MB"
	accuracy 'accuracy of all' "$at/all/labels.txt" "$result/labels.csv"
	accuracy 'accuracy of the run before' "$at/old/labels.txt" \
		"$at/model/coordinator/labels.csv"
}

accuracy() { # COLUMN TRUTH LABELS
	cell "$set" "k=10 L=$L" "$1" \
		value="$("$bin/coterie" eval --truth "$2" "$3" | jq '100 * .acc' |
		xargs printf '%.2f')" \
		runs=1 unit=%
}

data_and_model() { # makes the parties' states, and sets $model
	local name
	rm -rf "$at/all" "$at/old" "$at/made" "$at/model"
	"$bin/coterie" synth --nodes $((old + new)) --features $((64 * L)) --clusters 10 --degree \
		10 --seed 1 \
		--out "$at/all" >/dev/null || { WHY='coterie synth failed' && return 1; }
	mkdir -p "$at/old"
	awk -v n=$old '/^%/ { print; next } !m { m = $2; next } $1 <= n { entry[count++] = $0 }
		END { print n, m, count;
		for (i = 0; i < count; i++)
			print entry[i] }' "$at/all/features.mtx" >"$at/old/features.mtx"
	awk -v n=$old '$1 < n && $2 < n' "$at/all/edges.tsv" >"$at/old/edges.tsv"
	head -n $old "$at/all/labels.txt" >"$at/old/labels.txt"
	echo '{ "kind": "kcagc", "method": "tree", "clusters": 10, "filter": { "order": 5 } }' \
		>"$at/job.json"
	run "old$old/made" "$at/old" "$at/job.json" $L 1 --keep-data || return 1
	"$bin/coterie" split --data "$at/all" --out "$RUN/work/all" --parties $L --seed 1 \
		>/dev/null ||
		{ WHY='coterie split failed' && return 1; }
	cd "$RUN/work" || return 1
	for name in party-*.json; do
		jq '.state = "state-\(.name)" | .policy.jobs = ["kcagc", "kcagc.predict"]' "$name" \
			>"$name.old"
		jq '(.data[]) |= sub("^data/"; "all/")' "$name.old" >"$name.all"
	done
	cd - >/dev/null || return 1
	federation kcagc "$at/model" old || return 1
	model=$(jq -r .job_id "$at/model/coordinator/run.json")
}

# Runs a job by daemons with the configurations *.json.WHICH, since scripts/launch keeps no state.
federation() { # KIND OUT WHICH
	local work=$at/made/work job=$at/job.json status=0 name end=$((SECONDS + 60)) pids=() hub
	[[ $1 == kcagc ]] || { job=$at/predict.json && jq -n --arg model "$model" \
		'{ kind: "kcagc.predict", clusters: 10, model: $model }' >"$job"; }
	mkdir -p "$2"
	rm -f "$work/ready"
	setpriv --pdeathsig KILL "$bin/coordinator" --config "$work/coordinator.json" --job "$job" \
		--out "$2/coordinator" \
		--ready-file "$work/ready" >"$2.log" 2>&1 &
	hub=$!
	while [[ ! -s $work/ready ]] && kill -0 "$hub" 2>/dev/null && ((SECONDS < end)); do
		sleep 0.02
	done
	for ((i = 0; i < L; i++)); do
		name=$(printf 'party-%02d' "$i")
		setpriv --pdeathsig KILL "$bin/party" --config "$work/$name.json.$3" --once --out \
			"$2/$name" \
			--coordinator "$(<"$work/ready")" >"$2.$name.log" 2>&1 &
		pids+=($!)
	done
	for name in "$hub" "${pids[@]}"; do wait "$name" || status=$?; done
	((!status)) || WHY="status $status: $(last_word "$2.log")"
	return "$status"
}

render() {
	printf '\nThe seconds are from offer to result. They include the time in which a party '\
'embeds all nodes. They\ndo not include the reading of files, which ends before the offer.\n'
	render_list
}
