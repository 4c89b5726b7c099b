#!/bin/bash
# The installed programs work, and so does the tutorial for several organisations. Each key is made
# where it is used; only requests and certificates travel.
#
#     hub/     coterie pki init, sign      coordinator        three directories, as on three hosts
#     bank-a/  coterie pki request         party
#     bank-b/  coterie pki request         party
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

test_install_honours_destdir_and_prefix() {
	make -s -C "$ROOT" install DESTDIR="$T/stage" PREFIX=/opt/coterie >/dev/null
	local program
	for program in coordinator party coterie; do
		"$T/stage/opt/coterie/bin/$program" --version >/dev/null ||
			fail "$program --version: status $?"
	done
	[[ -z $(find "$T/stage" -name '*lab') ]] ||
		fail "what is for research is installed: $(find "$T/stage" -name '*lab')"
	"$T/stage/opt/coterie/bin/coterie" synth --nodes 120 --features 10 --clusters 3 --out \
		"$T/data" >/dev/null
	(cd "$T" &&
		env -u COTERIE_BIN "$T/stage/opt/coterie/bin/coterie" launch --quiet --data data \
		--parties 2 \
		--job "$T/stage/opt/coterie/share/doc/coterie/configs/jobs/kcagc-cora.json" --set \
		clusters=3 --out run) ||
		fail "coterie launch as installed: status $?"
	[[ -s $T/run/party-01/labels.csv ]] || fail "coterie launch as installed left no labels"
	[[ -e $T/stage/opt/coterie/share/doc/coterie/README.md ]] ||
		fail "README.md is not installed"
	grep -q '^Security contact: not set in this build$' \
		"$T/stage/opt/coterie/share/doc/coterie/SECURITY.md" ||
		fail "SECURITY.md names a contact, and none was set"
	[[ -n $(find "$T/stage" -name 'kcagc-cora.json') ]] || fail "configs/jobs are not installed"
	[[ -z $(find "$T/stage" -type f ! -path "$T/stage/opt/coterie/*") ]] ||
		fail "files outside PREFIX"
}

# Completions have the words that the programs know, in each installed shell.
test_completions() {
	local share=$T/stage/usr/share
	make -s -C "$ROOT" install DESTDIR="$T/stage" PREFIX=/usr \
		SECURITY_CONTACT=security@bank.example >/dev/null
	grep -q '^Security contact: security@bank.example$' \
		"$T/stage/usr/share/doc/coterie/SECURITY.md" ||
		fail "SECURITY.md has another contact than was set"
	completed() { # WORD...
		# shellcheck source=/dev/null
		bash -c 'source "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2)); f=_$2; $f; '\
'echo "${COMPREPLY[*]}"' - \
			"$share/bash-completion/completions/$1" "$@"
	}
	[[ $(completed coterie led) == ledger ]] || fail "coterie led: $(completed coterie led)"
	[[ $(completed coterie pki fing) == fingerprint ]] ||
		fail "coterie pki fing: $(completed coterie pki fing)"
	[[ $(completed coterie doctor --js) == --json ]] ||
		fail "coterie doctor --js: $(completed coterie doctor --js)"
	[[ $(completed party --che) == --check-config ]] ||
		fail "party --che: $(completed party --che)"
	[[ $(completed coordinator --serv) == --serve ]] ||
		fail "coordinator --serv: $(completed coordinator --serv)"
	[[ $(completed coterie launch --by e) == edges &&
		$(completed coterie split --by = ver) == vertices ]] ||
		fail "--by: $(completed coterie launch --by e)"
	[[ $(completed coterie pki request --key-type "") == "ed25519 p256" ]] ||
		fail "--key-type: $(completed coterie pki request --key-type "")"
	[[ $(completed coterie run --set filter.o) == filter.order= &&
		$(completed party --log-level d) == debug ]] ||
		fail "--set: $(completed coterie run --set filter.o)"
	grep -q -- "-l by .* -x -a 'columns rows edges vertices graphs'" \
		"$share/fish/vendor_completions.d/coterie.fish" || fail "fish has no values of --by"
	grep -q ":value:(columns rows edges vertices graphs)'" \
		"$share/zsh/vendor-completions/_coterie" || fail "zsh has no values of --by"
	[[ $(completed coterie "" | wc -w) -ge $("$BIN/coterie" --help | grep -c '^  [a-z]') ]] ||
		fail "commands are missing"
	if command -v zsh >/dev/null; then
		for f in "$share"/zsh/vendor-completions/_*; do zsh -n "$f" || fail "zsh: $f"; done
	fi
	if command -v fish >/dev/null; then
		fish -c "source $share/fish/vendor_completions.d/coterie.fish; complete -C \
'coterie ledg'" | grep -q '^ledger' ||
			fail "fish does not complete"
	fi
}

