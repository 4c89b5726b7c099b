# fedgcn -- FedGCN on the paper's five settings, with the available sets of graphs, and its
# baselines: Tables 2 and 3, the gain from prototype sharing (Figure 3), lambda (Figure 4). Also
# core seconds of a round, memory, and one set at three parties that do not all have every class.
#
#   --only table2 | table3 | figure3 | figure4 | cost | classes     one part
#   --setting SM | SM-BIO | SM-BIO-SY | SN | CV           of tables and figures, one setting
#   --set NAME   --deal equal | missing | unequal         of classes, one set, one way to deal it
#                out
#
# Each party has one set, except in the part classes. Scores are in percent. They are means over
# parties weighted by numbers of graphs, or plain means if the row is so named: the paper does not
# say which it uses.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='FedGCN: Tables 2 and 3, Figures 3 and 4 beside its baselines; seconds and memory of a round'
default_seeds=3 quick_seeds=1

only='' one='' dealt='' deal=''
option() { # NAME VALUE
	case $1 in
	only)
		[[ $2 =~ ^(table2|table3|figure3|figure4|cost|classes)$ ]] ||
			fail "--only: $2 is no part; expected table2, table3, figure3, figure4, \
cost or classes"
		only=$2
		;;
	setting)
		[[ -n ${sets_of[$2]-} ]] ||
			fail "--setting: $2 is none; expected SM, SM-BIO, SM-BIO-SY, SN or CV"
		one=$2
		;;
	set) dealt=$2 ;;
	deal) deal=$2 ;;
	*) return 1 ;;
	esac
}

settings=(SM SM-BIO SM-BIO-SY SN CV)
sm='MUTAG BZR COX2 DHFR PTC_MR AIDS BZR_MD'
declare -gA sets_of=([SM]=$sm [SM-BIO]="$sm PROTEINS DD" [SM-BIO-SY]="$sm PROTEINS DD SYNTHETIC"
	[SN]='COLLAB IMDB-MULTI' [CV]='Letter-low Letter-med Letter-high')
declare -gA clusters_of=([SM]=2 [SM-BIO]=2 [SM-BIO-SY]=2 [SN]=3 [CV]=15)
declare -gA options_of=([CV]='--set features=drawing')

needs() {
	[[ -e $data/tu/MUTAG/MUTAG_A.txt ]] ||
		fail "no tu/MUTAG/MUTAG_A.txt in $data; set COTERIE_DATA"
}

measure() {
	local part
	for part in table2 table3 figure3 figure4 cost classes; do
		if $quick && [[ -z $only && $part != table2 && $part != cost ]]; then continue; fi
		[[ -n $only && $only != "$part" ]] || "$part"
	done
}

asked() { # SETTING
	if [[ -n $one ]]; then [[ $one == "$1" ]]; else ! $quick || [[ $1 == SM ]]; fi
}

# ---- runs ----

# Sets DIR to a folder with links to the sets that exist, L to their number, and MISSING to the
# names of the others.
gather() { # SETTING
	local set
	DIR=$out/data/$1 L=0 MISSING=''
	rm -rf "$DIR"
	mkdir -p "$DIR"
	for set in ${sets_of[$1]}; do
		if compgen -G "$data/tu/$set/*_graph_indicator.txt" >/dev/null; then
			ln -s "$(realpath "$data/tu/$set")" "$DIR/$set"
			L=$((L + 1))
		else
			MISSING+="${MISSING:+ }$set"
		fi
	done
}

# Sets SCORES to one JSON text per seed and line; or fails and sets WHY.
runs() { # NAME SETTING [LAUNCH-ARG...]
	local seed all
	gather "$2"
	((L)) || { WHY="none of its sets is here: $MISSING" && return 1; }
	SCORES=''
	for ((seed = 1; seed <= seeds; seed++)); do
		# shellcheck disable=SC2046,SC2086
		run "$2/$1-seed$seed" "$DIR" configs/jobs/fedgcn.json "$L" "$seed" --set \
			"clusters=${clusters_of[$2]}" \
			${options_of[$2]-} $( ((L > 1)) || echo --allow-single) --allow fedgcn.kde \
			"${@:3}" || return 1
		all=$("$bin/coterie" eval --run "$RUN" --truth own | jq -c .) ||
			{ WHY="no scores of $RUN" RUN_FAILED=true && return 1; }
		SCORES+=${SCORES:+$'\n'}$all
	done
}

# mean|weighted WAY SCORE: prints a line for each seed
each() { jq "100 * .$1.\"$2\".$3" <<<"$SCORES"; }

