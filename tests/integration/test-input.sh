#!/bin/bash
# Refuses bad arguments, configurations and files with status 4, before anything is opened. The
# error has the path, the value and the expected value.
#
#     NAME.json, job.json, features, edges, ids --(wrong)--> daemon: exit 4; no socket, no output
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

# REGEX... -- COMMAND...: COMMAND ends with 4 at once, its stderr matches every REGEX, and it opened
# nothing.
refuses() {
	local wanted=() status=0 regex what
	while [[ $1 != -- ]]; do wanted+=("$1") && shift; done
	shift
	timeout $((PATIENCE * 20)) "$@" </dev/null >"$T/wrong.stdout" 2>"$T/wrong" || status=$?
	sed -i 's/"time":"[^"]*",//' "$T/wrong" # digits of the time could match a REGEX
	what="${wanted[0]}: ${*##*/}, which says: $(head -c 600 "$T/wrong")"
	((status == 4)) || fault "exit status $status, expected 4; $what"
	for regex in "${wanted[@]}"; do
		grep -Eq -- "$regex" "$T/wrong" || fault "does not say '$regex'; $what"
	done
	[[ ! -e $T/ready ]] || fault "listened before it found $what"
	[[ ! -e $T/out || -n ${READS_DATA-} ]] ||
		fault "made an output directory before it found $what"
	rm -rf "$T/ready" "$T/out"
}

run_coordinator=()
prepare() {
	federation 2
	run_coordinator=("$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json"
		--out "$T/out/coordinator" --ready-file "$T/ready")
	run_party=("$BIN/party" --config "$T/party-00.json" --once --out "$T/out/party-00")
}

# NAME JQ-PROGRAM REGEX...: changes NAME.json; the daemon refuses it with and without
# --check-config.
wrong() {
	local name=$1 program=$2 run
	shift 2
	cp "$T/$name.json" "$T/right"
	edit "$name" "$program"
	run=("${run_coordinator[@]}")
	[[ $name != party* ]] || run=("${run_party[@]}")
	refuses "$@" -- "${run[@]}"
	refuses "$@" -- "${run[@]}" --check-config
	mv "$T/right" "$T/$name.json"
}

test_right_configurations_pass() {
	prepare
	"${run_coordinator[@]}" --check-config >/dev/null 2>"$T/wrong" ||
		fail "coordinator: status $?"
	"${run_party[@]}" --check-config >/dev/null 2>"$T/wrong" || fail "party: status $?"
	[[ ! -e $T/out && ! -e $T/ready ]] || fail "--check-config opened something"
}

test_wrong_coordinator_config() {
	prepare
	wrong coordinator '.example = true' 'this is still the example that was installed'
	wrong coordinator '.colour = "red"' 'coordinator\.colour' 'unknown|expected'
	wrong coordinator '.identity.colour = 1' 'coordinator\.identity\.colour'
	wrong coordinator 'del(.name)' 'coordinator\.name is missing'
	wrong coordinator '.name = 7' 'coordinator\.name is 7, expected'
	wrong coordinator '.name = "a b"' 'coordinator\.name.*a b.*expected'
	wrong coordinator '.listen = "here"' 'coordinator\.listen.*here.*expected'
	wrong coordinator '.listen = "127.0.0.1:70000"' 'coordinator\.listen.*70000.*expected'
	wrong coordinator '.parties = []' 'coordinator\.parties'
	wrong coordinator '.parties = ["a", "a"]' 'coordinator\.parties.*a.*expected'
	wrong coordinator '.heartbeat_s = 0' 'coordinator\.heartbeat_s is 0, expected'
	wrong coordinator '.heartbeat_s = 1.5' 'coordinator\.heartbeat_s is 1\.5, expected'
	wrong coordinator '.threads = -1' 'coordinator\.threads is -1, expected'
	wrong coordinator '.log_level = "loud"' 'coordinator\.log_level.*loud.*expected'
	wrong coordinator '.identity.key = "pki/none.key"' 'none\.key'
	wrong coordinator '.identity.ca = "pki/none.crt"' 'none\.crt'
	wrong coordinator '.identity.certificate = "pki"' 'pki'
	wrong coordinator '.identity.key = "pki/party-00.key"' 'belong|match'
	wrong coordinator '.parties = ["party-00"]' 'allow_single|single'
}

