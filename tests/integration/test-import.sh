#!/bin/bash
# What others have, brought in: coterie import, and the same reader in a party.
#
#     a table, edges -> coterie import -> a data directory -> split, launch, eval
#     party-NN.json with data.read     -> the same labels as of the matrix and the ids
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

import() { # ARG...: into $T/d, anew
	rm -rf "$T/d"
	"$BIN/coterie" import --out "$T/d" "$@" >"$T/import.stdout" 2>"$T/import.stderr"
}

# Features of $T/d, a line each.
features() {
	"$PYTHON" -c 'import numpy, sys
for row in numpy.load(sys.argv[1]): print(*(format(x, "g") for x in row))' "$T/d/features.npy"
}

table() {
	cat >"$T/t.csv" <<-'END'
		who,age,sex,joined,class,note
		b,30,f,1970-01-02,yes,"a, b"
		c,,m,,no,
		a,50,f,1970-01-04,yes,"two
		lines"
	END
}

test_a_table() {
	needs_python
	table
	import "$T/t.csv" --id who --label class --category 'sex=f|m|x' --date joined --ignore note --missing mean --set unit=age=years ||
		fail "status $?: $(<"$T/import.stderr")"
	[[ $(features) == $'30 1 0 0 1\n40 0 1 0 2\n50 1 0 0 3' ]] || fail "features: $(features)"
	[[ $(paste -sd' ' "$T/d/ids.txt") == "b c a" && $(paste -sd' ' "$T/d/labels.txt") == "1 0 1" ]] || fail "ids or labels"
	[[ $(jq -r '[.columns[].name] | join(" ")' "$T/d/columns.json") == "age sex=f sex=m sex=x joined" ]] || fail "columns.json"
	jq -e '.rows == { read: 3, dropped: 0 } and .heading.taken and
		(.columns[1] | .missing == 1 and .min == 30 and .max == 50 and .filled == "mean" and .with == 40) and
		.columns[4].values == ["no", "yes"]' "$T/d/import.json" >/dev/null || fail "import.json: $(<"$T/d/import.json")"
	grep -q 'column \\"age\\": 1 of 3 values are missing' "$T/import.stderr" || fail "does not count what is missing"
}

test_edges() {
	printf 'b\nc\na\n' | paste -d, - <(seq 3 5) | sed '1i who,x' >"$T/t.csv"
	printf '# a comment\n"dst","w","src","since"\na,2,b,1999\n"c",.5,b,2000\nb,2,a,1999\nc,1,c,2001\n' >"$T/e.csv"
	import "$T/t.csv" --id who --edges "$T/e.csv" --set from=src --set to=dst --set weight=w || fail "status $?: $(<"$T/import.stderr")"
	[[ $(<"$T/d/edges.tsv") == $'a\tb\t2\nb\tc\t0.5' ]] || fail "edges: $(<"$T/d/edges.tsv")"
	jq -e '.edges == { kept: 2, self_loops_dropped: 1, repeated_dropped: 1 }' "$T/d/import.json" >/dev/null || fail "import.json"
	import --edges "$T/e.csv" --set from=src --set to=dst || fail "edges alone: status $?: $(<"$T/import.stderr")"
	[[ $(paste -sd' ' "$T/d/ids.txt") == "a b c" && ! -e $T/d/features.npy ]] || fail "edges alone"
}

# One of them makes the directory; the other says what is in the way, and changes nothing.
test_two_at_one_place() {
	table
	mkdir -p "$T/d.part"
	local status=0
	import "$T/t.csv" --only age --missing mean || status=$?
	((status == 4)) || fail "status $status, expected 4"
	grep -q 'd\.part is there: another import to .*/d is under way, or was killed; if none is, remove it' "$T/import.stderr" ||
		fail "says $(<"$T/import.stderr")"
	[[ ! -e $T/d ]] || fail "wrote beside another"
	rmdir "$T/d.part"
	import "$T/t.csv" --only age --missing mean || fail "status $?: $(<"$T/import.stderr")"
	"$BIN/coterie" import "$T/t.csv" --out "$T/d" --only age --missing mean 2>"$T/import.stderr" && fail "wrote over what is there"
	grep -q 'd: there is something in it' "$T/import.stderr" || fail "says $(<"$T/import.stderr")"
	[[ ! -e $T/d.part ]] || fail "left d.part behind"
}