metrics=(ACC NMI ARI F1)

# Writes the scores of one method as cells; with a goal for each, if given.
scores() { # SET ROW weighted|mean WAY [PAPER-ROW] [GOALS...]
	local i m goal met x goals=("${@:6}")
	for i in 0 1 2 3; do
		m=${metrics[i]} PAPER='' PAPER_DEVIATION='' met=- goal=''
		[[ -z ${5-} ]] || paper_cell fedgcn "$1" "$5" "$m"
		x=$(each "$3" "$4" "${m,,}" | mean)
		if [[ -n ${goals[i]-} ]]; then
			goal=">= ${goals[i]}"
			met=$(verdict "$x" "x >= ${goals[i]}")
		fi
		cell "$1" "$2" "$m" value="$x" deviation="$(each "$3" "$4" "${m,,}" | deviation)" \
			runs="$seeds" \
			paper="$PAPER" paper_deviation="$PAPER_DEVIATION" goal="$goal" \
			verdict="$met" note="${MISSING:+without $MISSING}"
	done
}

none() { # SET ROW
	local m
	for m in "${metrics[@]}"; do not_run "$1" "$2" "$m" "$WHY"; done
}

# ---- Table 2 ----

# Goals for ACC, NMI, ARI and F1. The means weighted by graphs should reach these goals.
declare -gA goals_of=([SM:paper]='72 23 26 65' [SM:default]='76.5 40 42 71'
	[SM-BIO-SY:paper]='67 18 19 59' [SM-BIO-SY:default]='70.5 31 31 65.5'
	[CV:paper]='35 42 23 31' [CV:default]='60 58 46 59')

table2() {
	local setting
	for setting in "${settings[@]}"; do
		asked "$setting" || continue
		gather "$setting"
		[[ -z $MISSING ]] || echo "bench: $setting without $MISSING: not in $data/tu" >&2
		by_mode "$setting" paper --set final=paper --set baselines=off
		by_mode "$setting" default
		$quick ||
			by_mode "$setting" kde --set prototypes=kde --set final=paper --set \
			baselines=off
		$quick ||
			by_mode "$setting" printed --set prototypes=printed --set bounded=false \
			--set final=paper --set baselines=off
	done
}

by_mode() { # SETTING MODE [LAUNCH-ARG...]
	local way plain=''
	read -ra goals <<<"${goals_of[$1:$2]-}"
	! cell_known "$1" "$2: plain mean" F1 || return 0 # if the last cell exists, all exist
	# The modes of the paper also use the coordinates that nodes of CV's graphs have.
	[[ $1:$2 != CV:paper && $1:$2 != CV:kde && $1:$2 != CV:printed ]] ||
		plain='--set features=coordinates'
	# shellcheck disable=SC2086
	if ! runs "$2" "$1" $plain "${@:3}"; then
		none "$1" "$2"
		return
	fi
	scores "$1" "$2" weighted result result "${goals[@]}"
	if [[ $2 == default ]]; then
		for way in majority size log-size untrained alone; do
			scores "$1" "$way" weighted "$way"
		done
		for way in majority log-size untrained; do
			scores "$1" "$way: plain mean" mean "$way"
		done
	fi
	scores "$1" "$2: plain mean" mean result result
}

# ---- Table 3 and Figure 3: what sharing adds ----

table3() {
	local setting how
	for setting in SM SM-BIO; do
		asked "$setting" || continue
		for how in fedprox fedper fedavg; do
			shared "Table 3: $setting" "$how + PS" "$setting" "$how" kde
			shared "Table 3: $setting" "$how + matched" "$setting" "$how" matched
		done
	done
}