test_wrong_party_config() {
	prepare
	wrong party-00 '.example = true' 'this is still the example that was installed'
	wrong party-00 '.colour = "red"' 'party\.colour'
	wrong party-00 'del(.coordinator)' 'party\.coordinator is missing'
	wrong party-00 '.coordinator = "127.0.0.1"' 'party\.coordinator.*127\.0\.0\.1.*expected'
	wrong party-00 '.coordinator = "127.0.0.1:0"' 'party\.coordinator.*expected'
	wrong party-00 '.peers.coordinator = "sha256:12"' 'party\.peers.*sha256:12.*expected'
	wrong party-00 '.peers = {}' 'party\.peers'
	wrong party-00 '.data.features = 1' 'party\.data\.features is 1, expected'
	wrong party-00 '.data.labels = "x"' 'party\.data\.labels'
	wrong party-00 '.policy.jobs = ["mining"]' 'party\.policy\.jobs.*mining.*expected'
	wrong party-00 '.policy.min_parties = 0' 'party\.policy\.min_parties is 0, expected'
	wrong party-00 '.policy.allow_single = "yes"' 'party\.policy\.allow_single.*yes.*expected'
	wrong party-00 '.identity.certificate = "pki/party-01.crt"' 'belong|match|party-01'
}

test_wrong_job() {
	prepare
	wrong job '.colour = "red"' 'job\.colour'
	wrong job 'del(.clusters)' 'job\.clusters is missing'
	wrong job '.clusters = 1' 'job\.clusters is 1, expected'
	wrong job '.clusters = "seven"' 'job\.clusters.*seven.*expected'
	wrong job '.clusters = 1e99' 'job\.clusters'
	wrong job '.local_clusters = 2' 'job\.local_clusters is 2|k\^'
	wrong job '.local_clusters = "0k"' 'job\.local_clusters.*0k'
	wrong job '.kind = "mining"' 'job\.kind.*mining.*expected'
	wrong job '.method = "ring"' 'job\.method.*ring.*expected'
	wrong job '.preset = "best"' 'job\.preset.*best.*expected'
	wrong job '.filter = 9' 'job\.filter is (9|a number), expected'
	wrong job '.filter.order = -1' 'job\.filter\.order is -1, expected'
	wrong job '.filter.order = 1e9' 'job\.filter\.order'
	wrong job '.secure_sum.group = "ffdhe1024"' 'job\.secure_sum\.group.*ffdhe1024.*expected'
	wrong job '.secure_sum.modulus_bits = 48' 'job\.secure_sum\.modulus_bits is 48, expected'
	wrong job '.secure_sum = { "modulus_bits": 32, "fraction_bits": 40 }' \
		'job\.secure_sum\.fraction_bits is 40'
	wrong job '.seed = -1' 'job\.seed is -1, expected'
	wrong job '.seed = 1e300' 'job\.seed'
	wrong job '.allow_single = 1' 'job\.allow_single is 1, expected'
}

test_text_that_is_no_json() {
	prepare
	local name
	for name in coordinator party-00 job; do
		cp "$T/$name.json" "$T/right"
		run=("${run_coordinator[@]}")
		[[ $name != party* ]] || run=("${run_party[@]}")
		head -c 40 "$T/right" >"$T/$name.json"
		refuses "$name\.json" -- "${run[@]}"
		: >"$T/$name.json"
		refuses "$name\.json" -- "${run[@]}"
		echo '[1]' >"$T/$name.json"
		refuses "$name\.json" 'expected an object' -- "${run[@]}"
		head -c 3000000 /dev/zero >"$T/$name.json"
		refuses "$name\.json" -- "${run[@]}"
		{ cat "$T/right" && echo x; } >"$T/$name.json"
		refuses "$name\.json" -- "${run[@]}"
		sed '0,/{/s//{ "name": "twice", "kind": "twice", "name": "twice", "kind": '\
'"twice",/' "$T/right" >"$T/$name.json"
		refuses "$name\.json" 'twice|duplicate' -- "${run[@]}"
		rm "$T/$name.json"
		refuses "$name\.json" 'No such file' -- "${run[@]}"
		mv "$T/right" "$T/$name.json"
	done
}