# A heading, ids and a decimal comma at party-00, edges with a heading at party-01; the job ends as on the matrices.
test_a_party_reads_tables() {
	needs_python
	federation 2
	coordinator
	parties 2
	completes 2
	mv "$T/out" "$T/before"
	"$PYTHON" - "$T" <<-'END'
		import sys
		t = sys.argv[1]
		def dense(path):
		    lines = [l for l in open(path) if not l.startswith('%')]
		    n, m, _ = map(int, lines[0].split())
		    rows = [[0.0] * m for _ in range(n)]
		    for l in lines[1:]:
		        i, j, x = l.split()
		        rows[int(i) - 1][int(j) - 1] = float(x)
		    return rows
		with open(t + '/t.csv', 'w') as f:
		    rows = dense(t + '/data/party-00/features.mtx')
		    f.write('\ufeffnode;' + ';'.join('c%d' % j for j in range(len(rows[0]))) + ';note\r\n')
		    for i, row in enumerate(rows):
		        f.write('n%04d;' % i + ';'.join(repr(x).replace('.', ',') for x in row) + ';"a;b"\r\n')
		for p, name in ((0, 'a.csv'), (1, 'b.csv')):
		    with open(t + '/' + name, 'w') as f:
		        f.write('to,from,why\n')
		        for l in open(t + '/data/party-0%d/edges.tsv' % p):
		            u, v = l.split()[:2]
		            f.write('n%04d,n%04d,x\n' % (int(v), int(u)))
	END
	edit party-00 '.data = { features: "t.csv", edges: "a.csv", read: { id: "node", separator: ";", decimal: ",", ignore: ["note"] } }'
	# One separator for both files of a party: edges are then between semicolons too.
	sed -i 's/,/;/g' "$T/a.csv"
	edit party-00 '.data.read += { from: "from", to: "to" }'
	awk 'END { for (i = 0; i < NR; i++) printf "n%04d\n", i }' <(tail -n +2 "$T/t.csv") >"$T/ids.txt"
	edit party-01 '.data.edges = "b.csv" | .data.ids = "ids.txt" | .data.read = { from: "from", to: "to" }'
	coordinator
	parties 2
	completes 2
	cmp <(cut -d, -f2 "$T/before/party-00/labels.csv") <(cut -d, -f2 "$T/out/party-00/labels.csv") || fail "other labels"
	head -2 "$T/out/party-00/labels.csv" | grep -q '^n0000,' || fail "labels have no ids"
}

test_a_party_refuses_what_it_cannot_place() {
	federation 2
	local status=0
	printf 'a,b\n1,x\n' >"$T/t.csv"
	edit party-00 '.data = { features: "t.csv" }'
	"$BIN/party" --config "$T/party-00.json" --once --out "$T/out/party-00" --coordinator 127.0.0.1:1 2>"$T/wrong" || status=$?
	((status == 4)) || fail "status $status, expected 4"
	grep -q 't\.csv:2: column 2 is (not shown), expected a number' "$T/wrong" || fail "says $(<"$T/wrong")"
	status=0
	edit party-00 '.data = { features: "data/party-00/features.mtx", read: { id: "who" } }'
	"$BIN/party" --config "$T/party-00.json" --once --out "$T/out/party-00" --coordinator 127.0.0.1:1 2>"$T/wrong" || status=$?
	((status == 4)) || fail "status $status, expected 4"
	grep -q 'features\.mtx: how a table is read (read) is said, but' "$T/wrong" || fail "says $(<"$T/wrong")"
}

test_help_fits_a_screen() {
	"$BIN/coterie" import --help >"$T/help" || fail "status $?"
	(($(wc -l <"$T/help") < 24)) || fail "$(wc -l <"$T/help") lines"
	awk 'length > 80 { exit 1 }' "$T/help" || fail "a line is longer than 80"
}

run_tests "$@"
