# k -- the k chosen from a range for sets with known classes, at four parties and on pooled data.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='which k of a range is chosen where classes are known, at four parties and of pooled data'
default_seeds=3 quick_seeds=1

L=4

measure() {
	local at set LAUNCH=("$bin/coterie" run) # gives the same labels as daemons
	at=$(realpath -m "$out/runs/k")
	mkdir -p "$at"
	for set in wine digits customers simplex line weak region; do own_set "$set"; done
	for set in customers simplex line weak region; do
		! $quick || [[ $set == customers ]] || continue
		rows "$set" "$at/$set" 2 12 joint
	done
	rows iris "$data/iris" 2 12 none
	rows wine "$at/wine" 2 12 joint
	$quick || rows digits "$at/digits" 2 15 none
	embedded cora landmark 2 12
	$quick || embedded cora gcc 2 12
	$quick ||
		as_many cora gram "$data/cora" configs/jobs/kcagc-gram.json --set \
		'clusters={"from":2,"to":12}'
	$quick || most=1 embedded citeseer landmark 2 12
	$quick || most=1 pooled='- -' rows coil20 "$data/coil20" 10 25 none
}

most=99 # maximum number of seeds of a set, since large sets take long

own_set() { # NAME: makes a set of scikit-learn or a planted one
	[[ -d $at/$1 ]] || /usr/bin/python3 scripts/bench.d/k.py "$1" "$at/$1" 2>/dev/null ||
		rm -rf "${at:?}/$1"
}

# Writes the cells of one set and method: number of classes, the k of pooled data, the k of each
# seed, and the other results of ks().
put() { # SET ROW DIR POOLED [NOTE]
	local classes near
	classes=$(sort -u "$3/labels.txt" | wc -l)
	cell "$1" "$2" classes value="$classes"
	cell "$1" "$2" pooled value="$4" note="${5-}"
	near=$(awk -v classes="$classes" \
		'{ d = $1 - classes; if (d * d > 1) far = 1 } END { print far + 0 }' <<<"$KS")
	cell "$1" "$2" "k at $L parties" value="$(paste -sd ' ' <<<"$KS")" \
		runs="$(wc -l <<<"$KS")" \
		goal="$(within "$4" "$classes" && echo "within 1 of $classes")" \
		verdict="$(within "$4" "$classes" && verdict "$near" 'x == 0' || echo -)"
	cell "$1" "$2" 'by silhouette alone' value="$(paste -sd ' ' <<<"$ALONE")"
	cell "$1" "$2" margin value="$MARGIN"
	cell "$1" "$2" 'most stable k' value="${STABLE% *}"
	cell "$1" "$2" 'stability there' value="${STABLE#* }"
	cell "$1" "$2" 'at the classes' value="$(printf %.2f "$AT")"
}

# A B: true if they differ by at most 1; false if A is "-"
within() { [[ $1 != - ]] && (($1 >= $2 - 1 && $1 <= $2 + 1)); }

