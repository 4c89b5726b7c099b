# world.sh -- makes data for every kind of job, two versions of each file, certificates and clocks.
# For nemesis.sh.
#
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # shared with nemesis.sh

declare -A FILE_OF=([features]=features.mtx [edges]=edges.tsv [graphs]=set/set_A.txt)

what_it_reads() { # KIND: prints which data file its jobs read
	case $1 in
	fedspectral* | fedwalk) echo edges ;;
	fedgcn) echo graphs ;;
	*) echo features ;;
	esac
}

job_of() { # KIND
	case $1 in
	tree) echo '"kind": "kcagc", "method": "tree", "graphs": "own", "filter": { '\
'"order": 3 }, "restarts": 4, "local_restarts": 2, "polish": 2' ;;
	flat) echo '"kind": "kcagc", "graphs": "own", "method": "flat", "filter": { "order": 3 }' ;;
	intersect) echo '"kind": "kcagc", "graphs": "own", "align": "intersect", "method": '\
'"flat", "filter": { "order": 3 }' ;;
	landmark | gcc) echo "\"kind\": \"kcagc\", \"graphs\": \"own\", \"method\": \"$1\"" ;;
	fedspectral-exact) echo '"kind": "fedspectral", "variant": "exact"' ;;
	fedspectral-plain) echo '"kind": "fedspectral", "variant": "fedspectral"' ;;
	fedspectral+) echo '"kind": "fedspectral", "variant": "fedspectral+"' ;;
	fedwalk) echo '"kind": "fedwalk", "walks": 8, "length": 8, "window": 4' ;;
	fedgcn) echo '"kind": "fedgcn", "rounds": 3, "epochs": 2, "baselines": "off"' ;;
	*) echo "\"kind\": \"$1\"" ;;
	esac
}

world() {
	local v name kind of file
	for v in 0 1; do
		"$BIN/coterie" synth --nodes 120 --features 36 --clusters 3 --signal 0.8 \
			--homophily 0.9 --degree 8 --seed $((5 + v)) --out "$T/pooled-$v"
		"$BIN/coterie" split --by columns --parties $PARTIES --seed 5 --data \
			"$T/pooled-$v" --out "$T/columns-$v"
		"$BIN/coterie" split --by vertices --parties $PARTIES --seed 5 --data \
			"$T/pooled-$v" --out "$T/vertices-$v"
	done >/dev/null
	for name in $(names $PARTIES); do
		mkdir -p "$T/versions/$name" "$T/clock"
		printf '\0\0\0\0\0\0\0\0' >"$T/clock/$name"
		"$BIN/coterie" synth --graphs --nodes 24 --size 10 --seed "1${name#*-}" --out \
			"$T/data/$name/set" >/dev/null
		seq 0 119 >"$T/data/$name/ids.txt"
		cp "$T/vertices-0/$name/ids.txt" "$T/data/$name/hosted.txt"
		for v in 0 1; do
			cp "$T/columns-$v/$name/features.mtx" "$T/versions/$name/features.$v"
			cp "$T/vertices-$v/$name/edges.tsv" "$T/versions/$name/edges.$v"
			tail -n +$((1 + 4 * v)) "$T/data/$name/set/set_A.txt" \
				>"$T/versions/$name/graphs.$v"
		done
		for of in "${!FILE_OF[@]}"; do
			file=$T/versions/$name/$of
			head -c $(($(stat -c %s "$file.0") / 2 + 1)) "$file.0" >"$file.torn"
			printf '\n;' >>"$file.torn"
			cp "$file.0" "$T/data/$name/${FILE_OF[$of]}"
			VERSION[$name/$of]=0
		done
	done
	printf '\0\0\0\0\0\0\0\0' >"$T/clock/coordinator"
	mkdir "$T/store"
	find "$T/versions" "$T/data" -type f | while read -r file; do
		cp "$file" "$T/store/$(sha256sum <"$file" | cut -d ' ' -f 1)"
	done
	for kind in "${KINDS[@]}"; do
		echo "{ $(job_of "$kind"), \"clusters\": 3, \"seed\": 7 }" |
			jq "if .kind == \"fedwalk\" then del(.clusters) else . end" \
			>"$T/job-$kind.json"
	done
	set_up $PARTIES
	configurations
	certificates
}

