# fedspectral -- spectral clustering of edges that are distributed over parties, compared with
# central clustering and the paper's similarity; the paper's sweeps; seconds, memory and exchange on
# synthetic graphs.
#
#   --only accuracy | sweeps | scale     one part
#
# Similarity (Algorithm 5) and ARI compare with `coterie-lab spectral` on the pooled graph.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='FedSpectral: similarity and ARI against central clustering, sweeps, seconds, 10^5 to 10^7
	edges'
default_seeds=5 quick_seeds=1

only=''
option() { # NAME VALUE
	[[ $1 == only ]] || return 1
	[[ $2 =~ ^(accuracy|sweeps|scale)$ ]] ||
		fail "--only: $2 is no part; expected accuracy, sweeps or scale"
	only=$2
}

needs() {
	local set
	for set in ego-facebook email-eu-core; do
		[[ -e $data/$set/edges.tsv ]] || fail "no $set/edges.tsv in $data; set COTERIE_DATA"
	done
}

measure() {
	[[ -n $only && $only != accuracy ]] || accuracy
	[[ -n $only && $only != sweeps ]] || { [[ -z $only ]] && $quick; } || sweeps
	[[ -n $only && $only != scale ]] || scale
}

# ---- one cell's runs ----

K=10

# Makes labels of the pooled graph, once for each seed, and sets CENTRAL to their folder.
central() { # SET SEED
	CENTRAL=$out/data/central/$1-k$K-seed$2
	[[ ! -e $CENTRAL/result.json ]] || return 0
	mkdir -p "${CENTRAL%/*}"
	"$bin/coterie-lab" spectral --data "$data/$1" --clusters "$K" --seed "$2" --out "$CENTRAL" \
		>"$CENTRAL.log" 2>&1 ||
		{
			WHY="coterie-lab spectral: $(tail -n 1 "$CENTRAL.log")" RUN_FAILED=true &&
				return 1
		}
}

job_of() { # VARIANT
	case $1 in
	exact) echo configs/jobs/fedspectral.json --allow fedspectral.exact ;;
	fedspectral+) echo configs/jobs/fedspectral-plus.json ;;
	fedspectral) echo configs/jobs/fedspectral-plain.json ;;
	esac
}

# Sets SIMILARITY and ARI, in percent, ROUNDS and SECONDS_EACH, with one line per seed; or fails and
# sets WHY.
runs() { # NAME SET VARIANT L [LAUNCH-ARG...]
	local seed all job
	read -ra job <<<"$(job_of "$3")"
	SIMILARITY='' ARI='' ROUNDS='' SECONDS_EACH=''
	for ((seed = 1; seed <= seeds; seed++)); do
		central "$2" "$seed" || return 1
		run "$2/$1-seed$seed" "$data/$2" "${job[0]}" "$4" "$seed" "${job[@]:1}" --set \
			clusters="$K" "${@:5}" || return 1
		all=$("$bin/coterie" eval --paper-similarity --truth "$CENTRAL/labels.csv" \
			"$RUN"/party-*/labels.csv) ||
			{ WHY="no scores of $RUN" RUN_FAILED=true && return 1; }
		SIMILARITY+=${SIMILARITY:+$'\n'}$(jq '100 * .similarity' <<<"$all")
		ARI+=${ARI:+$'\n'}$(jq '100 * .ari' <<<"$all")
		ROUNDS+=${ROUNDS:+$'\n'}$(jq '.facts.rounds // .rounds' "$RUN/coordinator/run.json")
		SECONDS_EACH+=${SECONDS_EACH:+$'\n'}$(jq .elapsed_s "$RUN/coordinator/run.json")
	done
}

fine() { awk '{ s += $1 } END { printf "%.4g", s / NR }'; }
least() { sort -g | head -n 1; }
most() { sort -g | tail -n 1; }

# ---- accuracy ----

declare -gA rounds_goal=([ego-facebook]=20 [email-eu-core]=12) \
	seconds_goal=([ego-facebook]=5 [email-eu-core]=2)

