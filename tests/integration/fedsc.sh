# fedsc.sh -- checks jobs of kind fedsc and kmeans over three clouds of rows.
#
# shellcheck shell=bash

labels_of() { # L: prints the parties' label files
	local name
	for name in $(names "$1"); do echo "$T/out/$name/labels.csv"; done
}

# All processes succeed. Each party has the labels of its own rows, in its order, and all labels
# together are the three clouds. The coordinator has the sizes of the clouds. It has labels only in
# jobs of the variants paper and pairwise.
finds_the_clouds() { # L NAME PHASES
	local name own=0 types
	# shellcheck disable=SC2046
	ends 0 coordinator $(names "$1")
	no_leftovers
	for name in coordinator $(names "$1"); do
		[[ $(run_of "$name" .status) == "done" ]] ||
			fail "$name/run.json: status $(run_of "$name" .status)"
		[[ $(run_of "$name" '[.phases[].name] | join(" ")') == "offer keys $3" ]] ||
			fail "$name went through $(run_of "$name" '[.phases[].name] | join(" ")')"
	done
	for name in $(names "$1"); do
		cmp -s <(tail -n +2 "$T/out/$name/labels.csv" | cut -d , -f 1) \
			"$T/data/$name/ids.txt" ||
			fail "$name/labels.csv has other ids than its data, or another order"
		own=$(run_of "$name" .result.rows)
		[[ $own == $(wc -l <"$T/data/$name/ids.txt") ]] || fail "$name/run.json: $own rows"
	done
	# shellcheck disable=SC2046
	[[ $(acc $(labels_of "$1")) == 1 ]] ||
		fail "accuracy of $2 with $1 parties is $(acc $(labels_of "$1"))"
	[[ $(run_of coordinator '.result.cluster_sizes | join(" ")') == "50 50 50" ]] ||
		fail "clusters of $(run_of coordinator '.result.cluster_sizes | join(" ")') rows"
	types=$(run_of \
		coordinator '[.traffic[] | select(.messages_received > 0).type]
			| unique - ["HEARTBEAT", "ACK", "SEALED", "TOLD"] | join(" ")')
	if [[ $2 == pa* ]]; then
		[[ $types == "ACCEPT DONE HELLO KEY MASKED UPLOAD" ]] ||
			fail "the coordinator got $types"
		[[ $(wc -l <"$T/out/coordinator/labels.csv") == 151 ]] ||
			fail "the coordinator lacks labels"
	else # the coordinator gets only masked words about rows
		[[ $types == "ACCEPT DONE HELLO KEY MASKED" ]] || fail "the coordinator got $types"
		[[ ! -e $T/out/coordinator/labels.csv ]] || fail "the coordinator has labels"
	fi
}

declare -A PHASES=(
	[anchor]="totals landmarks anchor kmeans"
	[dense]="totals landmarks dims landmarks stage-1 dense kmeans"
	[paper]="totals landmarks dims landmarks stage-1 upload result"
	[pairwise]="totals landmarks dims landmarks stage-1 pairwise upload result"
	[kmeans]="totals kmeans"
)
