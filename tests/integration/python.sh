# python.sh -- a Python with what a test needs: numpy and cryptography (Debian: python3-numpy, python3-cryptography) for
# tests/interop, what scripts/deps --python installs for the package.
#
# shellcheck shell=bash
python_with() { # MODULE...: $PYTHON, or the test is skipped
	for PYTHON in python3 /usr/bin/python3; do
		"$PYTHON" -c "import $(IFS=, && echo "$*")" 2>/dev/null && return
	done
	skip "no python3 has $*"
}

needs_python() { python_with numpy cryptography; }

# Of tests/python, with the programs under test.
unittests() { # MODULE[.CLASS[.TEST]]...
	python_with numpy pandas scipy sklearn
	cd "$ROOT/tests/python" || fail "is gone"
	COTERIE_BIN=$BIN PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -W error::ResourceWarning -m unittest -v "$@" ||
		fail "tests/python: $* (above)"
}

# Python says nothing while it raises numbers of 3072 bits to powers, which lasts beside a busy machine.
patient() { # L
	local name
	for name in coordinator $(names "$1"); do edit "$name" '.heartbeat_s = 30 | .reconnect_s = 30 | .step_timeout_s = 120'; done
}
