# table2 -- the accuracy of kCAGC over L and k^, of our methods beyond it, and of centralised AGC
# and GCC.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='accuracy: kCAGC and landmark by L and k^, b-kCAGC, gcc, AGC, GCC (cora, citeseer, wiki;
	pubmed if it has features)'

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

needs() { needs_data cora citeseer wiki; }

measure() {
	local set row L
	for set in cora citeseer wiki pubmed; do
		for row in $(pick k^=k k^=2k k^=4k k^=8k) b-kCAGC \
			$(pick k^=k k^=2k k^=4k k^=8k | sed 's/[^ ]*/landmark_&/g') gcc; do
			for L in $(pick 2 4 8 16); do
				one "$set" "${row/_/ }" "L=$L" federated_scores "$L"
			done
		done
		one "$set" AGC - agc_scores
		one "$set" GCC - gcc_scores
	done
	floors
}

one() { # SET ROW COLUMN COMMAND...
	local set=$1 row=$2 column=$3 job
	! cell_known "$set" "$row" "$column" || return 0
	case $row in
	landmark*) paper_cell table2 "$set" "${row#landmark }" "$column" ;; # the paper's kCAGC
	gcc) paper_cell table2 "$set" GCC - ;;                             # its centralised GCC
	*) paper_cell table2 "$set" "$row" "$column" ;;
	esac
	if ! compgen -G "$data/$set/features.*" >/dev/null; then
		not_run "$set" "$row" "$column" "$set's features are not there" paper="$PAPER" \
			paper_deviation="$PAPER_DEVIATION"
		return
	fi
	job=configs/jobs/kcagc-$set.json
	if "$4" "$set" "$job" "$row" "${@:5}"; then
		cell "$set" "$row" "$column" value="$(mean <<<"$ACC")" \
			deviation="$(deviation <<<"$ACC")" runs="$seeds" \
			paper="$PAPER" paper_deviation="$PAPER_DEVIATION"
	else
		not_run "$set" "$row" "$column" "$WHY" paper="$PAPER" \
			paper_deviation="$PAPER_DEVIATION"
	fi
}

# ---- goals for groups of cells, checked again in each call ----

floors() {
	local set
	local -A kcagc=([cora]=69.5 [citeseer]=68.2 [wiki]=54) \
		landmark=([cora]=73.5 [citeseer]=69.4 [wiki]=54.5)
	local -A least=([cora]=73 [citeseer]=68.8 [wiki]=53.5) \
		gcc=([cora]=74 [citeseer]=69 [wiki]=53)
	for set in cora citeseer wiki; do
		reach "$set" 'kCAGC: mean' mean k^= 16 "${kcagc[$set]}"
		reach "$set" 'landmark: mean' mean landmark 16 "${landmark[$set]}"
		reach "$set" 'landmark: least cell' least landmark 16 "${least[$set]}"
		reach "$set" 'gcc: least L' least gcc 4 "${gcc[$set]}"
		above "$set" 'kCAGC: cells of the paper above ours' k^= 16
		above "$set" 'landmark: cells of the paper above ours' landmark 16
	done
}

cells_of() { # SET ROW-PREFIX: prints a line with our value and the paper's for each cell
	awk -F , -v set="$1" -v row="$2" \
		'$1 == set && index($2, row) == 1 && $4 != "" { print $4, $8 }' "$csv"
}

reach() { # SET WHAT mean|least ROW-PREFIX CELLS FLOOR
	local values x
	values=$(cells_of "$1" "$4" | cut -d ' ' -f 1)
	[[ -n $values ]] || {
		not_run floors "$1 $2" - "no cell of it was measured" goal=">= $6" && return
	}
	[[ $3 == mean ]] && x=$(mean <<<"$values") || x=$(sort -g <<<"$values" | head -n 1)
	judge "$1 $2" "$x" "$(wc -l <<<"$values")" "$5" ">= $6"
}

above() { # SET WHAT ROW-PREFIX CELLS
	local values
	values=$(cells_of "$1" "$3")
	[[ -n $values ]] || {
		not_run floors "$1 $2" - "no cell of it was measured" goal="<= 0" && return
	}
	judge "$1 $2" "$(awk '$2 > $1 { n++ } END { print n + 0 }' <<<"$values")" \
		"$(wc -l <<<"$values")" "$4" "<= 0"
}

# A goal applies to a value from at least 5 seeds and all cells. Other values are shown without a
# verdict.
judge() { # WHAT VALUE CELLS ALL GOAL
	local met=-
	$quick || ((seeds < 5 || $3 < $4)) || met=$(verdict "$2" "x $5")
	cell floors "$1" - value="$2" goal="$5" verdict="$met" note="of $3 cells"
}

render() {
	local all=$csv
	printf '\nlandmark is compared with the paper'\''s kCAGC, and gcc with its centralised '\
'GCC.\n'
	csv=$out/$table.part
	grep -v '^floors,' "$all" >"$csv"
	render_beside
	render_grid '{value} +- {deviation} / {paper}'
	grep -E '^(set|floors),' "$all" >"$csv"
	render_list
	rm "$csv"
}