test_wrong_arguments() {
	prepare
	refuses 'colour' -- "${run_coordinator[@]}" --colour
	refuses 'config' -- "$BIN/coordinator" --job "$T/job.json"
	refuses 'job' -- "$BIN/coordinator" --config "$T/coordinator.json"
	refuses 'config' -- "$BIN/party" --once
	refuses 'job\.clusters is 1, expected' -- "${run_coordinator[@]}" --set clusters=1
	refuses 'job\.colour' -- "${run_coordinator[@]}" --set colour=red
	refuses 'path=value' -- "${run_coordinator[@]}" --set clusters
	refuses 'seed' -- "${run_coordinator[@]}" --seed minus
	refuses 'loud' -- "${run_coordinator[@]}" --log-level loud
	refuses '--oot is unknown \(did you mean out\?\)' -- "${run_party[@]}" --oot x
	refuses 'the command line: party\.coordinator is "1:2:3", expected' -- "${run_party[@]}" \
		--coordinator 1:2:3
	! grep -q -- --set "$T/wrong" ||
		fail "it blames an option that was not given: $(<"$T/wrong")"
	refuses 'agreed\.json' -- "${run_party[@]}" --job "$T/agreed.json"
	refuses 'left|argument' -- "${run_party[@]}" left over
	local launch=(env COTERIE_BIN="$BIN" "$ROOT/scripts/launch" --job "$T/job.json")
	refuses 'parties' -- "${launch[@]}" --data "$T/pooled" --parties 0
	refuses 'masks nothing' -- "${launch[@]}" --data "$T/pooled" --parties 1
	refuses 'no such directory' -- "${launch[@]}" --data "$T/nowhere" --parties 2
	refuses 'requires an argument' -- "${launch[@]}" --data
	refuses 'unrecognized option' -- "${launch[@]}" --colour red
	refuses 'launch: --dta is unknown \(did you mean data\?\)' -- "${launch[@]}" --dta x
	refuses '--polcy is unknown \(did you mean policy\?\)' -- "${launch[@]}" --polcy=x
	refuses 'unrecognized option' -- "${launch[@]}" --dat --datta --dta
	! grep -q 'datta is unknown' "$T/wrong" || fault "a value is taken for an option"
	refuses 'of kind kmeans; kcagc is expected' -- "$BIN/coterie-lab" agc --data "$T/pooled" \
		--job "$ROOT/configs/jobs/kmeans.json"
	mkdir -p "$T/earlier/coordinator"
	refuses 'earlier run' -- "${launch[@]}" --data "$T/pooled" --parties 2 --out "$T/earlier"
}

# A terminal does not show a byte order mark. The error names the mark and its file.
test_byte_order_marks() {
	prepare
	local file mark=$'\xef\xbb\xbf'
	for file in ids edges; do
		cp "$T/party-00.json" "$T/right"
		edit party-00 ".data.$file = \"marked.txt\""
		printf '%s0\t1\n' "$mark" >"$T/marked.txt"
		[[ $file == edges ]] || { printf '%s' "$mark" && seq 150; } >"$T/marked.txt"
		bad_data 'marked\.txt: begins with a byte order mark \(EF BB BF\)'
		mv "$T/right" "$T/party-00.json"
	done
	{ printf '%s' "$mark" && cat "$T/job.json"; } >"$T/marked" && mv "$T/marked" "$T/job.json"
	refuses 'job\.json: begins with a byte order mark' -- "${run_coordinator[@]}"
}

# Without a resolver libc reports "temporary failure" for a name of no host.
test_name_of_no_host() {
	prepare
	edit party-00 '.retry_s = 1'
	ADDRESS=no-such-host.invalid:7431 party party-00
	ends 2 party-00
	says party-00 'no-such-host\.invalid:7431: (unknown node or service|the name cannot be '\
'looked up: is it right)'
	! said party-00 'temporary failure' || fail "it says $(tail -n 1 "$T/party-00.stderr")"
}

