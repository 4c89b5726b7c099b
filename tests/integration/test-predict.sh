#!/bin/bash
# Tests prediction. A run over the first 150 nodes leaves a model at each party. A second job
# predicts the clusters of nodes with these models.
#
#     data/      nodes 0 .. 149     run  ->  $T/state/party-NN/model-ID.bin
#     data-all/  nodes 0 .. 199     predict with it -> labels of all 200
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

OLD=150 ALL=200

# Makes keys, slices of all nodes and of the first OLD ones, and parties that may predict and keep
# their state.
old_and_new() { # L [SYNTH-OPTION...]
	local name
	federation "$1" --nodes "$ALL" "${@:2}"
	mv "$T/data" "$T/data-all"
	for name in $(names "$1"); do
		first_rows "$T/data-all/$name" "$T/data/$name"
		edit "$name" \
			".state = \"state/$name\" | .policy.jobs = [\"kcagc\", \"kcagc.predict\"]"
	done
}

first_rows() { # FROM TO: copies the first OLD rows of a slice, and the edges between them
	mkdir -p "$2"
	awk -v n="$OLD" \
		'/^%/ { print; next } !size { size = $2; next } $1 <= n { entry[count++] = $0 }
		END { print n, size, count;
		for (i = 0; i < count; i++) print entry[i] }' "$1/features.mtx" >"$2/features.mtx"
	awk -v n="$OLD" '$1 < n && $2 < n' "$1/edges.tsv" >"$2/edges.tsv"
}

data_is() { # DIR L: sets the directory of the parties' slices
	local name
	for name in $(names "$2"); do
		edit "$name" "(.data[]) |= sub(\"^data[^/]*\"; \"$1\")"
	done
}

run_old() { # L [COORDINATOR-ARG...]: runs the first job; sets $MODEL to its id
	data_is data "$1"
	coordinator "${@:2}"
	parties "$1"
	completes "$1"
	MODEL=$(run_of coordinator .job_id)
	rm -rf "$T/run"
	mv "$T/out" "$T/run"
}

# Starts the coordinator of a prediction, waits until it listens.
predict_job() { # [COORDINATOR-ARG...]
	jq -n --arg model "${MODEL-}" '{ kind: "kcagc.predict", clusters: 3, model: $model }' \
		>"$T/predict.json"
	rm -f "$T/ready"
	start coordinator "$BIN/coordinator" --config "$T/coordinator.json" --job \
		"$T/predict.json" \
		--out "$T/out/coordinator" --ready-file "$T/ready" "$@"
	until_true 20 listens_or_gone
	[[ -s $T/ready ]] || fail "the coordinator did not become ready"
	# shellcheck disable=SC2034
	ADDRESS=$(<"$T/ready")
}

predicts() { # DIR L [COORDINATOR-ARG...]: runs a prediction, which succeeds
	data_is "$1" "$2"
	predict_job "${@:3}"
	parties "$2"
	completes "$2"
}

# The coordinator and all parties end with 2 or 4, a party's error matches REGEX, and nothing is
# computed.
refused() { # L REGEX [COORDINATOR-ARG...]
	local name
	predict_job "${@:3}"
	parties "$1"
	# shellcheck disable=SC2046
	ends "2|4" coordinator $(names "$1")
	party_says "$2"
	[[ ! -e $T/out/coordinator/labels.csv ]] || fail "there are labels"
	for name in $(names "$1"); do
		[[ $(run_of "$name" 'any(.phases[]; .name == "local")') == false ]] ||
			fail "$name computed all the same"
	done
	rm -rf "$T/out"
}

model_of() { echo "$T/state/$1/model-$MODEL.bin"; } # NAME

# ---- labels ----

