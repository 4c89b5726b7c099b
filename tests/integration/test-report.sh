#!/bin/bash
# test-report.sh -- tests coterie report: reports of real, damaged and hostile runs, drawn in a real
# browser.
source "${BASH_SOURCE[0]%/*}/lib.sh"

# Runs a job of three parties into $T/run, with its data in $T/data (150 rows, three classes).
launch() { # [LAUNCH-OPTION...]
	"$BIN/coterie" synth --nodes 150 --features 36 --clusters 3 --signal 0.8 --homophily 0.9 \
		--seed 5 \
		--out "$T/data" >/dev/null
	echo '{ "kind": "kcagc", "method": "tree", "clusters": 3, "filter": { "order": 3 },
		"starts": 8, "restarts": 4 }' >"$T/job.json"
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/data" --job "$T/job.json" --parties 3 \
		--seed 7 \
		--out "$T/run" --quiet "$@" || fail "the run ended with status $?"
}

report() { # ARG...: runs report, which must succeed
	"$BIN/coterie" report "$@" >"$T/said" 2>&1 || fail "report $*: exit $?: $(<"$T/said")"
}

refuses() { # TEXT ARG...: ends with 4, TEXT is in the error, and no file is left
	local status=0
	"$BIN/coterie" report "${@:2}" -o "$T/none.html" >"$T/said" 2>&1 || status=$?
	((status == 4)) || fail "report ${*:2}: exit $status, expected 4: $(<"$T/said")"
	grep -q -- "$1" "$T/said" || fail "report ${*:2} does not say '$1': $(<"$T/said")"
	[[ -z $(find "$T" -maxdepth 1 -name '*none.html*') ]] || fail "report ${*:2} left a file"
}

has() { # PAGE TEXT...
	local text
	for text in "${@:2}"; do
		grep -qF -- "$text" "$1" || fail "${1##*/} does not have '$text'"
	done
}

lacks() { # PAGE TEXT...
	local text
	for text in "${@:2}"; do ! grep -qF -- "$text" "$1" || fail "${1##*/} has '$text'"; done
}

data() { # PAGE: prints its data as JSON
	sed -n 's|^<script type="application/json" id="data">\(.*\)</script>$|\1|p' "$1"
}

# JQ-CONDITION holds for the page's data. .processes[].run has the run.json of each process.
holds() { # PAGE JQ-CONDITION
	data "$1" | jq -e "$2" >/dev/null ||
		fail "${1##*/}: not so that $2: $(data "$1" | jq -c 'del(.processes)' |
		cut -c 1-2000)"
}

points() { # PAGE: prints how many points the picture for browsers without scripts has
	local n
	n=$(grep -c 'class="pt ' "$1")
	[[ $n == $(data "$1" | jq '.points.id // [] | length') ]] ||
		fail "${1##*/}: $n points drawn of others"
	echo "$n"
}

self_contained() { # PAGE
	has "$1" "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"
	lacks "$1" "src=" "url(" "@import" "<link" "<iframe"
}

