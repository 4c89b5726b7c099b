#!/bin/bash
# A daemon refuses its own certificate if peers would refuse it: at the start, by --check-config and
# at SIGHUP.
#
#     The tests make bad files: party-00.crt (expired, of another CA, of the wrong purpose), ca.crt
#     (a leaf), ca.crl, and a passphrase.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=certificates.sh
source "${0%/*}/certificates.sh"

# --check-config and the start of NAME both end with 4, and their error matches REGEX.
refused() { # NAME REGEX
	local name=$1 run=("$BIN/party" --config "$T/$1.json")
	[[ $name != coordinator ]] ||
		run=("$BIN/coordinator" --config "$T/coordinator.json" --job "$T/job.json")
	for more in --check-config ''; do
		start "$name" "${run[@]}" $more
		ends 4 "$name"
		says "$name" "$2"
		[[ -n ${RAN-} || ! -e $T/out/$name ]] || fail "$name made its output directory"
	done
}

test_expired() {
	federation 2
	certificate party-00 "$T/pki/party-00.crt" "$T/pki" clientAuth '-20 days' '-1 day'
	refused party-00 'party-00.crt: this certificate expired on 20'
	certificate coordinator "$T/pki/coordinator.crt" "$T/pki" serverAuth '-20 days' '-1 day'
	refused coordinator 'coordinator.crt: this certificate expired on 20'
}

test_not_yet_valid() {
	federation 2
	certificate party-00 "$T/pki/party-00.crt" "$T/pki" clientAuth '+1 day' '+20 days'
	refused party-00 'party-00.crt: this certificate is not valid before 20.*clock'
}

test_wrong_purpose() {
	federation 2
	certificate party-00 "$T/pki/party-00.crt" "$T/pki" serverAuth '-1 day' '+20 days'
	refused party-00 \
		'party-00.crt: this certificate is of the wrong purpose, expected clientAuth'
}

test_another_ca() {
	federation 2
	"$BIN/coterie" pki lab --parties 2 --out "$T/other" >/dev/null
	certificate party-00 "$T/pki/party-00.crt" "$T/other" clientAuth '-1 day' '+20 days'
	refused party-00 'party-00.crt: this certificate was not signed by the CA in .*ca.crt'
}

test_leaf_as_ca() {
	federation 2
	cp "$T/pki/party-01.crt" "$T/pki/leaf.crt"
	edit party-00 '.identity.ca = "pki/leaf.crt"'
	refused party-00 'leaf.crt: is the certificate of .*party-01, not of a CA'
}

# SIGHUP does not replace a certificate by a worse one. A warning comes before a certificate
# expires.
test_reload_of_an_expired_one() {
	federation 2
	certificate party-00 "$T/pki/party-00.crt" "$T/pki" clientAuth '-1 day' '+20 days'
	coordinator
	edit coordinator ".listen = \"$ADDRESS\""
	serves party-00
	soon_says party-00 'admitted'
	says party-00 'party-00.crt: this certificate expires in (19|20) days'
	certificate party-00 "$T/pki/party-00.crt" "$T/pki" clientAuth '-20 days' '-1 day'
	kill -HUP "${PID[party-00]}"
	soon_says party-00 'certificates were not reloaded, the previous ones stay .*: .*expired on'
	party party-01
	ends 0 coordinator party-01
	coordinator # party-00 comes again with the old certificate
	party party-01
	ends 0 coordinator party-01
	kill -TERM "${PID[party-00]}"
	ends 0 party-00
}

# A certificate expires while the party dials. The party reports an error, although the check at its
# start passed.
test_expires_while_dialling() {
	federation 2
	certificate party-00 "$T/pki/party-00.crt" "$T/pki" clientAuth '-1 day' '+4 seconds'
	coordinator # sets $ADDRESS, at which no process listens after the kill
	kill -KILL "${PID[coordinator]}"
	wait "${PID[coordinator]}" || true
	edit coordinator ".listen = \"$ADDRESS\""
	edit party-00 '.retry_s = 0'
	start party-00 "$BIN/party" --config "$T/party-00.json" --coordinator "$ADDRESS"
	soon_says party-00 "refused.*trying again"
	until_true 20 has_expired "$T/pki/party-00.crt"
	coordinator
	soon_says \
		party-00 'our certificate has expired or is not valid yet by its clock; it is '\
'valid from 20.* to 20.*, and it is 20.* here: set the clock that is wrong, or have the '\
'certificate renewed'
	says party-00 '"level":"error".*our certificate has expired'
	until_true 20 eval '(($(grep -c "shows a certificate" "$T/coordinator.stderr") >= 2))' ||
		fail "it does not try again"
	[[ $(grep -c 'certificate has expired' "$T/party-00.stderr") == 1 ]] ||
		fail "it says so at every try"
}

