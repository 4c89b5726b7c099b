# python.sh -- finds a Python with the modules that a test needs: numpy and cryptography (Debian:
# python3-numpy, python3-cryptography) for tests/interop, the modules of scripts/deps --python for
# the package.
#
# shellcheck shell=bash
# Looks for the modules without importing them, because imports are slow.
FINDS='import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))'

python_with() { # MODULE...: sets $PYTHON, or skips the test
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

# Makes `python3` start $PYTHON, for commands of the documents.
python3_is_python() {
	mkdir -p "$T/path" && ln -sf "$(command -v "$PYTHON")" "$T/path/python3" &&
		PATH=$T/path:$PATH
}

# Keeps the compiled modules of tests/interop and tests/hostile outside of the source tree.
needs_python() {
	python_with numpy cryptography
	unset PYTHONDONTWRITEBYTECODE
	export PYTHONPYCACHEPREFIX=$TOOLS/python
}

# Runs tests of tests/python with the programs under test.
unittests() { # MODULE[.CLASS[.TEST]]...
	python_with numpy pandas scipy sklearn
	cd "$ROOT/tests/python" || fail "is gone"
	COTERIE_BIN=$BIN PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -W error::ResourceWarning -m unittest \
		-v "$@" ||
		fail "tests/python: $* (above)"
}

# Sets long timeouts. Python sends nothing while it computes powers of 3072-bit numbers, which takes
# long on a busy machine.
patient() { # L
	local name
	edit_all "$1" '.heartbeat_s = 30 | .reconnect_s = 30 | .step_timeout_s = 120'
}