# The daemon exits with 4, so that a service manager does not restart it; a restart could not help.
test_output_that_cannot_be_made() {
	prepare
	: >"$T/file"
	refuses 'file.*Not a directory' -- "${run_coordinator[@]}" --out "$T/file/out"
	refuses 'file.*Not a directory' -- "${run_party[@]}" --out "$T/file/out"
}

test_memory_in_bytes_or_with_a_unit() {
	prepare
	edit party-00 '.policy.max_memory = "8G"'
	edit coordinator '.max_memory = "512M"'
	"${run_coordinator[@]}" --check-config >/dev/null 2>"$T/wrong" ||
		fail "coordinator: status $?: $(<"$T/wrong")"
	"${run_party[@]}" --check-config >/dev/null 2>"$T/wrong" ||
		fail "party: status $?: $(<"$T/wrong")"
	wrong party-00 '.policy.max_memory = "8 GB"' \
		'policy\.max_memory is "8 GB", expected bytes.*such as "8G"'
	wrong coordinator '.max_memory = "0"' 'coordinator\.max_memory is "0", expected bytes'
}

test_commands_that_would_mislead() {
	mkdir "$T/held"
	: >"$T/held/mine"
	refuses 'held.*is not empty' -- "$BIN/coterie" synth --out "$T/held"
	"$BIN/coterie" synth --points --nodes 60 --features 3 --clusters 3 --out "$T/points" \
		>/dev/null
	refuses 'rows are like no other row: a larger width is needed' -- \
		"$BIN/coterie-lab" sc --data "$T/points" --clusters 3 --width 1e-5
}

test_commands_that_moved() {
	local command
	for command in agc gcc spectral kmeans sc dsc deepwalk fedwalk classify neighbours \
		privacy; do
		refuses "coterie: $command is now coterie-lab $command,.* make lab" -- \
			"$BIN/coterie" "$command" --help
		"$BIN/coterie-lab" "$command" --help >"$T/help" ||
			fail "coterie-lab $command --help: status $?"
		grep -q "^Usage: coterie-lab $command " "$T/help" ||
			fail "coterie-lab $command --help: $(head -n 1 "$T/help")"
	done
	refuses 'coterie: fedgcn local is now coterie-lab fedgcn' -- "$BIN/coterie" fedgcn local \
		--job job.json
	refuses '--model and one --graphs are needed' -- "$BIN/coterie" fedgcn assign
	refuses 'coterie: synth --edges is now coterie-lab noise' -- "$BIN/coterie" synth --out \
		"$T/o" --edges=e.tsv
	refuses 'coterie: lauch: no such command .did you mean launch\?.' -- "$BIN/coterie" lauch
	refuses 'coterie: lauch: no such command' -- "$BIN/coterie" help lauch
	refuses 'coterie: import is now python3 -m coterie.convert' -- "$BIN/coterie" help import
	refuses 'coterie: launch --net is now scripts/launch --net' -- "$BIN/coterie" launch \
		--parties 2 --net lan
}

# Each --help ends with an example, whose options the command has.
test_help_has_examples() {
	local command option
	while read -r command; do
		# shellcheck disable=SC2086
		"$BIN"/$command --help >"$T/help" || fail "$command --help: status $?"
		sed '1,/^Example:$/d' "$T/help" >"$T/example"
		grep -q "^  $command " "$T/example" ||
			fail "$command --help has no example: $(tail -n 3 "$T/help")"
		for option in $(grep -oE -- '--[a-z-]+' "$T/example"); do
			grep -q -- "^ .*$option\b" <(sed '/^Example:$/,$d' "$T/help") ||
				fail "$command has no $option"
		done
	done < <(
		printf '%s\n' coordinator party
		"$BIN/coterie" --help | sed -nE 's/^  ([a-z]+) .*/coterie \1/p' | grep -v ' pki$' |
			sed 's/ fedgcn$/& assign/'
		"$BIN/coterie" pki --help | sed -nE 's/^  ([a-z]+) .*/coterie pki \1/p'
	)
}