# ---- revoked ----

test_list_in_which_nobody_is() {
	federation 2
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+9 days'
	for name in coordinator party-00 party-01; do
		edit "$name" '.identity.crl = "pki/ca.crl"'
	done
	coordinator
	parties 2
	completes 2
}

test_revoked_party() {
	federation 2
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+9 days' "$T/pki/party-01.crt"
	edit coordinator '.identity.crl = "pki/ca.crl" | .join_timeout_s = 3'
	coordinator
	parties 2
	ends 3 coordinator
	says coordinator 'shows a certificate \(for party-01\) that our CA has revoked'
	soon_says party-01 'our certificate was revoked by the CA'
	RAN=yes
	kill -KILL "${PID[party-01]}"
	ended party-01
	edit party-01 '.identity.crl = "pki/ca.crl"'
	refused party-01 'party-01.crt: this certificate was revoked, says .*ca.crl'
}

test_revoked_coordinator() {
	federation 2
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+9 days' "$T/pki/coordinator.crt"
	edit party-00 '.identity.crl = "pki/ca.crl"'
	coordinator
	parties 2
	soon_says party-00 'shows a certificate \(for coordinator\) that our CA has revoked'
}

test_list_that_cannot_be_used() {
	federation 2
	"$BIN/coterie" pki lab --parties 2 --out "$T/other" >/dev/null
	edit party-00 '.identity.crl = "pki/ca.crl"'
	refused party-00 'ca.crl: No such file'
	echo "no list" >"$T/pki/ca.crl"
	refused party-00 'ca.crl: has no list of revoked certificates'
	# A file may have several lists of revoked certificates. A damaged list is an error, even
	# after a good one.
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+9 days'
	{ cat "$T/pki/ca.crl" && sed '3,4d' "$T/pki/ca.crl"; } >"$T/two" &&
		mv "$T/two" "$T/pki/ca.crl"
	refused party-00 'ca.crl: list 2 of revoked certificates \(CRL\) in it is damaged'
	crl "$T/one" "$T/pki" '-1 day' '+9 days'
	for ((i = 0; i < 65; i++)); do cat "$T/one"; done >"$T/pki/ca.crl"
	refused party-00 'ca.crl: has more than 64 lists'
	crl "$T/pki/ca.crl" "$T/pki" '-9 days' '-1 day'
	refused party-00 'ca.crl: this list of revoked certificates has expired'
	crl "$T/pki/ca.crl" "$T/pki" '+1 day' '+9 days'
	refused party-00 'ca.crl: this list of revoked certificates is not valid yet'
	crl "$T/pki/ca.crl" "$T/other" '-1 day' '+9 days'
	refused party-00 'ca.crl: this list of revoked certificates is not of the CA in .*ca.crt'
}

# A list of revoked certificates that is reloaded by SIGHUP counts from then on. A damaged list does
# not replace the old one.
test_list_that_is_reloaded() {
	federation 2
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+9 days'
	edit coordinator '.identity.crl = "pki/ca.crl"'
	coordinator
	echo "no list" >"$T/pki/ca.crl"
	kill -HUP "${PID[coordinator]}"
	soon_says coordinator 'certificates were not reloaded, .* has no list of revoked'
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+9 days' "$T/pki/party-01.crt"
	kill -HUP "${PID[coordinator]}"
	soon_says coordinator 'certificates reloaded'
	parties 2
	soon_says party-01 'our certificate was revoked by the CA'
}

# ---- intermediate CAs ----

# The lab's CA signs no other CA. So a second CA, $T/top, signs $T/between, which signs party-00's
# certificate.
between() {
	mkdir "$T/top" "$T/between"
	openssl req -x509 -newkey ed25519 -nodes -keyout "$T/top/ca.key" -subj "/CN=top" -days 20 \
		-out "$T/top/ca.crt" 2>/dev/null
	openssl req -new -newkey ed25519 -nodes -keyout "$T/between/ca.key" -subj "/CN=between" \
		-out "$T/csr" 2>/dev/null
	printf 'basicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign, cRLSign\n' \
		>"$T/ext"
	openssl x509 -req -in "$T/csr" -CA "$T/top/ca.crt" -CAkey "$T/top/ca.key" -CAserial \
		"$T/serial" -CAcreateserial -days 20 \
		-extfile "$T/ext" -out "$T/between/ca.crt" 2>/dev/null
	certificate party-00 "$T/leaf" "$T/between" clientAuth '-1 day' '+20 days'
	cat "$T/leaf" "$T/between/ca.crt" >"$T/pki/party-00.crt"
	cat "$T/top/ca.crt" >>"$T/pki/ca.crt"
}

