#!/bin/bash
# test-report.sh -- coterie report: of real runs, of damaged and hostile ones, in a real browser.
source "${BASH_SOURCE[0]%/*}/lib.sh"

# A run of three parties into $T/run, its data in $T/data (150 rows, three classes).
launch() { # [LAUNCH-OPTION...]
	"$BIN/coterie" synth --nodes 150 --features 36 --clusters 3 --signal 0.8 --homophily 0.9 --seed 5 \
		--out "$T/data" >/dev/null
	echo '{ "kind": "kcagc", "clusters": 3, "filter": { "order": 3 }, "starts": 8, "restarts": 4 }' >"$T/job.json"
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/data" --job "$T/job.json" --parties 3 --seed 7 \
		--out "$T/run" --quiet "$@" || fail "the run ended with status $?"
}

report() { # ARG...: must succeed
	"$BIN/coterie" report "$@" >"$T/said" 2>&1 || fail "report $*: exit $?: $(<"$T/said")"
}

refuses() { # TEXT ARG...: exit 4, saying so, and no file is left
	local status=0
	"$BIN/coterie" report "${@:2}" -o "$T/none.html" >"$T/said" 2>&1 || status=$?
	((status == 4)) || fail "report ${*:2}: exit $status, expected 4: $(<"$T/said")"
	grep -q -- "$1" "$T/said" || fail "report ${*:2} does not say '$1': $(<"$T/said")"
	[[ -z $(find "$T" -maxdepth 1 -name '*none.html*') ]] || fail "report ${*:2} left a file"
}

has() { # PAGE TEXT...
	local text
	for text in "${@:2}"; do grep -qF -- "$text" "$1" || fail "${1##*/} does not have '$text'"; done
}

lacks() { # PAGE TEXT...
	local text
	for text in "${@:2}"; do ! grep -qF -- "$text" "$1" || fail "${1##*/} has '$text'"; done
}

count() { # PAGE TEXT: how often
	grep -oF -- "$2" "$1" | wc -l
}

