#!/bin/bash
# Runs COTERIE_JOBS jobs of every kind (1; 20 in make soak). With programs of make SAN=thread, no
# thread of a daemon has a data race. With other programs these tests run only if COTERIE_JOBS is
# set, because other tests run each kind.
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=../faults/protocols.sh
source "$ROOT/tests/faults/protocols.sh"

# shellcheck disable=SC2034 # lib.sh reads it
TEST_TIMEOUT=$((120 + 60 * ${COTERIE_JOBS:-1}))

jobs_of() { # PROTOCOL
	local i
	[[ $BIN == *thread* || ${COTERIE_JOBS-} ]] || skip 'not built with SAN=thread'
	protocol "$1"
	edit_parties "$PARTIES" '.threads = 2'
	for ((i = 0; i < ${COTERIE_JOBS:-1}; i++)); do
		coordinator
		parties "$PARTIES"
		# shellcheck disable=SC2046
		ends 0 coordinator $(names "$PARTIES")
		! grep -h -A 12 'WARNING: ThreadSanitizer' "$T"/*.stderr || fail "job $((i + 1))"
	done
}

for kind in tree landmark predict kmeans-columns align intersect fedsc-anchor kmeans \
	fedspectral-exact fedspectral+ fedwalk fedgcn; do
	eval "test_${kind//[+-]/_}() { jobs_of $kind; }"
done

run_tests "$@"
