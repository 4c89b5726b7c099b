#!/bin/bash
# twins -- runs two jobs at once over one state, for each budget, with the first job held at each
# step while the second one runs.
#
#   tests/faults/twins.sh [option...] [BUDGET...]
#
#     --step STEP    only the cells of this step; may be given again
#     --times N      runs each cell N times; default 1
#     --jobs N       runs N cells at a time; default the cores
#     --out FILE     a line for each cell: budget,step,number,outcome,what
#     --list         prints the cells
#
#     subsets   policy.allow_subsets is false; the second job has one party less
#     eps       policy.max_eps_total is 1.2; each job has eps 1
#     jobs      policy.max_jobs is 1
#     words     policy.max_words is the spending of one job
#     change    three ids of party-00 differ in the second job
#
#     party-00  == relay ==\                  party-00-b  ==\
#     party-01  == relay === coordinator      party-01-b  === coordinator-b, the same identity
#     party-02  == relay ==/                  party-02-b  ==/
#               party-00 and party-00-b have one state; so do the other two pairs
#
# Step "together": both jobs begin at once, and the relay holds nothing. Step S: the relay holds the
# first job when party-00 is in S, until all processes of the second job have ended. Step "person":
# party-01 of the first job waits for approval, which comes after the second job is over.
#
# A cell is right if all of this holds:
#
#   * No party's ledger has numbers of both jobs; for "change" only that of party-00 is checked. For
#     "words" a ledger may have numbers of both jobs, but not more than the budget allows.
#   * At most one job is done, and all its processes end with 0.
#   * All processes of the other job end with 2. One of its parties names the budget, and its
#     coordinator reports that the policy is the cause.
#
# ONE: one of the two jobs is done. NONE: different parties refused the two jobs, and neither is
# done. NONE is right in step "together", and for "words", since each job may have spent a part of
# the budget. Otherwise one job must be done.
#
# The last line is the count; exit 1 if a cell is wrong.
#
# shellcheck source=../integration/lib.sh
source "${0%/*}/../integration/lib.sh"

BUDGETS=(subsets eps jobs words change)
PARTIES=3
RELAY_MS=15

# ---- federation of a budget, made once in $base/BUDGET ----

rows_that_differ() {
	federation $PARTIES --nodes 60
	rm -r "$T/data"
	"$BIN/coterie" split --by columns --keep 0.9 --parties $PARTIES --seed 5 --data \
		"$T/pooled" --out "$T/data" >/dev/null
	edit job '.method = "flat" | .polish = 0 | .restarts = 1 | .local_restarts = 1
		| .align = "intersect" | .min_common = 20'
	for name in $(names $PARTIES); do
		edit "$name" ".data.ids = \"data/$name/ids.txt\" | .policy.min_common = 20"
	done
	cp -R "$T/data/party-00" "$T/data/party-00-b"
	cp "$T/data/party-00/ids.txt" "$T/old"
	awk 'NR <= 3 { $0 = $0 "-other" } { print }' "$T/old" >"$T/data/party-00-b/ids.txt"
	awk 'NR == FNR { new[$1] = FNR <= 3 ? $1 "-other" : $1; next }
		{ print new[$1] "\t" new[$2] }' \
		"$T/old" "$T/data/party-00/edges.tsv" >"$T/data/party-00-b/edges.tsv"
}