# Each number that the page shows is one of run.json or network.json, or a sum over traffic there.
numbers_are_recorded() { # PAGE RUN.JSON...
	local odd
	odd=$(grep -oE '(data value|data-v)="[^"]*"' "$1" | sed 's/.*="//; s/"//' | tr ' ' '\n' | sort -u |
		jq -rR --slurpfile runs <(cat "${@:2}") '
			def sums: [group_by(.peer)[], .] | map(. as $t
				| ([$t[].bytes_sent] | add), ([$t[].bytes_received] | add),
				  ([$t[].messages_sent] | add), ([$t[].messages_received] | add),
				  ([$t[] | .bytes_sent, .bytes_received] | add));
			([$runs[] | .. | numbers] + [$runs[] | .traffic // [] | sums[]] | map({ (tostring): 1 }) | add)
				as $known | select($known[tonumber | tostring] | not)')
	[[ -z $odd ]] || fail "numbers in ${1##*/} that are not in run.json: $(echo "$odd" | head -n 5 | tr '\n' ' ')"
	(($(grep -oE '(data value|data-v)=' "$1" | wc -l) > 100)) || fail "hardly any number in ${1##*/}"
}

self_contained() { # PAGE
	has "$1" "default-src 'none'; style-src"
	lacks "$1" "<script" "src=" "url(" "http:" "https:" "@import" "<link" "<iframe"
}

test_whole_run() {
	launch --keep-data
	local run=$T/run page=$T/run/report.html f before
	before=$(sha256sum "$run"/*/run.json)
	report "$run" --no-record --truth "$T/data/labels.txt"
	[[ $(<"$T/said") == "report: $page" ]] || fail "says: $(<"$T/said")"
	[[ $(sha256sum "$run"/*/run.json) == "$before" ]] || fail "--no-record has changed a run.json"
	report "$run" --truth "$T/data/labels.txt"
	self_contained "$page"
	lacks "$page" "Missing parts"
	has "$page" "150</data> rows" "3</data> clusters" "3 parties" 'id="leaks"' 'id="trips"' 'id="sizes"'
	numbers_are_recorded "$page" "$run"/*/run.json
	(($(count "$page" 'class="cell') == 9)) || fail "$(count "$page" 'class="cell') confusion cells, expected 9"
	# The evaluation is that of eval, and the matrix counts every row once.
	f=$run/coordinator/run.json
	for key in acc nmi ari f1; do
		[[ $(jq ".evaluation.$key" "$f") == $("$BIN/coterie" eval --truth "$T/data/labels.txt" \
			"$run/party-00/labels.csv" | jq ".$key") ]] || fail "evaluation.$key is not what eval says"
	done
	[[ $(jq '[.evaluation.confusion[][]] | add' "$f") == 150 ]] || fail "the confusion matrix does not count 150 rows"
	[[ $(jq '.evaluation | (.confusion | [.[0][0], .[1][1], .[2][2]] | add) == (.rows * .acc | round)' "$f") == true ]] ||
		fail "the diagonal is not the best match"
	"$BIN/coterie" show "$run" >/dev/null || fail "show cannot read what report has written"
	# Without the truth the page shows what was recorded.
	report "$run" -o "$T/again.html"
	has "$T/again.html" 'id="confusion"'
}

test_party() {
	launch --keep-data
	local dir=$T/run/party-01 page=$T/p.html
	report "$dir" -o "$page"
	self_contained "$page"
	(($(count "$page" 'class="pt"') == 150)) || fail "$(count "$page" 'class="pt"') points, expected 150"
	(($(count "$page" 'class="lane"') <= 2)) || fail "lanes of others in a party's own report"
	(($(sed -n '/id="processes"/,/<\/table>/p' "$page" | grep -c '<tr><th scope="row">') == 1)) ||
		fail "processes in a party's own report that it knows nothing of"
	[[ $(jq -r '.picture | "\(.method) \(.points)"' "$dir/run.json") == "PCA 150" ]] || fail "the picture is not recorded"
	numbers_are_recorded "$page" "$dir/run.json"
	report "$dir" -o "$page" --points "$T/points.npy" --no-record
	[[ $(stat -c %a "$T/points.npy") == 600 ]] || fail "the points are for others to read"
	# A layout of 150 x 2 random numbers.
	{
		printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<u2', 'fortran_order': False, 'shape': (150, 2), }"
		head -c 600 /dev/urandom
	} >"$T/plane.npy"
	report "$dir" -o "$page" --layout "<Way>=$T/plane.npy"
	has "$page" ", by &lt;Way&gt;." "Laid out by &lt;Way&gt; outside"
	(($(count "$page" 'class="pt"') == 150)) || fail "$(count "$page" 'class="pt"') points laid out, expected 150"
	[[ $(jq -r '.picture | "\(.method) \(.points) \(has("share"))"' "$dir/run.json") == "<Way> 150 false" ]] ||
		fail "the layout is not recorded: $(jq -c .picture "$dir/run.json")"
	report "$T/run" -o "$page" --data "$T/data" --no-record
	(($(count "$page" 'class="pt"') == 150)) || fail "no picture of the pooled points"
	report "$dir" -o "$page" --config "$T/run/work/party-01.json" --no-record
	(($(count "$page" 'class="pt"') == 150)) || fail "no picture by the configuration"
	# run.json keeps its mode; the data may be gone.
	chmod 600 "$dir/run.json"
	rm -r "$T/run/work"
	report "$dir" -o "$page" --truth "$T/data/labels.txt"
	[[ $(stat -c %a "$dir/run.json" "$page" | uniq) == 600 ]] ||
		fail "run.json was 600; it and the page are now $(stat -c %a "$dir/run.json" "$page" | tr "\n" " ")"
	has "$page" "Missing parts" "picture of the points"
	lacks "$page" 'class="pt"'
}

test_damaged() {
	launch
	local run=$T/run page=$T/page.html key each=1
	cp -r "$run" "$T/whole"
	# Of one party nothing, of one the beginning, of one another version.
	rm "$run/party-00/run.json"
	head -c 5000 "$T/whole/party-01/run.json" >"$run/party-01/run.json"
	jq '.schema_version = 2' "$T/whole/party-02/run.json" >"$run/party-02/run.json"
	report "$run" -o "$page"
	has "$page" "Missing parts" "<b>party-00</b>: left no run.json" \
		"<b>party-01</b>: its run.json is cut off" \
		"<b>party-02</b>: its run.json is not of schema_version 1"
	(($(count "$page" 'class="lane"') >= 3)) || fail "$(count "$page" 'class="lane"') lanes, expected those that are there"
	# What is not sound is not written again.
	report "$run/party-02" -o "$page" --truth "$T/data/labels.txt"
	has "$page" "which is left as it is"
	[[ $(jq .evaluation "$run/party-02/run.json") == null ]] || fail "a run.json of another version was written"
	# A party's directory is gone; then the coordinator's.
	rm -r "$run/party-00"
	report "$run" -o "$page"
	has "$page" "<b>party-00</b>: nothing of it is below"
	rm -r "$run/coordinator"
	report "$run" -o "$page"
	has "$page" "<b>coordinator</b>: nothing of it is below" 'class="link"'
	# One of another run.
	rm -r "$run" && cp -r "$T/whole" "$run"
	jq '.job_id = "00"' "$T/whole/party-02/run.json" >"$run/party-02/run.json"
	report "$run" -o "$page"
	has "$page" "<b>party-02</b>: its run.json is of another job"
	# Clocks that cannot be.
	jq '.started = "2031-01-01T00:00:00.000Z"' "$T/whole/party-01/run.json" >"$run/party-01/run.json"
	report "$run" -o "$page"
	has "$page" "The clock of party-01 does not fit"
	# Each key is missing once and of another type once; in a sample every fourth key.
	[[ ! ${COTERIE_SAMPLE-} ]] || each=4
	for key in $(jq -r 'keys[]' "$T/whole/coordinator/run.json" | sed -n "1~${each}p"); do
		jq "del(.$key)" "$T/whole/coordinator/run.json" >"$run/coordinator/run.json"
		report "$run" -o "$page"
		jq ".$key = [{ \"a\": [1e300, -1, null] }, \"x\"]" "$T/whole/coordinator/run.json" >"$run/coordinator/run.json"
		report "$run" -o "$page"
	done
	# Every length.
	for n in 1 10 100 600 2000 4000 6000; do
		head -c "$n" "$T/whole/coordinator/run.json" >"$run/coordinator/run.json"
		report "$run" -o "$page"
	done
}

test_refused() {
	mkdir "$T/empty" "$T/bad" "$T/bad/coordinator"
	refuses "No such file" "$T/nowhere"
	refuses "No such file" "$T/empty"
	echo '{ "schema_version": NaN }' >"$T/bad/coordinator/run.json"
	refuses "no run.json can be read" "$T/bad"
	echo '[]' >"$T/bad/coordinator/run.json"
	refuses "no run.json can be read" "$T/bad"
	refuses "directory is missing"
	echo '{ "schema_version": 1, "role": "coordinator" }' >"$T/bad/coordinator/run.json"
	refuses "exclude each other" "$T/bad" --data "$T" --config "$T/x.json"
	refuses "none.txt: No such file" "$T/bad" --truth "$T/none.txt"
	refuses "report(PROCESS, tsne=True)" "$T/bad" --tsne
	refuses "expected NAME=FILE" "$T/bad" --layout "$T/plane.npy"
	refuses "expected NAME=FILE" "$T/bad" --layout "=$T/plane.npy"
	refuses "expected NAME=FILE" "$T/bad" --layout "x="
	refuses "NAME of 1 to 40 bytes" "$T/bad" --layout "$(printf 'x%.0s' {1..41})=plane.npy"
	refuses "" "$T/bad" --points "$T/points.npy"
	report "$T/bad" -o "$T/page.html"
	has "$T/page.html" "Missing parts"
	"$BIN/coterie" report "$T/bad" -o "$T/no/such/page.html" 2>/dev/null && fail "wrote where it cannot"
	[[ ! -e $T/no ]] || fail "made a directory"
}

# Names and texts that would be markup, and numbers that cannot be, in all places.
hostile() { # DIR: made of the run
	local evil='</title></style></svg><script>hurt=1</script><img src=x onerror=hurt=1>"&'\'
	evil+=$'\u202e'$(printf 'w%.0s' {1..300})
	cp -r "$T/run" "$1"
	for f in "$1"/*/run.json; do
		jq --arg evil "$evil" '
			def spoil: walk(if type == "string" and length < 200 and (test("^[0-9]{4}-|^(coordinator|party)$") | not)
				then $evil + . else . end);
			.role as $role | .job_id as $id | spoil | .role = $role | .job_id = $id
			| .elapsed_s *= 1e13 | .phases[1].start_s = 1e300 | .phases[2].wait_s = -5 | .steps[3].wire_s = 1e14
			| .facts = { ($evil): $evil, ("b" * 300): 2, list: [1e300, -1, $evil] }
			| .traffic[0].bytes_sent = 1e15' "$f" >"$f.new" && mv "$f.new" "$f"
	done
	jq -n --arg evil "$evil" '{ network: $evil, ($evil): { ($evil): [1, -1, 1e300, $evil] } }' >"$1/network.json"
}

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

chrome() { # ARG...: headless, a profile of its own
	# Its own sandbox needs what containers do not have; it opens nothing but files of this test.
	timeout $((PATIENCE * 60)) "$(browser)" --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
		--user-data-dir="$T/profile" "$@" 2>>"$T/chrome.stderr"
}

# What the checker says of each page at each width, a line of JSON each.
look() { # PAGE...
	local page width
	{
		cat <<-'END'
			<!DOCTYPE html><body><pre id="said"></pre><script>addEventListener("message", (m) => {
			document.getElementById("said").textContent += JSON.stringify(m.data) + "\n"; });</script>
		END
		for page in "$@"; do
			{
				grep -v 'http-equiv="Content-Security-Policy"' "$page"
				echo "<script>$(<"$ROOT/tests/tools/report-check.js")</script>"
			} >"$T/look-${page##*/}"
			for width in 390 1280; do
				echo "<iframe src=\"look-${page##*/}\" style=\"width:${width}px;height:900px;border:0\"></iframe>"
			done
		done
	} >"$T/look.html"
	chrome --window-size=1400,1000 --virtual-time-budget=10000 --dump-dom "file://$T/look.html" |
		sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | grep '^{' >"$T/looked" ||
		fail "the browser said nothing: $(tail -n 3 "$T/chrome.stderr")"
}

looked() { # PAGE JQ-CONDITION: holds at both widths
	[[ $(jq -s --arg page "look-$1" "map(select(.page == \$page)) | length == 2 and all($2)" "$T/looked") == true ]] ||
		fail "$1: not so that $2: $(jq -c --arg page "look-$1" 'select(.page == $page)' "$T/looked")"
}

test_browser() {
	[[ -n $(browser) ]] || skip "no Chromium; scripts/deps --browser installs it"
	launch --keep-data
	report "$T/run" -o "$T/all.html" --truth "$T/data/labels.txt"
	report "$T/run/party-02" -o "$T/party.html" --truth "$T/data/labels.txt"
	hostile "$T/hostile"
	report "$T/hostile" -o "$T/evil.html"
	look "$T/all.html" "$T/party.html" "$T/evil.html"
	local page steps sums
	for page in all party evil; do
		looked "$page.html" '.out == [] and (.scrolls | not)'
		looked "$page.html" '.fetched == 0 and (.hurt | not)'
	done
	steps=$(jq -s 'map(.steps | length) | add' "$T"/run/*/run.json)
	sums=$(jq '.result.sums | length' "$T/run/coordinator/run.json")
	looked all.html ".lanes == 4 and .links == 3 and .cells == 9 and .points == 0 and .curves == $sums"
	looked all.html ".steps == $steps and .labels == $(jq '.phases | length' "$T/run/coordinator/run.json")"
	looked party.html '.lanes == 1 and .links == 1 and .cells == 9 and .points == 150'
	looked all.html '.cut == []' # no table is cut, on a telephone either
	looked party.html '.cut == []'
	looked evil.html '.lanes == 4 and .links == 3'
	# The page itself, which has no script and forbids any, has the same.
	chrome --dump-dom "file://$T/party.html" >"$T/dom"
	[[ $(count "$T/dom" 'class="pt"') == 150 && $(count "$T/dom" 'class="cell') == 9 ]] || fail "not the same without a script"
	# And it can be printed.
	chrome --no-pdf-header-footer --print-to-pdf="$T/page.pdf" "file://$T/all.html"
	[[ $(head -c 5 "$T/page.pdf") == %PDF- ]] || fail "cannot be printed"
}

# Twelve clusters: the matrix and the table of phases are whole on a telephone and on paper, and there a heading
# stands on the page of what it is of.
test_many_clusters() {
	local page
	[[ -n $(browser) ]] || skip "no Chromium; scripts/deps --browser installs it"
	command -v pdftotext >/dev/null || skip "no pdftotext; scripts/deps --browser installs it"
	"$BIN/coterie" synth --nodes 360 --features 48 --clusters 12 --signal 0.8 --out "$T/data" >/dev/null
	echo '{ "kind": "kcagc", "clusters": 12, "filter": { "order": 3 }, "starts": 8, "restarts": 4 }' >"$T/job.json"
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/data" --job "$T/job.json" --parties 5 --out "$T/run12" --quiet ||
		fail "the run ended with status $?"
	report "$T/run12" -o "$T/many.html" --truth "$T/data/labels.txt"
	look "$T/many.html"
	looked many.html '.out == [] and .cut == [] and .broken == [] and .cells == 144'
	chrome --no-pdf-header-footer --print-to-pdf="$T/page.pdf" "file://$T/many.html"
	pdftotext -layout "$T/page.pdf" "$T/text"
	page=$(awk 'BEGIN { RS = "\f" } /Against the truth/' "$T/text")
	grep -Eq '^ *class( +[0-9]+){12}$' <<<"$page" || fail "the matrix is cut, or not beside its heading"
	# The phases' table, wherever on a sheet it would begin.
	awk '/^<h3>Phases of/ { keep = 1 } keep { block = block $0 "\n" } keep && /<\/table>/ { for (i = 0; i < 12; i++) printf "%s<p style=\"height:%dmm\"></p>\n", block, 9 + i; keep = 0; next }
		!keep' "$T/many.html" >"$T/phases.html"
	chrome --no-pdf-header-footer --print-to-pdf="$T/phases.pdf" "file://$T/phases.html"
	pdftotext -layout "$T/phases.pdf" "$T/phases"
	awk 'BEGIN { RS = "\f" } { heads = gsub(/Phases of coordinator/, ""); rows = gsub(/from, m?s [^\n]*round trips/, ""); ends = gsub(/\n *result( +[0-9.]+)( +[0-9.]+)( +[0-9.]+)/, "")
		all += heads; if (heads != rows || rows != ends) print "sheet " NR ": " heads " headings, " rows " heads, " ends " ends" } END { print all }' "$T/phases" >"$T/sheets"
	[[ $(<"$T/sheets") == 12 ]] || fail "the phases' table is cut, or not beside its heading: $(<"$T/sheets")"
	page=$(awk 'BEGIN { RS = "\f" } /Timeline/' "$T/text")
	grep -q 'party-04' <<<"$page" || fail "the time line is not beside its heading"
	page=$(awk 'BEGIN { RS = "\f" } /Traffic by link/' "$T/text")
	grep -q 'party-04' <<<"$page" || fail "the links are not beside their heading"
}

sample test_whole_run test_damaged
run_tests "$@"