# A user repeats a command with other numbers. The second run must not add results to the first
# one's directory or replace them.
test_commands_write_beside_no_other_run() {
	local job=$ROOT/configs/jobs command before
	"$BIN/coterie" synth --points --nodes 60 --features 3 --clusters 3 --out "$T/points" \
		>/dev/null
	"$BIN/coterie" synth --nodes 60 --features 3 --clusters 3 --out "$T/graph" >/dev/null
	"$BIN/coterie" synth --graphs --nodes 12 --size 8 --out "$T/graphs" >/dev/null
	while read -ra command; do
		"$BIN/coterie-lab" "${command[@]}" --out "$T/to" >"$T/first" 2>&1 ||
			fail "${command[*]}: status $?: $(tail -n 1 "$T/first")"
		before=$(find "$T/to" -type f -exec sha256sum {} + | sort)
		[[ -n $before ]] || fail "${command[*]} writes nothing"
		refuses 'to: this directory is not empty: name a new one' -- "$BIN/coterie-lab" \
			"${command[@]}" --seed 9 --out "$T/to"
		refuses 'first: Not a directory' -- "$BIN/coterie-lab" "${command[@]}" --out \
			"$T/first"
		[[ $(find "$T/to" -type f -exec sha256sum {} + | sort) == "$before" ]] ||
			fail "${command[*]} wrote over another run"
		rm -r "$T/to"
	done <<-EOF
		kmeans --data $T/points --clusters 3
		sc --data $T/points --clusters 3
		dsc --data $T/points --clusters 3 --parties 2
		agc --data $T/graph --job $job/kcagc-cora.json --set clusters=3
		gcc --data $T/graph --job $job/kcagc-cora.json --set clusters=3
		spectral --data $T/graph --clusters 3
		deepwalk --edges $T/graph/edges.tsv --walks 2 --length 5
		fedwalk --edges $T/graph/edges.tsv --walks 2 --length 5
		fedgcn --graphs $T/graphs --job $job/fedgcn.json --set clusters=2 --set rounds=1 \
			--set epochs=1
	EOF
}

test_help_and_version() {
	local program version
	version=$(<"$ROOT/VERSION")
	for program in coordinator party coterie coterie-lab; do
		"$BIN/$program" --help >"$T/help" 2>&1 || fail "$program --help: status $?"
		grep -qi usage "$T/help" || fail "$program --help does not say how to use it"
		"$BIN/$program" --version >"$T/version" 2>&1 || fail "$program --version: status $?"
		grep -Eq " ${version//./\\.}(\+git[0-9]{14}\.[0-9a-f]{12}| \([0-9a-f]{12}\))?, \
protocol 7 to 7\$" "$T/version" || fail "$program --version says $(<"$T/version"), not $version"
	done
}

test_key_that_others_can_read() {
	prepare
	chmod 644 "$T/pki/coordinator.key" "$T/pki/party-00.key"
	refuses 'coordinator\.key' -- "${run_coordinator[@]}"
	refuses 'party-00\.key' -- "${run_party[@]}"
}

test_address_in_use() {
	prepare
	coordinator
	edit coordinator ".listen = \"$ADDRESS\""
	local status=0
	timeout $((PATIENCE * 20)) "$BIN/coordinator" --config "$T/coordinator.json" --job \
		"$T/job.json" --out "$T/out/second" \
		2>"$T/second.stderr" || status=$?
	((status == 4)) || fail "a second coordinator on $ADDRESS ended with $status"
	says second "$ADDRESS"
}

# ---- data files ----

npy() { # DESCR SHAPE [FILE-OF-DATA]: prints a .npy of version 1.0
	local header
	header=$(printf "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" "$1" "$2")
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
	[[ -z ${3-} ]] || cat "$3"
}

bad_features() { # SUFFIX REGEX...: the features are the file $T/bad, as *.SUFFIX
	mv "$T/bad" "$T/bad.$1"
	edit party-00 ".data.features = \"bad.$1\""
	shift
	bad_data "$@"
}

# Memory stays bounded: the program compares a claimed size with the file's size before it uses it.
# A sanitized program reserves its shadow memory first, so the limit is left out there.
bad_data() { # REGEX...
	local limit=(prlimit --as=2000000000)
	! sanitized || limit=()
	READS_DATA=1 refuses "$@" -- "${limit[@]}" "${run_party[@]}"
}

