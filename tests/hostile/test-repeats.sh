#!/bin/bash
# Several attempts at one job, each with other numbers of nodes, reveal no more than one attempt
# (repeats.py).
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/python.sh
source "${0%/*}/../integration/python.sh"

repeats() { # ATTEMPTS [OPTION...]: runs parties in C that serve; writes the figures to $T/read
	local name
	rm -rf "$T/ready" "$T/out"
	start coordinator "$PYTHON" "$ROOT/tests/hostile/repeats.py" --config \
		"$T/coordinator.json" --job "$T/job.json" \
		--ready-file "$T/ready" --truth "$T/data" --lie "$@"
	until_true 60 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator did not become ready"
	# shellcheck disable=SC2034 # serves() dials it
	ADDRESS=$(<"$T/ready")
	for name in $(names 3); do
		edit "$name" '.rejoin_s = 20'
		serves "$name"
	done
	ends 0 coordinator
	for name in $(names 3); do
		kill -TERM "${PID[$name]}" 2>/dev/null || true
		ended "$name"
	done
	tail -n 1 "$T/coordinator.stdout" >"$T/read"
	cat "$T/read"
}

spent() { # NAME: prints the eps in its ledger
	"$BIN/coterie" ledger export --state "$T/out/$1/state" --csv |
		awk -F, 'NR > 1 { n += $(NF - 6) } END { print n + 0 }'
}

edges_with_noise() {
	needs_python
	edges_federation 3
	rm -r "$T/data" "$T/pooled"
	"$BIN/coterie" synth --features 0 --nodes 300 --clusters 3 --degree 10 --homophily 0.9 \
		--seed 5 --out "$T/pooled" >/dev/null
	"$BIN/coterie" split --by edges --parties 3 --seed 5 --data "$T/pooled" --out "$T/data" \
		>/dev/null
	edit job '. + { ids: "plain", block: 10, variant: "exact", noise: { on: "sums", eps: 1,
		delta: 1e-5 } }'
}


# Each attempt with other numbers is another question: it gets other noise, and spends eps again.
test_edges_of_three_attempts() {
	edges_with_noise
	repeats 3
	[[ $(grep -c '^attempt.*enough of this attempt' "$T/coordinator.stdout") == 3 ]] ||
		fail "$(<"$T/coordinator.stdout")"
	jq -e '.equal == 0 and .right < .read / 10' "$T/read" >/dev/null ||
		fail "read $(<"$T/read")"
	[[ $(spent party-01) == 3 ]] || fail "party-01 has spent $(spent party-01)"
}

# The same question gets the same noise in each attempt, and spends eps only once.
test_edges_of_three_equal_attempts() {
	edges_with_noise
	repeats 3 --rows same
	jq -e '.equal == 3' "$T/read" >/dev/null || fail "read $(<"$T/read")"
	[[ $(spent party-01) == 1 ]] || fail "party-01 has spent $(spent party-01)"
}

# Three times eps 1 compose to eps 1.835 (tests/vectors/account.inc). In the fourth attempt party-01
# sends no noisy number.
test_edges_beyond_the_budget() {
	edges_with_noise
	edit party-01 '.policy.max_eps_total = 1.84 | .policy.max_attempts = 9'
	edit party-00 '.policy.max_attempts = 9'
	edit party-02 '.policy.max_attempts = 9'
	repeats 4
	[[ $(grep -c '^attempt.*enough of this attempt' "$T/coordinator.stdout") == 3 ]] ||
		fail "$(<"$T/coordinator.stdout")"
	grep -q 'policy.max_eps_total of party-01 is 1.84' "$T/party-01.stderr" ||
		fail "$(tail -n 3 "$T/party-01.stderr")"
	[[ $(spent party-01) == 3 ]] || fail "party-01 has spent $(spent party-01)"
}

# Parties give no reports under a second numbering, so three attempts read nothing more. Under the
# same numbering all reports are equal.
test_ties_of_three_attempts() {
	local eps
	needs_python
	vertices_federation 3
	for eps in 0.1 1 4; do
		edit job ". + { ids: \"plain\", mode: \"randomized-response\", eps: $eps } | \
del(.walks, .length, .window)"
		repeats 3
		[[ $(grep -c '^attempt.*enough of this attempt' "$T/coordinator.stdout") == 1 ]] ||
			fail "eps $eps: $(<"$T/coordinator.stdout")"
		jq -e '.read == 0 and .equal == 0' "$T/read" >/dev/null ||
			fail "eps $eps: $(<"$T/read")"
		grep -q 'asks another question than an earlier attempt' "$T"/party-0?.stderr ||
			fail "nobody says why"
		repeats 3 --rows same
		jq -e '.equal == 3' "$T/read" >/dev/null ||
			fail "eps $eps, as they were: $(<"$T/read")"
	done
}

sample test_edges_beyond_the_budget
run_tests "$@"