# Sets $KS to the k that each seed's job chose, and $ALONE to the k with the largest silhouette,
# stable or not. For the last seed also sets $MARGIN (selection_margin of run.json), $STABLE (the
# most stable k and its stability) and $AT (the stability of the number of classes).
ks() { # NAME DIR JOB PARTIES [LAUNCH-ARG...] -> $KS
	local seed classes
	classes=$(sort -u "$2/labels.txt" | wc -l)
	KS='' ALONE='' MARGIN='' STABLE='' AT=''
	for ((seed = 1; seed <= seeds && seed <= most; seed++)); do
		run "$1-L$4-seed$seed" "$2" "$3" "$4" "$seed" "${@:5}" || return 1
		KS+=${KS:+$'\n'}$(jq .facts.selection_k "$RUN/coordinator/run.json")
		ALONE+=${ALONE:+$'\n'}$(jq \
			'.facts | (.selection_silhouette | index(max)) + .selection_from' \
			"$RUN/coordinator/run.json")
		MARGIN=$(jq .facts.selection_margin "$RUN/coordinator/run.json" |
			xargs printf '%.3f')
		STABLE=$(jq \
			-r '.facts | .selection_from as $from | .selection_stability // []
				| select(length > 0) | "\(index(max) + $from) \(max)"' \
			"$RUN/coordinator/run.json" | xargs -r printf '%d %.2f')
		AT=$(jq --argjson k "$classes" \
			'.facts | .selection_stability[$k - .selection_from]' \
			"$RUN/coordinator/run.json")
	done
}

rows() { # SET DIR FROM TO STANDARDIZE
	local pooled=${pooled-} kind more range="clusters={\"from\":$3,\"to\":$4}"
	if [[ ! -e $2/features.npy ]]; then
		not_run "$1" kmeans "k at $L parties" 'no python3-sklearn, whose set it is'
		return
	fi
	[[ $pooled ]] ||
		pooled=$(/usr/bin/python3 scripts/bench.d/k.py "$2" "$3" "$4" "$5" 2>/dev/null) ||
		pooled='- -'
	for kind in kmeans kmeans.columns fedsc; do
		more=''
		[[ $kind != kmeans.columns ]] || more=', "exchange": "gram"'
		echo "{ \"kind\": \"$kind\", \"clusters\": 2$more }" >"$at/$kind.json"
		if ks "$1-$kind" "$2" "$at/$kind.json" $L --set "$range" --set \
			"standardize=$5"; then
			put "$1" $kind "$2" \
				"${pooled% *}" "by scikit-learn's silhouette of k-means; by the \
simplified one ${pooled#* }"
		else
			not_run "$1" $kind "k at $L parties" "$WHY"
		fi
	done
}

embedded() { # SET METHOD FROM TO
	as_one "$1" "$2" "$data/$1" "configs/jobs/$2-cora.json" --set \
		"clusters={\"from\":$3,\"to\":$4}"
}

as_many() { # SET ROW DIR JOB [LAUNCH-ARG...]: with one party, the job does not accept a range
	if ks "$1-$2" "$3" "$4" $L "${@:5}"; then
		put "$1" "$2" "$3" -
	else
		not_run "$1" "$2" "k at $L parties" "$WHY"
	fi
}

as_one() { # SET ROW DIR JOB [LAUNCH-ARG...]: compares with the same job of one party
	local mine alone margin stable at_classes pooled
	if ! ks "$1-$2" "$3" "$4" $L "${@:5}"; then
		not_run "$1" "$2" "k at $L parties" "$WHY"
		return
	fi
	mine=$KS alone=$ALONE margin=$MARGIN stable=$STABLE at_classes=$AT
	if ! ks "$1-$2" "$3" "$4" 1 --allow-single "${@:5}"; then
		not_run "$1" "$2" pooled "$WHY"
		return
	fi
	pooled=${KS%%$'\n'*} KS=$mine ALONE=$alone MARGIN=$margin STABLE=$stable AT=$at_classes
	put "$1" "$2" "$3" "$pooled" 'the same job of one party'
}

render() {
	cat <<-'TEXT'

		A cell has one k for each seed. The columns are:

		* *pooled*: for rows, the k of the largest silhouette (all pairs) by scikit-learn's
		  `KMeans` with 20 starts. For graphs, the k of the same job with one party. `gram`
		  has none. `-` was not measured. On coil20 the silhouettes take too long.
		* *by silhouette alone*: the k of the largest silhouette
		* *margin* and *stability there*: those of the last seed

		The goal is within 1 of the classes wherever the pooled choice is. The ranges are 10
		to 25 for coil20, 2 to 15 for digits, and 2 to 12 for the others. wine and the
		planted tables have `standardize: "joint"`, and `kmeans.columns` has `exchange:
		"gram"`.

		The planted tables have 3000 rows:

		* `customers`: three segments in a line along three columns, and a random region and
		  date
		* `simplex`: six segments with equal distances, and three columns of noise
		* `line`: four segments as in customers
		* `weak`: eight segments in five columns, the nearest two five deviations apart, and
		  two columns of noise
		* `region`: three segments in three columns, a region as five columns of 0 and 1,
		  and a date
	TEXT
	render_grid '{value}'
}
