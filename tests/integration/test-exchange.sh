#!/bin/bash
# Runs exchange "gram", and the agreements of parties before they cluster, between daemons.
#
#     job.json: exchange, min_cell, filter.order "auto", joint_norm
#     party.json: policy.methods, policy.exchanges
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# ---- policies ----

declined() { # L REGEX
	# shellcheck disable=SC2046
	ends 2 coordinator $(names "$1")
	for name in coordinator $(names "$1"); do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
	party_says "$2"
	[[ $(run_of party-01 'any(.phases[]; .name == "local")') == false ]] ||
		fail "party-01 touched its data"
	no_leftovers
}

test_policies() {
	federation 4
	edit party-01 '.policy.exchanges = ["distances"]'
	coordinator --set exchange=gram
	parties 4
	declined \
		4 'party-01.*the offered exchange is gram, which policy.exchanges of party-01 '\
'does not name'
	edit party-01 '.policy.methods = ["tree", "flat"]'
	coordinator --set method=basic
	parties 4
	declined \
		4 'party-01.*the offered method is basic, which policy.methods of party-01 does '\
'not name'
	edit party-01 '.policy.min_parties = 3'
	coordinator --set method=tree
	parties 4
	declined 4 'sums of 2 parties, policy.min_parties is 3'
}

# ---- exchange gram ----

test_gram_finds_the_same() {
	federation 5
	local name
	for method in tree flat; do
		coordinator --set "method=$method" --set secure_sum.modulus_bits=64 --set \
			secure_sum.fraction_bits=32
		parties 5
		completes 5
		rm -rf "$T/distances"
		mv "$T/out" "$T/distances"
		coordinator --set "method=$method" --set exchange=gram --set \
			secure_sum.modulus_bits=64 --set secure_sum.fraction_bits=32
		parties 5
		completes 5
		for name in coordinator $(names 5); do
			same_labels "$T/distances/$name/labels.csv" "$T/out/$name/labels.csv"
		done
		(($(run_of coordinator .rounds) < $(jq .rounds \
			"$T/distances/coordinator/run.json"))) || fail "$method: no fewer rounds"
	done
}

# ---- min_cell ----

test_min_cell() {
	federation 3
	coordinator --set min_cell=6 --set local_clusters=4k
	parties 3
	completes 3
	at_least "$(run_of coordinator '[.result.sums[].merged] | add')" 1 "cells merged"
	[[ $(run_of coordinator .job.polish) == 0 ]] || fail "it was polished"
	"$BIN/coterie" report "$T/out" >/dev/null
	grep -q '"merged":[1-9]' "$T/out/report.html" ||
		fail "the report does not say what was merged"
	rm -rf "$T/out"
	coordinator --set min_cell=151
	parties 3
	ends 1 coordinator party-00 party-01 party-02
	says coordinator '150 nodes cannot make a cell of job.min_cell, 151'
	says party-02 '150 nodes cannot make a cell of job.min_cell, 151'
}

test_min_cell_excludes() {
	federation 2
	local setting
	for setting in polish=2 method=basic; do
		start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job \
			"$T/job.json" \
			--set min_cell=3 --set "$setting" --out "$T/out/coordinator"
		ends 4 coordinator
		says coordinator 'job.min_cell is 3, expected 1 with (polish|method "basic"): it '\
'sums over single nodes'
	done
}

# ---- agreements before clustering ----