# Follows docs/tutorials/two-banks.md literally: its commands, each in its host's directory, and its
# files. deliver and configure take the steps that the text describes. Only the address differs: it
# is a free port of this machine.
test_tutorial_between_organisations() {
	local host command name
	federation 2 --nodes 300 --clusters 7
	mkdir -p "$T"/host/{hub,bank-a,bank-b}
	for name in 0 1; do seq -f 'customer-%03g' 300 | with_ids "party-0$name"; done
	cp "$T"/data/party-00/* "$T/host/bank-a"
	cp "$T"/data/party-01/* "$T/host/bank-b"
	cp "$ROOT/docs/tutorials/two-banks.md" "$T/walk"
	ADDRESS=127.0.0.1:9 relay port 0 # finds a free port
	kill "${PID[port]}"
	while read -r host command; do
		cd "$T/host/${host%$}" || fail "the tutorial names $host, who is not here"
		# Leaves out units, their users and remote users, which make deb-check tests on
		# hosts with systemd.
		case $command in
		*\ anna*) break ;;
		chown\ * | *\ coterie-party) continue ;;
		*\ coterie-coordinator) command='coordinator --config coordinator.json --serve' ;;
		coterie\ job\ * | coterie\ status) command+=' --config coordinator.json' ;;
		esac
		case $command in
		coterie\ doctor\ *)
			configure
			checks "$command"
			continue
			;;
		party\ * | coordinator\ *)
			[[ $command != *--serve* ]] || ends 0 hub # the hub's single job is done
			# shellcheck disable=SC2086
			PATH=$BIN:$PATH start "${host%$}" $command
			continue
			;;
		*\ status\ * | *\ job\ submit\ *) until_true 30 both_came ||
			fail "the parties do not come to the hub that serves" ;;
		esac
		PATH=$BIN:$PATH bash -c "$command" </dev/null >"$T/shell.stdout" \
			2>"$T/shell.stderr" ||
			fail "$host $command: status $?"
		case $command in *\ request\ * | *\ sign\ *) deliver ;; esac
	done < <(grep -E '^    [a-z-]+[$] +' "$T/walk")
	[[ ${#PID[@]} == 4 ]] || fail "the tutorial leaves $((${#PID[@]} - 1)) daemons, expected 3"
	grep -q ' done ' "$T/shell.stdout" || fail "coterie job list says $(<"$T/shell.stdout")"
	kill -TERM "${PID[hub]}"
	ends 0 hub
	for name in bank-a bank-b; do
		kill -TERM "${PID[$name]}"
		ends 0 "$name"
		[[ $(cat "$T/host/$name"/out/job-*/labels.csv | wc -l) == 602 ]] ||
			fail "$name has no labels of two jobs"
		[[ $(stat -c %a "$T/host/$name/$name.key") == 600 ]] ||
			fail "$name.key is not secret"
	done
	[[ $(find "$T/host" -name 'bank-a.key') == "$T/host/bank-a/bank-a.key" ]] ||
		fail "a key has travelled"
	labels=("$T"/host/bank-*/out/job-*/labels.csv)
	for name in "${labels[@]}"; do same_labels "${labels[0]}" "$name"; done
}
# COMMAND runs doctor. Before the hub runs, doctor's check TCP may fail at a party; no other may.
checks() { # COMMAND
	PATH=$BIN:$PATH bash -c "$1 --json" >"$T/checks" 2>"$T/shell.stderr" ||
		[[ $1 == *party.json ]] || fail "$1: $(<"$T/checks")"
	[[ $(jq -r '[.[] | select(.verdict == "wrong") | .check] | join(" ")' \
		"$T/checks") =~ ^(TCP)?$ ]] || fail "$1: $(<"$T/checks")"
}

