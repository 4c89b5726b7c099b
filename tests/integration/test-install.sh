#!/bin/bash
# What is installed works, and so does the way between organisations: each key is made where it is
# used, only requests and certificates travel.
#
#     hub/     coterie pki init, sign      coordinator        three directories, as on three hosts
#     bank-a/  coterie pki request         party
#     bank-b/  coterie pki request         party
#
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"

test_install_honours_destdir_and_prefix() {
	make -s -C "$ROOT" install DESTDIR="$T/stage" PREFIX=/opt/coterie >/dev/null
	local program
	for program in coordinator party coterie; do
		"$T/stage/opt/coterie/bin/$program" --version >/dev/null || fail "$program --version: status $?"
	done
	[[ -e $T/stage/opt/coterie/share/doc/coterie/README.md ]] || fail "README.md is not installed"
	[[ -n $(find "$T/stage" -name 'kcagc-cora.json') ]] || fail "configs/jobs are not installed"
	[[ -z $(find "$T/stage" -type f ! -path "$T/stage/opt/coterie/*") ]] || fail "files outside PREFIX"
}

test_between_organisations() {
	federation 2
	mkdir -p "$T"/{hub,bank-a,bank-b}
	local bank
	# At the hub: an authority, and the hub's own key.
	(cd "$T/hub" && "$BIN/coterie" pki init >/dev/null && "$BIN/coterie" pki request --role coordinator --name hub >/dev/null)
	for bank in bank-a bank-b; do
		# At the bank: a key that stays, and a request that goes to the hub.
		(cd "$T/$bank" && "$BIN/coterie" pki request --name "$bank" >/dev/null)
		[[ -e $T/$bank/$bank.key && $(stat -c %a "$T/$bank/$bank.key") == 600 ]] || fail "$bank.key is not secret"
		cp "$T/$bank/$bank.csr" "$T/hub/"
	done
	for bank in hub bank-a bank-b; do
		(cd "$T/hub" && "$BIN/coterie" pki sign "$bank.csr" >/dev/null) || fail "sign $bank"
	done
	[[ ! -e $T/hub/bank-a.key ]] || fail "a bank's key is at the hub"
	for bank in bank-a bank-b; do
		cp "$T/hub/$bank.crt" "$T/hub/ca.crt" "$T/$bank/"
	done
	pin() { "$BIN/coterie" pki fingerprint "$T/hub/$1.crt"; }
	cat >"$T/hub/coordinator.json" <<-EOF
		{ "name": "hub", "listen": "127.0.0.1:0", "ready_file": "ready",
		  "identity": { "certificate": "hub.crt", "key": "hub.key", "ca": "ca.crt" },
		  "parties": ["bank-a", "bank-b"], "output": "out" }
	EOF
	config() { # BANK OTHER SLICE
		cp "$T/data/$3"/* "$T/$1/"
		cat >"$T/$1/party.json" <<-EOF
			{ "name": "$1", "coordinator": "$ADDRESS",
			  "identity": { "certificate": "$1.crt", "key": "$1.key", "ca": "ca.crt" },
			  "peers": { "hub": "$(pin hub)", "$2": "$(pin "$2")" },
			  "data": { "features": "$(cd "$T/$1" && ls features.*)", "edges": "$(cd "$T/$1" && ls edges.*)" },
			  "policy": { "jobs": ["kcagc"], "min_parties": 2 }, "output": "out" }
		EOF
	}
	start coordinator "$BIN/coordinator" --config "$T/hub/coordinator.json" --job "$T/job.json"
	until_true 20 test -s "$T/hub/ready" || fail "the coordinator did not become ready"
	ADDRESS=$(<"$T/hub/ready")
	config bank-a bank-b party-00
	config bank-b bank-a party-01
	for bank in bank-a bank-b; do
		start "$bank" "$BIN/party" --config "$T/$bank/party.json" --once
	done
	ends 0 coordinator bank-a bank-b
	for bank in bank-a bank-b hub; do
		[[ -s $T/$bank/out/labels.csv && -s $T/$bank/out/run.json ]] || fail "$bank has no result"
	done
	at_least "$(acc "$T/bank-b/out/labels.csv")" 0.9 "accuracy"
}

# The same steps with openssl alone: Coterie's certificates are nobody's secret format.
test_certificates_of_another_authority_tool() {
	federation 2
	local name
	mkdir "$T/own"
	openssl req -x509 -newkey ed25519 -nodes -keyout "$T/own/ca.key" -out "$T/own/ca.crt" -subj /CN=authority -days 30 2>/dev/null
	for name in coordinator party-00 party-01; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$T/own/$name.key" \
			-out "$T/own/$name.csr" -subj "/CN=$name" 2>/dev/null
		chmod 600 "$T/own/$name.key"
		openssl x509 -req -in "$T/own/$name.csr" -CA "$T/own/ca.crt" -CAkey "$T/own/ca.key" -days 10 \
			-out "$T/own/$name.crt" -extfile <(printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$name") 2>/dev/null
		edit "$name" ".identity = { certificate: \"own/$name.crt\", key: \"own/$name.key\", ca: \"own/ca.crt\" }"
	done
	for name in party-00 party-01; do
		edit "$name" ".peers = { coordinator: \"$("$BIN/coterie" pki fingerprint "$T/own/coordinator.crt")\",
			\"party-00\": \"$("$BIN/coterie" pki fingerprint "$T/own/party-00.crt")\",
			\"party-01\": \"$("$BIN/coterie" pki fingerprint "$T/own/party-01.crt")\" } | del(.peers[.name])"
	done
	coordinator
	parties 2
	completes 2
}

run_tests "$@"