accuracy() {
	local set L
	for set in ego-facebook email-eu-core; do
		exact "$set" exact 5 --overlap 0.4
		if ! $quick; then
			exact "$set" 'exact: one party has an edge' 5
			exact "$set" 'exact: regions' 5 --regions
			for L in 2 10 20; do
				exact "$set" "exact: $L parties" "$L" --overlap 0.4
			done
			exact "$set" 'exact: 20 regions' 20 --regions
		fi
		case $set in
		ego-facebook) other "$set" fedspectral+ fedspectral+ --overlap 0.4 ;;
		email-eu-core)
			other "$set" fedspectral+ fedspectral+ --overlap 0.4 --set iterations=1 \
				--set rounds=1
			$quick || other "$set" 'fedspectral+: 6 x 20' fedspectral+ --overlap 0.4
			;;
		esac
		$quick || other "$set" 'fedspectral+: 6 x 20 regions' fedspectral+ --regions
		other "$set" fedspectral fedspectral --overlap 0.4
		$quick || other "$set" 'fedspectral: regions' fedspectral --regions
		blind "$set"
	done
}

# Measures variants that must equal central clustering. The goals are for the worst seed.
exact() { # SET ROW L [LAUNCH-ARG...]
	local column
	! cell_known "$1" "$2" seconds || return 0 # if the last cell exists, all exist
	if ! runs "${2//[: ]/-}-L$3" "$1" exact "$3" "${@:4}"; then
		for column in similarity ARI rounds seconds; do
			not_run "$1" "$2" "$column" "$WHY"
		done
		return
	fi
	worst "$1" "$2" similarity least "$SIMILARITY" '>= 99.99'
	worst "$1" "$2" ARI least "$ARI" '>= 99.9'
	worst "$1" "$2" rounds most "$ROUNDS" "<= ${rounds_goal[$1]}"
	if (($3 == 5)); then
		worst "$1" "$2" seconds most "$SECONDS_EACH" "< ${seconds_goal[$1]}"
	else
		worst "$1" "$2" seconds most "$SECONDS_EACH"
	fi
}

worst() { # SET ROW COLUMN least|most VALUES [GOAL]
	local x met=-
	x=$("$4" <<<"$5" | xargs printf '%.6g')
	[[ -z ${6-} ]] || met=$(verdict "$x" "x $6")
	cell "$1" "$2" "$3" value="$x" runs="$seeds" goal="${6-}" verdict="$met"
}

other() { # SET ROW VARIANT [LAUNCH-ARG...]
	local column
	! cell_known "$1" "$2" seconds || return 0
	paper_cell fedspectral "$1" "$2" similarity
	if ! runs "${2//[: +]/-}" "$1" "$3" 5 "${@:4}"; then
		for column in similarity ARI rounds seconds; do
			not_run "$1" "$2" "$column" "$WHY"
		done
		return
	fi
	cell "$1" "$2" similarity value="$(mean <<<"$SIMILARITY")" \
		deviation="$(deviation <<<"$SIMILARITY")" runs="$seeds" paper="$PAPER"
	cell "$1" "$2" ARI value="$(mean <<<"$ARI")" deviation="$(deviation <<<"$ARI")" \
		runs="$seeds"
	[[ $3 == fedspectral ]] || cell "$1" "$2" rounds value="$(fine <<<"$ROUNDS")" runs="$seeds"
	[[ -z $PAPER ]] || cell "$1" "$2" paper value="$PAPER"
	cell "$1" "$2" seconds value="$(fine <<<"$SECONDS_EACH")" runs="$seeds"
}

# Measures how similar labels that do not depend on the graph are to the central labels.
blind() { # SET
	local seed what all similarity ari
	for what in 'random labels' 'one cluster'; do
		! cell_known "$1" "$what" ARI || continue
		similarity='' ari=''
		for ((seed = 1; seed <= seeds; seed++)); do
			central "$1" "$seed" ||
				{ not_run "$1" "$what" similarity "$WHY" && continue 2; }
			awk -F , -v OFS=, -v seed="$seed" -v \
				k="$([[ $what == one* ]] && echo 1 || echo $K)" '
				BEGIN { srand(seed) } NR > 1 { $2 = int(k * rand()) } 1' \
					"$CENTRAL/labels.csv" >"$out/data/blind.csv"
			all=$("$bin/coterie" eval --paper-similarity --truth "$CENTRAL/labels.csv" \
				"$out/data/blind.csv")
			similarity+=${similarity:+$'\n'}$(jq '100 * .similarity' <<<"$all")
			ari+=${ari:+$'\n'}$(jq '100 * .ari' <<<"$all")
		done
		cell "$1" "$what" similarity value="$(mean <<<"$similarity")" \
			deviation="$(deviation <<<"$similarity")" runs="$seeds"
		cell "$1" "$what" ARI value="$(mean <<<"$ari")" deviation="$(deviation <<<"$ari")" \
			runs="$seeds"
	done
}

# ---- the paper's sweeps: Figures 1 to 3 ----

