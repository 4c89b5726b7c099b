#!/bin/bash
# Runs one job with programs of this release and of the previous one (tests/compat/release), for
# each kind. Also checks that this release reads the state that the previous release has left.
#
#     coordinator, party-00, party-02: this release      party-01: the previous release
#     coordinator, party-00, party-02: the previous one  party-01: this release
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/serve.sh
source "$ROOT/tests/integration/serve.sh"

# shellcheck disable=SC2034
TEST_TIMEOUT=900

before() { # sets $NEW and $OLD, the folders of the programs of both releases
	local status=0
	NEW=$BIN
	OLD=$("$ROOT/tests/compat/release" 2>"$T/release") || status=$?
	[[ $status != 77 ]] || skip "$(<"$T/release")"
	[[ $status == 0 ]] || fail "$(<"$T/release")"
	patient 3
}

mixed() { # COORDINATOR-PROGRAMS PARTY-01-PROGRAMS: runs the job into $T/out; all must succeed
	rm -rf "$T/out"
	BIN=$1 coordinator
	BIN=$1 party party-00
	BIN=$2 party party-01
	BIN=$1 party party-02
	ends 0 coordinator party-00 party-01 party-02
	says coordinator \
		"party-01 joined from .*$("$2/party" --version |
		sed 's/party (coterie) //; s/, protocol.*//; s/[+()]/\\&/g')"
}

# Prints FILE; sorts common ids, whose order differs in each job.
in_order() { if [[ $1 == *ids.txt ]]; then sort "$1"; else cat "$1"; fi; }

# Both mixtures of releases must give the results that this release alone gives.
both_ways() { # FILES...: result files of party-01 to compare
	local file most
	mixed "$NEW" "$NEW"
	for file; do cp "$T/out/party-01/$file" "$T/alone-$file"; done
	for most in "$NEW" "$OLD"; do
		if [[ $most == "$NEW" ]]; then mixed "$NEW" "$OLD"; else mixed "$OLD" "$NEW"; fi
		for file; do
			cmp <(in_order "$T/alone-$file") <(in_order "$T/out/party-01/$file") ||
				fail "$file differs with both releases"
		done
	done
}

test_kcagc() { federation 3 && before && both_ways labels.csv; }
test_kcagc_landmark() {
	federation 3
	before
	edit job '.method = "landmark" | del(.filter, .restarts, .local_restarts)'
	both_ways labels.csv
}
test_fedsc() { rows_federation 3 && before && both_ways labels.csv; }
test_kmeans() {
	rows_federation 3
	before
	rows_job kmeans
	both_ways labels.csv model.rows
}
# tau is a new parameter whose default is not 0. The previous release accepts a job with tau 0.
test_fedspectral() {
	edges_federation 3
	before
	numbered 3
	cp "$T/job.json" "$T/older.json"
	edit job '.tau = 0'
	mixed "$NEW" "$NEW"
	cp "$T/out/party-01/labels.csv" "$T/alone.csv"
	mixed "$NEW" "$OLD"
	cmp "$T/alone.csv" "$T/out/party-01/labels.csv" || fail "labels differ with the older party"
	cp "$T/older.json" "$T/job.json"
	mixed "$OLD" "$NEW"
	cmp "$T/alone.csv" "$T/out/party-01/labels.csv" || fail "labels differ with older others"
}
test_fedspectral_regularized() {
	edges_federation 3
	before
	BIN=$NEW coordinator
	BIN=$NEW party party-00
	BIN=$OLD party party-01
	BIN=$NEW party party-02
	ends 2 coordinator
	says coordinator 'its release does not know a parameter of this job, or its value: job.tau'
}
test_fedwalk() {
	vertices_federation 3
	before
	numbered 3
	both_ways # compares no files, because each job draws other walks
}
test_fedgcn() { graphs_federation 3 && before && both_ways labels.csv; }
test_kmeans_columns() {
	federation 3
	before
	allows 3 kmeans.columns
	echo '{ "kind": "kmeans.columns", "clusters": 3, "seed": 7 }' >"$T/job.json"
	both_ways labels.csv
}
test_align() {
	local name
	federation 3
	before
	for name in $(names 3); do
		seq -f 'id-%g' "$((10#${name#party-} * 50))" 600 >"$T/$name.ids"
		edit "$name" ".policy.jobs = [\"align\"] | .data = { \"ids\": \"$name.ids\" }"
	done
	echo '{ "kind": "align" }' >"$T/job.json"
	both_ways ids.txt
}

# Parties predict with models that the previous release left: first all with this release, then with
# both mixtures of releases.
predicts() { # KIND
	local name
	federation 3
	before
	for name in $(names 3); do
		edit "$name" ".state = \"state/$name\" | .policy.jobs = [\"$1\", \"$1.predict\"]"
	done
	jq -n --arg kind \
		"$1" '{ kind: $kind, clusters: 3, seed: 7 }
			+ if $kind == "kcagc" then { method: "tree", filter: { order: 3 } }
			else {} end' >"$T/job.json"
	mixed "$OLD" "$OLD"
	cp "$T/out/party-01/labels.csv" "$T/labels"
	jq --arg kind "$1" '{ kind: "\($kind).predict", clusters: 3, model: .job_id }' \
		"$T/out/coordinator/run.json" >"$T/job.json"
	both_ways labels.csv
	same_labels <(cut -d , -f 2 "$T/labels") <(cut -d , -f 2 "$T/out/party-01/labels.csv")
}
test_kcagc_predict() { predicts kcagc; }
test_kmeans_columns_predict() { predicts kmeans.columns; }

# The previous release leaves a queue with a waiting job, ledgers and results. This release serves
# the queue, verifies the ledgers, and reads run.json.
test_states() {
	local name
	rows_federation 3
	before
	rows_job kmeans
	for name in $(names 3); do edit "$name" ".state = \"state/$name\" | .retry_s = 0"; done
	BIN=$OLD serve
	# shellcheck disable=SC2046
	BIN=$OLD stays $(names 3)
	here 3
	BIN=$OLD submits "$T/job.json" 1
	BIN=$OLD becomes 1 'done'
	for name in $(names 3); do kill "${PID[$name]}" && ended "$name"; done
	BIN=$OLD submits "$T/job.json" 2 # the parties are gone, so the job waits
	kill "${PID[coordinator]}"
	ended coordinator
	serve_again
	# shellcheck disable=SC2046
	stays $(names 3)
	[[ $(shown 1 .state) == 'done' ]] || fail "job 1 is $(shown 1 .state)"
	becomes 2 'done'
	for name in $(names 3); do
		"$BIN/coterie" ledger --state "$T/state/$name" verify >/dev/null ||
			fail "$name's ledger"
		[[ $("$BIN/coterie" ledger export --csv --state "$T/state/$name" |
			sed '1d; s/"[^"]*",//g' | cut -d , -f 3 | sort -u | wc -l) == 2 ]] ||
			fail "$name's ledger has not both jobs"
	done
	"$BIN/coterie" show \
		"$(dirname "$(find "$T/out/coordinator" -name run.json | sort | head -n 1)")" \
		>"$T/shown" || fail "$(<"$T/shown")"
}

sample
run_tests "$@"