test_whole_run() {
	launch --keep-data
	local run=$T/run page=$T/run/report.html f before
	before=$(sha256sum "$run"/*/run.json)
	report "$run" --no-record --truth "$T/data/labels.txt"
	[[ $(<"$T/said") == "report: $page" ]] || fail "says: $(<"$T/said")"
	[[ $(sha256sum "$run"/*/run.json) == "$before" ]] ||
		fail "--no-record has changed a run.json"
	report "$run" --truth "$T/data/labels.txt"
	self_contained "$page"
	holds \
		"$page" '.missing == [] and .alone == false and (.processes
			| map(.name) == ["coordinator", "party-00", "party-01", "party-02"])'
	holds "$page" '.points == null and .profile == null' # the page has no party's rows
	# The page has run.json except .data, .files, .ledger and .attempts, and no path of data.
	[[ $(jq -n --slurpfile page <(data "$page") --slurpfile run "$run/party-00/run.json" \
		'$page[0].processes[1].run == ($run[0] | del(.data, .files, .ledger, '\
'.attempts))') == true ]] || fail "the page has another run"
	lacks "$page" "$T/run/work"
	# The evaluation equals that of coterie eval, and the matrix counts every row once.
	f=$run/coordinator/run.json
	for key in acc nmi ari f1; do
		[[ $(jq ".evaluation.$key" \
			"$f") == $("$BIN/coterie" eval --truth "$T/data/labels.txt" \
			"$run/party-00/labels.csv" | jq ".$key") ]] ||
			fail "evaluation.$key is not what eval says"
	done
	[[ $(jq '[.evaluation.confusion[][]] | add' "$f") == 150 ]] ||
		fail "the confusion matrix does not count 150 rows"
	[[ $(jq '.evaluation | (.confusion | [.[0][0], .[1][1], .[2][2]] | add) == (.rows * .acc
		| round)' "$f") == true ]] ||
		fail "the diagonal is not the best match"
	"$BIN/coterie" show "$run" >/dev/null || fail "show cannot read what report has written"
	# Without --truth the page shows the recorded evaluation.
	report "$run" -o "$T/again.html"
	holds "$T/again.html" '.processes[0].run.evaluation.confusion | length == 3'
}

# A daemon's output has a directory for each job. The report shows the job that began last.
test_output_of_a_daemon() {
	launch --keep-data
	mkdir "$T/out" && touch "$T/out/log.jsonl"
	for job in a=1 b=3 c=2; do
		cp -r "$T/run/party-01" "$T/out/job-${job%=*}"
		jq --arg job "$job" '.job_id = $job[:1] | .started = "2026-01-0" + $job[2:]' \
			"$T/run/party-01/run.json" >"$T/out/job-${job%=*}/run.json"
	done
	"$BIN/coterie" show "$T/out" >"$T/said" 2>&1 || fail "show: exit $?"
	has "$T/said" "$T/out/job-b/labels.csv"
	lacks "$T/said" "nothing of it" "another job"
	report "$T/out"
	holds "$T/out/report.html" '.missing == [] and .alone and .processes[0].run.job_id == "b"'
}

test_party() {
	launch --keep-data
	local dir=$T/run/party-01 page=$T/p.html
	report "$dir" -o "$page" --by 3
	self_contained "$page"
	[[ $(points "$page") == 150 ]] || fail "$(points "$page") points, expected 150"
	holds "$page" '.alone and (.processes | length == 1) and .points.of == "party-01"'
	holds \
		"$page" '.points | (.label == (.label | map(select(. < 3)))) and (.xy
			| length == 300 and min >= 0 and max <= 10000)'
	holds \
		"$page" '.points | (.columns | length == 6 and all(.values
			| length == 150)) and (.by.values | length == 150)'
	holds \
		"$page" '.points.silhouette | (.value
			| length == 150 and min >= -1 and max <= 1) and .point == [range(150)]'
	has "$page" "two principal components"
	[[ $(data "$page" | jq -j .profile | wc -l) == $(wc -l <"$dir/profile.csv") ]] ||
		fail "no profile"
	report "$dir" -o "$page" --points "$T/points.npy" --no-record
	[[ $(stat -c %a "$T/points.npy") == 600 ]] || fail "the points are for others to read"
	# Makes a layout of 150 x 2 random numbers.
	{
		printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
			"{'descr': '<u2', 'fortran_order': False, 'shape': (150, 2), }"
		head -c 600 /dev/urandom
	} >"$T/plane.npy"
	report "$dir" -o "$page" --layout "<Way>=$T/plane.npy"
	holds "$page" '.points.caption | contains("Laid out by <Way> outside of this program")'
	[[ $(points "$page") == 150 ]] || fail "$(points "$page") points laid out, expected 150"
	report "$T/run" -o "$page" --data "$T/data" --no-record
	[[ $(points "$page") == 150 ]] || fail "no picture of the pooled points"
	holds "$page" '.points.caption | contains("own features") or contains("clustered") | not'
	holds "$page" ".points.caption | contains(\"features of $T/data, filtered\")"
	report "$dir" -o "$page" --config "$T/run/work/party-01.json" --no-record
	[[ $(points "$page") == 150 ]] || fail "no picture by the configuration"
	# run.json keeps its mode. The report works without the data.
	chmod 600 "$dir/run.json"
	rm -r "$T/run/work"
	report "$dir" -o "$page" --truth "$T/data/labels.txt"
	[[ $(stat -c %a "$dir/run.json" "$page" | uniq) == 600 ]] ||
		fail "run.json was 600; it and the page are now $(stat -c %a "$dir/run.json" \
		"$page" | tr "\n" " ")"
	holds "$page" '.points == null and (.missing | map(.subject) == ["picture of the points"])'
	[[ $(points "$page") == 0 ]] || fail "points of nowhere"
}

