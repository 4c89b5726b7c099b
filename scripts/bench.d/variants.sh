# variants -- FedSC's variants anchor and dense on many sets, and the variant that rules without
# labels would choose.
#
#   --only WORD     measures only sets whose name contains WORD
#
# Existing runs in --out are not repeated. No parameter of a rule was chosen on these sets, except
# the one threshold of a rule whose name says so.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='FedSC: anchor and dense on 25 sets, four parties; which one rules from sums would choose, and
	what that loses'
default_seeds=3 quick_seeds=3

only=''
option() { # NAME VALUE
	[[ $1 == only ]] || return 1
	only=$2
}

needs() {
	[[ -e $data/usps/features.npy && -e $data/orl/features.npy ]] ||
		fail "no usps and orl in $data; set COTERIE_DATA"
	/usr/bin/python3 -c 'import sklearn' 2>/dev/null || fail 'python3-sklearn is not installed'
}

measure() {
	local at=$out/runs/variants set k variant seed run all
	mkdir -p "$at"
	[[ -e $at/sets ]] || {
		/usr/bin/python3 scripts/bench.d/variants.py sets "$data" "$at" >"$at/sets.new" &&
			mv "$at/sets.new" "$at/sets"
	}
	while read -r set k; do
		[[ $set == *"$only"* ]] || continue
		for variant in anchor dense; do
			! cell_known "$set" "$variant" ACC || continue
			all=''
			for ((seed = 1; seed <= seeds; seed++)); do
				run=$at/run-$set-$variant-$seed
				one || continue 2
				all+=$(sed -n 's/^ACC \([0-9.]*\).*/\1/p' "$run.said")$'\n'
			done
			cell "$set" "$variant" ACC \
				value="$(awk 'NF { s += $1; n++ } END { printf "%.3f", s / n }' \
				<<<"$all")" runs="$seeds"
		done
	done <"$at/sets"
}

one() { # makes the run, if it does not exist
	[[ ! -e $run/party-03/labels.csv ]] || return 0
	rm -rf "$run"
	echo "{\"kind\":\"fedsc\",\"clusters\":$k,\"variant\":\"$variant\"}" >"$run.json"
	"$bin/coterie" run --data "$at/$set" --job "$run.json" --parties 4 --out "$run" --seed \
		"$seed" >"$run.said" 2>&1 ||
		{ not_run "$set" "$variant" ACC "$(last_word "$run.said")" && return 1; }
}

render() {
	local at=$out/runs/variants set k sets=()
	while read -r set k; do
		# shellcheck disable=SC2015
		[[ -e $at/run-$set-anchor-3/party-03/labels.csv &&
			-e $at/run-$set-dense-3/party-03/labels.csv ]] && sets+=("$set") || true
	done <"$at/sets"
	echo
	/usr/bin/python3 scripts/bench.d/variants.py rules "$at" "${sets[@]}"
}
