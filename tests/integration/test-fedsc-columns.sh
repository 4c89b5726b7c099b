#!/bin/bash
# Tests FedSC and federated k-means between real daemons: units and names of columns, and profiles
# of clusters by column.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=fedsc.sh
source "${0%/*}/fedsc.sh"

# ---- standardize ----

# A column without information has large numbers in another unit. Without "standardize" it decides
# the clusters, and a warning names it. With "joint" it does no harm.
in_another_unit() { # features become income, then six columns from the labels
	local name
	for name in $(names 3); do
		rm "$T/data/$name/features.npy"
		awk -v \
			OFS=, '{ printf "%d", 1000 * (NR * 37 % 50 + 1);
				for (j = 1; j <= 6; j++) printf ",%.1f",
				($1 + 1) * j % 7 + NR * j % 5 / 10; print "" }' \
			"$T/data/$name/labels.txt" >"$T/data/$name/features.csv"
		jq -n '{ columns: [range(7) | { name: "c\(.)", type: "number" }] }
			| .columns[0].name = "income"' >"$T/data/$name/columns.json"
		edit "$name" ".data.features = \"data/$name/features.csv\""
	done
}

test_standardize() {
	local name
	rows_federation 3
	in_another_unit
	rows_job anchor
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	for name in $(names 3); do
		says "$name" 'column \\"income\\" has [0-9.]+ % of the variance of all 7 columns'
	done
	# shellcheck disable=SC2046
	at_least 0.8 "$(acc $(labels_of 3))" "0.8, where one column decides, and accuracy"
	rows_job anchor '.standardize = "joint"'
	coordinator
	parties 3
	finds_the_clouds 3 anchor "${PHASES[anchor]}"
	for name in $(names 3); do
		[[ $(run_of \
			"$name" '.leaks | map(select(startswith("standardize \"joint\"")))
				| length') == 1 ]] ||
			fail "$name does not say what it shows"
	done
	rows_job kmeans '.standardize = "local"'
	coordinator
	parties 3
	finds_the_clouds 3 kmeans "${PHASES[kmeans]}"
}

# Prints the mean of a column in a cluster, from the rows of labels.csv and features.csv. Tests
# compare it with centres.csv and profiles.
mean_of() { # COLUMN CLUSTER [NAME...]
	local name
	for name in "${@:3}"; do
		paste -d , <(tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 2) \
			"$T/data/$name/features.csv"
	done | awk -F , -v j="$1" -v c="$2" '$1 == c { n++; s += $(j + 2) } END { print s / n }'
}

near() { # A B WHAT
	awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-8 * (1 + b * b)) }' ||
		fail "$3 is $1, expected $2"
}

roughly() { # A B WHAT: equal up to the noise of a profile
	awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 0.04 * (1 + b * b)) }' ||
		fail "$3 is $1, expected about $2"
}

# Columns have different units, and one has nearly all the variance. A second run adds a column
# without information.
test_raw_wine() {
	local csv=/usr/lib/python3/dist-packages/sklearn/datasets/data/wine_data.csv set
	local -A acc
	[[ -e $csv ]] || skip "python3-sklearn is not there, whose set it is"
	for set in wine more; do
		mkdir "$T/$set"
		tail -n +2 $csv | cut -d , -f 14 >"$T/$set/labels.txt"
	done
	tail -n +2 $csv | cut -d , -f 1-13 >"$T/wine/features.csv"
	awk -v \
		OFS=, 'BEGIN { srand(5) } { print $0, 50000 + 9000 * sqrt(-2 * log(1 - rand())) '\
'* cos(6.283185307 * rand()) }' \
		"$T/wine/features.csv" >"$T/more/features.csv"
	echo '{ "kind": "fedsc", "clusters": 3, "standardize": "joint" }' >"$T/wine.json"
	for set in wine more; do
		"$BIN/coterie" run --data "$T/$set" --job "$T/wine.json" --parties 8 --set seed=1 \
			--out "$T/out-$set" >"$T/said" 2>&1 || fail "$(tail -n 1 "$T/said")"
		acc[$set]=$("$BIN/coterie" eval --truth "$T/$set/labels.txt" \
			"$T/out-$set"/party-*/labels.csv | jq .acc)
	done
	at_least "${acc[wine]}" .94 "accuracy of raw wine"
	at_least "$(awk -v a="${acc[wine]}" -v b="${acc[more]}" 'BEGIN { print b - a + .01 }')" 0 \
		"what the column leaves of .01 (${acc[wine]}, ${acc[more]})"
}

