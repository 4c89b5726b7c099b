# federations.sh -- makes keys, data, configurations and a job in $T, for lib.sh.
#
#     federation L [SYNTH-OPTION...]     a graph; each party has other columns, for kcagc
#     rows_federation, edges_federation, vertices_federation, graphs_federation: for the other kinds
#     edit NAME JQ-PROGRAM, edit_all L JQ-PROGRAM, ...: change configurations
#
# shellcheck shell=bash

names() { # L: prints the names of the parties
	local i
	for ((i = 0; i < $1; i++)); do printf 'party-%02d\n' "$i"; done
}

# Set-ups that several tests share are made once and copied, because making one is slow.
alike() { # FUNCTION ARG...: FUNCTION fills $T; a copy of $T serves all tests of the script
	copy_of "$ONCE" "$@"
}

alike_everywhere() { # FUNCTION ARG...: a copy of $T serves all scripts that test these programs
	copy_of "${KEPT-}" "$@"
}

copy_of() { # DIRECTORY FUNCTION ARG...
	local name=${*:2} kept
	kept=${1:+$1/${name//[^A-Za-z0-9.=-]/_}}
	# FUNCTION may depend on files in $T, so a copy serves only an empty $T
	if [[ -z $kept ]] || compgen -G "$T/*" >/dev/null; then
		"${@:2}"
	elif [[ -d $kept ]]; then
		cp -a "$kept/." "$T"
	else
		"${@:2}"
		cp -a "$T" "$kept.$BASHPID"
		# another process may have kept its copy first
		mv -T "$kept.$BASHPID" "$kept" 2>/dev/null || rm -rf "$kept.$BASHPID"
	fi
}

# The copies in $KEPT are for the present programs and the present version of this file. Copies for
# other programs are deleted after a day.
begin_keeping() {
	local version
	[[ -e $BIN/coterie ]] || return 0
	version=$(stat -c %Y-%s "$BIN/coterie" "${BASH_SOURCE[0]}")
	export KEPT=$TOOLS/kept-${version//$'\n'/-}
	[[ ! -d $KEPT ]] || return 0
	mkdir -p "$KEPT"
	find "$TOOLS" -maxdepth 1 -name 'kept-*' -mtime +0 ! -path "$KEPT" -exec rm -rf {} +
}

# Makes keys, a small graph with three planted clusters, its slices, and all configurations.
federation() { alike_everywhere graph_federation "$@"; } # L [SYNTH-OPTION...]
graph_federation() {
	"$BIN/coterie" synth --nodes 150 --features 36 --clusters 3 --signal 0.8 --homophily 0.9 \
		--seed 5 \
		--out "$T/pooled" "${@:2}" >/dev/null
	"$BIN/coterie" split --by columns --parties "$1" --seed 5 --data "$T/pooled" --out \
		"$T/data" >/dev/null
	cat >"$T/job.json" <<-'EOF'
		{ "kind": "kcagc", "method": "tree", "clusters": 3, "seed": 7,
		"filter": { "order": 3 }, "restarts": 4 }
	EOF
	set_up "$1"
}

# Makes a federation with rows in three distant clouds, for kinds fedsc and kmeans.
rows_federation() { alike_everywhere points_federation "$@"; } # L [SYNTH-OPTION...]
points_federation() {
	local name
	"$BIN/coterie" synth --points --nodes 150 --features 6 --clusters 3 --apart 12 --seed 5 \
		--out "$T/pooled" "${@:2}" >/dev/null
	"$BIN/coterie" split --by rows --parties "$1" --seed 5 --data "$T/pooled" --out "$T/data" \
		>/dev/null
	echo '{ "kind": "fedsc", "clusters": 3, "seed": 7 }' >"$T/job.json"
	set_up "$1"
	edit_parties "$1" '.policy.jobs = ["fedsc", "kmeans"]'
}

rows_job() { # NAME [JQ-PROGRAM]: makes a job of kmeans, or of a variant of fedsc
	case $1 in
	kmeans) echo '{ "kind": "kmeans", "clusters": 3, "seed": 7 }' ;;
	*) echo "{ \"kind\": \"fedsc\", \"variant\": \"$1\", \"clusters\": 3, \"seed\": 7 }" ;;
	esac >"$T/job.json"
	[[ -z ${2-} ]] || edit job "$2"
}

# Makes a federation in which each party has some edges of a graph with three planted clusters, for
# kind fedspectral.
edges_federation() { alike_everywhere spread_federation "$@"; } # L [SPLIT-OPTION...]
spread_federation() {
	federation "$1"
	rm -r "$T/data" "$T/pooled"
	"$BIN/coterie" synth --features 0 --nodes 200 --clusters 3 --degree 10 --homophily 0.9 \
		--seed 5 --out "$T/pooled" >/dev/null
	"$BIN/coterie" split --by edges --parties "$1" --seed 5 --data "$T/pooled" --out "$T/data" \
		"${@:2}" >/dev/null
	over_edges "$1"
}

# Makes the configurations and the job for the edges in $T/data.
over_edges() { # L
	local name
	for name in $(names "$1"); do
		edit "$name" ".data = { \"edges\": \"data/$name/edges.tsv\", \"ids\": \
\"data/$name/ids.txt\" }
			| .policy.jobs = [\"fedspectral\", \"fedspectral.exact\"]"
	done
	echo '{ "kind": "fedspectral", "clusters": 3, "seed": 7 }' >"$T/job.json"
}

# Makes numbering files for all processes. Each row then gets the same number in each run with the
# same seed.
numbered() { # L
	local name
	(umask 077 && head -c 32 /dev/urandom >"$T/parties.numbering" &&
		head -c 32 /dev/urandom >"$T/coordinator.numbering")
	edit coordinator '.numbering_key = "coordinator.numbering"'
	edit_parties "$1" '.numbering_key = "parties.numbering"'
}

# Makes a federation in which each party hosts some vertices of a planted graph, for kind fedwalk.
vertices_federation() { alike_everywhere hosted_federation "$@"; } # L
hosted_federation() {
	federation "$1"
	rm -r "$T/data" "$T/pooled"
	"$BIN/coterie" synth --features 0 --nodes 120 --clusters 3 --degree 8 --homophily 0.9 \
		--seed 5 --out "$T/pooled" >/dev/null
	"$BIN/coterie" split --by vertices --parties "$1" --seed 5 --data "$T/pooled" --out \
		"$T/data" >/dev/null
	over_vertices "$1"
}

over_vertices() { # L
	local name
	for name in $(names "$1"); do
		edit "$name" ".data = { \"edges\": \"data/$name/edges.tsv\", \"vertices\": \
\"data/$name/ids.txt\" }
			| .policy.jobs = [\"fedwalk\"]"
	done
	echo '{ "kind": "fedwalk", "walks": 20, "length": 12, "window": 4, "seed": 7 }' \
		>"$T/job.json"
}

# Makes a federation with many graphs at each party, in two planted classes, for kind fedgcn.
graphs_federation() { alike_everywhere collected_federation "$@"; } # L [SYNTH-OPTION...]
collected_federation() {
	local name seed=1
	federation "$1"
	rm -r "$T/data" "$T/pooled"
	for name in $(names "$1"); do
		"$BIN/coterie" synth --graphs --nodes 40 --size 12 --seed $((seed++)) --out \
			"$T/data/$name" "${@:2}" >/dev/null
		edit "$name" ".data = { \"graphs\": \"data/$name\" } | .policy.jobs = [\"fedgcn\"]"
	done
	echo '{ "kind": "fedgcn", "clusters": 2, "seed": 7, "rounds": 4, "epochs": 3,
		"baselines": "off" }' >"$T/job.json"
}

allows() { # L KIND: makes KIND the only kind that the parties' policies allow
	local name
	for name in $(names "$1"); do edit "$name" ".policy.jobs = [\"$2\"]"; done
}

set_up() { # L: makes keys, and configurations for the slices in $T/data
	local L=$1 name line configurations
	"$BIN/coterie" pki lab --parties "$L" --out "$T/pki" >/dev/null
	for name in coordinator $(names "$L"); do
		echo "$name $("$BIN/coterie" pki fingerprint "$T/pki/$name.crt") $(files_of \
			"$name")"
	done >"$T/pins"
	configurations=$(jq -Rnc '
		[inputs | split(" ")] as $all | ($all | map({ (.[0]): .[1] }) | add) as $pins |
		{ heartbeat_s: 1, reconnect_s: 2, rejoin_s: 0, step_timeout_s: 20,
		threads: 1 } as $common |
		$all[] | .[0] as $name | { name: $name, output: "out/\($name)", identity: {
			certificate: "pki/\($name).crt", key: "pki/\($name).key",
			ca: "pki/ca.crt" } } + $common +
		if $name == "coordinator" then
			{ listen: "127.0.0.1:0", parties: [$all[][0]
			| select(. != $name)], join_timeout_s: 20 }
		else
			{ coordinator: "127.0.0.1:1", peers: ($pins | del(.[$name])), retry_s: 5,
			  data: (.[2:] | map(split("=") | { (.[0]): .[1] }) | add),
			  policy: { min_parties: (if ($all | length) > 2 then 2 else 1 end) } }
		end' "$T/pins")
	while read -r name _ && read -r -u 3 line; do
		echo "$line" >"$T/$name.json"
	done <"$T/pins" 3<<<"$configurations"
}

files_of() { # NAME: prints "features=FILE edges=FILE ids=FILE" for its data
	local file found=()
	for file in "$T/data/$1"/{features.*,edges.*,ids.txt}; do
		[[ ! -e $file ]] || {
			found+=("${file##*/}") && found[-1]="${found[-1]%%.*}=data/$1/${file##*/}"
		}
	done
	echo "${found[*]}"
}

edit() { # NAME JQ-PROGRAM: changes NAME.json
	local new
	new=$(jq "$2" "$T/$1.json") || return
	printf '%s\n' "$new" >"$T/$1.json"
}

edit_all() { # L JQ-PROGRAM: changes the configurations of the coordinator and of L parties
	# shellcheck disable=SC2046 # words
	edit_each "$2" coordinator $(names "$1")
}

edit_parties() { # L JQ-PROGRAM
	# shellcheck disable=SC2046
	edit_each "$2" $(names "$1")
}

edit_each() { # JQ-PROGRAM NAME...: changes each NAME.json; one process changes them all
	local name new names=("${@:2}")
	new=$(cd "$T" && jq -c "$1" "${names[@]/%/.json}") || return
	for name in "${names[@]}"; do
		read -r new
		echo "$new" >"$T/$name.json"
	done <<<"$new"
}

# Gives NAME's rows the ids on stdin, a line each. The edges of its graph then name ids.
with_ids() { # NAME
	local dir=$T/data/$1
	cat >"$dir/ids.txt"
	awk 'NR == FNR { id[FNR - 1] = $0; next } { print id[$1] "\t" id[$2] }' "$dir/ids.txt" \
		"$dir/edges.tsv" >"$dir/new"
	mv "$dir/new" "$dir/edges.tsv"
	edit "$1" ".data.ids = \"data/$1/ids.txt\""
}

