# turncoat.sh -- for tests with one malicious peer in an otherwise honest federation (turncoat.c).
#
#     party-00 ==============\
#     party-01 == turncoat ==== coordinator       party-01 is the victim or the malicious party
#     party-02 ==============/
#
# shellcheck shell=bash
source "${0%/*}/../integration/lib.sh"
# shellcheck source=../integration/wire.sh
source "${0%/*}/../integration/wire.sh"

# shellcheck disable=SC2034 # numbers of messages, for rules
OFFER=10 KEY=13 KEYS=14 DONE=16 CHOICE=18 MATRIX=19 SUM=23 TOLD=24 \
	LOCAL_CLUSTERS=30 CELLS=31 STARTS=32 ASSIGNMENT=33 CLUSTERS=34 RESULT=35 \
	SEALED=50 COMMON=53

# Runs the federation that is set up, and changes the messages between party-01 and the coordinator.
turned() { # L RULE...
	local direct name
	tls_tool turncoat
	coordinator
	direct=$ADDRESS
	rm -f "$T/turncoat.ready"
	start turncoat "$TOOLS/turncoat" "$T/turncoat.ready" "$direct" "$T/pki" party-01 \
		coordinator "${@:2}"
	until_true 10 test -s "$T/turncoat.ready" || fail "the turncoat did not become ready"
	for name in $(names "$1"); do
		if [[ $name == party-01 ]]; then
			ADDRESS=$(<"$T/turncoat.ready")
		else
			ADDRESS=$direct
		fi
		party "$name"
	done
	ADDRESS=$direct
}

# All processes end with STATUS, no party has labels, and the turncoat has changed a message.
fails() { # STATUS[|STATUS] L
	# shellcheck disable=SC2046
	ends "$1" coordinator $(names "$2")
	no_labels "$2"
}

no_labels() { # L
	local name
	says turncoat '^turncoat: '
	for name in $(names "$1"); do
		[[ ! -e $T/out/$name/labels.csv && ! -e $T/out/$name/labels.npy ]] ||
			fail "$name was left with labels"
	done
	no_leftovers
}

# shellcheck disable=SC2034
OTHER_VALUES='coordinator broadcast other values to one of'

# NAME's message must match REGEX. If NAME is the coordinator, all parties receive the message. If
# NAME is a party, the other processes learn only that this party ended the job.
found_by() { # NAME L REGEX
	local name
	says "$1" "$3"
	for name in coordinator $(names "$2"); do
		if [[ $1 == coordinator ]]; then
			says "$name" "$3"
		else
			says "$name" "$1 says: .*; see its log|$3"
		fi
	done
}