shared() { # SET ROW SETTING AGGREGATION PROTOTYPES
	local name=${2// /-}
	! cell_known "$1" "$2" F1 || return 0
	if ! runs "${1%%:*}-${name//+/and}" "$3" --set "aggregation=$4" --set "prototypes=$5" \
		--set final=paper --set baselines=off; then
		none "$1" "$2"
		return
	fi
	scores "$1" "$2" weighted result "$2"
}

# BS (each party alone) is the row "alone" of Table 2. CPO means consensus prototypes.
figure3() {
	local setting
	for setting in "${settings[@]}"; do
		asked "$setting" || continue
		shared "Figure 3: $setting" 'BS + CPO' "$setting" fedavg kde
		shared "Figure 3: $setting" 'BS + matched' "$setting" fedavg matched
	done
}

# ---- Figure 4: lambda ----

figure4() {
	local setting lambda
	for setting in "${settings[@]}"; do
		asked "$setting" || continue
		for lambda in 0.01 0.1 1 10 100; do
			! cell_known "Figure 4: $setting" "lambda=$lambda" F1 || continue
			if runs "lambda-$lambda" "$setting" --set "lambda=$lambda" --set \
				final=paper --set baselines=off; then
				scores "Figure 4: $setting" "lambda=$lambda" weighted result
			else
				none "Figure 4: $setting" "lambda=$lambda"
			fi
		done
	done
}

# ---- parties that do not all have every class ----

# Measures one set at three parties, with three ways to distribute the classes. equal: all parties
# have each class. missing: each class is missing at one party. unequal: the parties have k, 2k/3
# and k/3 of the k classes. At the end the graphs are clustered by the mixture (default) and by
# k-means (paper), each also with the untrained network.
classes() {
	local set k how final features
	while read -r set k features; do
		[[ -z $dealt || $dealt == "$set" ]] || continue
		[[ -e $data/tu/$set/${set}_A.txt ]] || {
			not_run "classes: $set" default ACC "not in $data/tu"
			continue
		}
		for how in ${deal:-equal missing unequal}; do
			for final in default paper; do
				! cell_known "classes: $set" "$final; $how" 'all NMI' || continue
				if dealt_runs "$set" "$k" "$how" "$final" --set \
					"features=$features"; then
					scores "classes: $set" "$final; $how" weighted result
					dealt_joined "classes: $set" "$final; $how"
					scores "classes: $set" \
						"$([[ $final == paper ]] &&
						echo 'untrained k-means' || echo untrained); $how" \
						weighted untrained
					[[ $final == paper ]] ||
						scores "classes: $set" "log-size; $how" weighted \
						log-size
				else
					none "classes: $set" "$final; $how"
				fi
			done
		done
	done <<-END
		AIDS 2 structure
		PROTEINS 2 structure
		IMDB-MULTI 3 structure
		Letter-med 15 drawing
	END
}

# Sets SCORES (party by party) and JOINED (of all parties' labels as one list), one JSON text per
# line. If a run fails, fails and sets WHY.
dealt_runs() { # SET K HOW FINAL [RUN-ARG...]
	local seed at=$out/runs/fedgcn/classes-$1
	local p=$at/parties run=$at/run
	SCORES='' JOINED='' MISSING=''
	mkdir -p "$at"
	for ((seed = 1; seed <= seeds; seed++)); do
		rm -rf "$p" "$run"
		/usr/bin/python3 scripts/bench.d/fedgcn-deal.py "$data/tu/$1" "$3" 3 "$seed" "$p"
		"$bin/coterie" run --data "$p" --job configs/jobs/fedgcn.json --parties 3 --out \
			"$run" --seed "$seed" --quiet \
			--set "clusters=$2" --set "final=$4" --set baselines=quick "${@:5}" \
			>"$at/said" 2>&1 ||
			{ WHY=$(last_word "$at/said") RUN_FAILED=true && return 1; }
		cat "$p"/p?/p?_graph_labels.txt >"$at/truth.txt"
		awk -F , 'FNR > 1 { print $2 }' "$run"/party-0?/labels.csv >"$at/found.txt"
		SCORES+=${SCORES:+$'\n'}$("$bin/coterie" eval --run "$run" --truth own | jq -c .)
		JOINED+=${JOINED:+$'\n'}$("$bin/coterie" eval --truth "$at/truth.txt" \
			"$at/found.txt" | jq -c .)
	done
}

dealt_joined() { # SET ROW
	local m
	for m in ACC NMI; do
		cell "$1" "$2" "all $m" value="$(jq "100 * .${m,,}" <<<"$JOINED" | mean)" \
			deviation="$(jq "100 * .${m,,}" <<<"$JOINED" | deviation)" runs="$seeds"
	done
}

# ---- cost of a round ----

# Sets CPU to the processor seconds of all processes that this shell has waited for
cpu() {
	local line
	times >"$out/times"
	line=$(tail -n 1 "$out/times")
	CPU=$(awk -F '[ms ]+' '{ print 60 * $1 + $2 + 60 * $3 + $4 }' <<<"$line")
}

cost() {
	local setting
	for setting in SM $($quick || echo SM-BIO-SY CV); do
		[[ -z $one || $one == "$setting" ]] || continue
		gather "$setting"
		! cell_known cost "$setting" words || continue
		costs_of "$setting"
	done
}

