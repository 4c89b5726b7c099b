#!/bin/bash
# Tests coterie predict. The model of a run over rows gives the run's rows their labels again, and
# gives new rows labels too.
#
#     data/       117 of 150 rows at three parties     run  ->  $T/out/party-NN/model.rows
#     new/        the other 33
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

OLD=117

# Makes six columns in three clouds; the fourth column has another unit. Columns have names, and
# rows have unsorted ids.
old_and_new() { # [UNIT]: unit of the fourth column
	local name
	rows_federation 3
	rm -r "$T/data"
	for name in $(names 3) new; do
		mkdir -p "$T/data/$name"
		jq -n '{ columns: [range(6) | { name: "c\(.)", type: "number" }] }' \
			>"$T/data/$name/columns.json"
	done
	awk -v dir="$T/data" -v old=$OLD -v unit="${1-1000}" -v OFS=, 'BEGIN {
		srand(5)
		for (i = 0; i < 150; i++) {
			name = i < old ? "party-0" int(i / 3) % 3 : "new"
			for (j = 1; j <= 6; j++)
				$j = 3 * ((i % 3 + 1) * j % 4) + rand() + rand() + rand() + rand()
			$4 *= unit
			print > (dir "/" name "/features.csv")
			print i % 3 > (dir "/" name "/labels.txt")
		}
	}'
	for name in $(names 3); do
		seq -f 'r%03.0f' 39 |
			shuf --random-source="$T/data/new/features.csv" >"$T/data/$name/ids.txt"
		edit "$name" ".data = { features: \"data/$name/features.csv\", ids: \
\"data/$name/ids.txt\" }"
	done
}

runs() {
	rm -rf "$T/out"
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
}

predicts() { # NAME DATA: labels the rows of $T/data/DATA with NAME's model, in $T/placed
	rm -rf "$T/placed"
	"$BIN/coterie" predict --model "$T/out/$1/model.rows" --data "$T/data/$2" --out \
		"$T/placed" >"$T/said" 2>&1 || fail "$1, $2: $(<"$T/said")"
}

# A party's own model gives its rows the labels of the run. Each model gives new rows the labels of
# the planted clouds.
comes_back() { # WHAT [COLUMNS]: compares these COLUMNS of labels.csv, by default all
	local name
	for name in $(names 3); do
		[[ $(stat -c %a "$T/out/$name/model.rows") == 600 ]] ||
			fail "$1: the mode of $name's model"
		predicts "$name" "$name"
		cmp <(cut -d, -f"${2:-1-}" "$T/out/$name/labels.csv") \
			<(cut -d, -f"${2:-1-}" "$T/placed/labels.csv") ||
			fail "$1: other labels at $name"
		cmp "$T/out/$name/labels.npy" "$T/placed/labels.npy" ||
			fail "$1: another labels.npy at $name"
		predicts "$name" new
		[[ $(jq .acc "$T/said") == 1 ]] ||
			fail "$1: new rows at $name: $(jq -c . "$T/said")"
	done
}

confident() { # WHAT: each row has a confidence from 0 to 1
	awk -F, 'NR == 1 ? $3 != "confidence" : !($3 >= 0 && $3 <= 1) { wrong++ }
		END { exit wrong || NR != 40 }' "$T/out/party-01/labels.csv" ||
		fail "$1: $(head -n 3 "$T/out/party-01/labels.csv")"
	[[ $(run_of party-01 '.facts.confidence_tenths | length, (add * 1000 | round)' |
		xargs) == "10 1000" ]] || fail "$1: $(run_of party-01 .facts)"
	at_least "$(run_of party-01 .facts.confidence)" .4 "$1: confidence in run.json"
	at_least \
		"$(awk -F, 'NR > 1 { s += $3 } END { print s / (NR - 1) }' \
		"$T/out/party-01/labels.csv")" .4 "$1: confidence of clouds that lie apart"
}

test_same_labels() {
	local how
	old_and_new
	for how in joint local; do
		rows_job kmeans ".standardize = \"$how\""
		runs
		comes_back "kmeans, $how"
		confident "kmeans, $how"
	done
	"$BIN/coterie" show "$T/out" | grep -Eq '^confidence at party-01: 0\.[0-9]{3} \(0: ' ||
		fail "show has no confidence: $("$BIN/coterie" show "$T/out")"
	"$BIN/coterie" report "$T/out" --out "$T/page.html" >/dev/null
	[[ $(grep -o '"confidence_tenths":\[' "$T/page.html" | wc -l) == 3 ]] ||
		fail "the report has no confidence of three parties"
	rows_job anchor '.standardize = "joint" | .clusters = { from: 2, to: 5 }'
	runs
	comes_back anchor
	confident anchor
	cmp "$T/out/party-00/model.rows" "$T/out/party-02/model.rows" ||
		fail "parties have other models of what all were told"
}

test_units_as_they_are() {
	old_and_new 1
	rows_job kmeans
	runs
	comes_back kmeans
	confident kmeans
	rows_job kmeans '.noise = { on: "sums", eps: 100, delta: 1e-5, clip: 30 } | .iterations = 7'
	runs
	comes_back "noise in sums" 1,2
}

# A process with only party-00's model gives party-02's rows the same labels, because both models
# are equal.
test_another_party() {
	old_and_new
	rows_job kmeans '.standardize = "joint"'
	runs
	predicts party-00 party-02
	cmp "$T/out/party-02/labels.csv" "$T/placed/labels.csv" || fail "other labels"
}

refuses() { # STATUS WORDS [OPTION...]
	local status=0
	"$BIN/coterie" predict "${@:3}" >"$T/said" 2>&1 || status=$?
	((status == $1)) || fail "status $status, expected $1: $(<"$T/said")"
	grep -qF -- "$2" "$T/said" || fail "says $(<"$T/said"), expected $2"
}

test_refused() {
	old_and_new
	rows_job dense
	runs
	[[ ! -e $T/out/party-00/model.rows ]] || fail "variant dense left a model"
	rows_job kmeans '.standardize = "joint"'
	runs
	local model=$T/out/party-00/model.rows size
	size=$(stat -c %s "$model")
	refuses 4 "--model and --data are needed" --model "$model"
	sed -i 's/"c3"/"income"/' "$T/data/new/columns.json"
	refuses 4 'column 3 (from 0) is named "income", in the run it was "c3"' --model "$model" \
		--data "$T/data/new"
	rm "$T/data/new/columns.json"
	cut -d, -f1-5 "$T/data/new/features.csv" >"$T/x" && mv "$T/x" "$T/data/new/features.csv"
	refuses 4 "the rows have 5 columns, those of the run had 6" --model "$model" --data \
		"$T/data/new"
	head -c 100 "$model" >"$T/cut"
	refuses 4 "$T/cut: damaged or cut off: its checksum is not that of its 100 bytes" --model \
		"$T/cut" --data "$T/data/new"
	{
		head -c $((size / 2)) "$model" && printf '\x55' &&
			tail -c +$((size / 2 + 2)) "$model"
	} >"$T/cut"
	refuses 4 "its checksum is not that of its $size bytes" --model "$T/cut" --data \
		"$T/data/new"
	refuses 4 "does not begin like a model of rows" --model "$T/out/party-00/labels.npy" \
		--data "$T/data/new"
}

sample test_same_labels test_refused
run_tests "$@"
