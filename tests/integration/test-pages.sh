#!/bin/bash
# Commands of the pages, as written, in sequence, in a folder like a built clone; see
# tests/tools/pages.py. Each page with a console block is a test.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

run_page() { # PAGE
	case $1 in */python.md) python_with numpy pandas scipy sklearn ;; *) python_with numpy ;; esac
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

# The tool itself: a page that is true, and pages that are not.
test_tool() {
	cd "$T" || fail "is gone"
	python_with json
	printf '```json title="a.json"\n{}\n```\n```console\n$ cat a.json\n{}\n$ echo one two; echo 3\none ...\n...\n$ false\n[exit 1]\n```\n' >true.md
	"$PYTHON" "$ROOT/tests/tools/pages.py" true.md >out || fail "$(<out)"
	[[ $(<out) == "true.md: 3 commands" ]] || fail "$(<out)"
	local body
	for body in '$ echo 1\n2' '$ false' '$ echo 1\n1\n2' '$ true\n[exit 1]' ''; do
		printf '```console\n%b\n```\n' "$body" >false.md
		! "$PYTHON" "$ROOT/tests/tools/pages.py" false.md >out 2>&1 || fail "$body: passed"
	done
}

run_tests "$@"