# Measures ten rounds minus one round, so that reading and other work done once do not count.
costs_of() { # SETTING
	local of_ten of_one before each_round largest met=- goal='' peak column
	note_peaks
	rm -f "$peaks"
	seeds_kept=$seeds seeds=1
	cpu && before=$CPU
	if ! runs cost-1 "$1" --set baselines=off --set rounds=1; then
		seeds=$seeds_kept
		for column in 'core s' MiB words; do not_run cost "$1" "$column" "$WHY"; done
		return
	fi
	cpu && of_one=$(awk "BEGIN { print $CPU - $before }") && before=$CPU
	runs cost-10 "$1" --set baselines=off || { seeds=$seeds_kept && return; }
	cpu && of_ten=$(awk "BEGIN { print $CPU - $before }")
	seeds=$seeds_kept
	each_round=$(awk "BEGIN { printf \"%.2f\", ($of_ten - $of_one) / 9 }")
	[[ $1 != SM ]] || { goal='<= 6' && met=$(verdict "$each_round" 'x <= 6'); }
	cell cost "$1" 'core s' value="$each_round" unit=s \
		goal="$goal" verdict="$met"
	largest=$(du -Lms "$DIR"/* | sort -n | tail -n 1 | cut -f 1)
	peak=$(peak_of party)
	cell cost "$1" MiB value="$peak" unit=MiB goal="< $((3 * largest + 300))" \
		verdict="$(verdict "$peak" "x < $((3 * largest + 300))")"
	cell cost "$1" coordinator value="$(peak_of coordinator)" unit=MiB
	cell cost "$1" words \
		value="$(jq \
		'[.traffic[] | select(.type == "MASKED") | .bytes_sent] | add / 8 / 10 | floor' \
		"$RUN/party-00/run.json")" note='of a party and round'
	unset COTERIE_BIN
}

# ---- the printed table ----

part_of() { # PATTERN COMMAND...: renders only the sets that match PATTERN
	local all=$csv
	csv=$out/$table.part
	grep -E "^(set|$1)," "$all" >"$csv" || true
	"${@:2}"
	rm "$csv"
	csv=$all
}

grid() { render_grid '{value} +- {deviation} ({paper})' | sed 's/ (-)//g'; }

render() {
	local set
	cat <<-'TEXT'

		Figures are in percent. They are means over parties, weighted by graphs, except in
		rows *plain mean*. The paper's mean and deviation are in brackets. The rows are:

		* *paper*: prototypes are matched, and k-means is the final clustering
		* *kde*: the same with the paper's prototypes, which show those of each party
		* *printed*: prototypes of each local epoch, as printed, and embeddings without a
		  bound
		* *default*: three principal components and a mixture are the final clustering
		* *majority*: all graphs are in one cluster
		* *size*: k-means on the number of nodes
		* *log-size*: a Gaussian mixture on its logarithm
		* *untrained*: the network with its random start weights, and the final clustering
		* *alone*: each party trains by itself

		If a mode is not above *majority*, *log-size* and *untrained*, the figures do not
		show that it learns anything.
	TEXT
	part_of 'SM|SM-BIO|SM-BIO-SY|SN|CV' grid
	awk -F \
		, '$13 ~ /^without/ && !seen[$1 $13]++ {
			printf "\n%s is %s, which was not in the data directory.\n", $1,
			$13 }' "$csv"
	for set in 'Table 3' 'Figure 3' 'Figure 4'; do
		! grep -q "^$set" "$csv" 2>/dev/null || part_of "$set: [^,]*" grid
	done
	if grep -q '^classes: ' "$csv" 2>/dev/null; then
		cat <<-'TEXT'

			Three parties share one set, and its graphs are assigned by class. *equal*
			has each class at all three parties, *missing* at two of them. *unequal*
			gives the parties all k classes, 2k/3 and k/3, rounded up. Means over
			parties are weighted by graphs. *all* treats the labels of the three parties
			as one list, so a cluster must mean the same at each.
		TEXT
		part_of 'classes: [^,]*' render_grid '{value} +- {deviation}'
	fi
	if grep -q '^cost,' "$csv" 2>/dev/null; then
		printf '\nThe table has the core seconds of a round of all parties together (goal '\
'for SM: 3 s on two cores). It has\n'
		printf 'the largest memory of a party (goal: three times its data and 300 MiB) '\
'and of the coordinator,\n'
		printf 'and the words that a party sends in a round.\n'
		part_of cost render_grid '{value} {unit}' | sed 's/ - |/ |/g'
	fi
	render_when
}
