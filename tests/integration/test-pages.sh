#!/bin/bash
# Runs the commands of the pages as written, in sequence, in a folder like a built clone; see
# tests/tools/pages.py. Each page with a console block is a test.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

run_page() { # PAGE
	case $1 in */python.md) python_with numpy pandas scipy sklearn ;; *) python_with \
		numpy ;; esac
	python3_is_python
	mkdir -p "$T/clone/build"
	ln -s "$BIN" "$T/clone/build/bin"
	ln -s "$ROOT/scripts" "$ROOT/configs" "$ROOT/python" "$T/clone/"
	cd "$T/clone" || fail "is gone"
	PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/tools/pages.py" "$ROOT/$1" ||
		fail "$1 is not true (above)"
}

while read -r page; do
	name=${page%.md}
	eval "test_${name//[^a-z0-9]/_}() { run_page $page; }"
done < <(cd "$ROOT" && grep -rl '^```console' README.md docs --include=*.md | sort)

# Tests the tool itself on a correct page and on wrong ones.
test_tool() {
	cd "$T" || fail "is gone"
	python_with json
	printf '```json title="a.json"\n{}\n```\n```console\n$ cat a.json\n{}\n$ echo one two; '\
'echo 3\none ...\n...\n$ false\n[exit 1]\n```\n' >true.md
	"$PYTHON" "$ROOT/tests/tools/pages.py" true.md >out || fail "$(<out)"
	[[ $(<out) == "true.md: 3 commands" ]] || fail "$(<out)"
	local body
	for body in '$ echo 1\n2' '$ false' '$ echo 1\n1\n2' '$ true\n[exit 1]' ''; do
		printf '```console\n%b\n```\n' "$body" >false.md
		! "$PYTHON" "$ROOT/tests/tools/pages.py" false.md >out 2>&1 || fail "$body: passed"
	done
}

# docs/reference/errors.md lists only messages that the programs contain. "..." stands for any text
# and separates the pieces to look for.
test_messages_exist() {
	local piece missing=0
	strings -n 4 "$BIN"/coterie "$BIN"/coordinator "$BIN"/party |
		cat - <(printf '%s\n' 'address already in use' 'connection refused' FILE:LINE:) \
		>"$T/strings"
	sed -n 's/^| \(`[^|]*\) | .* | .* |$/\1/p' "$ROOT/docs/reference/errors.md" |
		grep -o '`[^`]*`' | tr -d '`' >"$T/messages"
	(($(wc -l <"$T/messages") > 55)) || fail "hardly any message on the page"
	sed 's/\.\.\.\.*/\n/g' "$T/messages" | sed 's/^[ ,:]*//; s/[ ,:]*$//' |
		awk 'length($0) > 5' >"$T/pieces"
	while IFS= read -r piece; do
		grep -qF -- "$piece" "$T/strings" && continue
		echo "no program has: $piece" >&2
		missing=$((missing + 1))
	done <"$T/pieces"
	((missing == 0)) || fail "$missing messages that no program has"
}

# docs/COMPARISON.md has 59 rows with a mark for each system, existing sources, and right totals.
test_comparison() {
	python_with json
	"$PYTHON" - "$ROOT/docs/COMPARISON.md" <<-'END' || fail "docs/COMPARISON.md (above)"
		import re, sys
		text = open(sys.argv[1], encoding="utf-8").read()
		cells = [line.strip("|").split("|") for line in text.split("\n")
		         if line.startswith("|")]
		marks = [[re.sub(r"\[(.)\].*", r"\1", c) for c in row[1:]]
		         for row in cells[2:-2] if len(row) == 8]
		totals = [[str(sum(row[k] == mark for row in marks)) for k in range(7)]
		          for mark in "+~"]
		sources = set(re.findall(r"\]\[(\w+)\]", text))
		links = set(re.findall(r"(?m)^\[(\w+)\]: https", text))
		for true, what in (
		        (len(text.encode()) <= 12288, "more than 12 KB"),
		        (len(marks) == 59, "rows"),
		        (all(m in "+~-?" for row in marks for m in row), "a cell has no mark"),
		        (totals == [row[1:] for row in cells[-2:]], f"totals are {totals}"),
		        (sources == links, "sources"),
		        (all(c == "?" or "][" in c for row in cells[2:-2] if len(row) == 8
		             for c in row[2:]), "a cell of another system has no source")):
		    if not true:
		        sys.exit(what)
	END
}

run_tests "$@"
