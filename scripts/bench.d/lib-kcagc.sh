# lib-kcagc.sh -- runs of kCAGC and of its baseline: scores, seconds and the bound of the seconds.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # results are read by the tables; what lib.sh and bench set

pick() { # WORD...: prints all words; with --quick, the first two
	if $quick; then echo "${@:1:2}"; else echo "$@"; fi
}

row_options() { # ROW: sets the job's fields for k^=2k, b-kCAGC, gcc, landmark k^=2k or gram k^=2k
	case $1 in
	k^=*) echo "--set local_clusters=${1#k^=}" ;;
	b-kCAGC) echo "--set method=basic" ;;
	# the job's order is the best one for kCAGC, not for landmark and gcc
	landmark*) echo "--set method=landmark --set filter.order=auto" ;;
	gcc) echo "--set method=gcc --set filter.order=auto" ;;
	gram*) echo "--set exchange=gram" ;;
	esac
	[[ $1 != *' k^='* ]] || echo "--set local_clusters=${1#* k^=}"
}

value_of() { # SET ROW COLUMN: prints a cell's value, if it exists
	[[ ! -e $csv ]] || awk -F , -v set="$1" -v row="$2" -v column="$3" \
		'$1 == set && $2 == row && $3 == column { print $4 }' "$csv"
}

# ---- accuracy: ACC, NMI and F1 get a line in percent for each seed ----

scores() { # SET LABELS
	local all
	all=$("$bin/coterie" eval --truth "$data/$1/labels.txt" "$2") ||
		{ WHY="no scores of $2" && return 1; }
	ACC+=${ACC:+$'\n'}$(jq '100 * .acc' <<<"$all")
	NMI+=${NMI:+$'\n'}$(jq '100 * .nmi' <<<"$all")
	F1+=${F1:+$'\n'}$(jq '100 * .f1' <<<"$all")
}

federated_scores() { # SET JOB ROW L [LAUNCH-ARG...]
	local seed options
	read -ra options <<<"$(row_options "$3" | xargs)"
	ACC='' NMI='' F1=''
	for ((seed = 1; seed <= seeds; seed++)); do
		run "$1/${3// /-}-L$4-seed$seed" "$data/$1" "$2" "$4" "$seed" "${options[@]}" \
			"${@:5}" || return 1
		scores "$1" "$RUN/coordinator/labels.csv" || return 1
	done
}

agc_scores() { pooled_scores agc "$@"; } # SET JOB ROW [JOB-ARG...]
gcc_scores() { pooled_scores gcc "$@"; }

pooled_scores() { # COMMAND SET JOB ROW [JOB-ARG...]
	local seed to command=$1
	shift
	ACC='' NMI='' F1=''
	for ((seed = 1; seed <= seeds; seed++)); do
		to=$out/runs/$table/$1/$command-seed$seed
		rm -rf "$to"
		mkdir -p "$to"
		"$bin/coterie-lab" "$command" --data "$data/$1" --job "$2" --set "seed=$seed" \
			"${@:4}" --out "$to" >"$to.log" 2>&1 ||
			{
				WHY="coterie-lab $command: $(tail -n 1 \
					"$to.log")" RUN_FAILED=true && return 1
			}
		scores "$1" "$to/labels.csv" || return 1
	done
}

# Prints how many cells reach the paper's mean, and how many reach the mean less its deviation.
render_beside() {
	[[ ! -e $csv ]] ||
		awk -F , \
		'NR > 1 && $4 != "" && $8 != "" { n++; at += $4 >= $8; near += $4 >= $8 - $9 }
		END { if (n) printf "\n%d of %d cells are at or above the paper'\''s mean, %d at '\
'or above its mean less its deviation.\n", at, n, near }' "$csv"
}

# ---- seconds ----

# Sets DATA and DATA_NOTE to data for measuring times; or fails and sets WHY.
times_data() { # SET
	DATA=$data/$1 DATA_NOTE=''
	[[ $1 == pubmed ]] && ! compgen -G "$data/pubmed/features.*" >/dev/null || return 0
	DATA=$out/data/pubmed DATA_NOTE='random features over the real graph'
	[[ ! -e $DATA/complete ]] || return 0
	[[ -e $data/pubmed/edges.tsv ]] || { WHY="no pubmed/edges.tsv in $data" && return 1; }
	# pubmed has 19717 nodes and 500 features. A node has 10 % of the features on average.
	"$bin/coterie-lab" noise --edges "$data/pubmed/edges.tsv" --nodes 19717 --features 500 \
		--density 0.1 \
		--out "$DATA" >/dev/null || { WHY='coterie-lab noise failed' && return 1; }
	touch "$DATA/complete"
}

# Sets SECONDS_EACH to the seconds of each seed. In a network lab, also sets BOUND_EACH and ACCOUNT.
times() { # SET ROW L
	local seed options
	SECONDS_EACH='' BOUND_EACH='' ACCOUNT=''
	times_data "$1" || return 1
	read -ra options <<<"$(row_options "$2" | xargs)"
	for ((seed = 1; seed <= seeds; seed++)); do
		run "$1/${2// /-}-L$3-seed$seed" "$DATA" "configs/jobs/kcagc-$1.json" "$3" "$seed" \
			"${options[@]}" || return 1
		SECONDS_EACH+=${SECONDS_EACH:+$'\n'}$(jq .elapsed_s "$RUN/coordinator/run.json")
		[[ -z $NET ]] || bound "$RUN" || return 1
	done
}

# Computes the bound of a run from its record: rounds x RTT + bytes / rate + compute.
#
#   rounds   round trips of the protocol: 3.5 for offer, keys, local clusters and result; for each
#            level of the tree (or the joint phase) 2 + its Lloyd iterations; and 1 for each polish
#            step. With 10 iterations on each level and P polish steps that is 3.5 + 12 ceil(log2 L)
#            + P
#   RTT      round trip of the lab, measured before the run between the coordinator's host and one
#            party's
#   bytes    the largest number of bytes that a process sent or received over all its links, which
#            share one line; payload, without TLS and TCP headers
#   rate     the stated rate of the lab
#   compute  for each phase, the coordinator's seconds and those of its slowest party
bound() { # RUN-DIRECTORY
	local line
	line=$(jq -rn --slurpfile net "$1/network.json" --slurpfile coordinator \
		"$1/coordinator/run.json" '
		[inputs] as $parties | $net[0] as $net | $coordinator[0] as $c
		| (3.5 + ([$c.phases[] | if .name == "polish" then .rounds
			elif .rounds > 0 then 1 + .rounds else 0 end] | add)) as $rounds
		| ([($c, $parties[]) | [.traffic[].bytes_sent], [.traffic[].bytes_received]
		| add // 0] | max) as $bytes
		| ([$c.phases[] | .name as $phase | .compute_s
			+ ([$parties[].phases[] | select(.name == $phase) | .compute_s]
			| max // 0)] | add) as $compute
		| ($rounds * $net.measured.rtt_ms / 1000 + 8 * $bytes / ($net.stated.rate_mbit *
		1e6) + $compute) as $bound
		| [$bound, $rounds, ($c.round_trips // "?"), $net.measured.rtt_ms, $bytes,
		$compute] | @tsv' \
		"$1"/party-*/run.json) || { WHY="no bound from $1" && return 1; }
	read -r bound rounds trips rtt bytes compute <<<"$line"
	BOUND_EACH+=${BOUND_EACH:+$'\n'}$bound
	ACCOUNT="$rounds rounds of $trips round trips; RTT $rtt ms; $bytes bytes; compute $(printf \
		'%.3f' "$compute") s"
}