test_lists_of_cas_between() {
	federation 2
	crl "$T/of-lab" "$T/pki" '-1 day' '+9 days'
	between
	crl "$T/of-between" "$T/between" '-1 day' '+9 days'
	crl "$T/of-top" "$T/top" '-1 day' '+9 days'
	for name in coordinator party-00 party-01; do
		edit "$name" '.identity.crl = "pki/ca.crl"'
	done
	cat "$T/of-lab" "$T/of-top" >"$T/pki/ca.crl"
	refused \
		party-00 'ca.crl: no list of revoked certificates in it is of .*CN=between, the '\
'CA that signed .*CN=party-00'
	cat "$T/of-lab" "$T/of-between" >"$T/pki/ca.crl"
	refused \
		party-00 'ca.crl: no list of revoked certificates in it is of .*CN=top, the CA '\
'that signed .*CN=between'
	cat "$T/of-lab" "$T/of-top" "$T/of-between" >"$T/pki/ca.crl"
	coordinator
	parties 2
	completes 2
	RAN=yes
	crl "$T/of-top" "$T/top" '-1 day' '+9 days' "$T/between/ca.crt"
	cat "$T/of-lab" "$T/of-top" "$T/of-between" >"$T/pki/ca.crl"
	refused party-00 'ca.crt: this certificate was revoked'
}

# A file may have several certificates of CAs. A damaged one is an error, even after a good one.
test_damaged_certificate() {
	federation 2
	cp "$T/pki/ca.crt" "$T/one"
	{ cat "$T/one" && sed '3d' "$T/one"; } >"$T/pki/ca.crt"
	refused party-00 'ca.crt: certificate 2 in it is damaged'
	refused coordinator 'ca.crt: certificate 2 in it is damaged'
	for ((i = 0; i < 65; i++)); do cat "$T/one"; done >"$T/pki/ca.crt"
	refused party-00 'ca.crt: has more than 64 certificates'
	cp "$T/one" "$T/pki/ca.crt"
	{ cat "$T/pki/party-00.crt" && sed '2d' "$T/one"; } >"$T/pki/new" &&
		mv "$T/pki/new" "$T/pki/party-00.crt"
	refused party-00 'party-00.crt: certificate 2 in it is damaged'
}

# The coordinator reports by itself that its list of revoked certificates has expired. The party's
# error does not blame the party's certificate.
test_list_expires_while_running() {
	federation 2
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+20 seconds'
	edit coordinator '.identity.crl = "pki/ca.crl" | .join_timeout_s = 600'
	coordinator
	until_true 60 said coordinator \
		'pki/ca.crl: a list of revoked certificates in it expired on 20.*SIGHUP' ||
		fail "it does not say so"
	party party-00
	soon_says \
		party-00 'our certificate cannot be checked there, as without a current list of '\
'revoked certificates'
	soon_says coordinator \
		'that cannot be looked up: our list .* has expired, on 20.*\(it is 20.* here\)'
	! said party-00 'expired' || fail "the party thinks it is its certificate"
	crl "$T/pki/ca.crl" "$T/pki" '-1 day' '+9 days'
	kill -HUP "${PID[coordinator]}"
	party party-01
	ends 0 coordinator party-00 party-01
}

# ---- clocks ----

# party-00's certificate begins in an hour, as if the coordinator's clock were behind. The error
# gives both times.
test_clock_behind() {
	federation 2
	certificate party-00 "$T/early.crt" "$T/pki" clientAuth '+1 hour' '+20 days'
	coordinator
	openssl s_client -connect "$ADDRESS" -cert "$T/early.crt" -key "$T/pki/party-00.key" \
		</dev/null >/dev/null 2>&1 || true
	soon_says \
		coordinator '\(for party-00\) that is not valid before 20.* UTC \(it is 20.* UTC '\
'here: if that is right, and so is the clock there, wait until then\)'
}

# Runs openssl in the coordinator's place, because openssl does not check the dates of its own
# certificate.
clock_of_the_party() { # FROM TO REGEX
	federation 2
	edit party-00 '.retry_s = 2'
	certificate coordinator "$T/pki/coordinator.crt" "$T/pki" serverAuth "$1" "$2"
	start server openssl s_server -accept 127.0.0.1:0 -tls1_3 -Verify 2 -CAfile \
		"$T/pki/ca.crt" \
		-cert "$T/pki/coordinator.crt" -key "$T/pki/coordinator.key" < <(sleep 30)
	until_true 10 grep -q '^ACCEPT 127' "$T/server.stdout" ||
		fail "no server: $(<"$T/server.stdout")"
	ADDRESS=$(sed -n 's/^ACCEPT //p' "$T/server.stdout" | head -n 1)
	party party-00
	ends 2 party-00
	says party-00 "$3"
	[[ ! -e $T/out/party-00/labels.csv && ! -e $T/out/party-00/state/served ]] ||
		fail "it went on"
}