# Reads a party's own table as data.read says.
test_table() {
	launch --keep-data
	local dir=$T/run/party-01
	jq '.job |= (.kind = "kmeans" | del(.filter)) | .job = { kind: "kmeans", clusters: 3 }
		| del(.data)' "$dir/run.json" >"$T/r" && mv "$T/r" "$dir/run.json"
	sed '1d; s/,.*//' "$dir/labels.csv" |
		awk 'BEGIN { print "who,age,where" }
			{ print $1 "," NR % 7 "," (NR % 2 ? "north" : "south") }' >"$T/t.csv"
	jq --arg t \
		"$T/t.csv" 'del(.data.edges) | .data.features = $t
			| .data.read = { id: "who", category: ["where"] }' \
		"$T/run/work/party-01.json" >"$T/party.json"
	report "$dir" -o "$T/p.html" --config "$T/party.json" --by where --no-record
	holds \
		"$T/p.html" '.points.by.values[:3] == ["north", "south", "north"]
			and (.points.columns | map(.name) | contains(["age"]))'
}

test_damaged() {
	launch
	local run=$T/run page=$T/page.html key each=1
	cp -r "$run" "$T/whole"
	# party-00 has no run.json, party-01 has a truncated run.json, and party-02 has a run.json
	# of another schema version.
	rm "$run/party-00/run.json"
	head -c 5000 "$T/whole/party-01/run.json" >"$run/party-01/run.json"
	jq '.schema_version = 2' "$T/whole/party-02/run.json" >"$run/party-02/run.json"
	report "$run" -o "$page"
	holds \
		"$page" '.missing | map("\(.subject) \(.text)") | (.[0]
			| startswith("party-00 left no run.json"))
		and (.[1] | startswith("party-01 its run.json is cut off")) and (.[2]
		| startswith("party-02 its run.json is not of schema_version 1"))'
	holds "$page" '.processes | length == 3'
	# report --truth does not change a run.json of another schema version.
	report "$run/party-02" -o "$page" --truth "$T/data/labels.txt"
	holds "$page" '.missing | any(.text | contains("which is left as it is"))'
	[[ $(jq .evaluation "$run/party-02/run.json") == null ]] ||
		fail "a run.json of another version was written"
	# A party's directory is missing, then the coordinator's.
	rm -r "$run/party-00"
	report "$run" -o "$page"
	holds \
		"$page" '.missing | any(.subject == "party-00" and (.text
			| startswith("nothing of it is below")))'
	rm -r "$run/coordinator"
	report "$run" -o "$page"
	holds \
		"$page" '.missing | any(.subject == "coordinator" and (.text
			| startswith("nothing of it is below")))'
	# One party's run.json is of another run.
	rm -r "$run" && cp -r "$T/whole" "$run"
	jq '.job_id = "00"' "$T/whole/party-02/run.json" >"$run/party-02/run.json"
	report "$run" -o "$page"
	holds \
		"$page" '.missing | any(.subject == "party-02" and (.text
			| startswith("its run.json is of another job")))'
	# Removes each key once and changes its type once; in a sample every fourth key.
	[[ ! ${COTERIE_SAMPLE-} ]] || each=4
	for key in $(jq -r 'keys[]' "$T/whole/coordinator/run.json" | sed -n "1~${each}p") facts \
		result phases traffic job; do
		jq "del(.$key)" "$T/whole/coordinator/run.json" >"$run/coordinator/run.json"
		report "$run" -o "$page"
		jq ".$key = [{ \"a\": [1e300, -1, null] }, \"x\"]" "$T/whole/coordinator/run.json" \
			>"$run/coordinator/run.json"
		report "$run" -o "$T/odd-$key.html"
	done
	# A browser draws these pages too.
	[[ -z $(browser) ]] || for key in facts result phases traffic job; do
		look "$T/odd-$key.html"
		looked "odd-$key.html" \
			'.out == [] and (.scrolls | not) and (.sections | length > 2)'
	done
	# Truncates run.json to several lengths.
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
	refuses "not a party's run" "$T/bad" --by age
	report "$T/bad" -o "$T/page.html"
	holds "$T/page.html" '.missing | length > 4'
	"$BIN/coterie" report "$T/bad" -o "$T/no/such/page.html" 2>/dev/null &&
		fail "wrote where it cannot"
	[[ ! -e $T/no ]] || fail "made a directory"
}