# Each party has verified centres in the data's units, and a profile of its clusters.
test_centres_and_profile() {
	local name c
	rows_federation 3
	in_another_unit
	rows_job kmeans '.standardize = "joint"'
	coordinator
	parties 3
	finds_the_clouds 3 kmeans "${PHASES[kmeans]}"
	[[ $(head -n 1 "$T/out/party-01/centres.csv") == cluster,income,c1,c2,c3,c4,c5,c6 ]] ||
		fail "$(head -n 1 "$T/out/party-01/centres.csv")"
	for name in party-01 party-02; do
		cmp "$T/out/party-00/centres.csv" "$T/out/$name/centres.csv" ||
			fail "$name has other centres"
	done
	[[ ! -e $T/out/coordinator/profile.csv ]] || fail "the coordinator has a profile"
	for c in 0 1 2; do
		# shellcheck disable=SC2046
		near "$(awk -F , -v c="$c" '$1 == c { print $2 }' "$T/out/party-00/centres.csv")" \
			"$(mean_of 0 "$c" $(names 3))" "income of centre $c"
		near "$(awk -F , -v c="$c" '$1 == c && $3 == "c1" { print $4 }' \
			"$T/out/party-02/profile.csv")" "$(mean_of 1 "$c" party-02)" \
			"c1 of cluster $c at party-02"
	done
	"$BIN/coterie" report "$T/out/party-02" --out "$T/page.html" >/dev/null
	grep -q '"profile":"cluster,rows,column.*,c1,' "$T/page.html" ||
		fail "the report has no profile with c1"
	sed -i '2s/,c[0-9],/,"c/' "$T/out/party-02/profile.csv"
	"$BIN/coterie" report "$T/out/party-02" --out "$T/page.html" >/dev/null
	grep -q '"profile":"cluster' "$T/page.html" && fail "a profile that is broken is shown"
	grep -q 'profile.csv' "$T/page.html" ||
		fail "the report does not say that the profile is broken"
}

# The joint profile is computed from sums over all parties. It is roughly that of pooled rows, has
# each party's column names, and needs each party's permission.
test_joint_profile() {
	local name kind c profile
	rows_federation 3
	in_another_unit
	for kind in kmeans $([[ ${COTERIE_SAMPLE-} ]] || echo anchor); do
		rows_job $kind '.standardize = "joint" | .profile = true'
		for name in party-00 party-01; do edit "$name" '.policy.profile = true'; done
		edit party-02 'del(.policy.profile)'
		coordinator
		parties 3
		ends 2 coordinator party-00 party-01 party-02
		says party-02 'the offered job asks for a profile of clusters over all parties '\
'\(job.profile\), which policy.profile of party-02 does not allow'
		rm -r "$T/out"
		edit party-02 '.policy.profile = true'
		coordinator
		parties 3
		finds_the_clouds 3 $kind "${PHASES[$kind]} profile"
		profile=$T/out/party-00/profile-joint.csv
		for name in party-01 party-02; do
			cmp "$profile" "$T/out/$name/profile-joint.csv" ||
				fail "$name has another profile"
		done
		[[ ! -e $T/out/coordinator/profile-joint.csv ]] ||
			fail "the coordinator has a profile"
		for c in 0 1 2; do
			# shellcheck disable=SC2046
			roughly "$(awk -F , -v c="$c" '$1 == c && $3 == "c1" { print $4 }' \
				"$profile")" "$(mean_of 1 "$c" $(names 3))" "$kind: cluster $c"
			[[ $(awk -F , -v c="$c" '$1 == c { print $2; exit }' "$profile") == 50 ]] ||
				fail "$kind: cluster $c has not 50 rows"
		done
		"$BIN/coterie" report "$T/out/party-00" --out "$T/page.html" >/dev/null
		grep -q '"profile-joint":"cluster,' "$T/page.html" ||
			fail "the report has no joint profile"
		says party-00 'disclosure: job.profile: .* of at least min_cluster rows'
		rm -r "$T/out"
	done
	rows_job kmeans '.standardize = "joint" | .profile = true'
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
	says party-00 'disclosure: the sums of that profile have noise'
	[[ $(cut -d , -f 1,2 "$T/out/party-00/profile-joint.csv" | sort -u |
		paste -sd' ') == "0,50 1,50 2,50 cluster,rows" ]] ||
		fail "$(<"$T/out/party-00/profile-joint.csv")"
}

