#!/bin/bash
# README, "From your table to clusters", to the letter, in a folder that holds a clone's programs and a CSV: in the shell and in Python.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

section() { sed -n '/^## From your table to clusters/,/^##* /{/^#/d;p}' "$ROOT/README.md"; }

# The columns that README names, and two more; gaps among ages, quotes and separators in notes.
clone_and_table() {
	mkdir -p "$T/clone/build"
	ln -s "$BIN" "$T/clone/build/bin"
	ln -s "$ROOT/scripts" "$ROOT/configs" "$ROOT/python" "$T/clone/"
	awk 'BEGIN { srand(3); split("north south west", word, " "); print "customer,region,joined,age,income,note"
		for (i = 0; i < 240; i++)
			printf "C%05d,%s,20%d-0%d-1%d,%s,%.2f,\"said \"\"hello\"\", then left\"\n", i, word[1 + int(3 * rand())], 10 + i % 10,
				1 + i % 9, i % 10, i % 37 ? int(25 + 20 * (i % 3) + 6 * rand()) : "", 20000 + 15000 * (i % 3) + 4000 * rand() }' \
		>"$T/clone/customers.csv"
	cd "$T/clone" || fail "is gone"
	section | sed -n 's/^    //p' >"$T/commands"
	awk '/^import /{ exit } { print }' "$T/commands" >"$T/in-the-shell"
	awk '/^import /{ found = 1 } found' "$T/commands" >"$T/in-python"
	[[ -s $T/in-the-shell && -s $T/in-python ]] || fail "README has no commands there"
}

in_the_shell() {
	python_with numpy
	python3_is_python
	bash -e "$T/in-the-shell" >"$T/shell.stdout" 2>"$T/shell.stderr" || fail "README's commands: $(tail -n 5 "$T/shell.stderr")"
}

test_section_is_short() {
	(($(section | grep -c .) <= 15)) || fail "README's section has $(section | grep -c .) lines, expected 15 at most"
}

test_in_the_shell() {
	clone_and_table
	in_the_shell
	[[ $(head -n 1 run/party-00/labels.csv) == id,label && $(wc -l <run/party-00/labels.csv) == 241 ]] || fail "labels: $(head -n 3 run/party-00/labels.csv)"
	[[ $(cut -d , -f 2 run/party-00/labels.csv | tail -n +2 | sort -u | wc -l) == 3 ]] || fail "not three clusters"
	cat run/party-0?/profile.csv >"$T/profiles"
	local column
	for column in region joined age income; do grep -Eq ",$column(=|,)" "$T/profiles" || fail "no $column in $(<"$T/profiles")"; done
	grep -q '<svg class="still"' run/party-00/report.html || fail "the report has no picture"
	grep -q 'values are missing; the median of the others is there' "$T/shell.stderr" || fail "ages are filled without a word"
}

test_in_python() {
	python_with numpy pandas scipy sklearn
	clone_and_table
	in_the_shell
	{
		cat "$T/in-python"
		echo 'pd.DataFrame({"id": bank.ids, "label": model.labels_}).to_csv("python.csv", index=False)'
	} >"$T/walk.py"
	PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$T/walk.py" >"$T/python.stdout" 2>"$T/python.stderr" || fail "$(tail -n 5 "$T/python.stderr")"
	same_labels python.csv run/party-00/labels.csv
	grep -q "party-0[01] .* income " "$T/python.stdout" || fail "no profile: $(<"$T/python.stdout")"
	grep -q '</html>' report.html || fail "no report"
}

run_tests "$@"
