# quick -- checks that earlier results still hold: mean accuracies, three running times, memory,
# kernels.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='accuracy, time, memory and the masked sum against their goals; --only SECTION,... for some'
only=accuracy,time,sum,memory

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

option() {
	[[ $1 == only ]] || return 1
	only=$2
	local section
	for section in ${only//,/ }; do
		[[ $section =~ ^(accuracy|time|sum|memory)$ ]] ||
			fail "--only: $section is no section; expected accuracy, time, sum, memory"
	done
}

needs() { needs_data cora citeseer wiki; }

measure() {
	local section
	for section in ${only//,/ }; do "measure_$section"; done
}

# A goal applies to the mean over at least 5 seeds and all L. Other means are shown without a
# verdict.
against() { # SECTION WHAT VALUES GOAL CONDITION
	local m met=-
	m=$(mean <<<"$3")
	$quick || ((seeds < 5)) || met=$(verdict "$m" "$5")
	cell "$1" "$2" - value="$m" deviation="$(deviation <<<"$3")" runs="$(wc -l <<<"$3")" \
		goal="$4" verdict="$met"
}

# Measures ACC in percent over seeds, with a different split for each seed. Runs in one process,
# which gives the same labels as daemons.
measure_accuracy() {
	local LAUNCH=("$bin/coterie" run)
	local set L row all
	local -A agc=([cora]="68.17 +- 0.05" [citeseer]="68.39 +- 0.05" [wiki]=">= 44")
	local -A agc_met=([cora]="x >= 68.12 && x <= 68.22" [citeseer]="x >= 68.34 && x <= 68.44"
		[wiki]="x >= 44")
	local -A basic=([cora]=68 [citeseer]=67 [wiki]=54) \
		tree=([cora]=69.5 [citeseer]=68 [wiki]=54)
	for set in cora citeseer wiki; do
		one_accuracy "$set" "$set AGC centralised" "${agc[$set]}" "${agc_met[$set]}" \
			agc_scores AGC
		for L in $(pick 2 4 8 16); do
			one_accuracy "$set" "$set b-kCAGC L=$L" ">= ${basic[$set]}" \
				"x >= ${basic[$set]}" \
				federated_scores b-kCAGC "$L"
		done
		for row in k^=k k^=2k; do
			mean_over_L "$set" "$set kCAGC $row mean over L" ">= ${tree[$set]}" \
				"x >= ${tree[$set]}" "$row"
		done
	done
}

one_accuracy() { # SET WHAT GOAL CONDITION COMMAND ROW [ARG...]
	! cell_known accuracy "$2" - || return 0
	if "$5" "$1" "configs/jobs/kcagc-$1.json" "${@:6}"; then
		against accuracy "$2" "$ACC" "$3" "$4"
	else
		not_run accuracy "$2" - "$WHY" goal="$3"
	fi
}

mean_over_L() { # SET WHAT GOAL CONDITION ROW [LAUNCH-ARG...]
	one_accuracy "$1" "$2" "$3" "$4" all_L "$5" "${@:6}"
}

all_L() { # SET JOB ROW [LAUNCH-ARG...]
	local L all=''
	for L in $(pick 2 4 8 16); do
		federated_scores "$1" "$2" "$3" "$L" "${@:4}" || return 1
		all+=${all:+$'\n'}$ACC
	done
	ACC=$all
}

# Runs over loopback, so that no network lab is needed.
measure_time() {
	one_time cora 2 k 0.5
	one_time cora 16 2k 5
	one_time wiki 16 8k 90
}

one_time() { # SET L k^ GOAL
	local s what="$1 L=$2 k^=$3 over loopback"
	! cell_known time "$what" - || return 0
	paper_cell table4 "$1" "k^=$3" "L=$2"
	times "$1" "k^=$3" "$2" || { not_run time "$what" - "$WHY" && return; }
	s=$(median <<<"$SECONDS_EACH")
	cell time "$what" - value="$(printf '%.2f' "$s")" runs="$seeds" unit=s paper="$PAPER" \
		goal="<= $4 s" \
		verdict="$(verdict "$s" "x <= $4")"
}

# Runs make bench. Its output stays in bench.txt, for render(); the cell has the number of lines.
measure_sum() {
	! cell_known sum "make bench" - || return 0
	make -s bench >"$out/bench.txt" ||
		{ not_run sum "make bench" - "make bench failed" && return; }
	cat "$out/bench.txt"
	cell sum "make bench" - value="$(wc -l <"$out/bench.txt")" unit="lines below"
}

measure_memory() {
	local set=wiki L rows columns bound what
	note_peaks
	read -r rows columns <<<"$(head -c 200 "$data/$set/features.npy" | tr -dc '[:print:]' |
		sed -n "s/.*'shape': (\([0-9]*\), \([0-9]*\)).*/\1 \2/p")"
	for L in 2 16; do
		what="$set L=$L b-kCAGC: largest party"
		! cell_known memory "$what" - || continue
		rm -f "$peaks"
		run "memory-L$L" "$data/$set" "configs/jobs/kcagc-$set.json" "$L" 1 --set \
			method=basic ||
			{ not_run memory "$what" - "$WHY" && continue; }
		bound=$((rows * ((columns + L - 1) / L) * 8 * 3 / 1048576 + 200))
		limit "$what" party "<= $bound MiB" "x <= $bound"
		# bound: size of all parties' distances to the centres of all starts. The
		# coordinator must stay below it, so it cannot store them all at once.
		bound=$(jq ".job | $L * $rows * .clusters * .starts * 8 / 1048576 | floor" \
			"$RUN/coordinator/run.json")
		((L < 16)) ||
			limit "$set L=$L b-kCAGC: coordinator" coordinator \
			"< $bound MiB: all vectors" "x < $bound"
	done
}

limit() { # WHAT PROCESS GOAL CONDITION
	local peak
	peak=$(peak_of "$2")
	cell memory "$1" - value="$peak" unit=MiB goal="$3" verdict="$(verdict "$peak" "$4")"
}

render() {
	render_list
	render_when
	[[ ! -s $out/bench.txt ]] ||
		printf '\nThe masked sum and the kernels (`make bench`):\n\n```\n%s\n```\n' \
		"$(<"$out/bench.txt")"
}
