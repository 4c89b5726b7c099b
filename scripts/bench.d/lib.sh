# lib.sh -- functions that the tables of scripts/bench share.
#
# scripts/bench.d/NAME.sh is the table NAME. scripts/bench sources it after this file, in a separate
# process. NAME.sh may define these; the defaults are defined here:
#
#     about          variable: one line, for scripts/bench --help
#     default_seeds  variable: runs per cell, 5; with --quick: quick_seeds, 1
#     option NAME VALUE   handles an option of this table; returns 1 if it does not know NAME
#     needs          calls fail if a tool or file that the table needs is missing; changes nothing
#     measure        measures the cells and writes each at once; if a cell cannot be measured, calls
#                    not_run and measures the others
#     render         prints the table as markdown, from its CSV; default: render_list
#
# It may use these variables and functions:
#
#     $table $quick (true, false) $seeds $data $out $csv $bin; $NET, the network of --net for runs
#
#     cell_known SET ROW COLUMN        true if --out has the cell already; then measure the next one
#     paper_cell table4 SET ROW COLUMN sets $PAPER, $PAPER_DEVIATION (empty: not in the paper)
#     run NAME DATA JOB L SEED [LAUNCH-ARG...]   sets $RUN, its directory; or fails and sets $WHY
#     verdict VALUE "x <= 0.5"         prints met or missed
#     cell SET ROW COLUMN [value=..] [deviation=..] [runs=..] [unit=..] [paper=..]
#          [paper_deviation=..] [bound=..] [goal=..] [verdict=..] [note=..]
#     not_run SET ROW COLUMN WHY
#     render_list          prints a line per cell
#     render_grid FORMAT   prints a table per set, ROW by COLUMN
#     render_when          prints day and commit of rows, if cells are from more than one call
#
# OUT/TABLE.when has the day and commit of each cell, "set,row,column,day,commit"; the last line of
# a cell is valid. OUT/TABLE.csv has the header below and one line per (set, row, column). Its
# verdict is met, missed, "-" (no goal) or "not run". A comma within a field becomes a semicolon.
# OUT/runs/TABLE has the runs. Long commands run in the foreground of this process, not in a command
# substitution, so that they end with this process. Functions therefore return results in variables.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used in the tables; set in scripts/bench, used here

fields=set,row,column,value,deviation,runs,unit,paper,paper_deviation,bound,goal,verdict,note

fail() { # TEXT: ends because the arguments are wrong or data are missing
	echo "bench: $1" >&2
	exit 4
}

about='' default_seeds=5 quick_seeds=1
option() { return 1; }
needs() { :; }
render() { render_list; }

# ---- data ----

# SET...: checks that these are data directories with features, a graph and labels.
needs_data() {
	local set file
	for set; do
		for file in features edges labels; do
			compgen -G "$data/$set/$file.*" >/dev/null ||
				fail "no $set/$file.* in $data; set COTERIE_DATA to a directory \
with $(tr ' ' ',' <<<"$*")"
		done
	done
}

# ---- cells ----

# True if the cell has a value, and its number of runs, if it has one, is at least $seeds. With
# NOTE, its note must begin with NOTE.
cell_known() { # SET ROW COLUMN [NOTE]
	[[ -e $csv ]] &&
		awk -F , -v set="${1//,/;}" -v row="${2//,/;}" -v column="${3//,/;}" -v \
		note="${4-}" -v seeds="$seeds" '
		$1 == set && $2 == row && $3 == column && $4 != "" && ($6 == "" || $6 >= seeds) &&
			index($13, note) == 1 { found = 1 }
		END { exit !found }' "$csv"
}