old_labels_come_back() { # L METHOD
	local name
	old_and_new "$1"
	run_old "$1" --set "method=$2"
	for name in $(names "$1"); do
		[[ $(stat -c %a "$(model_of "$name")") == 600 ]] ||
			fail "the model of $name: mode $(stat -c %a "$(model_of "$name")")"
	done
	predicts data "$1"
	for name in coordinator $(names "$1"); do
		same_labels "$T/run/$name/labels.csv" "$T/out/$name/labels.csv"
		same_labels "$T/run/$name/labels.npy" "$T/out/$name/labels.npy"
		[[ $(run_of "$name" '.result.cluster_sizes | tostring') == "$(jq -r \
			'.result.cluster_sizes | tostring' "$T/run/$name/run.json")" ]] ||
			fail "$name: other sizes of clusters"
		[[ $(run_of "$name" '.job.kind, .job.model' | xargs) == "kcagc.predict $MODEL" ]] ||
			fail "$name: $(run_of "$name" -c .job)"
	done
	[[ $(run_of \
		party-00 '[.phases[].name]
			| tostring') == '["offer","keys","local","predict","result"]' ]] ||
		fail "party-00 went through $(run_of party-00 '[.phases[].name] | tostring')"
	[[ $(run_of coordinator .rounds) == 2 ]] ||
		fail "$(run_of coordinator \
		.rounds) rounds for a few nodes: a bound, and the distances"
}

test_old_labels_tree() { old_labels_come_back 4 tree; }
test_old_labels_flat() { old_labels_come_back 3 flat; }
test_old_labels_basic() { old_labels_come_back 2 basic; }

# In landmark projection the joint rows have length 1, so a prediction needs joint_norm. Each row
# goes to the nearest mean of the last polish. A run without polish leaves no centres.
test_landmark() {
	local name polish
	old_and_new 3
	echo '{ "kind": "kcagc", "method": "landmark", "clusters": 3, "seed": 7 }' >"$T/job.json"
	for polish in 1 3; do
		run_old 3 --set "polish=$polish"
		[[ $polish != 1 ]] ||
			refused 3 \
			"job.joint_norm is false, and the run of job.model was of method landmark"
		predicts data 3 --set joint_norm=true
		for name in coordinator $(names 3); do
			same_labels "$T/run/$name/labels.csv" "$T/out/$name/labels.csv"
		done
		[[ $(run_of coordinator \
			'.leaks | map(select(test("joint norm"))) | length') == 1 ]] ||
			fail "the leaks do not say so"
		predicts data-all 3 --set joint_norm=true
		at_least "$(acc "$T/out/coordinator/labels.csv")" 0.9 "accuracy with the new nodes"
		cp "$T/out/coordinator/labels.csv" "$T/placed.csv"
		rm -rf "$T/out"
	done
	coordinator # runs over all nodes
	parties 3
	completes 3
	sed 1d "$T/out/coordinator/labels.csv" | cut -d, -f2 >"$T/full.txt"
	at_least "$("$BIN/coterie" eval --truth "$T/full.txt" "$T/placed.csv" | jq -r .acc)" 0.95 \
		"agreement with a run over all nodes"
	rm -rf "$T/out"
	run_old 3 --set polish=0
	refused 3 "method landmark, whose clusters have no centres" --set joint_norm=true
}

# The run tried two orders of the filter and chose the first or the second (TAKEN). Predicted rows
# are filtered with the chosen one.
after_two_orders() { # TAKEN SYNTH-OPTION...
	local name
	old_and_new 3 "${@:2}"
	echo '{ "kind": "kcagc", "method": "landmark", "clusters": 3, "seed": 7 }' >"$T/job.json"
	run_old 3
	[[ $(jq ".filter_order == .facts.orders_tried[$1]" \
		"$T/run/coordinator/run.json") == true ]] ||
		fail "orders $(jq -c '[.filter_order, .facts.orders_tried]' \
		"$T/run/coordinator/run.json")"
	predicts data 3 --set joint_norm=true
	for name in coordinator $(names 3); do
		same_labels "$T/run/$name/labels.csv" "$T/out/$name/labels.csv"
	done
}

test_landmark_of_the_lower_order() { after_two_orders 0 --signal 1 --degree 40; }
test_landmark_of_the_higher_order() { after_two_orders 1 --signal 0.5 --degree 30; }

test_new_nodes() {
	old_and_new 3
	run_old 3
	predicts data-all 3
	at_least "$(acc "$T/out/coordinator/labels.csv")" 0.9 "accuracy with the new nodes"
	[[ $(run_of coordinator .result.rows) == "$ALL" ]] ||
		fail "$(run_of coordinator .result.rows) rows"
	mv "$T/out" "$T/predicted"
	coordinator # runs over all nodes
	parties 3
	completes 3
	sed 1d "$T/out/coordinator/labels.csv" | cut -d, -f2 >"$T/full.txt"
	at_least \
		"$("$BIN/coterie" eval --truth "$T/full.txt" "$T/predicted/coordinator/labels.csv" |
		jq -r .acc)" 0.95 \
		"agreement with a run over all nodes"
}

# One party has the same nodes in another order. Ids match them, and each party gets labels in its
# own order.
test_ids() {
	old_and_new 2
	run_old 2
	local name
	for name in $(names 2); do
		data_is data-all 2
		seq -f 'id-%04g' 0 $((ALL - 1)) >"$T/ids"
		cp "$T/ids" "$T/data-all/$name/ids.txt"
		awk 'NR == FNR { id[FNR - 1] = $0; next } { print id[$1] "\t" id[$2] }' "$T/ids" \
			"$T/data-all/$name/edges.tsv" >"$T/edges.new"
		mv "$T/edges.new" "$T/data-all/$name/edges.tsv"
		edit "$name" ".data.ids = \"data-all/$name/ids.txt\""
	done
	predicts data-all 2
	mv "$T/out" "$T/first"
	tac "$T/ids" >"$T/data-all/party-01/ids.txt"
	awk -v n=$((ALL + 1)) '/^%/ || !seen++ { print; next } { $1 = n - $1; print }' \
		"$T/data-all/party-01/features.mtx" >"$T/features.new"
	mv "$T/features.new" "$T/data-all/party-01/features.mtx"
	predicts data-all 2
	same_labels "$T/first/party-00/labels.csv" "$T/out/party-00/labels.csv"
	same_labels <(sort "$T/first/party-01/labels.csv") <(sort "$T/out/party-01/labels.csv")
	[[ $(sed -n 2p "$T/out/party-01/labels.csv") == "id-$(printf %04d $((ALL - 1)))",* ]] ||
		fail "not party-01's order"
	# Two nodes have the same id.
	sed -i '3s/.*/id-0000/' "$T/data-all/party-01/ids.txt"
	rm -rf "$T/out"
	predict_job
	parties 2
	ended party-01
	[[ $STATUS == 4 ]] || fail "party-01 ended with status $STATUS, expected 4"
	says party-01 "ids.txt:200: the id .not shown. is given twice"
}

test_nodes_without_edges() {
	old_and_new 2
	run_old 2
	local name
	for name in $(names 2); do
		awk -v n=$((ALL - 5)) '$1 < n && $2 < n' "$T/data-all/$name/edges.tsv" \
			>"$T/edges.new"
		cp "$T/edges.new" "$T/data-all/$name/edges.tsv"
	done
	predicts data-all 2
	says party-00 "[0-9]+ of $ALL nodes have no edge: .*their features alone decide"
	[[ $(run_of coordinator '.result.cluster_sizes | add') == "$ALL" ]] ||
		fail "nodes without labels"
}

test_joint_norm() {
	old_and_new 3
	run_old 3 --set joint_norm=true
	refused 3 "job.joint_norm is false, in the run of job.model it was true"
	predicts data 3 --set joint_norm=true
	same_labels "$T/run/coordinator/labels.csv" "$T/out/coordinator/labels.csv"
	[[ $(run_of coordinator '.leaks | map(select(test("joint norm"))) | length') == 1 ]] ||
		fail "the leaks do not say so"
}

# ---- models that do not fit ----

test_other_jobs_are_refused() {
	old_and_new 3
	run_old 3 --set secure_sum.fraction_bits=16
	local name model=$MODEL
	refused 3 "job.clusters is 4, the run of job.model had 3" --set clusters=4
	refused 3 "fraction_bits is 12, the run of job.model had 16" --set \
		secure_sum.fraction_bits=12
	MODEL=0123456789abcdef0123456789abcdef
	refused 3 "there is no model of run $MODEL here"
	grep -q "models in .*: 1: $model" "$T/party-00.stderr" ||
		grep -q "models in .*: 1: $model" "$T/party-01.stderr" ||
		grep -q "models in .*: 1: $model" "$T/party-02.stderr" ||
		fail "nobody's log says which models there are"
	! grep -q "$model" "$T/coordinator.stderr" || fail "the coordinator was told of other runs"
	MODEL=$model
	edit party-01 'del(.policy.jobs)'
	refused 3 "party-01.*kcagc.predict, which policy.jobs of party-01 does not name"
	edit party-01 '.policy.jobs = ["kcagc.predict"]'
	# A party has the model file of another party.
	cp "$(model_of party-00)" "$(model_of party-01)"
	refused 3 "the model is that of party-00, not of party-01"
}

test_fewer_parties_are_refused() {
	old_and_new 3
	run_old 3
	edit coordinator '.parties |= .[:2]'
	for name in party-00 party-01; do edit "$name" '.policy.allow_subsets = true'; done
	refused 2 "the run of job.model had 3 parties, this job has 2"
}

test_other_columns_are_refused() {
	old_and_new 2
	run_old 2
	sed -i "2s/^\([0-9]*\) \([0-9]*\)/\1 40/" "$T/data/party-00/features.mtx"
	refused 2 "the features of party-00 have 40 columns, in the run of job.model they had 18"
}

test_other_words_are_refused() {
	old_and_new 2
	run_old 2
	sed -i '3s/1$/2.5/' "$T/data/party-01/features.mtx"
	predict_job
	parties 2
	ends "2|4" coordinator party-00 party-01
	party_says "the features hold values besides 0 and the model"
}

flip() { # FILE OFFSET: flips the lowest bit of that byte
	local byte
	byte=$(od -An -tu1 -j "$2" -N 1 "$1")
	# shellcheck disable=SC2059
	printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

test_damaged_models_are_refused() {
	old_and_new 2
	run_old 2
	local model good=$T/good size
	model=$(model_of party-01)
	cp "$model" "$good"
	size=$(stat -c %s "$good")
	flip "$model" $((size / 2))
	refused 2 "model-$MODEL.bin: damaged, its checksum is not that of its $size bytes"
	head -c 300 "$good" >"$model"
	refused 2 "model-$MODEL.bin: damaged, its checksum is not that of its 300 bytes"
	: >"$model"
	refused 2 "model-$MODEL.bin: does not begin like a model"
	{ head -c 11 "$good" && printf '\x07' && tail -c +13 "$good"; } >"$model"
	refused 2 "version 7 of its format, this program reads 2; run the kcagc job again"
	cp "$good" "$model"
	predicts data 2
}

# ---- runs that leave no model ----

test_min_cell_leaves_no_centres() {
	old_and_new 2
	run_old 2 --set min_cell=4
	says party-00 "no centres are kept of this run"
	refused 2 "had min_cell 4, so no centres of it were kept"
}

# party-01 cannot write its result. The run fails for all parties, and none keeps a model.
test_failed_runs_leave_none() {
	old_and_new 3
	data_is data 3
	stretched
	in_phase party-01 level-1
	mkdir "$T/out/party-01/labels.csv" # a directory in the file's place
	ends "1|2" coordinator party-00 party-01 party-02
	party_says "labels.csv: cannot rename to it"
	[[ ! -e $T/out/coordinator/labels.csv && ! -e $T/out/party-00/labels.csv ]] ||
		fail "labels of a run that failed"
	[[ -z $(find "$T/state" -name 'model-*') ]] ||
		fail "models of a failed run: $(find "$T/state" -name 'model-*')"
	rmdir "$T/out/party-01/labels.csv"
	rm -rf "$T/out"
	run_old 3
	[[ $(find "$T/state" -name 'model-*' | wc -l) == 3 ]] ||
		fail "a good run left $(find "$T/state" -name 'model-*')"
}

# ---- kmeans.columns ----

# A run over the first rows leaves models of columns. Rows of the run get their labels again, alone
# or with other rows. A few rows alone can be predicted too.
columns_of_rows() { # METHOD
	local name rows
	"$BIN/coterie" synth --points --nodes 240 --features 6 --clusters 3 --apart 5 --seed 3 \
		--out "$T/points" >/dev/null
	federation 3
	rm -rf "$T/data"
	"$BIN/coterie" split --by columns --parties 3 --seed 5 --data "$T/points" --out \
		"$T/data-all" >/dev/null
	for name in $(names 3); do
		edit "$name" ".state = \"state/$name\" | .policy.jobs = [\"kmeans.columns\", \
\"kmeans.columns.predict\"] |
			.data = { features: \"data-all/$name/features.csv\" }"
		[[ -e $T/data-all/$name/features.csv ]] || table_of "$name"
		for rows in 180 2; do
			mkdir -p "$T/data-$rows/$name"
			head -n "$rows" "$T/data-all/$name/features.csv" \
				>"$T/data-$rows/$name/features.csv"
		done
	done
	jq -n --arg method "$1" \
		'{ kind: "kmeans.columns", clusters: 3, seed: 7, method: $method }' >"$T/job.json"
}

table_of() { # NAME: writes the features of NAME as a table, features.csv
	/usr/bin/python3 \
		-c 'import numpy, sys; numpy.savetxt(sys.argv[2], numpy.load(sys.argv[1]), '\
'delimiter=",", fmt="%.17g")' \
		"$T/data-all/$1/features.npy" "$T/data-all/$1/features.csv"
}

predicts_columns() { # DATA
	data_is "$1" 3
	jq -n --arg model "$MODEL" \
		'{ kind: "kmeans.columns.predict", clusters: 3, model: $model }' >"$T/job.json"
	coordinator
	parties 3
	completes 3
}

columns_come_back() { # METHOD
	local name
	columns_of_rows "$1"
	data_is data-180 3
	coordinator
	parties 3
	completes 3
	MODEL=$(run_of coordinator .job_id)
	rm -rf "$T/run" && mv "$T/out" "$T/run"
	[[ $(stat -c %a "$(model_of party-00)") == 600 ]] || fail "no model of party-00"
	predicts_columns data-180
	for name in coordinator $(names 3); do
		same_labels "$T/run/$name/labels.csv" "$T/out/$name/labels.csv"
	done
	[[ $(run_of coordinator .rounds) == 2 ]] || fail "$(run_of coordinator .rounds) rounds"
	[[ $(run_of \
		party-00 '[.leaks[] | select(test("squared distance of each row to each centre"))]
			| length') == 1 ]] ||
		fail "leaks: $(run_of party-00 '.leaks | tostring')"
	rm -rf "$T/out"
	predicts_columns data-all
	cmp <(head -n 181 "$T/run/party-00/labels.csv") \
		<(head -n 181 "$T/out/party-00/labels.csv") ||
		fail "others beside them change labels"
	at_least \
		"$("$BIN/coterie" eval --truth "$T/points/labels.txt" "$T/out/party-00/labels.csv" |
		jq .acc)" 0.95 "accuracy of all rows"
	rm -rf "$T/out"
	predicts_columns data-2 # fewer rows than clusters
	cmp <(head -n 3 "$T/run/party-00/labels.csv") "$T/out/party-00/labels.csv" ||
		fail "two rows alone have other labels"
}

test_columns_tree() { columns_come_back tree; }
test_columns_basic() { columns_come_back basic; }

# A model of columns cannot predict nodes. A party that does not allow the kind declines the job.
test_columns_are_of_their_kind() {
	local name
	columns_of_rows flat
	data_is data-180 3
	coordinator
	parties 3
	completes 3
	MODEL=$(run_of coordinator .job_id)
	rm -rf "$T/out"
	for name in $(names 3); do
		printf '0,1\n' >"$T/data-180/$name/edges.csv"
		edit "$name" ".policy.jobs = [\"kcagc.predict\"] | .data.edges = \
\"data-180/$name/edges.csv\""
	done
	refused \
		3 "job.kind is kcagc.predict, and the run of job.model was of kind kmeans.columns: \
expected kmeans.columns.predict"
	jq -n --arg model "$MODEL" \
		'{ kind: "kmeans.columns.predict", clusters: 3, model: $model }' >"$T/job.json"
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends 2 coordinator $(names 3)
	says party-00 'the offered job is of kind kmeans.columns.predict, which policy.jobs of '\
'party-00 does not name'
}

sample test_old_labels_tree test_new_nodes test_damaged_models_are_refused
run_tests "$@"
