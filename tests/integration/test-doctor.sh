#!/bin/bash
# Tests the findings of coterie doctor for a party and a coordinator, without a fault and with one.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

doctor() { # STATUS NAME: runs doctor for NAME, which ends with STATUS; $T/found has its JSON
	local status=0
	"$BIN/coterie" doctor --config "$T/$2.json" --json >"$T/found" 2>"$T/doctor.stderr" ||
		status=$?
	((status == $1)) || {
		cat "$T/found" "$T/doctor.stderr"
		fail "doctor ended with $status, expected $1"
	}
}

finds() { # VERDICT CHECK REGEX: REGEX matches the finding or its advice
	jq -e --arg v "$1" --arg c "$2" --arg r "$3" \
		'any(.[]; .verdict == $v and .check == $c and (.found + " -> " + .do | test($r)))' \
		"$T/found" >/dev/null ||
		{ cat "$T/found"; fail "no $1 of $2 with '$3'"; }
}

one_wrong() { # CHECK...: only these checks have faults
	local wrong
	wrong=$(jq -r '.[] | select(.verdict == "wrong") | .check' "$T/found" | sort |
		paste -sd ' ')
	[[ $wrong == "$*" ]] || { cat "$T/found"; fail "wrong are: $wrong; expected $*"; }
}

at_the_coordinator() { # lets party-00 dial the coordinator
	coordinator
	edit party-00 ".coordinator = \"$ADDRESS\""
}

test_all_is_well() {
	federation 2
	doctor 0 coordinator
	finds fine address '127.0.0.1:0 can be listened on'
	finds note pins '0 of 2 parties'
	at_the_coordinator
	doctor 0 party-00
	finds fine data '150 nodes, 18 features, [0-9]+ edges'
	finds fine 'missing values' none
	finds fine columns 'none of 18 dominates'
	finds fine memory 'a job kcagc of 10 clusters takes about'
	finds fine chain 'for a party'
	finds fine certificate 'until 20.*, (29|30) days'
	finds note CA 'until 20'
	finds fine TCP 'connected to 127'
	finds fine TLS 'coordinator answers, with the pinned key'
	finds fine 'version there' 'protocol [0-9]+ to [0-9]+; here'
	finds fine 'clock there' 'within [0-9.]+ s'
	finds fine output 'can be made, .* free'
	[[ ! -e $T/out/party-00 ]] || fail "it has made the output directory"
	# doctor occupies no slot, so the job runs as usual.
	said coordinator 'party-00 queried this coordinator from' ||
		fail "the coordinator's log has it not"
	parties 2
	completes 2
}

# doctor can run during a job, while the party itself is connected, without disturbing it.
test_in_a_job() {
	federation 2
	edit party-00 '.policy.confirm = true'
	at_the_coordinator
	parties 2
	soon_says party-00 'waits for approval'
	doctor 0 party-00
	"$BIN/coterie" approve --state "$T/out/party-00/state" \
		"$(jq -r 'select(.job) | .job' "$T/party-00.stderr" | head -1)" >/dev/null
	ends 0 coordinator party-00 party-01
}

test_table() {
	local width
	federation 2
	edit party-00 '.coordinator = "127.0.0.1:1"'
	for width in 40 80; do
		COLUMNS=$width "$BIN/coterie" doctor --config "$T/party-00.json" >"$T/table" \
			2>/dev/null && fail "all is well?"
		awk -v w="$width" 'length > w { print; bad = 1 } END { exit bad }' "$T/table" ||
			fail "lines longer than $width"
		grep -q SIGHUP "$T/table" && fail "advice without need"
		grep -Eq 'TCP' "$T/table" || fail "no TCP"
	done
	"$BIN/coterie" doctor --config "$T/party-00.json" >"$T/both" 2>&1 || true
	[[ $(tail -n 1 "$T/both") == *' checks failed' ]] ||
		fail "the last line is $(tail -n 1 "$T/both")"
}

test_nobody_there() {
	federation 2
	edit party-00 '.coordinator = "127.0.0.1:1"'
	doctor 1 party-00
	one_wrong TCP
	finds wrong TCP 'connection refused -> does the coordinator run'
	edit party-00 '.coordinator = "nowhere.invalid:7431"'
	doctor 1 party-00
	one_wrong name
}

test_wrong_pin() {
	federation 2
	at_the_coordinator
	edit party-00 '.peers.coordinator |= sub("sha256:.{8}"; "sha256:00000000")'
	doctor 1 party-00
	one_wrong TLS
	finds wrong TLS 'the key of coordinator is sha256:.*, pinned is sha256:00000000'
}