sweeps() {
	local set i x L
	for set in ego-facebook email-eu-core; do
		for i in 1 2 4 6 8 10 15 20; do
			sweep "Figure 1a: $set" "iterations=$i" - "$set" fedspectral+ 5 0.4 "$i" \
				"$([[ $set == ego* ]] && echo 20 || echo 1)"
		done
		for x in 1 2 5 10 20 40; do
			sweep "Figure 1b: $set" "rounds=$x" - "$set" fedspectral+ 5 0.4 10 "$x"
		done
	done
	for i in 1 6 10 20; do
		for x in 1 5 10 20 40; do
			sweep 'Figure 2a' "rounds=$x" "iterations=$i" ego-facebook fedspectral+ 5 \
				0.4 "$i" "$x"
		done
		for K in 4 7 10 15 20; do
			sweep 'Figure 2b' "clusters=$K" "iterations=$i" ego-facebook fedspectral+ \
				5 0.4 "$i" 20
		done
		K=10
		for x in 0.2 0.4 0.6 0.8 1; do
			sweep 'Figure 3a' "overlap=$x" "iterations=$i" ego-facebook fedspectral+ 5 \
				"$x" "$i" 20
		done
	done
	for L in 2 5 10 20; do
		for x in fedspectral fedspectral+ exact; do
			sweep 'Figure 3b' "$L parties" "$x" ego-facebook "$x" "$L" 0.4 6 20
		done
	done
}

sweep() { # FIGURE ROW COLUMN|- SET VARIANT L OVERLAP ITERATIONS ROUNDS
	local of='' name options=()
	[[ $3 == - ]] || of=": $3"
	! cell_known "$1" "$2" "ARI$of" || return 0
	name="$1-$2$of"
	[[ $5 != fedspectral+ ]] || options=(--set iterations="$8" --set rounds="$9")
	if ! runs "${name//[: =+]/-}" "$4" "$5" "$6" --overlap "$7" "${options[@]}"; then
		not_run "$1" "$2" "similarity$of" "$WHY"
		not_run "$1" "$2" "ARI$of" "$WHY"
		return
	fi
	cell "$1" "$2" "similarity$of" value="$(mean <<<"$SIMILARITY")" \
		deviation="$(deviation <<<"$SIMILARITY")" runs="$seeds"
	cell "$1" "$2" "ARI$of" value="$(mean <<<"$ARI")" deviation="$(deviation <<<"$ARI")" \
		runs="$seeds"
}

# ---- scale ----

L_SCALE=4 EDGES=10 # number of parties; edges for each node

scale() {
	local n
	note_peaks
	for n in 10000 $($quick || echo 100000 1000000); do one_size "$n"; done
}

one_size() { # NODES: measures a graph with ten times as many edges
	local row="$((EDGES * $1)) edges" dir=$out/data/graph-$1 large=$out/data/scale.json column \
		seconds all
	! cell_known scale "$row" 'x exchange' || return 0 # if the last cell exists, all exist
	mkdir -p "$out/data"
	echo '{ "kind": "fedspectral", "clusters": 10, "block": 16 }' >"$large"
	rm -f "$peaks"
	if ! "$bin/coterie" synth --nodes "$1" --features 0 --clusters 10 --degree $((2 * EDGES)) \
		--out "$dir" >/dev/null ||
		! run "graph-$1" "$dir" "$large" $L_SCALE 1 --allow fedspectral.exact; then
		RUN_FAILED=true
		for column in seconds 'us an edge' party coordinator 'ARI planted' 'x exchange'; do
			not_run scale "$row" "$column" "${WHY:-coterie synth failed}"
		done
		rm -rf "$dir"
		return
	fi
	seconds=$(jq .elapsed_s "$RUN/coordinator/run.json")
	{ echo id,label && paste -d , "$dir/ids.txt" "$dir/labels.txt"; } >"$dir/truth.csv"
	all=$("$bin/coterie" eval --truth "$dir/truth.csv" "$RUN"/party-*/labels.csv)
	rm -rf "$dir"
	bounded "$row" seconds "$(printf '%.2f' "$seconds")" \
		"$( (($1 < 1000000)) || echo '< 900')" unit=s
	per_edge "$row" "$1" "$seconds"
	bounded "$row" party "$(peak_of party)" "$( (($1 < 1000000)) || echo '< 4096')" unit=MiB
	bounded "$row" coordinator "$(peak_of coordinator)" '' unit=MiB
	bounded "$row" 'ARI planted' "$(jq '100 * .ari' <<<"$all" | xargs printf '%.2f')" ''
	exchange "$row" "$1"
}

