# python.sh -- a Python with numpy and cryptography (Debian: python3-numpy, python3-cryptography), for tests/interop.
#
# shellcheck shell=bash
needs_python() { # $PYTHON, or the test is skipped
	for PYTHON in python3 /usr/bin/python3; do
		"$PYTHON" -c 'import numpy, cryptography' 2>/dev/null && return
	done
	skip "no python3 has numpy and cryptography"
}

# Python says nothing while it raises numbers of 3072 bits to powers, which lasts beside a busy machine.
patient() { # L
	local name
	for name in coordinator $(names "$1"); do edit "$name" '.heartbeat_s = 30 | .reconnect_s = 30 | .step_timeout_s = 120'; done
}