# The coordinator does not admit the party. The finding has the coordinator's message.
test_not_admitted() {
	federation 2
	"$BIN/coterie" pki request --name stranger --dir "$T/pki" >/dev/null
	"$BIN/coterie" pki sign --ca "$T/pki" --days 25 --out "$T/pki/stranger.crt" \
		"$T/pki/stranger.csr" >/dev/null
	at_the_coordinator
	edit party-00 '.name = "stranger" | .identity = { certificate: "pki/stranger.crt",
		key: "pki/stranger.key", ca: "pki/ca.crt" }'
	doctor 1 party-00
	one_wrong admission
	finds wrong admission 'stranger is not among the parties'
}

test_certificates() {
	federation 2
	at_the_coordinator
	"$BIN/coterie" pki request --name party-00 --dir "$T/short" >/dev/null
	"$BIN/coterie" pki sign --ca "$T/pki" --days 10 --out "$T/short/party-00.crt" \
		"$T/short/party-00.csr" >/dev/null
	edit party-00 '.identity.certificate = "short/party-00.crt"
		| .identity.key = "short/party-00.key"'
	doctor 1 party-00
	one_wrong certificate
	finds wrong certificate 'until 20.*, (9|10) days -> have it renewed'
	chmod 644 "$T/short/party-00.key"
	doctor 1 party-00
	finds wrong key 'readable|others'
	"$BIN/coterie" pki lab --parties 2 --out "$T/other" >/dev/null
	edit party-00 '.identity.certificate = "other/party-00.crt"
		| .identity.key = "other/party-00.key"'
	doctor 1 party-00
	finds wrong chain 'not signed by the CA'
}

test_data() {
	rows_federation 2
	at_the_coordinator
	"$BIN/coterie" synth --points --nodes 50 --features 4 --clusters 2 --out "$T/d" >/dev/null
	awk 'BEGIN { srand(1);
		for (i = 0; i < 50; i++)
			print rand() * 1e6 "," rand() "," rand() ",1" }' >"$T/d/wide.csv"
	edit party-00 '.data = { features: "d/wide.csv" }'
	doctor 0 party-00
	finds note columns 'column 0 .from 0. of 4 has 100 % of the variance'
	sed -i '7s/^[^,]*/nan/' "$T/d/wide.csv"
	doctor 1 party-00
	one_wrong data
	finds wrong data 'wide.csv:7: column .#1. has no value'
	awk 'BEGIN { for (i = 0; i < 50; i++) print "1,1" }' >"$T/d/wide.csv"
	doctor 1 party-00
	one_wrong columns
}

test_isolated() {
	federation 2
	at_the_coordinator
	awk '$1 != 3 && $2 != 3' "$T/data/party-00/edges.tsv" >"$T/e" &&
		mv "$T/e" "$T/data/party-00/edges.tsv"
	doctor 0 party-00
	finds note 'isolated nodes' '[1-9][0-9]* of 150 nodes have no edge'
}

test_output() {
	federation 2
	edit coordinator '.output = "job.json/out"' # job.json is a file, not a directory
	doctor 1 coordinator
	one_wrong output
	finds wrong output 'Permission denied -> make it, or give it to the user'
}

taken() { # starts a process that listens at a port, and sets $TAKEN to its address
	start taker python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True); time.sleep(600)'
	until_true 20 test -s "$T/taker.stdout" || fail "no port could be taken"
	TAKEN=127.0.0.1:$(<"$T/taker.stdout")
}

renewed_for() { # [--host HOST]...: makes the coordinator a new certificate of the CA in $CA
	rm -rf "$T/hosts"
	"$BIN/coterie" pki request --name coordinator --role coordinator "$@" --dir "$T/hosts" \
		>/dev/null
	"$BIN/coterie" pki sign --ca "${CA-$T/pki}" --days 25 --out "$T/hosts/coordinator.crt" \
		"$T/hosts/coordinator.csr" >/dev/null
	edit coordinator '.identity.certificate = "hosts/coordinator.crt"
		| .identity.key = "hosts/coordinator.key"'
}

