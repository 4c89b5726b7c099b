#!/bin/bash
# Finds the ids that all parties have: compares coterie align with comm, and runs daemons that have
# only ids.
. "${0%/*}/lib.sh"

# Makes the files $T/ids-0, $T/ids-1, ...: for each "FIRST-LAST" the ids with these numbers.
files() {
	local i=0 range
	for range; do
		seq "${range%-*}" "${range#*-}" | awk '{
			if ($1 % 5 == 0) print "k\303\266ln-" $1
			else if ($1 % 7 == 0) { s = sprintf("%250s", ""); gsub(/ /, "x", s);
			print s $1 % 100000 }
			else print "+49" $1 }' | shuf --random-source=<(yes $i) >"$T/ids-$i"
		i=$((i + 1))
	done
}

# Prints the ids that all files have, sorted.
common() {
	local f sum
	sum=$(mktemp -p "$T")
	LC_ALL=C sort "$1" >"$sum"
	for f in "${@:2}"; do
		LC_ALL=C comm -12 "$sum" <(LC_ALL=C sort "$f") >"$sum.next"
		mv "$sum.next" "$sum"
	done
	cat "$sum"
}

align() { "$BIN/coterie" align "$@" >"$T/stdout" 2>"$T/stderr"; }

# All parties have the same ids in the same order, and they are those that comm finds.
found() { # OUT FILE...
	local out=$1 dir
	common "${@:2}" >"$T/want"
	for dir in "$out"/party-*; do
		cmp -s "$dir/ids.txt" "$out/party-00/ids.txt" ||
			fail "$dir has ids.txt in another order"
		[[ $(stat -c %a "$dir/ids.txt") == 600 ]] ||
			fail "$dir/ids.txt: mode $(stat -c %a "$dir/ids.txt")"
	done
	LC_ALL=C sort "$out/party-00/ids.txt" | cmp -s - "$T/want" ||
		fail "$out: not what comm finds"
	jq -e --argjson n "$(wc -l <"$T/want")" '.facts.common_rows == $n' \
		"$out/party-00/run.json" >"$T/null" ||
		fail "$out: run.json says $(jq -c .facts "$out/party-00/run.json")"
}

test_as_comm_finds() {
	files 1-1000 301-1300 201-950
	align "$T"/ids-{0,1,2} --out "$T/three" || fail "three: $(<"$T/stderr")"
	found "$T/three" "$T"/ids-{0,1,2}
	grep -q "ids-0: 650 of 1000 ids are in all files" "$T/stdout" ||
		fail "it says $(<"$T/stdout")"
	align "$T"/ids-{0,0} --bound 5000 --out "$T/all" || fail "all: $(<"$T/stderr")"
	found "$T/all" "$T/ids-0"
	files 1-3000 2971-6000
	align "$T"/ids-{0,1} --min-common 30 --out "$T/few" || fail "1 %: $(<"$T/stderr")"
	found "$T/few" "$T"/ids-{0,1}
}

# With one common id, or none, the job is refused, and no ids.txt shows which ids are common. With
# --min-common 1 one common id is enough.
test_too_few() {
	files 1-500 500-900 901-1400
	for pair in "0 1" "0 2"; do
		# shellcheck disable=SC2086
		set -- $pair
		if align "$T/ids-$1" "$T/ids-$2" --out \
			"$T/out-$2"; then fail "ids-$1 and ids-$2 went through"; fi
		grep -q 'the parties have fewer than 100 ids in common (job.min_common)' \
			"$T/stderr" ||
			fail "it says $(<"$T/stderr")"
		[[ ! -e $T/out-$2/party-00/ids.txt ]] || fail 'ids.txt is there'
	done
	align "$T/ids-0" "$T/ids-1" --min-common 1 --out "$T/one" || fail "one: $(<"$T/stderr")"
	found "$T/one" "$T/ids-0" "$T/ids-1"
}

test_wrong_files() {
	files 1-500 1-500
	printf '+491\n' >>"$T/ids-1"
	if align "$T"/ids-{0,1} --out "$T/twice"; then fail \
		'an id that is there twice went through'; fi
	grep -Eq 'ids.txt:501: the id "\+491" is given twice, first on line [0-9]+' "$T/stderr" ||
		fail "it says $(<"$T/stderr")"
	if align "$T/ids-0" "$T/none" --out \
		"$T/none-out"; then fail 'a file that is not there went through'; fi
	grep -q 'none: No such file' "$T/stderr" || fail "it says $(<"$T/stderr")"
	if align "$T"/ids-0; then fail 'one file went through'; fi
	grep -q 'two files of ids are needed' "$T/stderr" || fail "it says $(<"$T/stderr")"
	if align "$T"/ids-{0,0} --bound 100 --out \
		"$T/bound"; then fail 'more ids than the bound went through'; fi
	grep -q 'has 500 ids, and by job.align_bound 100 are the most' "$T/stderr" ||
		fail "it says $(<"$T/stderr")"
}

