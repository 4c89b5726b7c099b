# fedsc -- FedSC compared with its paper's tables, its costs, and their growth.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='FedSC on rows: accuracy, noise, factors, d, parties, Algorithm 1, skew, time, memory; --only
	SECTION,... anew'
default_seeds=10

# shellcheck source=scripts/bench.d/lib-fedsc.sh
. scripts/bench.d/lib-fedsc.sh

sections='clean noise factors dims parties letter skew circles time memory growth' only=''
sets='iris coil20 banknote usps orl'

option() {
	[[ $1 == only ]] || return 1
	only=$2
	local section
	for section in ${only//,/ }; do
		[[ " $sections " == *" $section "* ]] ||
			fail "--only: $section is no section; expected ${sections// /, }"
	done
}

fewer() { # with --quick: omits the large sets, and factors and dims, which use coil20 only
	$quick || return 0
	sets='iris banknote'
	only=${only:-clean noise parties letter skew circles time memory growth}
}

needs() {
	fewer
	# shellcheck disable=SC2086 # words
	needs_points $sets
}

measure() {
	local section
	for section in ${only//,/ }; do forget "$section"; done
	fewer
	only=${only:-$sections}
	for section in ${only//,/ }; do "measure_$section"; done
}

# Removes the cells of a section, so that they are measured again.
forget() { # SECTION
	[[ -e $csv ]] || return 0
	awk -F , -v section="$1" 'NR == 1 { print; next }
		{ of = $1 }
		$1 ~ /^(iris|coil20|banknote|usps|orl)$/ {
		of = $3 == "noise=0" ? "clean" : "noise" }
		$1 == "coil20 by d" { of = "dims" }
		$1 ~ /^letter/ { of = "letter" }
		of != section' "$csv" >"$csv.new"
	mv "$csv.new" "$csv"
}

# ---- clean and noisy rows: Tables 1 and 3 ----

declare -gA \
	floor=(["iris anchor"]=.89 ["coil20 anchor"]=.80 ["banknote anchor"]=.87 ["usps anchor"]=.66
	["orl dense"]=.69 ["iris paper"]=.88 ["coil20 paper"]=.78 ["banknote paper"]=.60
		["usps paper"]=.64
	["orl paper"]=.60)

measure_clean() { accuracy 0; }

measure_noise() {
	local noise
	for noise in $($quick && echo 0.3 || echo 0.1 0.3 0.5 0.7); do accuracy "$noise"; done
}

accuracy() { # NOISE
	local set row goal all=$seeds seeds
	for set in $sets; do
		seeds=$all
		few "$set"
		for row in anchor dense paper 'federated k-means' k-means SC DSC 'DSC as it is'; do
			# if the last cell exists, all exist
			! cell_known "$set" "$row NMI" "noise=$1" || continue
			goal=''
			[[ $1 != 0 || -z ${floor[$set $row]-} ]] || goal=">= ${floor[$set $row]}"
			if scores "$set" "$row" "$1" $P; then
				put "$set" "$row" "noise=$1" "$goal"
			else
				paper_cell fedsc "$set" "$(paper_row "$row") ACC" "noise=$1"
				not_run "$set" "$row ACC" "noise=$1" "$WHY" paper="$PAPER" \
					goal="$goal"
			fi
		done
	done
}

# ---- perturbed factors: Table 5 ----

measure_factors() {
	local z c
	for z in 0 0.05 0.1 0.15; do
		for c in 0 0.05 0.1 0.15; do
			! cell_known factors "alpha_z=$z" "alpha_c=$c" || continue
			paper_cell fedsc5 coil20 "alpha_z=$z" "alpha_c=$c"
			if factor_scores "$z" "$c"; then
				cell factors "alpha_z=$z" "alpha_c=$c" value="$VALUE" \
					deviation="$DEVIATION" runs="$seeds" \
					paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
			else
				not_run factors "alpha_z=$z" "alpha_c=$c" "$WHY" paper="$PAPER"
			fi
		done
	done
}

factor_scores() { # ALPHA_Z ALPHA_C
	if [[ $1 == 0 && $2 == 0 ]]; then
		acc_of coil20 paper $P
	else
		acc_of coil20 paper $P --set noise.on=factors --set "noise.beta=$1" --set \
			"noise.beta_c=$2"
	fi
}

# ---- d: Table 4 ----

measure_dims() {
	local d row half seeds=$seeds
	((seeds <= 5)) || seeds=5 # the paper's Table 4 has 5 runs, too
	for row in anchor paper; do
		for d in 140 160 180 194 200 220 240 400 600 749 800 1000 1200; do
			! cell_known 'coil20 by d' "$row" "d=$d" || continue
			half=$( ((d <= 240)) && echo 'by 7K to 12K' || echo 'by 10K to 60K')
			paper_cell fedsc4 coil20 "$half" "d=$d"
			if acc_of coil20 "$row" $P --set "dims=$d"; then
				cell 'coil20 by d' "$row" "d=$d" value="$VALUE" \
					deviation="$DEVIATION" runs="$seeds" \
					paper="$PAPER" paper_deviation="$PAPER_DEVIATION" \
					note="$(jq -r '.facts.dims' \
					"$RUN/coordinator/run.json") landmarks of the last seed"
			else
				not_run 'coil20 by d' "$row" "d=$d" "$WHY" paper="$PAPER"
			fi
		done
	done
}

# ---- parties: Table 7 ----

measure_parties() {
	local set row L
	for set in $sets; do
		[[ $set != usps ]] || continue
		for row in anchor dense paper; do
			for L in 1 $P; do
				! cell_known parties "$set $row" "P=$L" || continue
				paper_cell fedsc7 "$set" FedSC "P=$L"
				if acc_of "$set" "$row" "$L"; then
					cell parties "$set $row" "P=$L" value="$VALUE" \
						deviation="$DEVIATION" runs="$seeds" \
						paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
				else
					not_run parties "$set $row" "P=$L" "$WHY" paper="$PAPER"
				fi
			done
		done
	done
}

# ---- Algorithm 1 as published: configs/jobs/fedsc-paper.json, both readings of lambda ----

# Dimensions d that the rule of Appendix D.3 gives for the kernel of all rows. For coil20, d is that
# of the paper's Table 4.
declare -gA dims_of=([iris]=7 [banknote]=11 [coil20]=194)
letter_changes=('Z at random' 'Z at random; lambda / 2' 'Z landmarks')
declare -gA \
	letter_options=(['Z at random']='' ['Z at random; lambda / 2']='--set kernel.lambda=0.005'
	['Z landmarks']='--set start=landmarks')

# Runs in one process, which gives the same labels as daemons.
measure_letter() {
	local set change LAUNCH=("$bin/coterie" run) all=$seeds seeds options c
	for set in $sets; do
		[[ -n ${dims_of[$set]-} ]] || continue
		seeds=$all
		[[ $set != coil20 ]] || ((seeds < 5)) || seeds=5
		for change in "${letter_changes[@]}"; do
			! cell_known letter "$set" "$change" || continue
			paper_cell fedsc "$set" 'FedSC ACC' noise=0
			read -ra options <<<"${letter_options[$change]}"
			letter_cell letter "$set" "$change" "$set" "${options[@]}"
		done
		[[ $set == coil20 ]] || continue
		for c in 0 0.05 0.1 0.15; do
			! cell_known 'letter factors' alpha_z=0 "alpha_c=$c" || continue
			paper_cell fedsc5 coil20 alpha_z=0 "alpha_c=$c"
			options=(--set noise.on=factors --set noise.beta=0 --set "noise.beta_c=$c")
			[[ $c != 0 ]] || options=()
			letter_cell 'letter factors' alpha_z=0 "alpha_c=$c" coil20 "${options[@]}"
		done
	done
	letter_circles
}

letter_cell() { # SET ROW COLUMN DATA [LAUNCH-ARG...]: compares with PAPER
	if acc_of "$4" letter $P --set "dims=${dims_of[$4]}" "${@:5}"; then
		cell "${@:1:3}" value="$VALUE" deviation="$DEVIATION" runs="$seeds" \
			paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
	else
		not_run "${@:1:3}" "$WHY" paper="$PAPER"
	fi
}

# Measures a dictionary of one point on the circles of Figures 3 and 4.
letter_circles() {
	local noise variant data=$out/data
	make_circles "$data/circles"
	for noise in 0 0.1 0.2; do
		for variant in dense paper SC; do
			! cell_known 'letter circles' "$variant" "noise=$noise" || continue
			if [[ $variant == SC ]]; then
				scores circles SC "$noise" $P
			else
				scores circles letter "$noise" $P --set dims=1 --set \
					"variant=$variant"
			fi || {
				not_run 'letter circles' "$variant" "noise=$noise" "$WHY" &&
					continue
			}
			cell 'letter circles' "$variant" "noise=$noise" value="$(mean4 <<<"$ACC")" \
				deviation="$(deviation4 <<<"$ACC")" runs="$seeds"
		done
	done
}

# ---- skew: the same seeds, with rows distributed at random and by class ----

measure_skew() {
	local set skew uniform change met options all=$seeds seeds
	for set in $sets; do
		seeds=$all
		few "$set"
		! cell_known skew "$set" change || continue
		for skew in 0 0.5 1; do
			options=(--skew "$skew")
			[[ $skew != 0 ]] || options=()
			acc_of "$set" anchor $P "${options[@]}" ||
				{ not_run skew "$set" "skew=$skew" "$WHY" && continue 2; }
			cell skew "$set" "skew=$skew" value="$VALUE" deviation="$DEVIATION" \
				runs="$seeds"
			[[ $skew != 0 ]] || uniform=$VALUE
		done
		# mean accuracy with rows distributed by class minus that with rows at random
		change=$(awk -v a="$uniform" -v b="$VALUE" 'BEGIN { printf "%.4f", b - a }')
		met=-
		$quick || met=$(verdict "$change" "x < 0.01 && x > -0.01")
		cell skew "$set" change value="$change" runs="$seeds" goal="within 0.01" \
			verdict="$met"
	done
}

# ---- Figures 3 and 4: two concentric circles, which k-means cannot separate ----

measure_circles() {
	local noise row data=$out/data
	make_circles "$data/circles"
	for noise in 0 $($quick || echo 0.1 0.2); do
		for row in anchor dense paper 'federated k-means' SC; do
			! cell_known circles "$row" "noise=$noise" || continue
			if scores circles "$row" "$noise" $P; then
				cell circles "$row" "noise=$noise" value="$(mean4 <<<"$ACC")" \
					deviation="$(deviation4 <<<"$ACC")" \
					runs="$seeds" \
					note="$(awk '$1 > .99 { n++ }
						END { print n + 0 " of " NR " above .99" }' \
						<<<"$ACC")"
			else
				not_run circles "$row" "noise=$noise" "$WHY"
			fi
		done
	done
}

# Makes the circles of equation 37, with radius 2 and 4 and 629 points each. Each party adds noise,
# as in the other tables.
make_circles() { # DIR
	mkdir -p "$1"
	awk 'BEGIN {
		print "%%MatrixMarket matrix coordinate real general"
		print 1258, 2, 2516
		for (i = 0; i < 1258; i++) {
			r = i < 629 ? 2 : 4
			t = (i % 629) * 8 * atan2(1, 1) / 629
			printf "%d 1 %.17g\n%d 2 %.17g\n", i + 1, r * cos(t), i + 1, r * sin(t)
		}
	}' >"$1/features.mtx"
	awk 'BEGIN { for (i = 0; i < 1258; i++) print int(i / 629) }' >"$1/labels.txt"
}

bounded() { # SET ROW COLUMN VALUE GOAL [NAME=VALUE...]: GOAL may be empty
	local met=-
	[[ -z $5 ]] || met=$(verdict "$4" "x $5")
	cell "$1" "$2" "$3" value="$4" goal="$5" verdict="$met" "${@:6}"
}

# ---- seconds from offer to result ----

measure_time() {
	local set row seconds seed seeds=$seeds options
	local -A \
		most=(["iris anchor"]=0.5 ["iris dense"]=0.5 ["iris paper"]=0.5 ["coil20 anchor"]=10
		["coil20 dense"]=10 ["coil20 paper"]=10 ["usps anchor"]=30)
	((seeds <= 5)) || seeds=5
	for set in $sets; do
		for row in anchor dense paper 'federated k-means'; do
			! cell_known time "$set" "$row" || continue
			job_of "$set" "$row"
			read -ra options <<<"$(row_options "$row")"
			seconds=''
			for ((seed = 1; seed <= seeds; seed++)); do
				run "time/$set-${row// /-}-seed$seed" "$data/$set" "$JOB" $P \
					"$seed" "${options[@]}" ||
					{ not_run time "$set" "$row" "$WHY" && continue 2; }
				seconds+=${seconds:+$'\n'}$(jq .elapsed_s \
					"$RUN/coordinator/run.json")
			done
			seconds=$(median <<<"$seconds" | xargs printf '%.2f')
			bounded time "$set" "$row" "$seconds" \
				"${most[$set $row]:+< ${most[$set $row]}}" unit=s runs="$seeds"
		done
	done
}

# ---- peak memory of a process ----

slice_mib() { # ROWS COLUMNS: prints the MiB of one party's slice
	awk -v n="$1" -v m="$2" -v parties=$P \
		'BEGIN { printf "%.1f", n / parties * m * 8 / 1048576 }'
}

# Writes peak memory of party and coordinator from $peaks. The party's goal is 3 slices + 200 MiB.
put_peaks() { # SET ROW ROWS COLUMNS [COORDINATOR-GOAL]
	local most party coordinator
	most=$(slice_mib "$3" "$4" |
		awk '{ printf "%.0f", 3 * $1 + 200 }') party=$(peak_of \
		party) coordinator=$(peak_of coordinator)
	cell "$1" "$2" slice value="$(slice_mib "$3" "$4")" unit=MiB
	bounded "$1" "$2" party "$party" "< $most" unit=MiB
	bounded "$1" "$2" coordinator "$coordinator" "${5:+<= $5}" unit=MiB
}

measure_memory() {
	local set row n m options
	local -A rows=([iris]=150 [coil20]=1440 [banknote]=1372 [usps]=9298 [orl]=400)
	local -A columns=([iris]=4 [coil20]=1024 [banknote]=4 [usps]=256 [orl]=1024)
	note_peaks
	for set in $sets; do
		for row in anchor dense paper; do
			! cell_known memory "$set $row" coordinator || continue
			job_of "$set" "$row"
			read -ra options <<<"$(row_options "$row")"
			rm -f "$peaks"
			run "memory/$set-$row" "$data/$set" "$JOB" $P 1 "${options[@]}" ||
				{ not_run memory "$set $row" coordinator "$WHY" && continue; }
			put_peaks memory "$set $row" "${rows[$set]}" "${columns[$set]}"
		done
	done
}

# ---- growth: m = 64, K = 10, d = 600 ----

measure_growth() {
	local n
	note_peaks
	before='' first=''
	for n in 10000 $($quick || echo 100000 1000000); do grow "$n"; done
}

grow() { # ROWS
	local dir=$out/data/points-$1 seconds each ratio job=$out/data/points.json
	if cell_known growth "$1" coordinator; then # if the last cell exists, all exist
		before=$(value_of growth "$1" 'us a row') first=${first:-$(value_of growth "$1" \
			coordinator)}
		return
	fi
	mkdir -p "$out/data"
	echo '{ "kind": "fedsc", "clusters": 10, "dims": 600 }' >"$job"
	"$bin/coterie" synth --points --nodes "$1" --features 64 --clusters 10 --seed 1 --out \
		"$dir" >/dev/null ||
		{
			WHY='coterie synth failed' RUN_FAILED=true &&
				not_run growth "$1" seconds "$WHY" && return
		}
	rm -f "$peaks"
	run "growth-$1" "$dir" "$job" $P 1 || {
		rm -rf "$dir" && not_run growth "$1" seconds "$WHY" && return
	}
	acc=$("$bin/coterie" eval --truth "$dir/labels.txt" "$RUN"/party-*/labels.csv | jq .acc)
	rm -rf "$dir" # the directory may have hundreds of megabytes
	seconds=$(jq .elapsed_s "$RUN/coordinator/run.json")
	each=$(awk -v s="$seconds" -v n="$1" 'BEGIN { printf "%.1f", 1e6 * s / n }')
	cell growth "$1" seconds value="$(printf '%.2f' "$seconds")" unit=s \
		note="ACC $(printf '%.4f' "$acc")"
	cell growth "$1" 'us a row' value="$each"
	if [[ -n $before ]]; then
		ratio=$(awk -v a="$each" -v b="$before" 'BEGIN { printf "%.2f", a / b }')
		bounded growth "$1" 'to the last' "$ratio" '<= 2'
	fi
	# the coordinator's memory depends on d and m, not on n
	put_peaks growth "$1" "$1" 64 \
		"$(awk -v x="${first:-0}" 'BEGIN { if (x) printf "%.0f", 1.25 * x }')"
	before=$each first=${first:-$(value_of growth "$1" coordinator)}
}

# ---- as markdown ----

part() { # PATTERN COMMAND...: renders only the sets that match PATTERN
	local all=$csv
	csv=$out/$table.part
	{ head -n 1 "$all" && grep -E "^($1)," "$all"; } >"$csv" || true
	"${@:2}"
	rm "$csv"
	csv=$all
}

titled() { # SET TITLE COMMAND...: prints nothing if the set has no cells
	grep -q "^$1," "$csv" || return 0
	printf '\n%s:\n' "$2"
	part "$1" "${@:3}"
}

beyond() { # prints which sets meet the goal: better than the paper's FedSC on clean rows
	awk -F , '$3 == "noise=0" && $2 == ($1 == "orl" ? "dense ACC" : "anchor ACC") && $8 != "" {
			n++
			if ($4 > $8) past = past (past ? ", " : "") $1
			else behind = behind (behind ? ", " : "") $1 " (" $4 " against " $8 ")"
		}
		END { if (n) printf "\nOn clean rows these sets are above the paper'\''s '\
'FedSC: %s. These are not: %s.\n", past ? past : "none", behind ? behind : "none" }' "$csv"
}

# Removes the "-" that render_grid writes for an empty unit.
in_units() { render_grid '{value} {unit}' | sed 's/ - |/ |/g'; }
beside() { render_grid '{value} +- {deviation} / {paper}' | sed 's| / -||g'; }

render() {
	[[ -e $csv ]] || return 0
	cat <<-'TEXT'

		A cell is ours / the paper's. There are 8 parties, and each seed assigns the rows
		anew at random. Noise is in standard deviations of the clean rows. DSC matches the
		parties' clusters by their means. DSC as it is does not match them. The paper's
		numbers seem to be without matching.
	TEXT
	beyond
	part 'iris|coil20|banknote|usps|orl' beside
	titled factors 'Table 5 has perturbed factors on coil20, with variant paper' beside
	titled \
		'coil20 by d' 'Table 4 varies d on coil20. A landmark has at least three rows, so '\
'there may be fewer landmarks than d' beside
	titled parties 'Table 7 has one party and eight parties' beside
	titled \
		letter 'ACC of Algorithm 1 as published (configs/jobs/fedsc-paper.json), with 20 '\
'rounds of 5 steps, k = ceil(ln n) neighbours and d by Appendix D.3' beside
	titled 'letter factors' "The same with Table 5's noise on C" beside
	titled \
		'letter circles' 'ACC of the same on circles, with d = 1. Variant paper has '\
'nearest neighbours, dense the whole of K^, and SC all rows in one place' \
		render_grid '{value} +- {deviation}'
	titled \
		skew 'ACC of variant anchor with rows at random (skew 0) and by class (skew 1). '\
'The goal for the change of the mean is at most 0.01' \
		render_grid '{value} +- {deviation}'
	titled \
		circles 'ACC on the circles of the '\
'paper'\''s Figures 3 and 4 (radius 2 and 4, 629 points each), and the number of runs above .99' \
		render_grid '{value} +- {deviation}, {note}'
	titled time 'Median seconds from offer to result' render_grid '{value} s'
	titled \
		memory 'The largest memory of any party and of the coordinator. The slice is the '\
'party'\''s rows as doubles' \
		in_units
	titled growth 'Growth with the number of rows, for 64 columns, 10 clusters, d = 600 and '\
'variant anchor' \
		in_units
}
