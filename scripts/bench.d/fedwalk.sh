# fedwalk -- embeddings of vertices whose edges stay with their parties, compared with DeepWalk on
# the pooled graph: accuracy of classification, messages of a walk, success of the edge attack; the
# paper's sweeps of training share, k, eps and p; memory and seconds.
#
#   --only accuracy | sweeps | scale     one part
#
# One logistic regression per class predicts it (coterie-lab classify), on 5 splits; F1 is in
# percent. A seed is used for the split and for the job. --seeds N runs each cell N times (default
# 1; a run takes minutes).
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='FedWalk: F1 beside DeepWalk, messages of a walk, the edge attack, sweeps of k, eps and p,
	memory'
default_seeds=1 quick_seeds=1

only=''
option() { # NAME VALUE
	[[ $1 == only ]] || return 1
	[[ $2 =~ ^(accuracy|sweeps|scale)$ ]] ||
		fail "--only: $2 is no part; expected accuracy, sweeps or scale"
	only=$2
}

sets() {
	$quick || echo blogcatalog
	echo cora email-eu-core
}

needs() {
	local set file
	for set in $(sets); do
		for file in edges.tsv labels.txt; do
			[[ -e $data/$set/$file ]] || fail "no $set/$file in $data; set COTERIE_DATA"
		done
	done
}

measure() {
	[[ -n $only && $only != accuracy ]] || accuracy
	[[ -n $only && $only != sweeps ]] || { [[ -z $only ]] && $quick; } || sweeps
	[[ -n $only && $only != scale ]] || { [[ -z $only ]] && $quick; } || scale
}

# ---- one cell's runs ----

job_of() { # ROW -> JOB, an array
	case $1 in
	dtw) JOB=(configs/jobs/fedwalk-dtw.json --allow fedwalk.dtw) ;;
	'exact dtw') JOB=(configs/jobs/fedwalk-dtw.json --allow fedwalk.dtw --set dtw_rows=0) ;;
	response*) JOB=(configs/jobs/fedwalk-private.json --set eps="${1##* }") ;;
	*) JOB=(configs/jobs/fedwalk.json) ;;
	esac
}

# Sets MICRO and MACRO, in percent at training share RATIO, with one line per seed, and RUNS to the
# runs' directories; or fails and sets WHY.
runs() { # NAME SET ROW RATIO [LAUNCH-ARG...]
	local seed f1 JOB
	job_of "$3"
	MICRO='' MACRO='' RUNS=()
	for ((seed = 1; seed <= seeds; seed++)); do
		if [[ $3 == deepwalk ]]; then
			deepwalk "$2/$1-seed$seed" "$2" "$seed" || return 1
		else
			run "$2/$1-seed$seed" "$data/$2" "${JOB[0]}" 4 "$seed" "${JOB[@]:1}" \
				"${@:5}" || return 1
		fi
		RUNS+=("$RUN")
		f1=$("$bin/coterie-lab" classify --embeddings "$RUN" --labels \
			"$data/$2/labels.txt" --train-ratio "$4") ||
			{ WHY="coterie-lab classify of $RUN" RUN_FAILED=true && return 1; }
		MICRO+=${MICRO:+$'\n'}$(jq '100 * .scores[0].micro_f1.mean' <<<"$f1")
		MACRO+=${MACRO:+$'\n'}$(jq '100 * .scores[0].macro_f1.mean' <<<"$f1")
	done
}

# Makes embeddings of the pooled graph.
deepwalk() { # NAME SET SEED
	local ids=()
	RUN=$out/runs/$table/$1
	rm -rf "$RUN"
	mkdir -p "$RUN"
	seq 0 $(($(wc -l <"$data/$2/labels.txt") - 1)) >"$RUN.ids"
	ids=(--ids "$RUN.ids")
	"$bin/coterie-lab" deepwalk --edges "$data/$2/edges.tsv" "${ids[@]}" --seed "$3" --out \
		"$RUN" >"$RUN.log" 2>&1 ||
		{ WHY="coterie-lab deepwalk: $(tail -n 1 "$RUN.log")" RUN_FAILED=true && return 1; }
}

fact() { jq -r ".facts.$1 // empty" "$RUN/coordinator/run.json"; } # prints a fact of the last run

with_goal() { # SET ROW COLUMN VALUE GOAL [NAME=VALUE...]: GOAL is awk's, on x; may be empty
	local met=-
	[[ -z $5 ]] || met=$(verdict "$4" "x $5")
	cell "$1" "$2" "$3" value="$4" goal="$5" verdict="$met" "${@:6}"
}

# ---- accuracy ----

declare -gA \
	micro_goal=(['blogcatalog deepwalk']='>= 41.0' ['blogcatalog p = 0.2']='>= 39.8'
	['blogcatalog response 8']='>= 37.5')
declare -gA \
	macro_goal=(['blogcatalog deepwalk']='>= 26.5' ['blogcatalog p = 0.2']='>= 24.8'
	['blogcatalog response 8']='>= 23')

accuracy() {
	local set
	for set in $(sets); do
		embedded "$set" deepwalk
		embedded "$set" 'p = 0' --set p=0
		embedded "$set" 'p = 0.2'
		! $quick || continue
		embedded "$set" dtw
		embedded "$set" 'exact dtw'
		embedded "$set" 'response 8'
		embedded "$set" 'response 6'
		embedded "$set" 'response 4'
	done
}