configurations() {
	local \
		name times=".heartbeat_s = $HEARTBEAT_S | .reconnect_s = $RECONNECT_S | .rejoin_s \
= $REJOIN_S | .step_timeout_s = 120"
	head -c 32 /dev/zero >"$T/numbering"
	head -c 32 /dev/zero | tr '\0' x >"$T/numbering.coordinator"
	chmod 600 "$T"/numbering*
	edit coordinator \
		"$times | .join_timeout_s = $JOIN_S | .numbering_key = \"numbering.coordinator\""
	for name in $(names $PARTIES); do
		edit "$name" "$times | .state = \"state/\(.name)\" | .numbering_key = \
\"numbering\" | .retry_s = 0
			| .policy.jobs = [\"kcagc\", \"kmeans.columns\", \"kmeans\", \"fedsc\", \
\"fedspectral\", \"fedspectral.exact\", \"fedwalk\", \"fedgcn\"]"
	done
}

# Sets the data of all parties. The data of fedwalk cannot be configured together with other data.
data_of() { # fedwalk|others
	local name
	for name in $(names $PARTIES); do
		case $1 in
		fedwalk) edit \
			"$name" ".data = { edges: \"data/$name/edges.tsv\", vertices: \
\"data/$name/hosted.txt\" }" ;;
		*) edit \
			"$name" ".data = { features: \"data/$name/features.mtx\", edges: \
\"data/$name/edges.tsv\", ids: \"data/$name/ids.txt\", graphs: \"data/$name/set\" }" ;;
		esac
	done
}

# Makes three certificates for each daemon's key: NAME.crt.now, .renewed, and .expired, which
# expired yesterday.
certificates() {
	local name dir=$T/ca.d
	mkdir "$dir"
	touch "$dir/index"
	echo 01 >"$dir/serial"
	cat >"$dir/config" <<-EOF
		[ca]
		default_ca = us
		[us]
		new_certs_dir = $dir
		database = $dir/index
		serial = $dir/serial
		default_md = default
		unique_subject = no
		policy = any
		[any]
		commonName = supplied
		[party]
		subjectAltName = \${ENV::SAN}
		extendedKeyUsage = clientAuth
		[coordinator]
		subjectAltName = \${ENV::SAN}
		extendedKeyUsage = serverAuth
	EOF
	for name in "${EVERYONE[@]}"; do
		cp "$T/pki/$name.crt" "$T/pki/$name.crt.now"
		SAN=DNS:$name openssl req -new -config "$dir/config" -key "$T/pki/$name.key" -subj \
			"/CN=$name" -out "$dir/csr" 2>/dev/null ||
			SAN=DNS:$name openssl req -new -key "$T/pki/$name.key" -subj "/CN=$name" \
			-out "$dir/csr"
		signed "$name" renewed 20200101000000Z 20990101000000Z
		signed "$name" expired 20200101000000Z "$(date -u -d '-1 day' +%Y%m%d%H%M%SZ)"
	done 2>"$dir/said" || { cat "$dir/said" && fail "no certificates"; }
}

signed() { # NAME SUFFIX FROM TO
	SAN=DNS:$1 openssl ca -batch -notext -config "$T/ca.d/config" -extensions "${1%-[0-9]*}" \
		-cert "$T/pki/ca.crt" -keyfile "$T/pki/ca.key" \
		-startdate "$3" -enddate "$4" -in "$T/ca.d/csr" -out "$T/pki/$1.crt.$2"
}

put() { # FILE PLACE: replaces PLACE by rename
	cp "$1" "$2.new"
	mv "$2.new" "$2"
}

clock_shim() {
	CLOCK=
	! sanitized || return 0 # the sanitizers' library must be loaded first
	CLOCK=$TOOLS/clock.so
	[[ ! $CLOCK -nt $ROOT/tests/faults/nemesis/clock.c ]] || return 0
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -shared -fPIC -o "$CLOCK.$$" \
		"$ROOT/tests/faults/nemesis/clock.c"
	mv "$CLOCK.$$" "$CLOCK"
}

set_clock() { # NAME SECONDS: writes SECONDS, in one piece, into the file that clock.so maps
	local i bytes=''
	for ((i = 0; i < 64; i += 8)); do bytes+=$(printf '\\x%02x' $((($2 >> i) & 255))); done
	# shellcheck disable=SC2059
	printf "$bytes" | dd of="$T/clock/$1" conv=notrunc bs=8 count=1 status=none
}