both_came() {
	[[ $(cd "$T/host/hub" &&
		"$BIN/coterie" status --config coordinator.json --json 2>/dev/null |
		jq '[.parties[] | select(.connected)] | length') == 2 ]]
}

deliver() { # copies requests to the hub, and certificates from it
	local name
	for name in bank-a bank-b; do
		cp "$T/host/$name/$name.csr" "$T/host/hub/" 2>/dev/null || true
		cp "$T/host/hub/$name.crt" "$T/host/hub/ca/ca.crt" "$T/host/$name/" 2>/dev/null ||
			true
	done
}

# Writes the tutorial's three JSON texts, with addresses, fingerprints and the file names of our
# data.
configure() {
	local name other
	[[ ! -e $T/host/hub/job.json ]] || return 0
	awk -v dir="$T/host" \
		'BEGIN { split("hub/coordinator.json hub/job.json bank-a/party.json", file, " ") }
		/^```json/ { n++; in_text = 1; next } /^```/ { in_text = 0 }
		in_text && n <= 3 { print >(dir "/" file[n]) }' "$T/walk"
	for name in bank-a bank-b; do
		other=bank-$(tr ab ba <<<"${name#bank-}")
		jq --arg name "$name" --arg other "$other" --arg address "$RELAY" --arg hub \
			"$(pin hub)" --arg pin "$(pin "$other")" '
			.name = $name | .coordinator = $address
			| .peers = { hub: $hub, ($other): $pin } |
			.identity.certificate = "\($name).crt" | .identity.key = "\($name).key" |
			.data.features = "features.mtx"' "$T/host/bank-a/party.json" >"$T/$name.new"
	done
	for name in bank-a bank-b; do mv "$T/$name.new" "$T/host/$name/party.json"; done
	sed -i "s/0\.0\.0\.0:7431/$RELAY/" "$T/host/hub/coordinator.json"
}

pin() { "$BIN/coterie" pki fingerprint "$T/host/$1/$1.crt"; }

# Makes all keys and certificates with openssl alone, because operators may use tools of their own.
test_certificates_of_another_authority_tool() {
	federation 2
	local name
	mkdir "$T/own"
	openssl req -x509 -newkey ed25519 -nodes -keyout "$T/own/ca.key" -out "$T/own/ca.crt" \
		-subj /CN=authority -days 30 2>/dev/null
	for name in coordinator party-00 party-01; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \
			"$T/own/$name.key" \
			-out "$T/own/$name.csr" -subj "/CN=$name" 2>/dev/null
		chmod 600 "$T/own/$name.key"
		openssl x509 -req -in "$T/own/$name.csr" -CA "$T/own/ca.crt" -CAkey \
			"$T/own/ca.key" -days 10 \
			-out "$T/own/$name.crt" -extfile \
			<(printf 'subjectAltName=DNS:%s\nextendedKeyUsage=serverAuth,clientAuth\n' \
			"$name") 2>/dev/null
		edit "$name" ".identity = { certificate: \"own/$name.crt\", key: \
\"own/$name.key\", ca: \"own/ca.crt\" }"
	done
	for name in party-00 party-01; do
		edit "$name" \
			".peers = { coordinator: \"$("$BIN/coterie" pki fingerprint \
			"$T/own/coordinator.crt")\",
			\"party-00\": \"$("$BIN/coterie" pki fingerprint "$T/own/party-00.crt")\",
			\"party-01\": \"$("$BIN/coterie" pki fingerprint \
				"$T/own/party-01.crt")\" } | del(.peers[.name])"
	done
	coordinator
	parties 2
	completes 2
}

sample test_install_honours_destdir_and_prefix
run_tests "$@"