test_bad_npy() {
	prepare
	head -c $((150 * 4 * 8)) /dev/zero >"$T/zeros"
	npy '<f8' '150, 4' "$T/zeros" | head -c 2000 >"$T/bad"
	bad_features npy 'bad\.npy' 'truncated|too short|ends|bytes'
	{ npy '<f8' '150, 4' "$T/zeros" && echo more; } >"$T/bad"
	bad_features npy 'bad\.npy' 'bytes|longer|left'
	npy '<f8' '1000000000000, 1000000000000' >"$T/bad"
	bad_features npy 'bad\.npy' '1000000000000'
	npy '<f8' '150, 18446744073709551617' "$T/zeros" >"$T/bad"
	bad_features npy 'bad\.npy'
	npy '<f8' '150' "$T/zeros" >"$T/bad"
	bad_features npy 'bad\.npy' '150'
	npy '<c16' '150, 2' "$T/zeros" >"$T/bad"
	bad_features npy 'bad\.npy' 'c16'
	{ npy '<f8' '150, 4' && head -c 4792 /dev/zero && printf '\0\0\0\0\0\0\xf8\x7f'; } >"$T/bad"
	bad_features npy 'bad\.npy' '149|offset|4792|4920' 'not shown.*finite'
	{ npy '<f8' '150, 4' && printf '\0\0\0\0\0\0\xf0\x7f' && head -c 4792 /dev/zero; } >"$T/bad"
	bad_features npy 'bad\.npy' '[iI]nf'
	printf 'PK\x03\x04 not a npy' >"$T/bad"
	bad_features npy 'bad\.npy'
	: >"$T/bad"
	bad_features npy 'bad\.npy'
}

test_bad_mtx() {
	prepare
	local banner='%%MatrixMarket matrix coordinate real general'
	printf '%s\n150 4 3\n1 1 1.0\n2 2 1.0\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx' '3'
	printf '%s\n150 4 2\n1 1 1.0\n151 2 1.0\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx:4' 'from 1 to 150'
	printf '%s\n150 4 2\n1 1 1.0\n1 5 1.0\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx:4' 'not shown.*from 1 to 4'
	printf '%s\n150 4 2\n1 1 1.0\n0 1 1.0\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx:4' 'not shown.*from 1 to 150'
	printf '%s\n150 4 2\n1 1 1.0\n2 2 nan\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx:4' 'not shown.*finite'
	printf '%s\n150 4 2\n1 1 1.0\n2 2 1e999\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx:4' 'not shown.*finite'
	printf '%s\n150 4 2\n1 1 1.0\n2 2 x\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx:4' 'not shown'
	printf '%s\n150 4 1\n1 1 1.0\n2 2 1.0\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx'
	printf '%s\n4000000000 4000000000 9000000000000000000\n1 1 1.0\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx' 'from 1 to 268435456'
	printf '%s\n-3 4 1\n1 1 1.0\n' "$banner" >"$T/bad"
	bad_features mtx 'bad\.mtx:2' 'from 1 to 268435456'
	printf 'hello\n' >"$T/bad"
	bad_features mtx 'bad\.mtx:1'
	: >"$T/bad"
	bad_features mtx 'bad\.mtx'
}

test_bad_csv() {
	prepare
	printf '1,0,2.5,0\n%.0s' {1..150} >"$T/good"
	sed '7s/2.5/two/' "$T/good" >"$T/bad"
	bad_features csv 'bad\.csv:7' 'not shown'
	sed '9s/,0$//' "$T/good" >"$T/bad"
	bad_features csv 'bad\.csv:9' '3'
	sed '9s/2.5/-inf/' "$T/good" >"$T/bad"
	bad_features csv 'bad\.csv:9' 'inf'
	sed '150s/2.5,0$/2./' "$T/good" | head -c -4 >"$T/bad"
	bad_features csv 'bad\.csv:150'
	printf '1,0,\0,4\n' >"$T/bad"
	bad_features csv 'bad\.csv: expected text in UTF-8'
	: >"$T/bad"
	bad_features csv 'bad\.csv'
}

