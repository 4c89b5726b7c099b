#!/bin/bash
# Tests the Python package: its tests in tests/python, its types, the site of make docs, and its
# section of the README.
#
# This test needs the packages of scripts/deps --python. Tests without their packages are skipped.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

((TEST_TIMEOUT >= 600)) || TEST_TIMEOUT=600

test_data() { unittests test_data; }
test_estimators() { unittests test_estimators; }
test_alone() { unittests test_alone; }
test_client() { unittests test_client; }
test_tsne() { unittests test_tsne; }
test_federation() { unittests test_federation; }

test_types() {
	command -v mypy >/dev/null || skip "mypy is not installed"
	cd "$ROOT/python" || fail "is gone"
	mypy --cache-dir "$T/mypy" coterie || fail "types"
}

test_pages() {
	make -s -C "$ROOT" docs >"$T/docs" 2>&1 || fail "$(<"$T/docs")"
	! grep -qE 'skipped|without' "$T/docs" || skip "$(<"$T/docs")"
	grep -q 'AttributedGraphClustering' "$ROOT/build/docs/python-api/api.html" ||
		fail "the reference has no estimators"
	grep -q 'python-api/index.html' "$ROOT/build/docs/python-api.html" ||
		fail "no page leads to the reference"
	grep -q 'takes part in a real job' "$ROOT/build/docs/python.html" ||
		fail "the guide is not there"
	! grep -rhoE '<(link|script|img)[^>]*(src|href)="(https?:)?//[^"]*"' "$ROOT/build/docs" \
		--include=*.html ||
		fail "pages load something from elsewhere"
}

# ---- the README ----

section() { sed -n "/^## $1\$/,/^## /p" "$ROOT/README.md" | sed '$d'; } # HEADING

# Splits the section's code at the line "or in Python": shell before it, Python after it.
test_readme_from_a_table_to_clusters() {
	python_with pandas scipy sklearn
	local all
	all=$(section "From your table to clusters")
	sed '/^or in Python/,$d' <<<"$all" | sed -n 's/^    //p' >"$T/readme.sh"
	sed -n '/^or in Python/,$s/^    //p' <<<"$all" >"$T/readme.py"
	[[ $(wc -l <"$T/readme.sh") == 5 && $(wc -l <"$T/readme.py") == 5 ]] ||
		fail "README.md: the section is another one"
	mkdir -p "$T/walk/build" && ln -s "$BIN" "$T/walk/build/bin" &&
		ln -s "$ROOT/scripts" "$ROOT/configs" "$ROOT/python" "$T/walk/"
	awk 'BEGIN { srand(5); print "customer,age,region,joined,income"
		for (i = 0; i < 90; i++) printf "c%d,%s,%s,2024-%02d-11,%d\n", i,
		i == 7 ? "" : 20 + 20 * (i % 3) + rand() * 5,
			i % 3 == 1 ? "north" : "south", 1 + i % 12,
			1000 * (1 + i % 3 * 2 + rand()) }' >"$T/walk/customers.csv"
	cd "$T/walk" || fail "is gone"
	python3_is_python
	bash -euo pipefail "$T/readme.sh" >"$T/sh.out" 2>&1 ||
		fail "in the shell: $(tail -n 3 "$T/sh.out")"
	[[ -s run/party-00/report.html && -s run/party-00/profile.csv ]] ||
		fail "no report, or no profile"
	COTERIE_BIN=$BIN PYTHONPATH=python "$PYTHON" "$T/readme.py" >"$T/py.out" 2>"$T/py.err" ||
		fail "in Python: $(tail -n 3 "$T/py.err")"
	[[ -s report.html ]] || fail "no report from Python"
	cut -d, -f2 run/party-00/labels.csv | sed 1d | paste -sd' ' >"$T/labels"
	tr -d '\n' <"$T/py.out" | sed 's/^\[\([^]]*\)\].*/\1/; s/  */ /g' |
		cmp -s - <(tr -d '\n' <"$T/labels") ||
		fail "labels differ: $(head -n 4 "$T/py.out") and $(<"$T/labels")"
	grep -q 'region=north\|income' run/party-00/profile.csv || fail "the profile has no names"
	[[ $(sort "$T/labels" | tr ' ' '\n' | sort -u | wc -l) == 3 ]] || fail "not three clusters"
}

# Installs from a copy, because setuptools writes into the sources.
test_pip_installs_it() {
	python_with setuptools wheel pip pandas scipy sklearn
	cp -r "$ROOT/python" "$T/python"
	"$PYTHON" -m pip install -q --disable-pip-version-check --no-index --no-build-isolation \
		--no-deps --target "$T/site" "$T/python" 2>"$T/pip.stderr" || {
		cat "$T/pip.stderr"
		fail "pip does not install it"
	}
	[[ -e $T/site/coterie/py.typed ]] || fail "it has no py.typed"
	cd "$T" || fail "is gone"
	PYTHONPATH=$T/site "$PYTHON" -m coterie.convert --help >/dev/null ||
		fail "the converter is not installed"
	[[ $(COTERIE_BIN=$BIN PYTHONPATH=$T/site "$PYTHON" -c \
		'import coterie; print(coterie.__version__, coterie.__file__, coterie.find())') == \
		"$(<"$ROOT/VERSION") $T/site/coterie/__init__.py $(realpath "$BIN")/coterie" ]] ||
		fail "what is installed is another one"
}

sample test_data
run_tests "$@"
