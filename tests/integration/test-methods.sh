#!/bin/bash
# Runs landmark projection and federated GCC between real daemons. Checks their results, their
# disclosures, and a policy that allows neither.
#
#     coterie-lab gcc, all columns  ----.
#                                    >-- the same labels, for any number of parties
#     method gcc, L parties     ----'
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

job_of() { # METHOD [JQ-PROGRAM]
	jq -n --arg method "$1" '{ kind: "kcagc", clusters: 3, seed: 7, method: $method }' \
		>"$T/job.json"
	[[ -z ${2-} ]] || edit job "$2"
}

# A party computes its local clusters while it waits for the keys of others, so its phase "local"
# comes before "keys".
completes_with() { # L METHOD PHASES: each run.json has PHASES, in the coordinator's order
	local name phases
	coordinator
	parties "$1"
	completes "$1"
	for name in coordinator $(names "$1"); do
		same_labels "$T/out/coordinator/labels.csv" "$T/out/$name/labels.csv"
		[[ $(run_of "$name" .job.method) == "$2" ]] ||
			fail "$name ran $(run_of "$name" .job.method)"
		phases="offer keys $3 result"
		[[ $name == coordinator || $3 != *local* ]] ||
			phases="offer local keys ${3/local /} result"
		[[ $(run_of "$name" '[.phases[].name] | join(" ")') == "$phases" ]] ||
			fail "$name went through $(run_of "$name" '[.phases[].name] | join(" ")')"
	done
	at_least "$(acc "$T/out/coordinator/labels.csv")" 0.9 "accuracy of $2 with $1 parties"
	[[ $(head -1 "$T/out/coordinator/labels.csv") == id,label,confidence &&
		$(head -1 "$T/out/party-00/labels.csv") == id,label ]] ||
		fail "confidence: $(head -qn 1 "$T/out"/*/labels.csv | xargs)"
	[[ $(run_of \
		coordinator '.facts | .confidence > 0.2 and .confidence < 1
			and (.confidence_tenths | length) == 10') == true ]] ||
		fail "facts $(run_of coordinator .facts)"
}

# ---- gcc ----

gcc_is_its_twin() { # L
	federation "$1"
	job_of gcc
	"$BIN/coterie-lab" gcc --data "$T/pooled" --job "$T/job.json" --out "$T/twin" >/dev/null
	completes_with "$1" gcc "norms order init iterate"
	same_labels "$T/twin/labels.csv" "$T/out/coordinator/labels.csv"
	[[ $(run_of coordinator .filter_order) == "$(jq .order "$T/twin/result.json")" ]] ||
		fail "order $(run_of coordinator .filter_order), the twin's is $(jq .order \
		"$T/twin/result.json")"
	[[ $(run_of \
		coordinator '.filter_order as $p | .facts | (.order_shares
			| length) == 15 and $p <= .order_rule and
		($p == .order_rule or .order_shares[$p] > 0.93) and ($p == 1
		or .order_shares[$p - 1] <= 0.93)') == true ]] ||
		fail "order $(run_of coordinator .filter_order) of facts $(run_of coordinator \
		'.facts | tostring')"
	[[ $(run_of coordinator .rounds) == $((3 + 8 + $(jq .iterations \
		"$T/twin/result.json"))) ]] ||
		fail "$(run_of coordinator .rounds) rounds"
	[[ $(run_of coordinator .facts.clusters_of) == "$(jq -r .clusters_of \
		"$T/twin/result.json")" ]] ||
		fail "clusters of $(run_of coordinator .facts.clusters_of), the twin's of $(jq \
		.clusters_of "$T/twin/result.json")"
}

test_gcc_of_two() { gcc_is_its_twin 2; }
test_gcc_of_five() { gcc_is_its_twin 5; }

test_gcc_of_one() {
	federation 1
	job_of gcc '.allow_single = true'
	edit party-00 '.policy.allow_single = true'
	"$BIN/coterie-lab" gcc --data "$T/pooled" --job "$T/job.json" --out "$T/twin" >/dev/null
	completes_with 1 gcc "norms order init iterate"
	same_labels "$T/twin/labels.csv" "$T/out/coordinator/labels.csv"
}

# ---- two orders: degrees explain more than half of the filtered rows ----

# Each of the two clusterings has phases of its own. The second one gives the order if its
# modularity is higher by more than 0.02, otherwise the first one does.
two_orders() { # TAKEN PHASES
	completes_with 3 "$(run_of_job)" "$2 settle"
	[[ $(run_of \
		coordinator '.facts | .orders_tried[1] as $p
			| .orders_tried[0] == 1 and $p > 1
			and .order_shares[$p - 1] > 0.5') == true ]] ||
		fail "orders of facts $(run_of coordinator '.facts | tostring')"
	[[ $(run_of coordinator ".filter_order == .facts.orders_tried[$1]") == true &&
		$(run_of party-01 .filter_order) == "$(run_of coordinator .filter_order)" ]] ||
		fail "order $(run_of coordinator .filter_order) of facts $(run_of coordinator \
		'.facts | tostring'), party-01's is $(run_of party-01 .filter_order)"
	[[ $(run_of coordinator \
		".facts.orders_modularity | (.[1] > .[0] + 0.02) == ($1 == 1)") == true ]] ||
		fail "taken is $1 of $(run_of coordinator '.facts.orders_modularity | tostring')"
}

run_of_job() { jq -r .method "$T/job.json"; }

test_gcc_settles_on_the_lower() {
	federation 3 --degree 50
	job_of gcc
	"$BIN/coterie-lab" gcc --data "$T/pooled" --job "$T/job.json" --out "$T/twin" >/dev/null
	two_orders 0 "norms order init iterate init iterate"
	same_labels "$T/twin/labels.csv" "$T/out/coordinator/labels.csv"
	[[ $(run_of coordinator \
		'.facts | .degrees == "off" and .degrees_explain < 0.5') == true ]] ||
		fail "facts $(run_of coordinator '.facts | tostring')"
	[[ $(jq -c .orders_tried "$T/twin/result.json") == "$(run_of coordinator \
		'.facts.orders_tried | tojson')" ]] ||
		fail "the twin tried $(jq -c .orders_tried "$T/twin/result.json")"
	# two clusterings of nine sums each, and more sums to choose between them
	at_least "$(run_of coordinator .rounds)" 21 rounds
}

test_landmark_settles_on_the_higher() {
	federation 3 --signal 0.5 --degree 30
	job_of landmark
	two_orders 1 "norms local order landmarks power polish landmarks power polish"
	[[ $(run_of coordinator .rounds) == 10 ]] || fail "$(run_of coordinator .rounds) rounds"
}

# ---- landmark ----

test_landmark_of_two() {
	federation 2
	job_of landmark
	completes_with 2 landmark "norms local order landmarks power polish"
	[[ $(run_of coordinator .rounds) == 6 ]] || fail "$(run_of coordinator .rounds) rounds"
	# Seven round trips if the local clusters arrive before the coordinator waits for them,
	# otherwise eight.
	[[ $(run_of coordinator .round_trips) =~ ^[78]$ ]] ||
		fail "$(run_of coordinator .round_trips) round trips"
	[[ $(run_of coordinator '.job.secure_sum.modulus_bits') == 32 ]] ||
		fail "words are not of 32 bits"
	[[ $(run_of coordinator .facts.clusters_of) == 'rows as they are' ]] ||
		fail "clusters of $(run_of coordinator .facts.clusters_of)"
}

test_landmark_of_five() {
	federation 5
	job_of landmark '.local_clusters = "4k" | .polish = 2 | .filter.order = 3'
	completes_with 5 landmark "norms local order landmarks power polish"
}

test_landmark_without_a_joint_vector() {
	federation 3
	job_of landmark '.landmark.power = false | .min_cell = 5'
	completes_with 3 landmark "norms local order landmarks polish"
	[[ $(run_of party-01 \
		'[.traffic[] | select(.type == "BLOCK").messages_received] | add') == 1 ]] ||
		fail "there was a block besides the norms"
}

# ---- degrees ----

# Makes three kinds of nodes. Ten nodes are tied to all nodes. Fifty nodes are also tied to ten
# neighbours on a ring. Ninety nodes are tied to the first ten nodes alone. No community separates
# the kinds, and features carry no information.
roles() { # L
	local name
	federation "$1"
	awk 'BEGIN {
		OFS = "\t"
		for (i = 0; i < 10; i++) for (j = i + 1; j < 150; j++) print i, j
		for (i = 0; i < 50; i++) for (s = 1; s <= 5; s++) { j = (i + s) % 50;
		print (i < j ? i : j) + 10, (i < j ? j : i) + 10 }
	}' | sort -n -k1,1 -k2,2 >"$T/pooled/edges.tsv"
	awk 'BEGIN { for (i = 0; i < 150; i++) print i < 10 ? 0 : i < 60 ? 1 : 2 }' \
		>"$T/pooled/labels.txt"
	for name in $(names "$1"); do cp "$T/pooled/edges.tsv" "$T/data/$name/edges.tsv"; done
}

test_degrees_alone() {
	roles 3
	job_of landmark '.degrees = "alone"'
	coordinator
	parties 3
	completes 3
	at_least "$(acc "$T/out/coordinator/labels.csv")" 1 "accuracy"
	[[ $(run_of party-01 .job.degrees) == alone ]] ||
		fail "party-01 ran with degrees $(run_of party-01 .job.degrees)"
	until_true 20 any_party_said 'no centres are kept of this run' ||
		fail "a model is kept to predict by"
	[[ $(run_of party-01 \
		'.leaks | map(select(test("use the degrees of nodes alone"))) | length') == 1 ]] ||
		fail "what degrees show is not said"
}

# Replaces the features by one column for each degree: 1 at the nodes of this degree, otherwise 0.
# Degrees themselves describe the clusters better, so the job uses them without being told.
words_of_degrees() { # L
	/usr/bin/python3 - "$T" "$1" <<-'EOF'
		import sys
		at, parties = sys.argv[1], int(sys.argv[2])
		degree = [0] * 150
		for line in open(f"{at}/pooled/edges.tsv"):
		    for node in line.split():
		        degree[int(node)] += 1
		words = sorted(set(degree))
		words += [1000 + i for i in range(max(0, 2 * parties - len(words)))]
		for name, columns in [("pooled", range(len(words)))] + [
		        (f"data/party-{l:02}", range(l, len(words), parties))
		        for l in range(parties)]:
		    entries = [(i + 1, j + 1) for i in range(150) for j, c in enumerate(columns)
		               if words[c] == degree[i]]
		    with open(f"{at}/{name}/features.mtx", "w") as f:
		        print("%%MatrixMarket matrix coordinate pattern general", file=f)
		        print(150, len(columns), len(entries), file=f)
		        for e in entries:
		            print(*e, file=f)
	EOF
}

degrees_are_told() { # METHOD
	roles 3
	words_of_degrees 3
	job_of "$1"
	coordinator
	parties 3
	completes 3
	at_least "$(acc "$T/out/coordinator/labels.csv")" 1 "accuracy"
	[[ $(run_of coordinator \
		'.facts | .degrees == "alone" and .degrees_explain > 0.9') == true ]] ||
		fail "facts $(run_of coordinator '.facts | tostring')"
	[[ $(run_of party-01 .job.degrees) == auto ]] ||
		fail "party-01 ran with degrees $(run_of party-01 .job.degrees)"
}

test_degrees_are_told_by_landmark() {
	degrees_are_told landmark
	until_true 20 any_party_said 'no centres are kept of this run' ||
		fail "a model is kept to predict by"
}

test_degrees_are_told_by_gcc() {
	degrees_are_told gcc
	"$BIN/coterie-lab" gcc --data "$T/pooled" --job "$T/job.json" --out "$T/twin" >/dev/null
	same_labels "$T/twin/labels.csv" "$T/out/coordinator/labels.csv"
	[[ $(jq -r .degrees "$T/twin/result.json") == alone ]] ||
		fail "the twin's are $(jq -r .degrees "$T/twin/result.json")"
}

test_degrees_beside_are_the_twins() {
	federation 3
	job_of gcc '.degrees = "beside"'
	"$BIN/coterie-lab" gcc --data "$T/pooled" --job "$T/job.json" --out "$T/twin" >/dev/null
	coordinator
	parties 3
	completes 3
	same_labels "$T/twin/labels.csv" "$T/out/coordinator/labels.csv"
}

test_degrees_of_no_tree() {
	federation 2
	edit job '.degrees = "beside"'
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json"
	ends 4 coordinator
	says coordinator 'job.degrees is read by method "landmark" or "gcc" only; remove it'
}

# ---- refusals ----

# The party's policy refuses the job, and the party reports that. All processes end with 2, and no
# sum is made.
refused_by_policy() { # METHOD OTHERS
	local name
	federation 2
	job_of "$1"
	edit party-01 ".policy.methods = $2"
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	party_says "the offered method is $1, which policy.methods of party-01 does not name"
	for name in coordinator party-00 party-01; do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$name has labels"
	done
	[[ $(run_of coordinator .rounds) == 0 ]] || fail "there were sums"
}

test_policy_refuses_gcc() { refused_by_policy gcc '["tree", "landmark"]'; }
test_policy_refuses_landmark() { refused_by_policy landmark '["gcc", "tree", "flat", "basic"]'; }

test_unread_parameters() {
	federation 2
	job_of gcc '.preset = "paper"'
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json"
	ends 4 coordinator
	says coordinator 'job.preset is read by method "tree", "flat" or "basic" only; remove it'
}

sample test_gcc_of_two test_landmark_of_two test_policy_refuses_landmark test_unread_parameters
run_tests "$@"