# Puts markup into all names and texts of the run's JSON files, and impossible numbers into some
# fields.
hostile() { # DIR: copies the run to DIR and changes the copy
	local evil='</title></style></svg><script>hurt=1</script><img src=x onerror=hurt=1>"&'\'
	evil+=$'\u202e'$(printf 'w%.0s' {1..300})
	cp -r "$T/run" "$1"
	for f in "$1"/*/run.json; do
		jq --arg evil "$evil" '
			def spoil: walk(if type == "string" and length < 200
			and (test("^[0-9]{4}-|^(coordinator|party)$") | not)
				then $evil + . else . end);
			.role as $role | .job_id as $id | spoil | .role = $role | .job_id = $id
			| .elapsed_s *= 1e13 | .phases[1].start_s = 1e300 | .phases[2].wait_s = -5
			| .steps[3].wire_s = 1e14
			| .facts = { ($evil): $evil, ("b" * 300): 2, list: [1e300, -1, $evil] }
			| .traffic[0].bytes_sent = 1e15' "$f" >"$f.new" && mv "$f.new" "$f"
	done
	jq -n --arg evil "$evil" '{ network: $evil, ($evil): { ($evil): [1, -1, 1e300, $evil] } }' \
		>"$1/network.json"
}

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

chrome() { # ARG...: runs headless, with a profile of its own
	# Chromium's sandbox needs features that containers lack. It opens only files of this test.
	timeout $((PATIENCE * 60)) "$(browser)" --headless --no-sandbox --disable-gpu \
		--hide-scrollbars --no-first-run \
		--user-data-dir="$T/profile" "$@" 2>>"$T/chrome.stderr"
}

# Writes the checker's report for each page at each width, a JSON line each.
look() { # PAGE...
	local page width
	{
		cat <<-'END'
			<!DOCTYPE html><body><pre id="said"></pre><script>
			addEventListener("message", (m) => {
			document.getElementById("said").textContent +=
				JSON.stringify(m.data) + "\n"; });</script>
		END
		for page in "$@"; do
			{
				grep -v 'http-equiv="Content-Security-Policy"' "$page"
				echo "<script>$(<"$ROOT/tests/tools/report-check.js")</script>"
			} >"$T/look-${page##*/}"
			for width in 360 1280; do
				echo "<iframe src=\"look-${page##*/}\" \
style=\"width:${width}px;height:900px;border:0\"></iframe>"
			done
		done
	} >"$T/look.html"
	# The window is as high as all frames, because frames outside of the view draw nothing.
	chrome --window-size="1700,$(($# * 2000))" --virtual-time-budget=20000 --dump-dom \
		"file://$T/look.html" |
		sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | grep '^{' >"$T/looked" ||
		fail "the browser said nothing: $(tail -n 3 "$T/chrome.stderr")"
}

looked() { # PAGE JQ-CONDITION: JQ-CONDITION holds for look()'s reports of PAGE, at both widths
	[[ $(jq -s --arg page "look-$1" "map(select(.page == \$page)) | length == 2 and all($2)" \
		"$T/looked") == true ]] ||
		fail "$1: not so that $2: $(jq -c --arg page "look-$1" 'select(.page == $page)' \
		"$T/looked")"
}

