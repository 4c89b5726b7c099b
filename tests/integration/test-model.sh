#!/bin/bash
# Checks the model of attempts, lists of members, rounds and noise keys (tests/model/attempts.pml)
# with spin. spin finds no error in the model, and finds one if a guard is left out.
# COTERIE_MODEL=large uses larger bounds and takes a minute or two.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

LARGE=$([[ ${COTERIE_MODEL-} != large ]] || echo yes)

model() { # OPTIMISE -DX...: checks all states; $FOUND is yes if an assertion fails
	local errors
	command -v spin >/dev/null && command -v gcc >/dev/null ||
		skip "spin or gcc is not here (scripts/deps --dev)"
	rm -rf "$T/model" && mkdir "$T/model"
	cd "$T/model" || fail "is gone"
	spin -a "${@:2}" "$ROOT/tests/model/attempts.pml" >"$T/said" 2>&1 ||
		fail "${*:2}: $(head -n 3 "$T/said")"
	gcc "$1" -w -DSAFETY -DNOREDUCE ${LARGE:+-DCOLLAPSE} -o pan pan.c
	./pan -E -m200000 >"$T/said" || fail "${*:2}: $(tail -n 3 "$T/said")"
	! grep -q 'error: \|invalid array index\|not completed because' "$T/said" ||
		fail "${*:2}: $(grep -m 1 'error: \|invalid array\|because' "$T/said")"
	errors=$(sed -n 's/.*errors: \([0-9]*\)/\1/p' "$T/said")
	FOUND=$([[ $errors == 0 ]] || echo yes)
	echo "${*:2}: $(sed -n 's/ *\([0-9]*\) states, stored.*/\1 states/p' \
		"$T/said")${FOUND:+, a fault after $(sed -n 's/.*depth reached \([0-9]*\),.*/\1/p' \
		"$T/said") steps}"
}

holds() { # -DX...
	model -O1 "$@"
	[[ -z $FOUND ]] || fail "$*: an error where there is none: $(head -n 1 "$T/said")"
}

fails_without() { # GUARD -DX...
	model -O0 "${@:2}" "-D$1"
	[[ -n $FOUND ]] || fail "nothing is found without $1"
}

# Two of three parties are honest, or three of four. In the first case the loss of a party ends the
# job. In the second case the job may go on with three parties.
test_lists() {
	holds -DL=3 -DHONEST=2
	holds -DL=4 -DHONEST=3 -DMIN_PARTIES=3 -DALLOW_LOSS=3 -DNUMBERS=2
	[[ -z $LARGE ]] || holds -DL=3 -DHONEST=2 -DNUMBERS=4 -DMAX_ATTEMPTS=3
	[[ -z $LARGE ]] || holds -DL=4 -DHONEST=3 -DMIN_PARTIES=3 -DALLOW_LOSS=3
}

test_lists_without_a_guard() {
	local loses=(-DL=4 -DHONEST=3 -DMIN_PARTIES=3 -DALLOW_LOSS=3)
	fails_without NO_MIN_PARTIES -DL=3 -DHONEST=2 -DMIN_PARTIES=3 -DALLOW_LOSS=2
	fails_without NO_ALLOW_LOSS -DL=3 -DHONEST=2 -DMIN_PARTIES=2
	fails_without NO_LIST_HELD "${loses[@]}"
	fails_without NO_SERVED "${loses[@]}"
	fails_without NO_LIST_IN_KEYS "${loses[@]}"
	fails_without NO_TOLD_WORDS "${loses[@]}"
	fails_without NO_MAX_ATTEMPTS "${loses[@]}"
}

# Of L parties c collude. If 2 allow_loss - L <= c, two lists of members may have no honest party in
# common. Then two jobs can run at once.
test_lists_that_may_lose_too_many() {
	local bounds
	for bounds in '-DL=4 -DHONEST=3 -DMIN_PARTIES=2 -DALLOW_LOSS=2' \
		'-DL=4 -DHONEST=2 -DMIN_PARTIES=3 -DALLOW_LOSS=3' \
		'-DL=3 -DHONEST=2 -DMIN_PARTIES=2 -DALLOW_LOSS=2'; do
		# shellcheck disable=SC2086
		model -O0 $bounds -DNUMBERS=2
		[[ -n $FOUND ]] || fail "$bounds: two jobs at once are not found"
	done
}

# One party is honest; the coordinator controls the others.
test_masks_and_noise() {
	holds -DL=3 -DHONEST=1
	holds -DL=4 -DHONEST=1 -DMIN_PARTIES=3 -DALLOW_LOSS=3
	holds -DL=3 -DHONEST=1 -DNO_SERVED # new exponents protect masks if state/served is lost
	holds -DL=3 -DHONEST=1 -DKEYS_REUSED
	[[ -z $LARGE ]] ||
		holds -DL=4 -DHONEST=1 -DMIN_PARTIES=2 -DALLOW_LOSS=2 -DNUMBERS=4 -DMAX_ATTEMPTS=3 \
		-DMAX_PAID=6
}

test_masks_and_noise_without_a_guard() {
	fails_without ROUND_REUSED -DL=3 -DHONEST=1
	fails_without NO_SERVED -DL=3 -DHONEST=1 -DKEYS_REUSED
	fails_without NO_NUMBERING_IN_NOISE_KEY -DL=3 -DHONEST=1
	fails_without NO_MEMBERS_IN_NOISE_KEY -DL=4 -DHONEST=1 -DMIN_PARTIES=3 -DALLOW_LOSS=3
	fails_without NO_TOLD_IN_NOISE_KEY -DL=3 -DHONEST=1
	fails_without NO_RELEASE_IN_NOISE_KEY -DL=3 -DHONEST=1
	fails_without NO_CHARGE -DL=3 -DHONEST=1
}

sample
run_tests "$@"
