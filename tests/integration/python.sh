# python.sh -- a Python with what a test needs: numpy and cryptography (Debian: python3-numpy,
# python3-cryptography) for tests/interop, what scripts/deps --python installs for the package.
#
# shellcheck shell=bash
# To import some of them takes longer than many a test.
FINDS='import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))'

python_with() { # MODULE...: $PYTHON, or the test is skipped
	local modules kept
	modules=$(IFS=, && echo "$*")
	kept=${ONCE:+$ONCE/python-$modules}
	[[ ! -s $kept ]] || { PYTHON=$(<"$kept") && return; }
	for PYTHON in python3 /usr/bin/python3; do
		"$PYTHON" -c "$FINDS" "$@" 2>/dev/null || continue
		[[ -z $kept ]] || echo "$PYTHON" >"$kept"
		return 0
	done
	skip "no python3 has $*"
}

# For commands of the documents.
python3_is_python() {
	mkdir -p "$T/path" && ln -sf "$(command -v "$PYTHON")" "$T/path/python3" &&
		PATH=$T/path:$PATH
}

# What is compiled of tests/interop and tests/hostile stays for the next start, outside of the
# sources.
needs_python() {
	python_with numpy cryptography
	unset PYTHONDONTWRITEBYTECODE
	export PYTHONPYCACHEPREFIX=$TOOLS/python
}

# Of tests/python, with the programs under test.
unittests() { # MODULE[.CLASS[.TEST]]...
	python_with numpy pandas scipy sklearn
	cd "$ROOT/tests/python" || fail "is gone"
	COTERIE_BIN=$BIN PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -W error::ResourceWarning -m unittest \
		-v "$@" ||
		fail "tests/python: $* (above)"
}

# Python says nothing while it raises numbers of 3072 bits to powers, which lasts beside a busy
# machine.
patient() { # L
	local name
	edit_all "$1" '.heartbeat_s = 30 | .reconnect_s = 30 | .step_timeout_s = 120'
}