# Each party lacks different ids, and all parties have some ids of one byte.
test_many_parties() {
	local L i ranges
	for L in 2 3 7 16; do
		ranges=()
		for ((i = 0; i < L; i++)); do ranges+=("$((1 + 20 * i))-$((1000 + 20 * i))"); done
		files "${ranges[@]}"
		for ((i = 0; i < L; i++)); do printf '%s\n' a 0 _ '~' >>"$T/ids-$i"; done
		rm -f "$T"/ids-"$L"
		# shellcheck disable=SC2046
		align $(seq -f "$T/ids-%.0f" 0 $((L - 1))) --out "$T/of-$L" ||
			fail "$L parties: $(<"$T/stderr")"
		# shellcheck disable=SC2046
		found "$T/of-$L" $(seq -f "$T/ids-%.0f" 0 $((L - 1)))
		[[ $(wc -l <"$T/want") == $((1000 - 20 * (L - 1) + 4)) ]] ||
			fail "$L parties have $(wc -l <"$T/want") ids in common"
	done
}

# Makes three daemons that have only ids, over TLS.
three_daemons() {
	local name
	federation 3
	files 1-800 201-1000 101-900
	echo '{ "kind": "align" }' >"$T/job.json"
	for name in $(names 3); do
		cp "$T/ids-$((10#${name#party-}))" "$T/$name.ids.txt"
		edit "$name" '.policy.jobs = ["align"]
			| .state = "state/'"$name"'" | .data = { "ids": "'"$T/$name.ids.txt"'" }'
	done
}

again() { # STATUS: runs another job, which ends with STATUS
	rm -rf "$T/out"
	coordinator
	parties 3
	# shellcheck disable=SC2046
	ends "$1" coordinator $(names 3)
}

# party-01's ledger lists the masked terms of sums that it sent.
test_daemons() {
	three_daemons
	again 0
	found "$T/out" "$T"/ids-{0,1,2}
	"$BIN/coterie" ledger list --state "$T/state/party-01" >"$T/ledger" || fail 'no ledger'
	grep -q 'masked term of a sum over' "$T/ledger" ||
		fail "the ledger has no sum: $(<"$T/ledger")"
}

# The same set may be matched again, up to max_jobs. A set that differs by an id may not be matched,
# but a set with 200 other ids may.
test_again() {
	three_daemons
	again 0
	again 0
	cp "$T/party-01.ids.txt" "$T/before"
	sed -i '1s/.*/guess/' "$T/party-01.ids.txt"
	again '1|2'
	any_party_said 'the ids of party-01 differ by about [12] from those of an earlier job '\
'that matched rows' ||
		fail "nobody says why: $(tail -n 1 "$T"/party-01.stderr)"
	[[ ! -e $T/out/party-00/ids.txt ]] || fail 'ids were matched'
	{ seq -f other-%.0f 200 && tail -n +201 "$T/before"; } >"$T/party-01.ids.txt"
	again 0
	cp "$T/before" "$T/party-01.ids.txt"
	edit party-01 '.policy.max_jobs = 2'
	again '1|2'
	any_party_said 'it would be job 3 of coordinator over this data' ||
		fail "nobody says max_jobs: $(tail -n 1 "$T"/party-01.stderr)"
	[[ ! -e $T/out/party-00/ids.txt ]] || fail 'ids were matched once more'
}

# The same sets with one party less are refused, unless the policies allow subsets: the difference
# of both results would show the ids that this party lacks.
test_with_a_party_less() {
	local name
	three_daemons
	again 0
	edit coordinator '.parties = ["party-00", "party-01"]'
	rm -rf "$T/out"
	coordinator
	parties 2
	ends 2 coordinator party-00 party-01
	any_party_said 'of party-00 party-01, but an earlier one over the same data was of '\
'party-00 party-01 party-02: policy.allow_subsets of party-0[01] is false' ||
		fail "nobody says why: $(tail -n 1 "$T"/party-0?.stderr)"
	! compgen -G "$T/out/party-0?/ids.txt" >"$T/null" || fail 'ids were matched'
	for name in party-00 party-01; do edit "$name" '.policy.allow_subsets = true'; done
	rm -rf "$T/out"
	coordinator
	parties 2
	ends 0 coordinator party-00 party-01
	found "$T/out" "$T"/ids-{0,1}
}

sample test_as_comm_finds test_too_few test_daemons
run_tests "$@"