# A data file is replaced during the job. No profile is made of the new file, and the job is done.
test_no_profile_of_other_data() {
	rows_federation 3
	in_another_unit
	rows_job anchor
	stretched
	until_true 60 said party-01 '"phase":"landmarks"'
	cp "$T/data/party-01/features.csv" "$T/other"
	mv "$T/other" "$T/data/party-01/features.csv"
	ends 0 coordinator party-00 party-01 party-02
	says party-01 'profile.csv was not written: .*features.csv has changed since the job began'
	[[ -e $T/out/party-00/profile.csv && ! -e $T/out/party-01/profile.csv ]] ||
		fail "profiles: $(ls "$T"/out/*/profile.csv)"
}

# Parties learn from the sums that they differ in a column's type, as party-01 has no columns.json
# to compare.
test_columns_that_differ() {
	local name
	rows_federation 3
	in_another_unit
	for name in party-00 party-02; do
		columns_become "$name" '.columns[3].type = "category"'
	done
	rm "$T/data/party-01/columns.json"
	rows_job anchor '.standardize = "joint"'
	coordinator
	parties 3
	ends 1 coordinator party-00 party-01 party-02
	for name in coordinator $(names 3); do
		says "$name" 'column 3 \(from 0\) is a category or sparse at 2 of 3 parties'
	done
	for name in $(names 3); do
		says "$name" 'the columns of party-01 have no names \(columns.json\)'
	done
}

columns_become() { # PARTY JQ-PROGRAM
	jq "$2" "$T/data/$1/columns.json" >"$T/new"
	mv "$T/new" "$T/data/$1/columns.json"
}

# A party logs which party's columns differ from its own. The coordinator learns only that they
# differ, and no names.
test_columns_of_other_names() {
	local kind compared='compared with its own, there is party-0[0-2] with'
	rows_federation 3
	in_another_unit
	columns_become party-01 '.columns[2].name = "shoe size"'
	columns_become party-02 '.columns[1:3] |= reverse'
	for kind in kmeans anchor; do
		rows_job $kind
		coordinator
		parties 3
		ends 2 coordinator party-00 party-01 party-02
		# The first party that finds the difference ends the job for all. At least one party
		# has logged it.
		any_party_said "columns of party-0. differ .*: $compared (other|the same) names" ||
			fail "$kind: no party says which columns differ"
		says coordinator 'its columns differ from those of others in names, types, units or'
		! grep -rq 'shoe size' "$T/out/coordinator" ||
			fail "the coordinator has a column's name"
		! grep -rq 'income' "$T/out/coordinator" ||
			fail "the coordinator has a column's name"
		rm -r "$T/out"
	done
	columns_become party-01 '.columns[2].name = "c2"'
	columns_become party-02 '.columns[1:3] |= reverse'
	rows_job kmeans
	coordinator
	parties 3
	ends 0 coordinator party-00 party-01 party-02
}

sample test_standardize test_joint_profile test_columns_of_other_names
run_tests "$@"