test_bad_edges() {
	prepare
	local edges=$T/data/party-00/edges.tsv
	[[ -e $edges ]] || fail "no edges.tsv"
	edit party-00 '.data.edges = "bad.tsv"'
	sed '5s/.*/3\t150/' "$edges" >"$T/bad.tsv"
	bad_data 'bad\.tsv:5' 'from 0 to 149'
	sed '5s/.*/3\t-1/' "$edges" >"$T/bad.tsv"
	bad_data 'bad\.tsv:5' 'not shown'
	sed '5s/.*/3\tx/' "$edges" >"$T/bad.tsv"
	bad_data 'bad\.tsv:5' 'not shown'
	sed '5s/.*/3/' "$edges" >"$T/bad.tsv"
	bad_data 'bad\.tsv:5'
	sed '5s/.*/3\t99999999999999999999/' "$edges" >"$T/bad.tsv"
	bad_data 'bad\.tsv:5' 'from 0 to 149'
	rm "$T/bad.tsv"
	bad_data 'bad\.tsv' 'No such file'
}

test_bad_ids() {
	prepare
	edit party-00 '.data.ids = "bad.txt"'
	seq 1 149 >"$T/bad.txt"
	bad_data 'bad\.txt' '149' '150'
	{ seq 1 149 && echo 7; } >"$T/bad.txt"
	bad_data 'bad\.txt:150' '7' 'twice|duplicate|again'
	{ seq 1 149 && echo; } >"$T/bad.txt"
	bad_data 'bad\.txt:150'
}

test_files_that_are_missing() {
	prepare
	edit party-00 '.data.features = "nothing.npy"'
	bad_data 'nothing\.npy' 'No such file'
	edit party-00 '.data.features = "pooled"'
	bad_data 'pooled'
	edit party-00 '.data.features = "job.json"'
	bad_data 'job\.json'
}

# Makes a group of processes that may use 300 MB, in control groups of version 1 or 2.
small_group() { # sets $GROUP to its directory
	local limit
	GROUP=/sys/fs/cgroup/memory/${T##*/} limit=memory.limit_in_bytes
	[[ -d /sys/fs/cgroup/memory ]] || GROUP=/sys/fs/cgroup/${T##*/} limit=memory.max
	mkdir "$GROUP" 2>/dev/null || skip "no control group can be made here"
	echo 300000000 2>/dev/null >"$GROUP/$limit" || {
		rmdir "$GROUP" && skip "no control group bounds memory here"
	}
}

# shellcheck disable=SC2016
in_small_group='echo $$ >"$0/cgroup.procs"; exec "$@"' # for bash -c: GROUP COMMAND...

# The limit is 300 MB. 160 MB of features fit into it, but a job over them does not. 320 MB of
# features do not fit.
test_memory_of_a_container() {
	local name limit='300 MB \(host, container, ulimit\)'
	prepare
	small_group
	npy '<f8' '1000000, 20' /dev/null >"$T/large.npy"
	truncate -s "+160000000" "$T/large.npy"
	# party-00 has one column: it computes until it learns that party-01 declines
	npy '<f8' '1000000, 1' /dev/null >"$T/narrow.npy"
	truncate -s "+8000000" "$T/narrow.npy"
	edit party-00 '.data.features = "narrow.npy"'
	edit party-01 '.data.features = "large.npy"'
	echo '{ "kind": "kcagc", "method": "landmark", "clusters": 3 }' >"$T/job.json"
	coordinator
	party party-00
	start party-01 bash -c "$in_small_group" "$GROUP" \
		"$BIN/party" --config "$T/party-01.json" --once --out "$T/out/party-01" \
		--coordinator "$ADDRESS"
	ends 4 party-01
	says party-01 "this job takes about [0-9]+ MB of memory at party-01, which may use $limit"
	ends 4 coordinator
	ends "2|4" party-00
	npy '<f8' '1000000, 40' /dev/null >"$T/large.npy"
	truncate -s "+320000000" "$T/large.npy"
	rm -rf "$T/out" "$T/ready"
	edit party-00 '.data.features = "large.npy"'
	run_party=(bash -c "$in_small_group" "$GROUP" "${run_party[@]}")
	bad_data "large\.npy: the matrix takes 320 MB of memory, this process may use $limit"
	rmdir "$GROUP"
}

sample test_right_configurations_pass test_wrong_job test_bad_csv test_bad_mtx \
	test_commands_that_would_mislead
run_tests "$@"