# In a dense graph filtering soon makes features a function of the degrees alone, and AGC's rule
# stops too late, or never (order_rule is then 0). So the modularities of clusters determine the
# order.
test_order_auto_of_a_dense_graph() {
	federation 3 --signal 0.5 --degree 30
	coordinator --set filter.order=auto
	parties 3
	completes 3
	[[ $(run_of coordinator '.filter_order as $p | .facts | .order_modularities as $q |
		(if .order_rule > 0 then .order_rule else ($q | length) end) as $r | $p < $r and
		$q[$p - 1] >= ($q | max) - 0.02 and $q[$r - 1] < ($q
		| max) - 0.02 and all($q[:$p - 1][]; . < ($q | max) - 0.02)') == true ]] ||
		fail "order $(run_of coordinator .filter_order) by $(run_of coordinator \
		'.facts | tostring')"
	[[ $(run_of party-01 .filter_order) == "$(run_of coordinator .filter_order)" ]] ||
		fail "party-01 took $(run_of party-01 .filter_order)"
}

test_order_auto() {
	federation 3
	coordinator --set filter.order=auto
	parties 3
	completes 3
	local order
	order=$(run_of coordinator .filter_order)
	((order >= 1 && order <= 100)) || fail "the order is $order"
	for name in $(names 3); do
		[[ $(run_of "$name" .filter_order) == "$order" ]] ||
			fail "$name took $(run_of "$name" .filter_order), not $order"
	done
	says coordinator "filter.order \\\\\"auto\\\\\" is $order"
	[[ $(run_of \
		coordinator '.filter_order as $p | .facts
			| $p <= .order_rule and (.order_distances | length) == .order_rule + 1 and
		([.order_modularities] | flatten
		| length == $p or (length > $p
		and .[$p - 1] >= max -
		0.02))') == true ]] || fail "the order is $order by $(run_of coordinator .facts)"
	"$BIN/coterie" report "$T/out/party-01" >/dev/null
	grep -q "order $order" "$T/out/party-01/report.html" ||
		fail "the picture is of another order"
	[[ $(run_of \
		coordinator '.leaks |
			map(select(test("modularity of the parties\u0027 own clusters")))
			| length') == 1 ]] || fail 'the leaks do not have what is summed'
	mv "$T/out" "$T/auto"
	coordinator --set "filter.order=$order"
	parties 3
	completes 3
	same_labels "$T/auto/coordinator/labels.csv" "$T/out/coordinator/labels.csv"
	order=$("$BIN/coterie-lab" agc --data "$T/pooled" --job "$T/job.json" --set \
		filter.order=auto | jq .order)
	((order >= 1 && order <= 100)) || fail "agc took order $order"
}

# With preset "paper" AGC's rule alone chooses the order, so parties sum no modularities.
test_order_auto_of_the_paper() {
	federation 2
	coordinator --set preset=paper --set filter.order=auto
	parties 2
	completes 2
	[[ $(run_of \
		coordinator '.filter_order == .facts.order_rule and (.facts
			| has("order_modularities") | not)') == true ]] ||
		fail "the order is $(run_of coordinator .filter_order) by $(run_of coordinator \
		.facts)"
	[[ $(run_of coordinator '.leaks | map(select(test("modularity"))) | length') == 0 ]] ||
		fail 'the leaks have what is not summed'
}

test_order_auto_gives_up() {
	federation 2
	for name in $(names 2); do : >"$T/data/$name/edges.tsv"; done
	coordinator --set filter.order=auto
	parties 2
	ends 1 coordinator party-00 party-01
	says coordinator \
		'falls up to order 100, where the search ends; give job.filter.order as a number'
	says party-01 'give job.filter.order as a number'
}

test_joint_norm() {
	federation 3
	coordinator --set joint_norm=true
	parties 3
	completes 3
	at_least "$(acc "$T/out/coordinator/labels.csv")" 0.9 "accuracy"
	[[ $(run_of coordinator '[.phases[].name] | index("norms")') != null ]] ||
		fail "no norms were summed"
}

# ---- examples ----

test_example_jobs() {
	federation 3
	local job
	for job in kcagc-gram kcagc-with-data; do
		rm -rf "$T/out"
		jq . "$ROOT/configs/jobs/$job.json" >"$T/job.json"
		coordinator --set clusters=3
		parties 3
		completes 3
	done
}

# One organisation runs the coordinator and a party. Keys are made as in
# docs/howto/coordinate-with-data.md, and the policy is the example's.
test_coordinator_with_data() {
	local name pins=() who
	federation 3
	cd "$T" || fail "no $T"
	"$BIN/coterie" pki init --dir ca >/dev/null
	"$BIN/coterie" pki request --name bank-a-hub --role coordinator >/dev/null
	for name in bank-a bank-b bank-c; do
		"$BIN/coterie" pki request --name "$name" >/dev/null
	done
	for name in bank-a-hub bank-a bank-b bank-c; do
		"$BIN/coterie" pki sign --ca ca "$name.csr" >/dev/null
		pins+=("$name" "$("$BIN/coterie" pki fingerprint "$name.crt")")
	done
	cp ca/ca.crt ca.crt
	jq '.listen = "127.0.0.1:0"' "$ROOT/configs/coordinator-with-data.json" >coordinator.json
	jq '.clusters = 3' "$ROOT/configs/jobs/kcagc-with-data.json" >job.json
	for name in a b c; do
		who=bank-$name
		jq --arg name "$who" --arg data "data/party-0$(tr abc 012 <<<"$name")" '
			($ARGS.positional | [range(0; length; 2) as $i | { (.[$i]): .[$i + 1] }]
			| add | del(.[$name])) as $pins |
			.name = $name | .peers = $pins | .identity.certificate = "\($name).crt"
			| .identity.key = "\($name).key" |
			.data = { features: "\($data)/features.mtx", edges: "\($data)/edges.tsv" }
			| .output = "out/\($name)"' \
			"$ROOT/configs/party-with-data.json" --args "${pins[@]}" >"$who.json"
	done
	"$BIN/coordinator" --config coordinator.json --job job.json --check-config >/dev/null ||
		fail "the coordinator's example"
	"$BIN/party" --config bank-a.json --check-config >/dev/null || fail "the party's example"
	coordinator
	for who in bank-a bank-b bank-c; do party "$who"; done
	ends 0 coordinator bank-a bank-b bank-c
	rm -rf out
	coordinator --set method=tree
	for who in bank-a bank-b bank-c; do party "$who"; done
	ends 2 coordinator bank-a bank-b bank-c
	party_says 'the offered method is tree, which policy.methods of bank-. does not name'
}

# Unit tests in memory check other cases:
# tests/unit/protocols/kcagc/test_{gram_both,min_cell,order,prepare}.c.
sample test_policies test_min_cell test_order_auto test_coordinator_with_data
run_tests "$@"
