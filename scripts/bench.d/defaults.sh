# defaults -- tests the defaults: each method with only the number of clusters given, on each set in
# its original form and in other forms (defaults.py). Each result is compared with that of features
# alone, of the graph alone and of pooled data.
#
#   --set NAME,...           some sets; all take hours
#   --only PRESENTATION,...  asis, or one of defaults.py; best: the best of several given orders of
#                            the filter, as known from the classes, with the set as it is
#   --methods METHOD,...     landmark gcc tree; fedspectral of edges; kmeans fedsc of points
#   --parties L,...          default 2,8
#   --since FILE             CSV of this table from the last release
#
# A cell misses its goal if its ACC is more than .01 below FILE's, or, for landmark, gcc and tree,
# more than .01 below that of features alone (with `repeated`: of the repeated features alone). Each
# cell is one run with seed 1. If this run misses the goal, the cell becomes the mean of the runs
# with seeds 1 to 4. If this mean misses the goal, too, the call exits with 1.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # set here, used by bench; set there, used here
about='defaults on every set in nine presentations, beside features, graph and pooled data'
default_seeds=1 quick_seeds=1

# shellcheck source=scripts/bench.d/lib-kcagc.sh
. scripts/bench.d/lib-kcagc.sh

all_sets=bat,eat,karate,football,email-eu-core,iris,banknote,coil20,orl,usps,cora,citeseer
all_sets+=,cora-ml,wiki,flickr,coauthor-cs,pubmed,coauthor-phy
sets=$all_sets only=asis,best,permuted,times1000,thin,foreign,doubled,empty,scaled,repeated
methods=landmark,gcc,tree,fedspectral,kmeans,fedsc parties=2,8 since=''
DEFAULTS_SET=() # further options of the next runs

option() {
	case $1 in
	set) sets=$2 ;;
	only) only=$2 ;;
	methods) methods=$2 ;;
	parties) parties=$2 ;;
	since) since=$2 ;;
	*) return 1 ;;
	esac
}

