#!/bin/bash
# Runs the commands of README, "From your table to clusters", in a folder with a clone's programs
# and a CSV: in the shell and in Python.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

section() { sed -n '/^## From your table to clusters/,/^##* /{/^#/d;p}' "$ROOT/README.md"; }

# Makes the table that README refers to: that of the tutorial.
clone_and_table() {
	mkdir -p "$T/clone/build"
	ln -s "$BIN" "$T/clone/build/bin"
	ln -s "$ROOT/scripts" "$ROOT/configs" "$ROOT/python" "$T/clone/"
	cd "$T/clone" || fail "is gone"
	sed -n '/^\$ python3 - >customers.csv/,/^END$/p' \
		"$ROOT/docs/tutorials/table-to-clusters.md" |
		sed '1s/^\$ //' | bash -e
	[[ $(wc -l <customers.csv) == 241 ]] || fail "the tutorial makes no table"
	section | sed -n 's/^    //p' >"$T/commands"
	awk '/^import /{ exit } { print }' "$T/commands" >"$T/in-the-shell"
	awk '/^import /{ found = 1 } found' "$T/commands" >"$T/in-python"
	[[ -s $T/in-the-shell && -s $T/in-python ]] || fail "README has no commands there"
}

in_the_shell() {
	python_with numpy
	python3_is_python
	bash -e "$T/in-the-shell" >"$T/shell.stdout" 2>"$T/shell.stderr" ||
		fail "README's commands: $(tail -n 5 "$T/shell.stderr")"
}

test_section_is_short() {
	(($(section | grep -c .) <= 15)) ||
		fail "README's section has $(section | grep -c .) lines, expected 15 at most"
}

test_in_the_shell() {
	clone_and_table
	in_the_shell
	[[ $(head -n 1 run/party-00/labels.csv) == id,label &&
		$(wc -l <run/party-00/labels.csv) == 241 ]] ||
		fail "labels: $(head -n 3 run/party-00/labels.csv)"
	[[ $(cut -d , -f 2 run/party-00/labels.csv | tail -n +2 | sort -u | wc -l) == 3 ]] ||
		fail "not three clusters"
	cat run/party-0?/profile.csv >"$T/profiles"
	local column
	for column in region joined age income; do
		grep -Eq ",$column(=|,)" "$T/profiles" || fail "no $column in $(<"$T/profiles")"
	done
	grep -q '<svg class="still"' run/party-00/report.html || fail "the report has no picture"
	grep -q 'values are missing; the median of the others is there' "$T/shell.stderr" ||
		fail "ages are filled without a word"
}

test_in_python() {
	python_with numpy pandas scipy sklearn
	clone_and_table
	in_the_shell
	{
		cat "$T/in-python"
		echo 'pd.DataFrame({"id": bank.ids, "label": '\
'model.labels_}).to_csv("python.csv", index=False)'
	} >"$T/walk.py"
	PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$T/walk.py" >"$T/python.stdout" \
		2>"$T/python.stderr" || fail "$(tail -n 5 "$T/python.stderr")"
	same_labels python.csv run/party-00/labels.csv
	grep -q "party-0[01] .* income " "$T/python.stdout" ||
		fail "no profile: $(<"$T/python.stdout")"
	grep -q '</html>' report.html || fail "no report"
}

run_tests "$@"
