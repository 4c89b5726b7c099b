# lies.sh -- runs a coordinator that tells one lie (tests/hostile/liar.py) with parties in C.
#
# shellcheck shell=bash
# shellcheck source=python.sh
source "${BASH_SOURCE[0]%/*}/python.sh"

liar() { # LIE
	rm -f "$T/ready"
	start coordinator "$PYTHON" "$ROOT/tests/hostile/liar.py" --config "$T/coordinator.json" \
		--job "$T/job.json" \
		--ready-file "$T/ready" --lie "$1"
	until_true 60 listens_or_gone
	[[ -s $T/ready ]] || fail "the liar did not become ready"
	# shellcheck disable=SC2034 # party() dials it
	ADDRESS=$(<"$T/ready")
}

# Empties the output directory, and copies into it the files of an earlier run, if $T/kept has any.
fresh_out() {
	rm -rf "$T/out"
	[[ ! -e $T/kept ]] || cp -r "$T/kept" "$T/out"
}

# All parties end with 2 and have no labels. Each party's last error names the coordinator and
# blames no party. At least one party's errors match REGEX.
#
# A false sum is as long and as well formed as a true one; parties refuse it because of its values.
# So all false sums are alike for a sanitizer. Only the first one of a test goes to sanitized
# daemons, and later ones go to plain daemons.
is_found() { # LIE REGEX
	local name found=false BIN=$BIN
	if [[ $2 == "$WRONG_SUM" ]] && sanitized && [[ -x $ROOT/build/bin/party ]]; then
		! ${SUM_SEEN:-false} || BIN=$ROOT/build/bin
		SUM_SEEN=true
	fi
	fresh_out
	liar "$1"
	parties 3
	# shellcheck disable=SC2046
	ends 2 $(names 3)
	ended coordinator
	for name in $(names 3); do
		[[ ! -e $T/out/$name/labels.csv ]] || fail "$1: $name has labels"
		[[ ! -e $T/out/$name/centres.csv && ! -e $T/out/$name/profile.csv ]] ||
			fail "$1: $name has centres or a profile"
		! said "$name" "$2" || found=true
		tail -n 1 "$T/$name.stderr" >"$T/last"
		grep -q coordinator "$T/last" ||
			fail "$1: $name does not name the coordinator: $(<"$T/last")"
		! sed 's/unless the directory of party-0[0-2] is wrong//' "$T/last" |
			grep -Eq 'party-0[0-2] (sent|is|has|lies)' ||
			fail "$1: $name blames a party: $(<"$T/last")"
	done
	$found || fail "$1: nobody says '$2': $(cat "$T"/party-0?.stderr | tail -n 3)"
	! grep -q 'AddressSanitizer\|runtime error' "$T"/party-0?.stderr ||
		fail "$1: a sanitizer's report"
}

# This is the error of parties that were offered different jobs, because keys are signed for the
# offered job.
# shellcheck disable=SC2034
OTHER_JOB='key advertisement of party-0[0-2]: the signature does not fit key and message'
# shellcheck disable=SC2034
WRONG_SUM="coordinator sent SUM [0-9]+ that is not the sum of the parties' terms and tags"