embedded() { # SET ROW [LAUNCH-ARG...]
	local column
	! cell_known "$1" "$2" seconds || return 0 # if the last cell exists, all exist
	if ! runs "${2//[ =]/}" "$1" "$2" 0.6 "${@:3}"; then
		for column in micro macro seconds; do not_run "$1" "$2" "$column" "$WHY"; done
		return
	fi
	with_goal "$1" "$2" micro "$(mean <<<"$MICRO")" "${micro_goal[$1 $2]-}" \
		deviation="$(deviation <<<"$MICRO")" runs="$seeds"
	with_goal "$1" "$2" macro "$(mean <<<"$MACRO")" "${macro_goal[$1 $2]-}" \
		deviation="$(deviation <<<"$MACRO")" runs="$seeds"
	if [[ $2 == deepwalk ]]; then
		cell "$1" "$2" seconds runs="$seeds" value=-
		return
	fi
	[[ -z $(fact messages_per_walk) ]] || messages "$1" "$2"
	cell "$1" "$2" precision value="$(fact attack_precision | xargs printf '%.3f')" \
		runs="$seeds"
	cell "$1" "$2" recall value="$(fact attack_recall | xargs printf '%.3f')" runs="$seeds"
	# On two cores blogcatalog may take four minutes, or six minutes with exact DTW distances
	# (dtw_rows 0).
	case "$1 $2" in
	'blogcatalog exact dtw') column='< 360' ;;
	blogcatalog*) column='< 240' ;;
	*) column='' ;;
	esac
	with_goal "$1" "$2" seconds \
		"$(jq .elapsed_s "$RUN/coordinator/run.json" | xargs printf '%.4g')" "$column" \
		runs="$seeds"
}

# Writes the last run's mean number of messages per walk, which should be within 0.3 % of the
# expected number.
messages() { # SET ROW
	local x e
	x=$(fact messages_per_walk) e=$(fact messages_expected)
	cell "$1" "$2" messages value="$(printf '%.3f' "$x")" bound="$(printf '%.3f' "$e")" \
		runs="$seeds" \
		goal='within 0.3 % of the bound' \
		verdict="$(verdict "$x" "x > 0.997 * $e && x < 1.003 * $e")"
}

# ---- the paper's sweeps ----

sweeps() {
	local set=blogcatalog x
	! $quick || set=cora
	shares "$set" deepwalk # Figure 4
	shares "$set" fedwalk
	for x in 2 3 4 6 9; do swept "$set" "k = $x" --set bins="$x"; done # Figure 6
	for x in 0.5 1 2 4; do swept "$set" "eps = $x" --set eps="$x"; done # Figure 7
	for x in 0 0.1 0.2 0.3 0.4; do # Figure 8
		for gamma in 20 80; do
			swept "$set" "p = $x; gamma = $gamma" --set p="$x" --set walks="$gamma"
		done
	done
}

# Measures the scores of one run at each training share.
shares() { # SET METHOD
	local x f1
	! cell_known "$1 sweeps" "share 0.6; $2" macro || return 0
	if ! runs "share-$2" "$1" "$2" 0.6; then
		not_run "$1 sweeps" "share 0.6; $2" macro "$WHY"
		return
	fi
	f1=$("$bin/coterie-lab" classify --embeddings "$RUN" --labels "$data/$1/labels.txt" \
		--train-ratio 0.1,0.2,0.3,0.4,0.5,0.6)
	for x in 0 1 2 3 4 5; do
		cell "$1 sweeps" "share 0.$((x + 1)); $2" micro \
			value="$(jq "100 * .scores[$x].micro_f1.mean" <<<"$f1" |
			xargs printf '%.2f')" runs=1
		cell "$1 sweeps" "share 0.$((x + 1)); $2" macro \
			value="$(jq "100 * .scores[$x].macro_f1.mean" <<<"$f1" |
			xargs printf '%.2f')" runs=1
	done
}

swept() { # SET ROW LAUNCH-ARG...
	local name
	! cell_known "$1 sweeps" "$2" macro || return 0
	name=${*:3}
	name=${name//--set /}
	if ! runs "sweep-${name//[ =]/-}" "$1" fedwalk 0.6 "${@:3}"; then
		not_run "$1 sweeps" "$2" macro "$WHY"
		return
	fi
	cell "$1 sweeps" "$2" micro value="$(mean <<<"$MICRO")" \
		deviation="$(deviation <<<"$MICRO")" runs="$seeds"
	cell "$1 sweeps" "$2" messages value="$(fact messages_per_walk | xargs printf '%.3f')" \
		runs="$seeds"
	cell "$1 sweeps" "$2" macro value="$(mean <<<"$MACRO")" \
		deviation="$(deviation <<<"$MACRO")" runs="$seeds"
}

# ---- memory ----

scale() {
	note_peaks
	scaled 10000 80 '< 1024'
	$quick || scaled 100000 10 '< 24576'
}

# Measures a planted graph with n vertices and a mean degree of 20.
scaled() { # N GAMMA GOAL-MIB
	local set=$out/data/planted-$1
	! cell_known planted "n = $1" seconds || return 0
	[[ -e $set/edges.tsv ]] ||
		"$bin/coterie" synth --features 0 --nodes "$1" --clusters 20 --degree 20 --seed 1 \
		--out "$set" >/dev/null
	rm -f "$peaks"
	if ! run "planted-$1" "$set" configs/jobs/fedwalk.json 4 1 --set walks="$2"; then
		not_run planted "n = $1" seconds "$WHY"
		return
	fi
	with_goal planted "n = $1" 'coordinator MiB' "$(peak_of coordinator)" "$3" runs=1
	cell planted "n = $1" 'party MiB' value="$(peak_of party)" runs=1
	messages planted "n = $1"
	cell planted "n = $1" seconds \
		value="$(jq .elapsed_s "$RUN/coordinator/run.json" | xargs printf '%.4g')" runs=1 \
		note="gamma = $2"
}

render() { render_grid '{value} +- {deviation}'; }
