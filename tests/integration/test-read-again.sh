#!/bin/bash
# Landmark projection overwrites a party's features in memory. When the party has its local clusters
# it reads the features again from their .npy file, because it keeps no copy. These tests replace
# that file in between.
#
#     offer: read -- local: filter, k-means -- read again, compared -- keys -- norms ...
#                             ^ the file is replaced here
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=ranks.sh
source "${0%/*}/ranks.sh"

# Makes two parties with 24 columns of .npy each. The local phase takes longer than a look at the
# log, so that the file can be replaced during it.
slices() { # METHOD
	local n=20000 name
	"$BIN/coterie" synth --points --nodes $n --features 48 --clusters 3 --apart 6 --seed 5 \
		--out "$T/pooled" >/dev/null
	awk -v \
		n=$n 'BEGIN { OFS = "\t"; for (i = 0; i < n; i++) { print i, (i + 1) % n; print '\
'i, (i + 7) % n } }' >"$T/pooled/edges.tsv"
	"$BIN/coterie" split --by columns --parties 2 --seed 5 --data "$T/pooled" --out "$T/data" \
		>/dev/null
	jq -n --arg method "$1" '{ kind: "kcagc", clusters: 3, seed: 7, method: $method }' \
		>"$T/job.json"
	set_up 2
	for name in coordinator party-00 party-01; do edit "$name" '.step_timeout_s = 120'; done
	FILE=$T/data/party-01/features.npy
}

begins() {
	rm -rf "$T/out" "$T/ready"
	coordinator
	parties 2
	until_true 60 said party-01 '"phase":"local"' ||
		fail 'party-01 does not come to its local phase'
}

is_in() { ! said party-01 '"phase":"keys"'; } # true during its local phase

# DEED changes or replaces $FILE during party-01's local phase. If party-01 succeeds because it had
# already read the file twice, struck() tries again. With MAY_BE a success counts too.
struck() { # DEED...: sets $STATUS to party-01's exit status
	local try meanwhile
	for ((try = 1; try <= 5; try++)); do
		begins
		"$@"
		meanwhile=false
		! is_in || meanwhile=true
		ended party-01
		((STATUS == 0)) || return 0
		ends 0 coordinator party-00
		! $meanwhile || [[ -z ${MAY_BE-} ]] || return 0
	done
	fail "five times party-01 was done$($meanwhile ||
		echo ', the last time before the file came')"
}

# party-01 ends with 4 and reports SENTENCE. The others learn that it ended.
fails_for() { # SENTENCE DEED...
	slices landmark
	[[ -z ${RANKS-} ]] || on_ranks party-01 "$RANKS"
	struck "${@:2}"
	((STATUS == 4)) || fail "party-01 ended with status $STATUS, expected 4"
	says party-01 "$1"
	ends '2|4' coordinator party-00
	party_says "$1"
	[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/party-01/labels.csv ]] ||
		fail 'there are labels'
}

renamed() { mv "$T/other" "$FILE"; }

# Flips a bit of the last number.
other_bit() { # FILE
	local at byte
	at=$(($(stat -c %s "$1") - 4))
	byte=$(od -An -tu1 -j $at -N 1 "$1")
	# shellcheck disable=SC2059 # the byte is the format
	printf "\\x$(printf %02x $((byte ^ 1)))" | dd of="$1" bs=1 seek=$at conv=notrunc status=none
}

another_bit() { cp "$FILE" "$T/other" && other_bit "$T/other" && renamed; }
identical_copy() { cp -p "$FILE" "$T/other" && renamed; }

# Keeps the old modification time. The system still sets the inode's change time.
in_place() { touch -r "$FILE" "$T/time" && other_bit "$FILE" && touch -r "$T/time" "$FILE"; }
fewer_columns() {
	/usr/bin/python3 -c \
		'import sys, numpy as np; np.save(sys.argv[2], np.load(sys.argv[1])[:, 1:])' \
		"$FILE" "$T/other.npy" && mv "$T/other.npy" "$FILE"
}

test_another_file() { fails_for 'features.npy has changed since the job began' another_bit; }
test_written_in_place() { fails_for 'features.npy has changed since the job began' in_place; }
# The party recognises a file by its inode and times, and does not compare the contents of a copy.
test_identical_copy() { fails_for 'features.npy has changed since the job began' identical_copy; }

# Ranks may be on hosts where a file has other inode numbers and times, so they compare only the
# contents.
test_another_file_on_ranks() {
	needs_ranks && RANKS=2 fails_for 'features have changed since they were read' another_bit
}
test_fewer_columns_on_ranks() {
	needs_ranks && RANKS=2 fails_for 'features.npy: has changed since it was read' fewer_columns
}

test_identical_copy_on_ranks() {
	needs_ranks
	slices landmark
	on_ranks party-01 2
	begins
	completes 2
	mv "$T/out" "$T/undisturbed"
	MAY_BE=true struck identical_copy
	((STATUS == 0)) || fail "party-01 ended with status $STATUS, expected 0"
	same_labels "$T/undisturbed/party-01/labels.npy" "$T/out/party-01/labels.npy"
}

# GCC reads the file once, before it is replaced, and the job succeeds. Only the profile cannot be
# made.
test_gcc_reads_once() {
	slices gcc
	coordinator
	parties 2
	completes 2
	mv "$T/out" "$T/undisturbed"
	rm -f "$T/ready"
	coordinator
	strikes_in party-01 norms
	relay relay 20
	party party-00
	ADDRESS=$RELAY party party-01
	in_phase party-01 norms
	another_bit
	goes_on
	ends 0 coordinator party-00 party-01
	same_labels "$T/undisturbed/party-01/labels.npy" "$T/out/party-01/labels.npy"
	says party-01 'profile.csv was not written: .*features.npy has changed since the job began'
	[[ -e $T/out/party-00/profile.csv && ! -e $T/out/party-01/profile.csv ]] ||
		fail "profiles: $(ls "$T"/out/*/profile.csv)"
}

sample test_another_file
run_tests "$@"
