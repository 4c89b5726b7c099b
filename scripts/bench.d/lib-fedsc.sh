# lib-fedsc.sh -- runs of FedSC, of federated k-means and of their baselines, on rows.
#
#     needs_points SET...      like needs_data, for data without a graph
#     few SET                  sets `seeds` to a number that is sufficient for a set of this size
#     job_of SET [ROW]         sets JOB, a job with the set's number of clusters
#     scores SET ROW NOISE P [LAUNCH-ARG...]
#                              sets ACC and NMI, a line for each seed; or fails and sets WHY
#     acc_of SET ROW P [LAUNCH-ARG...]
#                              sets VALUE and DEVIATION of ACC, on clean rows
#     put SET ROW COLUMN       writes cells "ROW ACC" and "ROW NMI" of the last scores, with the
#                              paper's values
#
# ROW is anchor, dense, paper, letter (configs/jobs/fedsc-paper.json) or "federated k-means", which
# run daemons; or k-means or SC, which run on pooled rows; or DSC, which clusters each party's rows
# separately and then matches the clusters; or "DSC as it is", which does not match them. NOISE is
# in standard deviations of the rows.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # results are read by the tables; what lib.sh and bench set

# Default number of parties in the tables.
P=8

declare -gA clusters_of=([iris]=3 [coil20]=20 [banknote]=2 [usps]=10 [orl]=40 [circles]=2)

needs_points() { # SET...
	local set file
	for set; do
		for file in features labels; do
			compgen -G "$data/$set/$file.*" >/dev/null ||
				fail "no $set/$file.* in $data; set COTERIE_DATA to a directory \
with $(tr ' ' ',' <<<"$*")"
		done
	done
}

# Sets `seeds`, which must be a local variable of the caller.
few() { # SET
	[[ $1 != usps ]] || ((seeds < 5)) || seeds=5
}

job_of() { # SET [ROW]
	local kind=fedsc
	[[ ${2-} != federated* ]] || kind=kmeans
	JOB=$out/runs/$table/jobs/$kind-$1.json
	mkdir -p "${JOB%/*}"
	if [[ ${2-} == letter ]]; then
		JOB=$out/runs/$table/jobs/letter-$1.json
		jq ".clusters = ${clusters_of[$1]}" configs/jobs/fedsc-paper.json >"$JOB"
	else
		echo "{ \"kind\": \"$kind\", \"clusters\": ${clusters_of[$1]} }" >"$JOB"
	fi
}

row_options() { # ROW
	case $1 in
	dense) echo "--set variant=dense" ;;
	paper) echo "--set variant=paper --allow fedsc.paper" ;;
	letter) echo "--allow fedsc.paper" ;;
	esac
}

scores() { # SET ROW NOISE P [LAUNCH-ARG...]
	ACC='' NMI=''
	case $2 in
	k-means) pooled_scores kmeans "$1" "$3" ;;
	SC) pooled_scores sc "$1" "$3" ;;
	DSC) pooled_scores dsc "$1" "$3" --parties "$4" ;;
	'DSC as it is') pooled_scores dsc "$1" "$3" --parties "$4" --unmatched ;;
	*) federated_scores "$@" ;;
	esac
}

add_scores() { # JSON
	ACC+=${ACC:+$'\n'}$(jq .acc <<<"$1")
	NMI+=${NMI:+$'\n'}$(jq .nmi <<<"$1")
}

federated_scores() { # SET ROW NOISE P [LAUNCH-ARG...]
	local seed options all name="$1/${2// /-}-noise$3-P$4"
	read -ra options <<<"$(row_options "$2")"
	[[ $3 == 0 ]] || options+=(--set noise.on=data --set "noise.beta=$3")
	(($4 > 1)) || options+=(--allow-single)
	name+=$(printf '%s' "${@:5}" | tr -d ' -' | sed 's/set//g')
	job_of "$1" "$2"
	for ((seed = 1; seed <= seeds; seed++)); do
		run "$name-seed$seed" "$data/$1" "$JOB" "$4" "$seed" "${options[@]}" "${@:5}" ||
			return 1
		all=$("$bin/coterie" eval --truth "$data/$1/labels.txt" \
			"$RUN"/party-*/labels.csv) ||
			{ WHY="no scores of $RUN" && return 1; }
		add_scores "$all"
	done
}

pooled_scores() { # COMMAND SET NOISE [ARG...]
	local seed all log=$out/runs/$table/$2-$1.log
	mkdir -p "${log%/*}"
	for ((seed = 1; seed <= seeds; seed++)); do
		all=$("$bin/coterie-lab" "$1" --data "$data/$2" --clusters "${clusters_of[$2]}" \
			--seed "$seed" \
			--noise "$3" "${@:4}" 2>"$log") ||
			{ WHY="coterie-lab $1: $(tail -n 1 "$log")" RUN_FAILED=true && return 1; }
		add_scores "$all"
	done
}

# Scores are fractions with four decimals, as in the paper.
mean4() { awk '{ s += $1 } END { printf "%.4f", s / NR }'; }
deviation4() { awk '{ s += $1; q += $1 * $1 } END { if (NR > 1) { v = (q - s * s / NR) / (NR - 1)
	printf "%.4f", sqrt(v > 0 ? v : 0) } }'; }

# Prints the row of the paper's table with which our row is compared.
paper_row() { # ROW
	case $1 in
	anchor | dense | paper) echo FedSC ;;
	federated*) echo k-means ;;
	DSC*) echo DSC ;;
	*) echo "$1" ;;
	esac
}

put() { # SET ROW COLUMN [GOAL]: the goal is for ACC
	local met=-
	paper_cell fedsc "$1" "$(paper_row "$2") ACC" "$3"
	[[ -z ${4-} ]] || $quick || ((seeds < 3)) || met=$(verdict "$(mean4 <<<"$ACC")" "x $4")
	cell "$1" "$2 ACC" "$3" value="$(mean4 <<<"$ACC")" deviation="$(deviation4 <<<"$ACC")" \
		runs="$seeds" \
		paper="$PAPER" paper_deviation="$PAPER_DEVIATION" goal="${4-}" verdict="$met"
	paper_cell fedsc "$1" "$(paper_row "$2") NMI" "$3"
	cell "$1" "$2 NMI" "$3" value="$(mean4 <<<"$NMI")" deviation="$(deviation4 <<<"$NMI")" \
		runs="$seeds" \
		paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
}

# Sets VALUE and DEVIATION of ACC. The cell of Table 1 has them for clean rows that are distributed
# to $P parties at random. If this cell exists, takes them from the cell, since the runs would be
# the same.
acc_of() { # SET ROW P [LAUNCH-ARG...]
	if (($3 == P && $# == 3)) && cell_known "$1" "$2 ACC" noise=0; then
		VALUE=$(value_of "$1" "$2 ACC" noise=0) DEVIATION=$(value_of "$1" "$2 ACC" noise=0 \
			5)
		return
	fi
	scores "$1" "$2" 0 "${@:3}" || return 1
	VALUE=$(mean4 <<<"$ACC") DEVIATION=$(deviation4 <<<"$ACC")
}

value_of() { # SET ROW COLUMN [FIELD]: prints a cell's value, if it exists
	[[ ! -e $csv ]] || awk -F , -v set="$1" -v row="$2" -v column="$3" -v field="${4-4}" \
		'$1 == set && $2 == row && $3 == column { print $field }' "$csv"
}
