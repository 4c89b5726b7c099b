#!/bin/bash
# A party's side of the secure sum in Python, written from docs/secure-sum.md: against the known answers.
#
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"

PYTHON=/usr/bin/python3 # Debian's, for which its packages are

test_secure_sum_from_the_page() {
	"$PYTHON" -c 'import numpy, cryptography' 2>/dev/null || skip "python3-numpy or python3-cryptography is missing"
	PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$ROOT/tests/interop/test_secsum.py"
}

run_tests "$@"
