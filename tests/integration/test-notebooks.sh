#!/bin/bash
# Runs each notebook in python/notebooks from beginning to end, in less than two minutes.
#
# This test needs the packages of scripts/deps --python. Notebooks without their packages are
# skipped.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

notebook() { # NAME
	local file=$ROOT/python/notebooks/$1.ipynb begin
	jq -e 'all(.cells[] | select(.cell_type == "code"); .outputs == []
		and .execution_count == null)' "$file" >/dev/null ||
		fail "$1.ipynb: it is kept with outputs"
	command -v jupyter-nbconvert >/dev/null ||
		skip "jupyter-nbconvert is not installed; scripts/deps --python installs it"
	python_with ipykernel numpy pandas scipy sklearn
	begin=$SECONDS
	env HOME="$T" JUPYTER_PLATFORM_DIRS=0 COTERIE_BIN="$BIN" PYTHONPATH="$ROOT/python" \
		PYTHONDONTWRITEBYTECODE=1 \
		jupyter-nbconvert --to html --execute \
		--ExecutePreprocessor.timeout=$((120 * BUSY)) --output-dir "$T" "$file" \
		2>"$T/nbconvert.stderr" || {
		tail -n 30 "$T/nbconvert.stderr"
		fail "$1.ipynb does not run"
	}
	((SECONDS - begin < 120 * BUSY)) || fail "$1.ipynb took $((SECONDS - begin)) s"
	grep -q 'iframe srcdoc' "$T/$1.html" || fail "$1.ipynb shows no picture"
	grep -q '<b>done</b>' "$T/$1.html" || fail "$1.ipynb shows no progress"
}

test_notebook_two_banks() { notebook two-banks; }
test_notebook_five_hospitals() { notebook five-hospitals; }
test_notebook_a_graph() { notebook a-graph; }

run_tests "$@"