prepare() { # BUDGET
	local name
	T=$base/$1
	mkdir -p "$T"
	declare -gA PID=()
	case $1 in
	change) rows_that_differ ;;
	*) rows_federation $PARTIES --nodes 60 && rows_job kmeans '.restarts = 2' ;;
	esac
	for name in coordinator $(names $PARTIES); do
		edit "$name" '.heartbeat_s = 60 | .step_timeout_s = 100 | .reconnect_s = 0'
	done
	edit coordinator '.join_timeout_s = 60'
	for name in $(names $PARTIES); do
		edit "$name" ".state = \"state/$name\" | .policy += $(policy "$1")"
	done
	cp "$T/coordinator.json" "$T/coordinator-b.json"
	edit coordinator-b '.output = "out/coordinator-b"'
	[[ $1 != subsets ]] || edit coordinator-b '.parties -= ["party-02"]'
	for name in $(names $PARTIES); do cp "$T/$name.json" "$T/$name-b.json"; done
	[[ $1 != change ]] || edit party-00-b '.data |= map_values(sub("party-00/"; "party-00-b/"))'
	one_alone "$1"
	rm -rf "$T/out" "$T/state" "$T"/*.std*
}

policy() { # BUDGET
	case $1 in
	subsets) echo '{ "allow_subsets": false }' ;;
	eps) echo '{ "max_eps_total": 1.2 }' ;;
	jobs) echo '{ "max_jobs": 1 }' ;;
	*) echo '{}' ;;
	esac
}

named() { # BUDGET: prints the text that a refusal must contain
	case $1 in
	subsets) echo policy.allow_subsets ;;
	eps) echo policy.max_eps_total ;;
	change) echo 'or 10 different ones' ;;
	*) echo "policy.max_$1" ;;
	esac
}

# Runs one undisturbed job. The words that it spends become the budget "words". The cells hold jobs
# at the steps that it logs.
one_alone() { # BUDGET
	local name
	[[ $1 != eps ]] ||
		edit job '.noise = { on: "sums", eps: 1, delta: 1e-5, clip: 20, colluders: 1 }'
	coordinator
	parties $PARTIES
	# shellcheck disable=SC2046
	ends 0 coordinator $(names $PARTIES)
	run_of party-00 '.phases[].name' | grep -v '^offer$' >"$T/steps"
	for name in $(names $PARTIES); do
		[[ $1 != words ]] || policy_of "$name" max_words "$(spent "$name" 10)"
	done
}

policy_of() { for f in "$1" "$1-b"; do edit "$f" ".policy.$2 = $3"; done; } # PARTY KEY VALUE

# PARTY: prints the rows of the party's ledger
rows() {
	"$BIN/coterie" ledger export --csv --state "$T/state/$1" | tail -n +2 | sed 's/"[^"]*",//g'
}
# PARTY COLUMN: prints the sum of a column of the party's ledger
spent() { rows "$1" | awk -F, -v c="$2" '{ n += $c } END { print n + 0 }'; }

cells() { # BUDGET: prints "BUDGET STEP NUMBER" for each cell
	local i
	for ((i = 1; i <= times; i++)); do
		{ echo together person && tr '\n' ' ' <"$base/$1/steps"; } | xargs -n 1 |
			sed "s/.*/$1 & $i/"
	done
}

# ---- one cell, in a process of its own: prints "BUDGET,STEP,NUMBER,OUTCOME,WHAT" ----

outcome() { # OUTCOME [WHAT]
	echo "$budget,$step,$number,$1,${2-}"
	trap - EXIT
	finish "$([[ $1 != wrong ]] && echo 0 || echo 1)" >&2
	exit 0
}

fail() { outcome wrong "${1//,/;}"; }

cell() { # BUDGET STEP NUMBER
	budget=$1 step=$2 number=$3
	T=$(mktemp -d "${TMPDIR:-/tmp}/coterie-twins.XXXXXX")
	declare -gA PID=() STATUS_OF=()
	trap 'outcome wrong "the script itself failed"' EXIT
	trap 'exit 143' TERM INT HUP
	cp -R "$base/$budget/." "$T"
	THIRD=$([[ $budget == subsets ]] || echo party-02-b)
	FIRST=(coordinator party-00 party-01 party-02)
	SECOND=(coordinator-b party-00-b party-01-b ${THIRD:+"$THIRD"})
	case $step in
	together) together ;;
	person) after_a_person ;;
	*) held ;;
	esac
	judge
}