bounded() { # ROW COLUMN VALUE GOAL [FIELD=VALUE...]
	local met=-
	[[ -z $4 ]] || met=$(verdict "$3" "x $4")
	cell scale "$1" "$2" value="$3" goal="$4" verdict="$met" "${@:5}"
}

# With ten times as many edges, time per edge should at most double.
per_edge() { # ROW NODES SECONDS
	local now before
	now=$(awk -v s="$3" -v n="$2" -v d=$EDGES 'BEGIN { printf "%.3f", 1e6 * s / (n * d) }')
	before=$(awk -F , -v row="$((EDGES * $2 / 10)) edges" \
		'$1 == "scale" && $2 == row && $3 == "us an edge" { print $4 }' "$csv")
	bounded "$1" 'us an edge' "$now" \
		"${before:+<= $(awk -v b="$before" 'BEGIN { print 2 * b }')}"
}

# Measures the time of a round without its matrix product. Compares it with the time that TLS and
# the masks need for the same bytes (tests/bench/bench_exchange.c). Also writes how long the
# coordinator waited and transferred in a round of the run.
exchange() { # ROW NODES
	local program=${COTERIE_BENCHES:-build/plain/tests/bench}/bench_exchange \
		line=$out/runs/$table/exchange-$2.txt field
	local -A f=()
	[[ -n ${COTERIE_BENCHES-} ]] || make -s "$program"
	bounded "$1" 'a round' \
		"$(jq '.phases[] | select(.name == "lanczos") | (.wait_s + .wire_s) / .rounds' \
		"$RUN/coordinator/run.json" | xargs printf '%.3f')" '' unit=s
	if ! setpriv --pdeathsig KILL "$program" "$2" 16 $L_SCALE >"$line" 2>"$line.err"; then
		RUN_FAILED=true
		not_run scale "$1" 'x exchange' "$(tail -n 1 "$line.err" | cut -c 1-200)"
		return
	fi
	for field in $(<"$line"); do f[${field%%=*}]=${field#*=}; done
	bounded "$1" 'CPU x exchange' "${f[cpu_over_bound]}" ''
	bounded "$1" 'x exchange' "${f[over_bound]}" '<= 1.5' \
		note="${f[elapsed_s]} s of ${f[bound_s]} s"
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

render() {
	cat <<-'TEXT'

		Figures compare with `coterie-lab spectral` on the pooled graph, in percent. Unless
		a row states otherwise, there are 5 parties, each edge is at 2 of them (overlap 40
		%), and K = 10. Rows of exact have the worst seed, the others mean and deviation.
		*Similarity* is the paper's measure (Algorithm 5), and *paper* is its figure.
		*Random labels* and *one cluster* do not use the graph. The goals of exact are a
		similarity of 99.99 and an ARI of 99.9. On ego-facebook they are also 20 rounds and
		5 s, on email-eu-core 12 rounds and 2 s.
	TEXT
	part_of 'ego-facebook|email-eu-core' render_grid '{value} +- {deviation}'
	if grep -q '^Figure' "$csv" 2>/dev/null; then
		printf '\nThe next tables have the sweeps of Figures 1 to 3, in percent, for '\
'fedspectral+ with an overlap of 40 %%.\n'
		printf 'The default is ego-facebook with 20 rounds. Figure 1a has 20 rounds on '\
'ego-facebook and 1 on email-eu-core,\n'
		printf 'Figure 1b 10 iterations, and Figure 3b 6 iterations x 20 rounds.\n'
		part_of 'Figure [^,]*' render_grid '{value} +- {deviation}'
	fi
	! grep -q '^scale,' "$csv" 2>/dev/null || render_scale
}

render_scale() {
	cat <<-'TEXT'

		Planted graphs have ten edges for each node, with 4 parties, b = 16 and K = 10. The
		columns are:

		* *seconds*: from offer to result (goal at 10^7 edges: 900)
		* *us an edge*: microseconds for each edge (goal: at most twice those of a graph of
		  a tenth the size)
		* *party* and *coordinator*: the largest memory (goal for a party at 10^7 edges:
		  4096 MiB)
		* *ARI planted*: against the planted clusters
		* *a round*: the time that the coordinator waited in a round of products
		* *x exchange*: a round without its product, divided by the time of the same bytes
		  through the same TLS channels and of the masks at their measured rate (goal 1.5,
		  by tests/bench/bench_exchange.c)
		* *CPU x exchange*: the same for the CPU time of all processes, which other users of
		  the machine disturb less
	TEXT
	part_of scale render_grid '{value} {unit}'
}
