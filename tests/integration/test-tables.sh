#!/bin/bash
# A party reads tables as data.read in its configuration says. The labels are those that the same
# data give as a matrix.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

# party-00's table has a heading, ids and decimal commas. Both parties' edges have headings. The
# labels are the same as those from the matrices.
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
		    names = ';'.join('c%d' % j for j in range(len(rows[0])))
		    f.write('\ufeffnode;' + names + ';note\r\n')
		    for i, row in enumerate(rows):
		        cells = ';'.join(repr(x).replace('.', ',') for x in row)
		        f.write('n%04d;' % i + cells + ';"a;b"\r\n')
		for p, name in ((0, 'a.csv'), (1, 'b.csv')):
		    with open(t + '/' + name, 'w') as f:
		        f.write('to,from,why\n')
		        for l in open(t + '/data/party-0%d/edges.tsv' % p):
		            u, v = l.split()[:2]
		            f.write('n%04d,n%04d,x\n' % (int(v), int(u)))
	END
	edit party-00 '.data = { features: "t.csv", edges: "a.csv", read: { id: "node",
		separator: ";", decimal: ",", ignore: ["note"] } }'
	# A party's separator applies to both files, so its edges have semicolons too.
	sed -i 's/,/;/g' "$T/a.csv"
	edit party-00 '.data.read += { from: "from", to: "to" }'
	awk 'END { for (i = 0; i < NR; i++) printf "n%04d\n", i }' <(tail -n +2 "$T/t.csv") \
		>"$T/ids.txt"
	edit party-01 '.data.edges = "b.csv" | .data.ids = "ids.txt"
		| .data.read = { from: "from", to: "to" }'
	coordinator
	parties 2
	completes 2
	cmp <(cut -d, -f2 "$T/before/party-00/labels.csv") \
		<(cut -d, -f2 "$T/out/party-00/labels.csv") || fail "other labels"
	head -2 "$T/out/party-00/labels.csv" | grep -q '^n0000,' || fail "labels have no ids"
}

test_a_party_refuses_what_it_cannot_place() {
	federation 2
	local status=0
	printf 'a,b\n1,x\n' >"$T/t.csv"
	edit party-00 '.data = { features: "t.csv" }'
	"$BIN/party" --config "$T/party-00.json" --once --out "$T/out/party-00" --coordinator \
		127.0.0.1:1 2>"$T/wrong" || status=$?
	((status == 4)) || fail "status $status, expected 4"
	grep -q 't\.csv:2: column 2 is (not shown), expected a number' "$T/wrong" ||
		fail "says $(<"$T/wrong")"
	for cell in '€12' '12%' '(1200)' "1'200" $'1\xc2\xa0200' 31.12.2024; do
		printf 'a,b\n1,"%s"\n' "$cell" >"$T/t.csv"
		! "$BIN/party" --config "$T/party-00.json" --once --out "$T/out/party-00" \
			--coordinator 127.0.0.1:1 2>"$T/wrong" || fail "takes $cell"
		grep -q 'a number without signs of currency or per cent,.*format the column so, '\
'or let coterie.convert' "$T/wrong" || fail "$cell: $(<"$T/wrong")"
	done
	status=0
	edit party-00 '.data = { features: "data/party-00/features.mtx", read: { id: "who" } }'
	"$BIN/party" --config "$T/party-00.json" --once --out "$T/out/party-00" --coordinator \
		127.0.0.1:1 2>"$T/wrong" || status=$?
	((status == 4)) || fail "status $status, expected 4"
	grep -q 'features\.mtx: how a table is read (read) is said, but' "$T/wrong" ||
		fail "says $(<"$T/wrong")"
}

run_tests "$@"
