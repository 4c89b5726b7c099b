# certificates.sh -- makes certificates that coterie pki does not make, and lists of revoked ones;
# sourced after lib.sh.
# shellcheck shell=bash

# Makes a certificate for NAME's key, signed by CA. FROM and TO are dates for `date`.
certificate() { # NAME FILE CA PURPOSE FROM TO
	mkdir -p "$T/ca.d"
	: >"$T/ca.d/index"
	echo "0$((RANDOM % 9))" >"$T/ca.d/serial"
	cat >"$T/ca.d/config" <<-EOF
		[ca]
		default_ca = own
		[own]
		database = $T/ca.d/index
		serial = $T/ca.d/serial
		new_certs_dir = $T/ca.d
		default_md = default
		policy = any
		unique_subject = no
		x509_extensions = leaf
		[any]
		commonName = supplied
		[leaf]
		subjectAltName = DNS:$1
		extendedKeyUsage = $4
	EOF
	openssl req -new -key "$T/pki/$1.key" -subj "/CN=$1" -out "$T/ca.d/csr" 2>/dev/null
	openssl ca -batch -notext -config "$T/ca.d/config" -cert "$3/ca.crt" -keyfile "$3/ca.key" \
		-startdate "$(date -u -d "$5" +%Y%m%d%H%M%SZ)" -enddate \
		"$(date -u -d "$6" +%Y%m%d%H%M%SZ)" \
		-in "$T/ca.d/csr" -out "$2" 2>/dev/null
}

# Makes FILE, a list of certificates that CA has revoked. FROM and TO are dates for `date`.
crl() { # FILE CA FROM TO [CERTIFICATE...]
	local cert
	mkdir -p "$T/crl.d"
	: >"$T/crl.d/index"
	cat >"$T/crl.d/config" <<-EOF
		[ca]
		default_ca = own
		[own]
		database = $T/crl.d/index
		default_md = default
		unique_subject = no
	EOF
	for cert in "${@:5}"; do
		openssl ca -config "$T/crl.d/config" -cert "$2/ca.crt" -keyfile "$2/ca.key" \
			-revoke "$cert" 2>/dev/null
	done
	openssl ca -config "$T/crl.d/config" -cert "$2/ca.crt" -keyfile "$2/ca.key" -gencrl -out \
		"$1" \
		-crl_lastupdate "$(date -u -d "$3" +%Y%m%d%H%M%SZ)" -crl_nextupdate \
		"$(date -u -d "$4" +%Y%m%d%H%M%SZ)" 2>/dev/null
}

person() { # NAME...: makes keys and certificates for users, in $T/pki
	local name
	for name; do
		"$BIN/coterie" pki request --name "$name" --role user --dir "$T/pki" >/dev/null
		"$BIN/coterie" pki sign --days 20 --ca "$T/pki" "$T/pki/$name.csr" >/dev/null
	done
}
