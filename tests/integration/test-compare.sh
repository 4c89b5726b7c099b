#!/bin/bash
# Tests coterie compare on two runs of one data set, which differ in a parameter.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

launch() { # OUT JOB-PROGRAM
	jq -n '{ kind: "kcagc", method: "tree", clusters: 3, filter: { order: 3 },
		starts: 8, restarts: 4, seed: 7 } | '"$2" >"$T/job.json"
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/data" --job "$T/job.json" --parties 3 \
		--out "$1" --quiet ||
		fail "the run ended with status $?"
	"$BIN/coterie" report "$1" -o "$T/report.html" --truth "$T/data/labels.txt" >/dev/null
}

test_two_runs() {
	local width
	"$BIN/coterie" synth --nodes 150 --features 36 --clusters 3 --signal 0.8 --homophily 0.9 \
		--seed 5 --out "$T/data" >/dev/null
	launch "$T/one" .
	launch "$T/two" '.filter.order = 5 | .seed = 8'
	(cd "$T" && "$BIN/coterie" compare one two -o page.html --csv all.csv) >"$T/said" ||
		fail "status $?"
	[[ $(wc -l <"$T/all.csv") == 3 ]] || fail "not a line for each run"
	# The accuracy in the table is that of run.json.
	[[ $(awk -F, 'NR == 3 { print $(NF - 4) }' "$T/all.csv") == $(jq .evaluation.acc \
		"$T/two/coordinator/run.json") ]] ||
		[[ $(awk -F, 'NR == 3 { printf "%.12g", $(NF - 4) }' \
		"$T/all.csv") == $(jq -r .evaluation.acc "$T/two/coordinator/run.json" |
		awk '{ printf "%.12g", $1 }') ]] ||
		fail "another accuracy: $(cat "$T/all.csv")"
	# The page has the agreement of labels that eval prints, the jobs, and their differences.
	sed -n 's|^<script type="application/json" id="data">\(.*\)</script>$|\1|p' "$T/page.html" \
		>"$T/page.json"
	[[ $(jq '.runs[1] | .agreement.ari, .values.agreement' "$T/page.json" |
		uniq) == $("$BIN/coterie" eval --truth \
		"$T/one/party-00/labels.csv" "$T/two/party-00/labels.csv" | jq .ari) ]] ||
		fail "agreement: $(jq -c '.runs[1].agreement' "$T/page.json")"
	[[ $(jq \
		-c '[.runs[0].values.agreement, (.runs[]
			| .job.filter.order), ([.runs[1].agreement.confusion[][]]
			| add)]' "$T/page.json") == "[null,3,5,150]" ]] ||
		fail "the page has $(jq -c .runs "$T/page.json")"
	awk -F, 'NR == 2 && $NF != "" || NR == 3 && $NF == "" { exit 1 }' "$T/all.csv" ||
		fail "agreement: $(cat "$T/all.csv")"
	grep -q "default-src 'none'" "$T/page.html" || fail "without a policy"
	for width in 40 80; do
		(cd "$T" && COLUMNS=$width "$BIN/coterie" compare one two) |
			awk -v w=$width 'length > w { exit 1 }' || fail "lines longer than $width"
	done
}

test_wrong_use() {
	local status=0
	mkdir "$T/empty"
	"$BIN/coterie" compare "$T/empty" 2>"$T/one.stderr" || status=$?
	((status == 4)) || fail "status $status"
	says one 'two runs or more are needed'
	"$BIN/coterie" compare "$T/empty" "$T/empty" 2>"$T/two.stderr" && fail "nothing to compare"
	says two 'empty/run.json: No such file'
}

run_tests "$@"
