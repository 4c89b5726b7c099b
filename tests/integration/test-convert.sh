#!/bin/bash
# Tests coterie.convert: each format (tests/python/test_convert*.py), the command, and a job of real
# daemons on two converted data directories.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

export PYTHONPATH=$ROOT/python${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1

convert() { # ARG...
	"$PYTHON" -m coterie.convert "$@" >"$T/convert.stdout" 2>"$T/convert.stderr"
}

test_formats() { unittests test_convert test_convert_kinds; }

# Converts 62 small, realistic tables and grades each result.
test_messy_tables() { unittests test_messy; }

test_the_command() {
	python_with numpy
	cd "$T" || exit 1
	local status=0
	printf 'who,x\nb,1.5\na,\n' >t.csv
	convert t.csv --out d --id who -m mean || fail "status $?: $(<convert.stderr)"
	[[ $(<convert.stdout) == "d: 2 rows, 1 features, ids" ]] || fail "says $(<convert.stdout)"
	grep -q '^coterie.convert: warning: t.csv: column "x": 1 of 2 values are missing' \
		convert.stderr ||
		fail "says $(<convert.stderr)"
	convert t.csv --out e || status=$?
	((status == 4)) || fail "status $status, expected 4"
	[[ $(head -n 1 \
		convert.stderr) == 'coterie.convert: t.csv:2: column "who" is "b", expected'* &&
		$(tail -n 1 convert.stderr) == *' --category who --missing x=median' ]] ||
		fail "says $(<convert.stderr)"
	convert --help || fail "--help: status $?"
	(($(wc -l <convert.stdout) <= 36)) && ! grep -q '.\{81\}' convert.stdout ||
		fail "the help does not fit a window"
	status=0
	"$BIN/coterie" import t.csv --out e 2>said || status=$?
	((status == 4)) &&
		[[ $(<said) == "coterie: import is now python3 -m coterie.convert, of the "* ]] ||
		fail "import: status $status, says $(<said)"
}

# party-00's rows come from a .h5ad and party-01's from a database, edges from tables of ids. The
# labels are those of a job on the original matrices.
test_a_federation_on_converted_data() {
	python_with numpy scipy h5py
	federation 2
	coordinator
	parties 2
	completes 2
	mv "$T/out" "$T/before"
	"$PYTHON" - "$T" <<-'END'
		import h5py, scipy.io, sqlite3, sys
		t = sys.argv[1]
		def dense(p):
		    return scipy.io.mmread(f"{t}/data/party-0{p}/features.mtx").toarray()
		X = dense(0)
		with h5py.File(t + "/a.h5ad", "w") as h:
		    h.create_dataset("X", data=X).attrs["encoding-type"] = "array"
		    ids = [f"n{i:04}" for i in range(len(X))]
		    columns = [f"c{j}" for j in range(X.shape[1])]
		    for table, names in ("obs", ids), ("var", columns):
		        g = h.create_group(table)
		        g.attrs["_index"] = "_index"
		        g.create_dataset("_index", data=names, dtype=h5py.string_dtype())
		X = dense(1)
		db = sqlite3.connect(t + "/b.sqlite")
		columns = ", ".join(f"c{j} real" for j in range(X.shape[1]))
		db.execute(f"create table t(who text, {columns})")
		db.executemany(f"insert into t values(?{', ?' * X.shape[1]})",
		               [(f"n{i:04}", *map(float, x)) for i, x in enumerate(X)])
		db.commit()
		for p in 0, 1:
		    with open(f"{t}/e{p}.csv", "w") as f:
		        f.write("to,from\n")
		        for l in open(f"{t}/data/party-0{p}/edges.tsv"):
		            u, v = l.split()[:2]
		            f.write(f"n{int(v):04},n{int(u):04}\n")
	END
	convert "$T/a.h5ad" --edges "$T/e0.csv" --out "$T/a" -S from=from -S to=to ||
		fail "a.h5ad: $(<"$T/convert.stderr")"
	convert "$T/b.sqlite" --edges "$T/e1.csv" --id who --out "$T/b" -S from=from -S to=to ||
		fail "b.sqlite: $(<"$T/convert.stderr")"
	edit party-00 \
		'.data = { features: "a/features.npy", edges: "a/edges.tsv", ids: "a/ids.txt" }'
	edit party-01 \
		'.data = { features: "b/features.npy", edges: "b/edges.tsv", ids: "b/ids.txt" }'
	coordinator
	parties 2
	completes 2
	cut -d, -f2 "$T/before/party-00/labels.csv" >"$T/labels"
	cut -d, -f2 "$T/out/party-00/labels.csv" | cmp - "$T/labels" || fail "other labels"
	head -2 "$T/out/party-01/labels.csv" | grep -q '^n0000,' || fail "labels have no ids"
}

# Starts a PostgreSQL server that is reached through a socket.
test_postgresql() {
	python_with numpy pandas scipy sqlalchemy psycopg2
	local bin server=$T/server as=()
	[[ -d /usr/lib/postgresql ]] || skip "PostgreSQL is not installed"
	bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
	[[ $bin ]] || skip "PostgreSQL has no programs here"
	((EUID)) || as=(setpriv --reuid postgres --regid postgres --clear-groups)
	mkdir "$server" && chmod 755 "$T" && chown "$("${as[@]}" id -u)" "$server"
	"${as[@]}" "$bin/initdb" -U coterie -A trust -D "$server/data" >"$T/initdb" 2>&1 ||
		fail "initdb: $(tail -n 1 "$T/initdb")"
	start server "${as[@]}" "$bin/postgres" -D "$server/data" -k "$server" -h ''
	until_true 60 "$bin/pg_isready" -q -h "$server" || fail "no server"
	COTERIE_TEST_POSTGRESQL="postgresql://coterie@/postgres?host=$server" \
		unittests test_convert_kinds.Typed.test_postgresql
}

sample test_messy_tables test_the_command test_a_federation_on_converted_data
run_tests "$@"