# Checks the coordinator's API endpoint: whether its port is free, which users have roles, and which
# names and keys browsers can use.
test_where_people_come() {
	federation 2
	edit coordinator '.api = { listen: "127.0.0.1:0" }'
	doctor 0 coordinator
	finds fine "API endpoint" '127.0.0.1:0 can be listened on'
	finds note "API reach" 'only this host reaches 127.0.0.1:0 -> intended'
	finds note roles '0 viewers, 0 readers, 0 submitters, 0 operators -> .* in api.roles'
	renewed_for
	doctor 0 coordinator
	finds note "API names" 'reachable as coordinator -> for browsers .*--host'
	renewed_for --host hub.example.org --host 10.1.2.3
	edit coordinator '.api = { listen: "0.0.0.0:0", roles: { anna: "submitter", vera: "viewer",
		otto: "submitter", rita: "reader" } }'
	doctor 0 coordinator
	finds fine roles '1 viewers, 1 readers, 2 submitters, 0 operators -> $'
	finds fine "API names" 'coordinator, hub.example.org, 10.1.2.3'
	finds note "API browsers" 'browsers reject Ed25519, .* -> intended. .* --key-type p256'
	! grep -q "API reach" "$T/found" || fail "0.0.0.0 is said to be of this host alone"
	"$BIN/coterie" pki init --key-type p256 --dir "$T/p256" >/dev/null
	local wrong
	for wrong in "$T/pki p256" "$T/p256 ed25519" "$T/p256 p256"; do
		CA=${wrong% *} renewed_for --key-type "${wrong#* }"
		edit coordinator ".identity.ca = \"${wrong% *}/ca.crt\""
		doctor 0 coordinator
		[[ $wrong == "$T/p256 p256" ]] ||
			finds note "API browsers" 'browsers reject Ed25519'
	done
	! grep -q "API browsers" "$T/found" || fail "browsers take P-256"
	taken
	edit coordinator ".api.listen = \"$TAKEN\""
	doctor 0 coordinator
	finds note "API endpoint" "api.listen: $TAKEN is in use -> by this daemon, or by which"
	edit coordinator ".http = { listen: \"$TAKEN\" } | del(.api.listen)"
	doctor 0 coordinator
	finds note dashboard "http.listen: $TAKEN is in use"
	edit coordinator ".listen = \"$TAKEN\" | .api.listen = .listen"
	doctor 1 coordinator
	one_wrong "API endpoint" dashboard
	finds wrong "API endpoint" "api.listen and listen are both $TAKEN"
	finds wrong dashboard "http.listen and listen are both $TAKEN"
	edit coordinator '.listen = "127.0.0.1:0"'
	doctor 1 coordinator
	one_wrong dashboard
	finds wrong dashboard "http.listen and api.listen are both $TAKEN"
	edit coordinator \
		'.api.listen = "192.0.2.7:7443" | .http = { listen: "0.0.0.0:0", anywhere: true }'
	doctor 1 coordinator
	one_wrong "API endpoint"
	finds wrong "API endpoint" 'api.listen: 192.0.2.7:7443: Cannot assign requested address'
	finds note "dashboard readers" 'everybody who reaches 0.0.0.0:0 can read it'
	edit party-00 ".http = { listen: \"$TAKEN\" } | .coordinator = \"127.0.0.1:1\""
	doctor 1 party-00
	finds note dashboard "http.listen: $TAKEN is in use"
}

# A party's API endpoint has a certificate, a key and a port of its own.
test_of_a_party() {
	federation 2
	at_the_coordinator
	taken
	rm -rf "$T/api"
	"$BIN/coterie" pki request --name bank-api --role coordinator --dir "$T/api" >/dev/null
	"$BIN/coterie" pki sign --ca "$T/pki" --days 25 "$T/api/bank-api.csr" >/dev/null
	edit party-00 '.api = { listen: "127.0.0.1:0", certificate: "api/bank-api.crt",
		key: "api/bank-api.key" }'
	doctor 0 party-00
	finds fine "API key" 'for its owner alone'
	finds fine "API chain" 'signed by the CA, for a coordinator'
	finds fine "API certificate" 'until 20.*, (24|25) days'
	finds fine "API endpoint" '127.0.0.1:0 can be listened on'
	finds note "API reach" 'only this host'
	finds note roles '0 readers, .* in api.roles'
	finds note "API names" 'reachable as bank-api -> '
	edit party-00 ".api.listen = \"$TAKEN\" | .api.roles = { anna: \"reader\" }"
	doctor 0 party-00
	finds note "API endpoint" "api.listen: $TAKEN is in use"
	finds fine roles '1 readers'
	edit party-00 ".http = { listen: \"$TAKEN\" }"
	doctor 1 party-00
	one_wrong dashboard
	finds wrong dashboard "http.listen and api.listen are both $TAKEN"
	edit party-00 'del(.http)'
	chmod 640 "$T/api/bank-api.key"
	doctor 1 party-00
	one_wrong --check-config "API key"
	finds wrong "API key" 'bank-api.key.* -> chmod 600'
	"$BIN/party" --config "$T/party-00.json" --check-config 2>"$T/readable.stderr" &&
		fail "the party takes a key that others can read"
	says readable 'bank-api.key'
	chmod 600 "$T/api/bank-api.key"
	# A key that cannot be read counts as one fault; the chain is not reported too.
	edit party-00 '.api.key = "api/none.key"'
	doctor 1 party-00
	one_wrong --check-config "API key"
	edit party-00 '.api.certificate = .identity.certificate | .api.key = .identity.key'
	doctor 1 party-00
	one_wrong --check-config "API chain"
	finds wrong "API chain" 'party-00.crt.* -> .*--role coordinator'
}

test_no_configuration() {
	local status=0
	"$BIN/coterie" doctor --config /nowhere.json 2>"$T/doctor.stderr" || status=$?
	((status == 4)) || fail "status $status"
	says doctor 'nowhere.json: No such file'
}

sample test_all_is_well test_wrong_pin test_data test_where_people_come
run_tests "$@"
