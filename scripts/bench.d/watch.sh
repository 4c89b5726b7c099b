# watch -- compares the time of a job while 50 clients watch the coordinator's page with that
# without clients.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='a job with 50 who watch the coordinator by HTTP, by one without http.listen, in turn,
	loopback'
default_seeds=31 quick_seeds=5

L=3 watchers=50

measure() {
	local status=0
	cell_known kcagc "L=$L" 'processor time of who answers, by the job' || pairs || status=1
	((!status)) || {
		not_run kcagc "L=$L" 'processor time of who answers, by the job' "$WHY" &&
			RUN_FAILED=true
	}
}

pairs() {
	local at i x first
	at=$(realpath -m "$out/runs/watch")
	rm -rf "$at" && mkdir -p "$at"
	"$bin/coterie" synth --nodes 60000 --features 200 --clusters 8 --out "$at/data" \
		>/dev/null ||
		{ WHY='coterie synth failed' && return 1; }
	echo '{ "kind": "kcagc", "method": "tree", "clusters": 5, "filter": { "order": 3 } }' \
		>"$at/job.json"
	run made "$at/data" "$at/job.json" $L 1 --keep-data || return 1
	once "$at" 0 || return 1 # warms up files that are read for the first time
	for ((i = 1; i <= seeds; i++)); do
		for x in $((i % 2)) $(((i + 1) % 2)); do # alternates which of the two is first
			once "$at" "$x" || return 1
			[[ $x == 0 ]] && plain=$SECONDS_TAKEN || watched=$SECONDS_TAKEN
		done
		echo "$plain $watched $EVENTS $ANSWERING" >>"$at/pairs"
	done
	x=$(awk '{ print $2 / $1 }' "$at/pairs" | median)
	cell kcagc "L=$L" 'time, watched by not' value="$(printf %.3f "$x")" runs="$seeds" \
		goal='<= 1.02' \
		verdict="$(verdict "$x" 'x <= 1.02')" \
		note="median of $seeds pairs; $(awk '{ print $1 }' "$at/pairs" | median) and $(
			awk '{ print $2 }' "$at/pairs" |
				median) s; $(awk '{ print $3 }' "$at/pairs" |
				median) events to each of $watchers"
	x=$(awk '{ print $4 / $2 }' "$at/pairs" | median)
	cell kcagc "L=$L" 'processor time of who answers, by the job' value="$(printf %.4f "$x")" \
		runs="$seeds" goal='<= 0.02' \
		verdict="$(verdict "$x" 'x <= 0.02')" \
		note="median of $seeds; $(awk '{ print 1e3 * $4 }' "$at/pairs" | median) ms a job"
	rm -rf "$at"
}

once() { # DIR WATCHED: sets $SECONDS_TAKEN to the job's time at the coordinator
	local name l pid=() status=0 look=''
	rm -rf "$1/ready" "$1/out"
	for name in coordinator $(printf "party-%02d " $(seq 0 $((L - 1)))); do
		jq --arg at "unix:$1/$name.http" --argjson on "$2" \
			'if $on == 1 then .http = { listen: $at } else . end' \
			"$1/made/work/$name.json" >"$1/made/work/$name.now.json"
	done
	setpriv --pdeathsig KILL "$bin/coordinator" --config "$1/made/work/coordinator.now.json" \
		--job "$1/job.json" \
		--out "$1/out/hub" --ready-file "$1/ready" >"$1/hub.log" 2>&1 &
	pid+=($!)
	for ((l = 0; l < 1000; l++)); do [[ ! -s $1/ready ]] || break; sleep 0.02; done
	if (($2)); then
		setpriv --pdeathsig KILL python3 tests/tools/watch.py $watchers \
			"$1/coordinator.http" "${pid[0]}" >"$1/events" &
		look=$!
		for ((l = 0; l < 1000; l++)); do grep -qs all "$1/events" && break; sleep 0.02; done
	fi
	for ((l = 0; l < L; l++)); do
		name=$(printf 'party-%02d' "$l")
		setpriv --pdeathsig KILL "$bin/party" --config "$1/made/work/$name.now.json" \
			--once --out "$1/out/$name" \
			--coordinator "$(<"$1/ready")" >"$1/$name.log" 2>&1 &
		pid+=($!)
	done
	for name in "${pid[@]}"; do wait "$name" || status=$?; done
	[[ -z $look ]] || {
		wait "$look" && read -r EVENTS _ ANSWERING < <(grep events "$1/events")
	}
	((!status)) || {
		WHY="a run ended with status $status: $(last_word "$1/hub.log")" && return 1
	}
	SECONDS_TAKEN=$(jq .elapsed_s "$1/out/hub/run.json")
}