first() {
	coordinator
	relay relay $RELAY_MS
	ADDRESS=$RELAY parties $PARTIES
}

second() {
	local name
	coordinator_b
	for name in "${SECOND[@]:1}"; do ADDRESS=$ADDRESS_B party "$name"; done
}

together() {
	local name
	coordinator
	coordinator_b
	for name in $(names $PARTIES); do
		party "$name"
		[[ " ${SECOND[*]} " != *" $name-b "* ]] || ADDRESS=$ADDRESS_B party "$name-b"
	done
	await "${FIRST[@]}" "${SECOND[@]}"
}

coordinator_b() {
	rm -f "$T/ready-b"
	start coordinator-b "$BIN/coordinator" --config "$T/coordinator-b.json" --job \
		"$T/job.json" --out "$T/out/coordinator-b" --ready-file "$T/ready-b"
	until_true 20 test -s "$T/ready-b" || fail "the second coordinator does not listen"
	ADDRESS_B=$(<"$T/ready-b")
}

await() { # NAME...
	local name
	for name; do
		until_true 30 gone "$name" ||
			fail "$name still runs: $(tail -n 1 "$T/$name.stderr" | cut -c 1-200)"
		STATUS_OF[$name]=0
		wait "${PID[$name]}" || STATUS_OF[$name]=$?
		unset "PID[$name]"
	done
}

held() {
	strikes_in party-00 "$step"
	first
	in_phase party-00 "$step"
	second
	await "${SECOND[@]}"
	goes_on
	await "${FIRST[@]}"
}

after_a_person() {
	local id
	edit party-01 '.policy.confirm = true | .confirm_s = 100'
	first
	soon_says party-01 'waits for approval'
	id=$(basename "$(ls "$T/state/party-01/offers"/*.json)" .json)
	second
	await "${SECOND[@]}"
	"$BIN/coterie" approve --state "$T/state/party-01" "$id" >"$T/approved" 2>&1 ||
		fail "approve: $(<"$T/approved")"
	await "${FIRST[@]}"
}