needs() {
	local set
	for set in ${sets//,/ }; do
		[[ ,$all_sets, == *",$set,"* ]] || fail "--set: $set is none of $all_sets"
		[[ -e $data/$set/labels.txt ]] ||
			fail "no $set/labels.txt in $data; set COTERIE_DATA"
	done
	[[ -z $since || -r $since ]] || fail "--since: there is no $since"
}

measure() {
	local set how L method
	LAUNCH=("$bin/coterie" run)
	export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
	for set in ${sets//,/ }; do
		K=$(sort -u "$data/$set/labels.txt" | wc -l)
		beside "$set"
		for how in ${only//,/ }; do
			for L in ${parties//,/ }; do
				for method in ${methods//,/ }; do
					defaults_cell "$set" "$how" "$method" "$L"
				done
			done
		done
		rm -rf "${out:?}/data/$set"
	done
}

has() { compgen -G "$data/$1/$2.*" >/dev/null; } # SET FILE

fits() { # SET PRESENTATION METHOD
	case $3 in
	landmark | gcc | tree) has "$1" features && has "$1" edges ;;
	fedspectral) has "$1" edges && [[ $2 == asis ]] ;;
	*) ! has "$1" edges && [[ $2 == asis || $2 == foreign || $2 == doubled || $2 == empty ]] ;;
	esac
}

# Makes the set in this form and sets DIR; or fails and sets WHY. The seed is that of the split: in
# times1000, all columns of party-00 change.
presented() { # SET PRESENTATION L SEED
	local argument=()
	DIR=$data/$1
	[[ $2 != asis && $2 != best ]] || return 0
	DIR=$out/data/$1/$2
	if [[ $2 == times1000 ]]; then
		DIR+=-$3-$4 argument=("$out/data/$1/split-$3-$4/party-00/columns.txt")
		[[ -e ${argument[0]} ]] ||
			"$bin/coterie" split --data "$data/$1" --parties "$3" --seed "$4" \
			--out "$out/data/$1/split-$3-$4" >/dev/null
	fi
	[[ $2 != thin ]] || DIR+=-$3 argument=("$3")
	[[ ! -e $DIR/labels.txt ]] || return 0
	/usr/bin/python3 scripts/bench.d/defaults.py "$data/$1" "$2" "$DIR" "${argument[@]}" ||
		{ WHY='defaults.py failed; it needs python3-scipy' && return 1; }
}

accuracy_of() { # LABELS... -> ACCURACY
	local but=()
	[[ ! -e $DIR/unlabeled.txt ]] || but=(--exclude "$DIR/unlabeled.txt")
	ACCURACY=$("$bin/coterie" eval "${but[@]}" --truth "$DIR/labels.txt" "$@" |
		jq -r '.acc * 1000 | round / 1000')
}

defaults_job() { # METHOD -> JOB
	local method='' kind=$1
	[[ $1 != landmark && $1 != gcc && $1 != tree ]] ||
		kind=kcagc method=", \"method\": \"$1\", \"filter\": { \"order\": \"auto\" }"
	JOB=$out/data/$1-$K.json
	mkdir -p "$out/data"
	echo "{ \"kind\": \"$kind\", \"clusters\": $K$method }" >"$JOB"
}

# Sets ACCURACY to the mean over seeds 1 to SEEDS; or fails and sets WHY.
defaults_accuracy() { # SET PRESENTATION METHOD L SEEDS
	local labels seed all='' options=(--allow fedspectral.exact "${DEFAULTS_SET[@]}")
	[[ $2 != thin ]] || options+=(--contiguous)
	for ((seed = 1; seed <= $5; seed++)); do
		presented "$1" "$2" "$4" "$seed" || return 1
		run "$1-$2-$3-$4" "$DIR" "$JOB" "$4" "$seed" "${options[@]}" || return 1
		labels=("$RUN"/party-*/labels.csv)
		[[ $3 != landmark && $3 != gcc && $3 != tree ]] ||
			labels=("$RUN/coordinator/labels.csv")
		accuracy_of "${labels[@]}"
		rm -rf "$RUN"
		all+="$ACCURACY "
	done
	ACCURACY=$(awk '{ for (i = 1; i <= NF; i++) sum += $i; printf "%.3g", sum / NF }' <<<"$all")
}

best_cell() { # SET METHOD L
	local order best='' most=0 orders=(1 2 3 5 8 11 15)
	[[ $2 != tree ]] || orders+=(20 30)
	for order in "${orders[@]}"; do
		DEFAULTS_SET=(--set "filter.order=$order")
		defaults_accuracy "$1" best "$2" "$3" 1 || { DEFAULTS_SET=() && return 1; }
		[[ $(verdict "$ACCURACY" "x > $most") == missed ]] ||
			most=$ACCURACY best=$order
	done
	DEFAULTS_SET=()
	cell "$1" 'best order' "$2 L=$3" value="$most" note="order $best"
}

defaults_cell() { # SET PRESENTATION METHOD L
	local goal runs=1
	fits "$1" "$2" "$3" || return 0
	! cell_known "$1" "${2/#best/best order}" "$3 L=$4" || return 0
	defaults_job "$3"
	if [[ $2 == best ]]; then
		best_cell "$1" "$3" "$4" || not_run "$1" 'best order' "$3 L=$4" "$WHY"
		return
	fi
	goal=$(least_of "$1" "$2" "$3 L=$4" "$3")
	defaults_accuracy "$@" 1 || { not_run "$1" "$2" "$3 L=$4" "$WHY" && return; }
	if [[ $goal ]] && defaults_missed; then
		runs=4
		defaults_accuracy "$@" 4 || { not_run "$1" "$2" "$3 L=$4" "$WHY" && return; }
	fi
	if [[ $goal ]] && defaults_missed; then
		cell "$1" "$2" "$3 L=$4" value="$ACCURACY" runs=4 goal=">= $goal" verdict=missed
		RUN_FAILED=true
	else
		cell "$1" "$2" "$3 L=$4" value="$ACCURACY" runs="$runs" \
			${goal:+goal=">= $goal" verdict=met}
	fi
}

defaults_missed() { [[ $(verdict "$ACCURACY" "x >= $goal") == missed ]]; }

# Prints the larger ACC of features alone and of the last release, minus .01.
least_of() { # SET PRESENTATION COLUMN METHOD
	{
		[[ $4 != landmark && $4 != gcc && $4 != tree ]] ||
			value_of "$1" "features alone$([[ $2 != repeated ]] || echo '; repeated')" \
				pooled
		[[ -z $since ]] || csv=$since value_of "$1" "$2" "$3"
	} | sort -g | tail -n 1 | awk 'NF { printf "%.3f", $1 - 0.01 }'
}

beside() { # SET
	if has "$1" features && has "$1" edges; then
		pooled_cell "$1" 'features alone' noedges gcc --job
		[[ ,$only, != *,repeated,* ]] ||
			pooled_cell "$1" 'features alone; repeated' repeated-noedges gcc --job
		pooled_cell "$1" pooled asis gcc --job
	fi
	! has "$1" edges || pooled_cell "$1" 'graph alone' asis spectral --clusters
	has "$1" edges || pooled_cell "$1" pooled asis kmeans --clusters
}

pooled_cell() { # SET ROW PRESENTATION COMMAND --job|--clusters
	local to=$out/runs/$table/$1-$4-$3 how=$K
	! cell_known "$1" "$2" pooled || return 0
	presented "$1" "$3" 1 1 || { not_run "$1" "$2" pooled "$WHY" && return; }
	[[ $5 != --job ]] || { defaults_job gcc && how=$JOB; }
	rm -rf "$to"
	mkdir -p "${to%/*}"
	if "$bin/coterie-lab" "$4" --data "$DIR" "$5" "$how" --out "$to" >"$to.log" 2>&1; then
		accuracy_of "$to/labels.csv"
		cell "$1" "$2" pooled value="$ACCURACY"
	else
		not_run "$1" "$2" pooled "coterie-lab $4: $(tail -n 1 "$to.log")"
	fi
	rm -rf "$to"
}

render() { render_grid '{value}'; }
