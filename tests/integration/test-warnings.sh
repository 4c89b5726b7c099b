#!/bin/bash
# Tests warnings about results that are worse than requested: which processes report them, where,
# and which do not learn of them.
#
#     party-01's features are 0  ->  party-01: run.json, log; show, report (not the coordinator)
#     clusters without edges     ->  all: run.json, log; show, report, job show, coterie run
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=serve.sh
source "${0%/*}/serve.sh"

landmark_job() {
	echo '{ "kind": "kcagc", "clusters": 3, "seed": 7, "method": "landmark" }' >"$T/job.json"
}

# Makes data in which neither features nor edges show clusters.
without_clusters() { # L
	federation "$1" --signal 0 --homophily 0.34 --degree 16
	landmark_job
}

codes() { run_of "$1" '[.warnings[].code] | join(" ")'; } # NAME

test_none_where_all_is_well() {
	federation 3
	landmark_job
	coordinator
	parties 3
	completes 3
	for name in coordinator $(names 3); do
		[[ $(run_of "$name" '.warnings | tojson') == "[]" ]] ||
			fail "$name warns: $(run_of "$name" '.warnings | tojson')"
	done
	at_least "$(run_of party-01 .facts.modularity)" 0.3 "modularity at party-01"
	"$BIN/coterie" show "$T/out" >"$T/show"
	! grep -q warning "$T/show" || fail "show warns: $(grep warning "$T/show")"
	"$BIN/coterie" report -o "$T/report.html" "$T/out" >/dev/null
	grep -q '"stable":[0-9.]*,"warnings":\[\]' "$T/report.html" || fail "the report warns"
}

test_each_says_what_it_knows() {
	without_clusters 3
	sed -i '/^%/!{ s/ [0-9]*$/ 0/; q }' "$T/data/party-01/features.mtx"
	coordinator
	parties 3
	completes 3
	[[ $(codes coordinator) == modularity_low && $(codes party-00) == modularity_low ]] ||
		fail "the coordinator warns of $(codes coordinator), party-00 of $(codes party-00)"
	[[ $(codes party-01) == "no_features modularity_low" ]] ||
		fail "party-01 warns of $(codes party-01)"
	[[ $(run_of \
		party-01 '.facts.modularity as $m | .warnings[1]
			| .number < 0.1 and .number == $m') == true ]] ||
		fail "party-01: $(run_of party-01 '.warnings | tojson')"
	[[ $(jq -r \
		'select(.level == "warn" and .code == "no_features") | .text' \
		"$T/out/party-01/log.jsonl") == "all 12 feature columns of this party are 0: \
"* ]] ||
		fail "party-01's log: $(grep warn "$T/out/party-01/log.jsonl")"
	grep -q '"code":"modularity_low"' "$T/coordinator.stderr" ||
		fail "the coordinator's log does not warn"
	! grep -rq 'no_features\|feature columns' "$T/out/coordinator" ||
		fail "the coordinator knows of party-01's features"
	COLUMNS=400 "$BIN/coterie" show "$T/out" >"$T/show"
	grep -q \
		'^warning: party-01: all 12 feature columns of this party are 0: .* '\
'(no_features)$' "$T/show" || fail "show: $(<"$T/show")"
	(($(grep -c '^warning: .*(modularity_low)$' "$T/show") <= 2)) ||
		fail "show repeats itself: $(grep warning "$T/show")"
	"$BIN/coterie" report -o "$T/report.html" "$T/out" >/dev/null
	grep -q '{"code":"no_features","sentence":"all 12 feature columns of this party are 0: '\
'[^}]*,"names":"party-01"}' "$T/report.html" ||
		fail "the report: $(grep -o '"warnings":.*' "$T/report.html" | head -c 500)"
	"$BIN/coterie" report -o "$T/report.html" "$T/out/coordinator" >/dev/null
	grep -q modularity_low "$T/report.html" && ! grep -q no_features "$T/report.html" ||
		fail "the coordinator's report has other warnings"
}

# Names of columns are only in warnings of the party that has these columns.
test_names_of_columns_stay() {
	federation 2
	for name in party-00 party-01; do
		awk -v name="$name" \
			'BEGIN { srand(3); print name "-grade," name "-same," name "-size"
			for (i = 0; i < 90; i++) printf "%.6f,7,%.6f\n", 9 * (i % 3) + rand(),
			5 * (i % 3) + rand() }' >"$T/data/$name/table.csv"
		edit "$name" ".data = { \"features\": \"data/$name/table.csv\" } | .policy.jobs = \
[\"kmeans.columns\"]"
	done
	echo '{ "kind": "kmeans.columns", "clusters": 3, "seed": 7 }' >"$T/job.json"
	coordinator
	parties 2
	completes 2
	[[ $(codes coordinator) == "" && $(codes party-01) == columns_constant ]] ||
		fail "the coordinator warns of $(codes coordinator), party-01 of $(codes party-01)"
	[[ $(run_of \
		party-01 '.warnings[0].sentence') == '1 of 3 feature columns have the same value '\
'in all rows and are left out: "party-01-same": '* ]] ||
		fail "party-01 says $(run_of party-01 '.warnings[0].sentence')"
	! grep -rq -e '-same' "$T/out/coordinator" "$T/coordinator.stderr" ||
		fail "the coordinator has names of columns"
	! grep -rq 'party-00-same' "$T/out/party-01" ||
		fail "party-01 has names of party-00's columns"
}

test_of_a_queue() {
	without_clusters 2
	all_stay 2
	job submit "$T/job.json" >/dev/null
	COLUMNS=400 job wait 1 >"$T/waited" || fail "wait ended with $?"
	grep -q '^warning  *the clusters. modularity is .*(modularity_low)$' "$T/waited" ||
		fail "wait says $(<"$T/waited")"
	COLUMNS=400 job show 1 >"$T/shown"
	grep -q '^warning .*(modularity_low)$' "$T/shown" || fail "show says $(<"$T/shown")"
	[[ $(shown 1 \
		'.warnings[0] | .code + (.number < 0.1 | tostring)') == modularity_lowtrue ]] ||
		fail "show says $(shown 1 .warnings)"
}

test_in_one_process() {
	without_clusters 2
	COLUMNS=400 "$BIN/coterie" run --data "$T/pooled" --job "$T/job.json" --parties 2 --out \
		"$T/one" >"$T/said" 2>"$T/err"
	grep -q '^warning: .*coordinator.*(modularity_low)$' "$T/said" ||
		fail "run says $(<"$T/said")"
	for name in coordinator party-00 party-01; do
		[[ $(jq -r '[.warnings[].code] | join(" ")' \
			"$T/one/$name/run.json") == modularity_low ]] ||
			fail "$name warns of $(jq -c .warnings "$T/one/$name/run.json")"
	done
}

run_tests "$@"
