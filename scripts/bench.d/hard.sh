# hard -- accuracy of each method of kCAGC on equivalent data in other forms.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='ACC of tree, landmark and gcc on cora as it is, with empty, repeated and foreign columns,
	rows without features; few nodes'
default_seeds=3 quick_seeds=1

needs() { needs_data cora; }

SETS=$out/runs/hard
plain='as it is'

# Measures sets, in lines of set, parties, clusters and, if the set has a goal, "yes". The goal is
# the result of the same method on the original data.
measure() {
	local set L clusters held
	if [[ ! -e $SETS/ready ]]; then
		mkdir -p "$SETS"
		/usr/bin/python3 scripts/bench.d/hard.py "$data" "$SETS" ||
			fail 'the sets could not be made: python3-scipy and karate are needed'
		touch "$SETS/ready"
	fi
	while IFS=';' read -r set L clusters held; do
		one "$set" "$L" "$clusters" "$held" tree \
			'{"method":"tree","filter":{"order":9}}'
		one "$set" "$L" "$clusters" "$held" 'tree, auto' \
			'{"method":"tree","filter":{"order":"auto"}}'
		one "$set" "$L" "$clusters" "$held" landmark \
			'{"method":"landmark","filter":{"order":"auto"}}'
		one "$set" "$L" "$clusters" "$held" gcc '{"method":"gcc","filter":{"order":"auto"}}'
	done <<-END
		$plain;4;7;
		10000 empty columns;4;7;yes
		every column eight times;4;7;yes
		and a column year;4;7;yes
		and a column age;4;7;yes
		60 % of rows without features;4;7;
		16 dense columns;16;7;
		34 nodes and no features;2;2;
	END
}

# "tree, auto" chooses the order by a rule whose order and accuracy differ between splits, so it is
# run for eight times as many seeds. With --quick it is not.
runs_of() { # METHOD
	[[ $1 == 'tree, auto' ]] && ! $quick && echo $((8 * seeds)) || echo "$seeds"
}

# Prints the mean difference between the lines of two files, and its standard error.
lost() { # BEFORE AFTER
	paste "$1" "$2" | awk '{ d = $1 - $2; s += d; q += d * d } END { if (NR > 1) {
		v = (q - s * s / NR) / (NR - 1);
		printf "; lost %.2f +- %.2f by the same seeds", s / NR,
		sqrt(v > 0 ? v / NR : 0) } }'
}

one() { # SET L CLUSTERS HELD METHOD JOB
	local seed all='' name=cora order='' mean_acc before said=$SETS/said each=$SETS/of-$5 \
		count apart=''
	! cell_known "$name" "$1" "$5" || return 0
	count=$(runs_of "$5")
	for ((seed = 1; seed <= count; seed++)); do
		jq -n --argjson job "$6" "{kind: \"kcagc\", clusters: $3, seed: $seed} + \$job" \
			>"$SETS/job.json"
		rm -rf "$SETS/run"
		"$bin/coterie" run --data "$SETS/$1" --job "$SETS/job.json" --parties "$2" --out \
			"$SETS/run" --seed "$seed" >"$said" 2>&1 ||
			{ not_run "$name" "$1" "$5" "$(tail -n 1 "$said" | tr -d '`')" && return; }
		all+=$("$bin/coterie" eval --truth "$SETS/$1/labels.txt" \
			"$SETS/run/coordinator/labels.csv" | jq '100 * .acc')$'\n'
		order+=${order:+ }$(jq -r '[.. | objects | .filter_order | numbers][0] // "?"' \
			"$SETS/run/coordinator/run.json")
	done
	mean_acc=$(mean <<<"${all%$'\n'}")
	before=''
	[[ ! -e $csv ]] ||
		before=$(awk -F , -v row="$plain" -v column="${5//,/;}" \
		'$2 == row && $3 == column { print $4 }' "$csv")
	if [[ -n $4 && -n $before ]]; then
		printf '%s' "$all" >"$each, now"
		[[ ! -e $each ]] || apart=$(lost "$each" "$each, now")
		cell "$name" "$1" "$5" value="$mean_acc" \
			deviation="$(deviation <<<"${all%$'\n'}")" runs="$count" bound="$before" \
			goal='at most 2 lost' \
			verdict="$(verdict "$(jq -n "$before - $mean_acc")" 'x <= 2')" \
			note="order $order$apart"
	else
		[[ $1 != "$plain" ]] || printf '%s' "$all" >"$each"
		cell "$name" "$1" "$5" value="$mean_acc" \
			deviation="$(deviation <<<"${all%$'\n'}")" runs="$count" note="order $order"
	fi
}

render() {
	render_grid '{value} +- {deviation}'
	awk -F \
		, '$13 ~ /lost/ && $3 ~ /auto/ { sub(/.*lost/, "", $13)
			sub(/ by the same seeds/, "", $13)
			print "\n* " $2 ": `tree` with `\"auto\"` loses" $13 " against unchanged " \
				"data,\n  with the same " $6 " seeds." }' "$csv"
}