cell() { # SET ROW COLUMN [NAME=VALUE...]
	local -A f=([set]=$1 [row]=$2 [column]=$3 [verdict]=-)
	local argument name value line=''
	for argument in "${@:4}"; do
		name=${argument%%=*}
		[[ ,$fields, == *,"$name",* ]] ||
			{ echo "bench: $name is no field of a cell" >&2 && exit 5; }
		f[$name]=${argument#*=}
	done
	for name in ${fields//,/ }; do value=${f[$name]-} line+=,${value//,/;}; done
	line=${line//$'\n'/ }
	{
		echo "$fields"
		# Rows stay in the order of their first measurement.
		[[ ! -e $csv ]] || tail -n +2 "$csv"
		echo "${line#,}"
	} | awk -F , '{ key = $1 FS $2 FS $3; if (!(key in at)) at[key] = ++n; text[at[key]] = $0 }
		END { for (i = 1; i <= n; i++) print text[i] }' >"$csv.new"
	mv "$csv.new" "$csv"
	grep -qsxF -- "$where" "$out/$table.where" || echo "$where" >>"$out/$table.where"
	echo "${f[set]//,/;},${f[row]//,/;},${f[column]//,/;},${where%%,*},${where##*commit }" \
		>>"$out/$table.when"
	printf '%-9s %-10s %-34s %-6s %s%s%s%s%s%s\n' "$table" "${f[set]}" "${f[row]}" \
		"${f[column]}" \
		"${f[value]:-not run}${f[deviation]:+ +- ${f[deviation]}}\
${f[value]:+${f[unit]:+ ${f[unit]}}}" \
		"${f[paper]:+, the paper ${f[paper]}}\
${f[paper_deviation]:+ +- ${f[paper_deviation]}}" \
		"${f[bound]:+, bound ${f[bound]}}" "${f[goal]:+, goal ${f[goal]}}" \
		"$([[ ${f[verdict]} == - || ${f[verdict]} == "not run" ]] ||
		echo ": ${f[verdict]}")" \
		"${f[note]:+ (${f[note]})}"
}

not_run() { # SET ROW COLUMN WHY [NAME=VALUE...]
	cell "$1" "$2" "$3" verdict="not run" note="$4" "${@:5}"
}

verdict() { # VALUE CONDITION: the condition is an awk expression on x
	awk -v x="$1" "BEGIN { print ($2) ? \"met\" : \"missed\" }"
}

# Reads the paper's value from configs/paper/TABLE.csv: "set,row,column,mean,deviation".
paper_cell() { # TABLE SET ROW COLUMN
	IFS=, read -r PAPER PAPER_DEVIATION \
		< <(awk -F , -v OFS=, -v set="$2" -v row="$3" -v column="$4" '
		!/^#/ && $1 == set && $2 == row && $3 == column { print $4, $5; found = 1 }
		END { if (!found) print "," }' "configs/paper/$1.csv")
}

# ---- functions of numbers, one per line of standard input ----

mean() { awk '{ s += $1 } END { printf "%.2f", s / NR }'; }
# One run has no deviation.
deviation() { awk '{ s += $1; q += $1 * $1 } END { if (NR > 1) { v = (q - s * s / NR) / (NR - 1)
	printf "%.2f", sqrt(v > 0 ? v : 0) } }'; }
median() {
	sort -g |
		awk '{ v[NR] = $1 } END { printf "%.6g",
			NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# ---- runs ----

NET='' # empty, or a profile of scripts/launch --net
# Tables of which only labels matter set LAUNCH to `coterie run`, which is one process and gives
# the same labels.
LAUNCH=(scripts/launch)

# Prints the last reason in a run's output, without the remedy.
last_word() { # LOG
	local said
	said=$(grep -v 'the run ended with status' "$1" | grep -E '^[a-z0-9-]+: ' | tail -n 1) ||
		said=$(tail -n 1 "$1")
	cut -c 1-200 <<<"$said"
}

# Makes one federated run. If the network lab differs from its stated values or discards the run,
# repeats it, up to three runs.
run() { # NAME DATA JOB L SEED [LAUNCH-ARG...]
	local try status network
	RUN=$out/runs/$table/$1
	for ((try = 1; try <= 3; try++)); do
		rm -rf "$RUN"
		mkdir -p "$(dirname "$RUN")"
		status=0
		setpriv --pdeathsig TERM "${LAUNCH[@]}" --quiet --data "$2" --job "$3" --parties \
			"$4" --seed "$5" \
			--out "$RUN" ${NET:+--net "$NET"} "${@:6}" >"$RUN.log" 2>&1 </dev/null ||
			status=$?
		network=$RUN/network.json
		if [[ -z $NET || ! -e $network ]] ||
			jq -e '.discarded == false' "$network" >/dev/null; then
			((status)) || return 0
			WHY="status $status: $(last_word "$RUN.log")"
			echo "bench: $RUN failed: $WHY" >&2
			RUN_FAILED=true
			return 1
		fi
		echo "bench: $RUN was discarded, try $try of 3: $(last_word "$RUN.log")" >&2
	done
	WHY="discarded three times" RUN_FAILED=true
	return 1
}

# Makes all later runs use --net NAME, if one tiny run over it works; otherwise fails and sets WHY.
use_net() { # NAME
	NET=$1
	local tiny=$out/runs/$table/net-data
	mkdir -p "${tiny%/*}"
	"$bin/coterie" synth --nodes 60 --features 20 --clusters 3 --out "$tiny" >/dev/null
	echo '{ "kind": "kcagc", "clusters": 3, "filter": { "order": 2 } }' >"$tiny/job.json"
	run net-check "$tiny" "$tiny/job.json" 2 1 && return
	NET='' RUN_FAILED=false
	return 1
}

# Makes all later runs write the peak memory of each process to $out/runs/TABLE/peaks; see peak_of.
note_peaks() {
	local dir=$out/runs/$table/bin program
	mkdir -p "$dir"
	cc -std=gnu11 -D_GNU_SOURCE -O1 -o "$dir/peak" tests/tools/peak.c
	ln -sf "$(realpath "$bin")/coterie" "$dir/coterie"
	for program in coordinator party; do
		printf '#!/bin/bash\nexec %q %q %q "$@"\n' "$(realpath "$dir")/peak" \
			"$(realpath "$out/runs/$table")/peaks" "$(realpath "$bin")/$program" \
			>"$dir/$program"
		chmod +x "$dir/$program"
	done
	COTERIE_BIN=$(realpath "$dir")
	export COTERIE_BIN
	peaks=$out/runs/$table/peaks
}

peak_of() { # NAME: prints the largest peak memory of any process of this name, in MiB
	grep "$1" "$peaks" | sort -n | tail -n 1 | awk '{ printf "%.0f", $1 / 1024 }'
}

# ---- markdown ----

# FORMAT is the text of a cell, such as "{value} / {paper}". {NAME} is a field, and {ratio} is value
# / bound. Columns and rows are in the order of the CSV. A cell whose column is "-" is shown in the
# first column of its row.
render_grid() { # FORMAT
	[[ -e $csv ]] || return 0
	awk -F , -v format="$1" '
		function text(    i, s, value) {
			if ($12 == "not run")
				return "not run"
			s = format
			for (i = 1; i <= NF; i++) {
				value = $i == "" ? "-" : $i
				gsub(/&/, "\\\\&", value)
				gsub("[{]" name[i] "[}]", value, s)
			}
			gsub(/ [+]- -/, "", s) # no deviation
			gsub(/[{]ratio[}]/, $10 > 0 ? sprintf("%.2f", $4 / $10) : "-", s)
			return s ($12 == "missed" ? " **missed**" : "")
		}
		NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
		!($1 in sets) { sets[$1]; set[++S] = $1 }
		!(($1, $2) in rows) { rows[$1, $2]; row[$1, ++R[$1]] = $2 }
		$3 != "-" && !(($1, $3) in columns) { columns[$1, $3]; column[$1, ++C[$1]] = $3 }
		{ cell[$1, $2, $3] = text() }
		END {
			for (s = 1; s <= S; s++) {
				if (!C[set[s]]) { C[set[s]] = 1; column[set[s], 1] = "-" }
				head = "\n| " set[s] " |"
				line = "| --- |"
				for (c = 1; c <= C[set[s]]; c++) {
					head = head " " column[set[s], c] " |"
					line = line " --- |"
				}
				print head "\n" line
				for (r = 1; r <= R[set[s]]; r++) {
					at = row[set[s], r]
					out = "| " at " |"
					for (c = 1; c <= C[set[s]]; c++) {
						if (c == 1 && (set[s], at, "-") in cell)
							out = out " " cell[set[s], at, "-"] " |"
						else
							out = out " " cell[set[s], at,
							column[set[s], c]] " |"
					}
					print out
				}
			}
		}' "$csv"
}

# Prints a line per cell. Omits columns that are empty in all cells.
render_list() {
	[[ -e $csv ]] || return 0
	awk -F , '
		function put(i, s) { line = line (shown[i] ? " " s " |" : "") }
		function pm(value, deviation) {
		return value (deviation == "" ? "" : " +- " deviation) }
		FNR == 1 { next }
		NR == FNR {
			if ($3 != "-") shown[3] = 1
			if ($8 != "") shown[8] = 1
			if ($10 != "") shown[10] = 1
			if ($11 != "") shown[11] = 1
			if ($12 == "met" || $12 == "missed") shown[12] = 1
			if ($13 != "") shown[13] = 1
			next
		}
		FNR == 2 {
			shown[0] = 1
			line = "\n|"
			put(0, ""); put(0, "what"); put(3, ""); put(0, "measured");
			put(8, "the paper")
			put(10, "bound"); put(11, "goal"); put(12, ""); put(13, "")
			print line
			gsub(/^\n/, "", line); gsub(/[^|]+/, " --- ", line)
			print line
		}
		{
			line = "|"
			put(0, $1); put(0, $2); put(3, $3)
			put(0, $4 == "" ? "not run" : pm($4, $5) ($7 == "" ? "" : " " $7))
			put(8, pm($8, $9)); put(10, $10); put(11, $11)
			put(12, $12 == "missed" ? "**missed**" : $12 == "not run" ? "" : $12);
			put(13, $13)
			print line
		}' "$csv" "$csv"
}

# Prints a line for each day, such as "* 2026-01-02, commit 1a2b3c4: cora; wiki: tree, gcc". It
# lists the sets of that day. If the rows of a set are of several days, it also lists the rows of
# that day, except for the day of most rows.
render_when() {
	[[ -e $out/$table.when ]] || return 0
	awk -F , '
		NR == FNR { when[$1, $2, $3] = $4 ", commit " $5; next }
		FNR == 1 || $12 == "not run" || !(($1, $2, $3) in when) { next }
		{
			day = when[$1, $2, $3]
			if (!(day in known)) { known[day]; days[++n] = day }
			if (!((day, $1) in rows)) { set[day, ++many[day]] = $1; days_of[$1]++ }
			if ((day, $1, $2) in known) next
			known[day, $1, $2]
			rows[day, $1] = rows[day, $1] (rows[day, $1] == "" ? " " : ", ") $2
			if (++count[day, $1] > most[$1]) { most[$1] = count[day, $1];
			main[$1] = day }
		}
		END {
			if (n > 1) print ""
			for (i = 1; n > 1 && i <= n; i++) {
				line = ""
				for (j = 1; j <= many[days[i]]; j++) {
					name = set[days[i], j]
					line = line (j > 1 ? "; " : " ") name
					if (days_of[name] > 1)
						line = line (main[name] == days[i] ? \
							": the others" : \
							":" \
							rows[days[i], name])
				}
				print "* " days[i] ":" line
			}
		}' "$out/$table.when" "$csv"
}

# Prints "12 goals met, 3 missed, 4 cells not run (reason: number; ...)."
render_count() {
	[[ -e $csv ]] || return 0
	awk -F , 'NR > 1 { n[$12]++; if ($12 == "not run") why[$13]++ }
		END {
			printf "%d cells", NR - 1
			if (n["met"] + n["missed"]) printf "; goals: %d met, %d missed", n["met"],
			n["missed"]
			if (n["not run"]) {
				printf "; %d not run", n["not run"]
				for (w in why) { printf "%s%s", between ? "; " : " (", w;
				between = 1 }
				printf ")"
			}
			print "."
		}' "$csv"
}

machine() {
	local commit
	commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
	[[ -z $(git status --porcelain -uno 2>/dev/null) ]] || commit+=" with changes"
	echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
		"$(awk '/MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' \
		/proc/meminfo), Linux $(uname -r)," \
		"$(cc --version | head -n 1), commit $commit"
}