# The clock of a party is an hour behind that of its coordinator, or ahead of it.
test_clock_of_a_party_is_behind() {
	clock_of_the_party '+1 hour' \
		'+20 days' '\(for coordinator\) that is not valid before 20.* UTC \(it is 20.* '\
'UTC here: if that is right, and so is the clock there, wait until then\)'
}
test_clock_of_a_party_is_ahead() {
	clock_of_the_party '-20 days' \
		'-1 hour' '\(for coordinator\) that expired on 20.* UTC \(it is 20.* UTC here: '\
'if that is right, and so is the clock there, have it renewed\)'
}

# ---- a key that is encrypted ----

# If a unit has User=, systemd makes its credentials with mode 0440 and an access control list. So a
# passphrase may have mode 0440 if it is in $CREDENTIALS_DIRECTORY.
test_passphrase_that_is_a_credential() {
	federation 2
	local key=$T/pki/party-00.key word=$T/credentials/word \
		check=("$BIN/party" --config "$T/party-00.json" --check-config)
	mkdir "$T/credentials"
	mv "$key" "$T/plain.key"
	(umask 077 && echo "a word for it" >"$word" &&
		openssl pkcs8 -topk8 -in "$T/plain.key" -out "$key" -v2 aes-256-cbc -passout \
		"file:$word")
	chmod 440 "$word"
	edit party-00 '.identity.passphrase = "credentials/word"'
	refused party-00 'word: mode 0440 lets others at the passphrase'
	CREDENTIALS_DIRECTORY=$T/credentials/wo refused party-00 \
		'word: mode 0440 lets others at the passphrase'
	CREDENTIALS_DIRECTORY=$T refused party-00 'word: mode 0440 lets others at the passphrase'
	CREDENTIALS_DIRECTORY=$T/credentials "${check[@]}" >/dev/null 2>"$T/said" ||
		fail "$(cat "$T/said")"
	chmod 444 "$word"
	CREDENTIALS_DIRECTORY=$T/credentials refused party-00 \
		'word: mode 0444 lets others at the passphrase'
}

# Private keys and shared keys can be credentials too.
test_keys_that_are_credentials() {
	federation 2
	mkdir "$T/credentials"
	mv "$T/pki/party-00.key" "$T/credentials/key"
	openssl rand -hex 32 >"$T/credentials/psk"
	chmod 440 "$T/credentials/key"
	chmod 600 "$T/credentials/psk"
	edit party-00 '.identity.key = "credentials/key"
		| .peers["party-01"] |= { fingerprint: ., psk: "credentials/psk" }'
	refused party-00 'credentials/key: mode 0440 lets others at the private key'
	chmod 600 "$T/credentials/key"
	chmod 440 "$T/credentials/psk"
	refused party-00 'credentials/psk: mode 0440 lets others at the pre-shared key'
	chmod 440 "$T/credentials/key"
	CREDENTIALS_DIRECTORY=$T/credentials "$BIN/party" --config "$T/party-00.json" \
		--check-config >/dev/null 2>"$T/said" || fail "$(cat "$T/said")"
	chmod 444 "$T/credentials/key"
	CREDENTIALS_DIRECTORY=$T/credentials refused party-00 \
		'credentials/key: mode 0444 lets others at the private key'
}

test_encrypted_key() {
	federation 2
	local key=$T/pki/party-00.key
	mv "$key" "$T/plain.key"
	(umask 077 && echo "a word for it" >"$T/word" &&
		openssl pkcs8 -topk8 -in "$T/plain.key" -out "$key" -v2 aes-256-cbc -passout \
		"file:$T/word")
	refused party-00 \
		'party-00.key: the private key is encrypted: give the file of its passphrase'
	edit party-00 '.identity.passphrase = "word"'
	chmod 644 "$T/word"
	refused party-00 'word: mode 0644 lets others at the passphrase'
	chmod 600 "$T/word"
	coordinator
	parties 2
	completes 2
	RAN=yes # the output directory exists from here on
	! grep -r "a word for it" "$T/out" "$T"/*.stderr || fail "the passphrase is in a log"
	echo "another word" >"$T/word"
	refused party-00 'party-00.key: the passphrase in .*word does not open it'
	: >"$T/word"
	refused party-00 'word: has no passphrase in it'
	printf 'two\nlines\n' >"$T/word"
	refused party-00 'word: expected the passphrase as one line'
	cp "$T/plain.key" "$key"
	echo "a word for it" >"$T/word"
	refused party-00 \
		'party-00.key: the private key is not encrypted, but identity.passphrase is'
}

sample test_expired test_wrong_purpose test_revoked_party test_encrypted_key
run_tests "$@"