test_browser() {
	[[ -n $(browser) ]] || skip "no Chromium; scripts/deps --browser installs it"
	launch --keep-data
	report "$T/run" -o "$T/all.html" --truth "$T/data/labels.txt"
	report "$T/run/party-02" -o "$T/party.html" --truth "$T/data/labels.txt" --by 3
	hostile "$T/hostile"
	report "$T/hostile" -o "$T/evil.html"
	jq '.started = "2031-01-01T00:00:00.000Z"' "$T/run/party-01/run.json" >"$T/late" &&
		cp "$T/late" "$T/run/party-01/run.json"
	report "$T/run" -o "$T/late.html"
	look "$T/all.html" "$T/party.html" "$T/evil.html" "$T/late.html"
	looked late.html '.moved == ["party-01"]'
	local page spent
	for page in all party evil; do
		looked "$page.html" '.out == [] and (.scrolls | not)'
		looked "$page.html" '.fetched == 0 and (.hurt | not) and .blank == 0'
	done
	# There is a path for each nonzero time of each step, a curve for each k-means, and a row
	# for each link.
	spent=$(data "$T/all.html" |
		jq '[.processes[].run.steps[] | .compute_s, .wait_s, .wire_s | select(. > 0)]
			| length')
	looked \
		all.html ".lanes == 4 and .steps == $spent and .tables[\"link-table\"] == 3 and \
.cells == 9 and .picture == 0"
	looked all.html \
		".curves == $(jq '.result.sums | length' \
		"$T/run/coordinator/run.json") and .tables.phases == $(
		jq '.phases | length' "$T/run/coordinator/run.json")"
	looked \
		all.html '.sections == ["sizes", "evaluation", "confidence", "time", "links",
			"objective", "facts", "leaks", "job"]'
	looked party.html \
		'.lanes == 1 and .tables["link-table"] == 1 and .cells == 9 and .picture > 1000'
	looked \
		party.html '.sections[:7] == ["picture", "sizes", "profile", "distributions",
			"silhouette", "unsure", "by"]'
	looked evil.html '.lanes == 4 and .tables["link-table"] == 3'
	# The page draws under its own content policy. Without scripts it has a picture and a table.
	chrome --virtual-time-budget=5000 --dump-dom "file://$T/party.html" >"$T/dom"
	has "$T/dom" '<section id="silhouette"' '<canvas' '<table class="numbers sizes"'
	[[ $(sed -n '/<noscript>/,/<\/noscript>/p' "$T/party.html" |
		grep -c 'class="pt \|<th scope="row">cluster') == 153 ]] ||
		fail "without scripts there is no picture, or no table"
	# The page can be printed, with all sections unfolded.
	chrome --no-pdf-header-footer --virtual-time-budget=5000 --print-to-pdf="$T/page.pdf" \
		"file://$T/all.html"
	[[ $(head -c 5 "$T/page.pdf") == %PDF- ]] || fail "cannot be printed"
	if command -v pdftotext >/dev/null; then
		pdftotext -layout "$T/page.pdf" "$T/text"
		has "$T/text" "Disclosures" "KEPT"
	fi
}

# Twelve clusters make the matrix wide.
test_many_clusters() {
	[[ -n $(browser) ]] || skip "no Chromium; scripts/deps --browser installs it"
	"$BIN/coterie" synth --nodes 360 --features 48 --clusters 12 --signal 0.8 --out "$T/data" \
		>/dev/null
	echo '{ "kind": "kcagc", "method": "tree", "clusters": 12, "filter": { "order": 3 },
		"starts": 8, "restarts": 4 }' >"$T/job.json"
	COTERIE_BIN=$BIN "$ROOT/scripts/launch" --data "$T/data" --job "$T/job.json" --parties 5 \
		--out "$T/run12" --quiet ||
		fail "the run ended with status $?"
	report "$T/run12" -o "$T/many.html" --truth "$T/data/labels.txt"
	look "$T/many.html"
	looked many.html '.out == [] and .cells == 144 and (.scrolls | not)'
}

sample test_whole_run test_damaged
run_tests "$@"