judge() {
	local done=()
	! grep -lE 'AddressSanitizer|runtime error:|Assertion' "$T"/*.stderr >/dev/null ||
		fail "a process crashed"
	judge_job first coordinator "${FIRST[@]}"
	judge_job second coordinator-b "${SECOND[@]}"
	for name in $(names $PARTIES); do judge_ledger "$name"; done
	case ${#done[@]} in
	1) outcome one "the ${done[0]} job" ;;
	0)
		[[ $step == together || $budget == words ]] ||
			fail "the first job is held, and neither is done"
		outcome none
		;;
	*) fail "both jobs are done" ;;
	esac
}

# Adds the job's name to the array `done` if all its processes succeeded.
judge_job() { # WHICH COORDINATOR NAME...
	local name ok=0 says
	says=$(named "$budget")
	for name in "${@:3}"; do
		case ${STATUS_OF[$name]} in
		0) ok=$((ok + 1)) ;;
		2) [[ ! -e $T/out/$name/labels.csv ]] || fail "$name failed and has labels" ;;
		*) fail \
			"$name ended with ${STATUS_OF[$name]}: $(tail -n 1 "$T/$name.stderr" |
			cut -c 1-200)" ;;
		esac
	done
	if ((ok == $# - 2)); then
		done+=("$1")
		return 0
	fi
	((ok == 0)) || fail "of the $1 job some are done and some failed"
	for name in "${@:4}"; do ! said "$name" "$says" || ok=1; done
	((ok)) ||
		fail "the $1 job failed, and no party names $says: $(tail -n 1 "$T/$2.stderr" |
		cut -c 1-200)"
	said "$2" '(says|declined the job): its policy does not allow this job; see its log' ||
		fail "$2 does not hear that the policy is why: $(tail -n 1 "$T/$2.stderr" |
		cut -c 1-200)"
}

judge_ledger() { # PARTY
	local most jobs
	"$BIN/coterie" ledger verify --state "$T/state/$1" >"$T/verify" 2>&1 ||
		fail "the ledger of $1: $(tail -n 1 "$T/verify")"
	if [[ $budget == words ]]; then
		most=$(jq .policy.max_words "$T/$1.json")
		(($(spent "$1" 10) <= most)) || fail "$1 gave more words than $most"
		return 0
	fi
	[[ $budget != change || $1 == party-00 ]] || return 0
	jobs=$(rows "$1" | awk -F, '$10 > 0 { print $3 }' | sort -u | wc -l)
	((jobs <= 1)) || fail "$1 gave numbers to $jobs jobs"
}

# ---- all of them ----

usage() { sed -n '2,/^# shellcheck/s/^# \{0,1\}//p' "$0" | grep -v '^shellcheck'; }
wrong_use() { echo "twins: $1; see --help" >&2 && exit 4; }

if [[ ${1-} == --cell ]]; then
	base=$2
	# shellcheck disable=SC2086 # words
	cell $3
fi

times=1 jobs=$(nproc) out='' list=false chosen=() steps=()
while (($#)); do
	case $1 in
	--step | --times | --jobs | --out)
		(($# > 1)) || wrong_use "$1 needs a value"
		case $1 in
		--out) out=$2 ;;
		--step) steps+=("$2") ;;
		*)
			[[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || wrong_use "$1 is '$2', expected a number"
			declare "${1#--}=$2"
			;;
		esac
		shift 2
		;;
	--list) list=true && shift ;;
	-h | --help) usage && exit 0 ;;
	-*) wrong_use "$1: no such option" ;;
	*)
		[[ " ${BUDGETS[*]} " == *" $1 "* ]] ||
			wrong_use "$1: no such budget, expected one of ${BUDGETS[*]}"
		chosen+=("$1") && shift
		;;
	esac
done
((${#chosen[@]})) || chosen=("${BUDGETS[@]}")

base=$(mktemp -d "${TMPDIR:-/tmp}/coterie-twins.XXXXXX")
trap 'rm -rf "$base"' EXIT
trap 'exit 130' INT TERM HUP
export COTERIE_BIN=$BIN
tools
for name in "${chosen[@]}"; do
	(
		fail() { echo "twins: $name: $1" >&2 && exit 1; }
		trap 'for f in "${PID[@]}"; do kill -KILL "$f" 2>/dev/null || true; done' EXIT
		prepare "$name"
	) || exit 1
	cells "$name"
done >"$base/all"
awk -v steps=" ${steps[*]} " 'steps ~ /^ *$/ || index(steps, " " $2 " ")' "$base/all" >"$base/cells"
if $list; then
	cat "$base/cells"
	exit 0
fi
xargs -P "$jobs" -d '\n' -I{} setpriv --pdeathsig TERM bash "$0" --cell "$base" {} <"$base/cells" \
	2>"$base/errors" |
	tee -a "$base/results" | grep --line-buffered -E ',wrong,' || true
cp "$base/results" "${out:-/dev/null}"

awk -F , -v cells="$(wc -l <"$base/cells")" '
	{ n[$1, $4]++; all[$4]++; budget[$1] }
	END {
		printf "| budget | one | none | wrong |\n| --- | --- | --- | --- |\n"
		split("subsets eps jobs words change", name, " ")
		for (i = 1; i <= 5; i++)
			if (name[i] in budget)
				printf "| %s | %d | %d | %d |\n", name[i], n[name[i], "one"],
				n[name[i], "none"], n[name[i], "wrong"]
		printf "cells %d, one job done %d, none %d, wrong %d\n", NR, all["one"],
		all["none"], all["wrong"]
		exit all["wrong"] > 0 || NR < cells
	}' "$base/results" || { tail -n 60 "$base/errors" >&2; exit 1; }
