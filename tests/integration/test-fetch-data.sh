#!/bin/bash
# Tests scripts/fetch-data, which fetches files from a server on this machine. The files have the
# published form of each set.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

published() { # NAME FILE...: puts files of a set into $T/www
	local name=$1 files=("${@:2}")
	mkdir -p "$T/www"
	if [[ $name == iris ]]; then
		/usr/bin/python3 -c 'import sklearn' 2>/dev/null ||
			skip "scikit-learn is not installed; scripts/deps --tables installs it"
		set --
	else
		/usr/bin/python3 -c 'import scipy.io' 2>/dev/null ||
			skip "SciPy is not installed; scripts/deps --tables installs it"
		local data=${COTERIE_DATA:-$ROOT/../shared/data}
		[[ -d $data/cora ]] || skip "no data: set COTERIE_DATA"
		[[ $name != MUTAG ]] || data=$data/tu
		set -- "$data/$name"
	fi
	/usr/bin/python3 "$ROOT/tests/python/published.py" "$name" "$@" "${files[@]/#/$T/www/}"
}

www() { # starts a server for the files of $T/www, and sets $WWW to its address
	mkdir -p "$T/www"
	start www env PYTHONUNBUFFERED=1 python3 -m http.server 0 --bind 127.0.0.1 --directory \
		"$T/www"
	until_true 20 grep -q 'port [0-9]' "$T/www.stdout" || fail "no server"
	WWW=http://127.0.0.1:$(grep -o 'port [0-9]*' "$T/www.stdout" | cut -d ' ' -f 2)
}

fetch() {
	"$ROOT/scripts/fetch-data" --out "$T/data" --from "$WWW" "$@" >"$T/fetch.stdout" \
		2>"$T/fetch.stderr"
}

refused() { # REGEX NAME
	local status=0
	fetch "$2" || status=$?
	((status == 1)) || fail "status $status, expected 1"
	grep -Eq -- "$1" "$T/fetch.stderr" || fail "does not say '$1' but $(<"$T/fetch.stderr")"
	[[ ! -e $T/data/$2 ]] || fail "left $T/data/$2"
}

fetches() { # NAME
	fetch "$1" || fail "$1: $(<"$T/fetch.stderr")"
	! grep -q 'are not those' "$T/fetch.stderr" || fail "$1: $(<"$T/fetch.stderr")"
}

# Fetches by http a file whose digest fetch-data knows. A changed or missing file is refused.
test_a_known_digest() {
	published iris iris.data
	www
	fetches iris
	jq -e '.made == { rows: 150, features: 4, ids: false, labels: true }' \
		"$T/data/iris/import.json" >/dev/null || fail "$(<"$T/data/iris/import.json")"
	[[ ! -e $T/data/fetched.tsv ]] || fail "a digest that is known was written down"
	fetch iris || fail "a second time"
	grep -q 'is there, and left as it is' "$T/fetch.stdout" || fail "says $(<"$T/fetch.stdout")"
	rm -r "$T/data/iris"
	sed -i 's/5.1/5.2/' "$T/www/iris.data"
	refused 'iris: http://127.0.0.1:[0-9]*/iris.data has SHA-256 [0-9a-f]{64}, expected '\
'6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0' iris
	rm "$T/www/iris.data"
	refused 'iris: cannot be fetched: .*404' iris
}

# fetch-data knows no digest, so the first download's digest counts: a changed file is refused.
test_the_first_download_decides() {
	WWW=$T/www # a folder in place of a server
	published football football.zip
	fetches football
	[[ $(cut -f 2 "$T/data/fetched.tsv") == $(sha256sum <"$T/www/football.zip" |
		cut -d ' ' -f 1) ]] || fail "fetched.tsv"
	[[ $(wc -l <"$T/data/football/ids.txt") == 115 ]] || fail "nodes"
	rm -r "$T/data/football"
	echo >>"$T/www/football.zip"
	refused 'has SHA-256 [0-9a-f]{64}, the first download had [0-9a-f]{64} .*: it was changed' \
		football
	rm "$T/data/fetched.tsv"
	printf 'no archive' >"$T/www/football.zip"
	refused 'football: cannot be unpacked' football
}

test_another_set_is_refused() {
	WWW=$T/www
	mkdir "$T/www"
	printf '0 1\n1 2\n' | gzip >"$T/www/facebook_combined.txt.gz"
	refused 'ego-facebook: has 3 rows, expected 4039: it is another set' ego-facebook
	[[ ! -e $T/data/fetched.tsv ]] || fail "the digest of another set was written down"
}

# Downloaded SNAP sets number their nodes as the copies behind docs/results do. If the nodes are
# numbered otherwise, fetch-data warns that the edges differ, or refuses the set.
test_snap() {
	WWW=$T/www
	published email-eu-core email-Eu-core.txt.gz email-Eu-core-department-labels.txt.gz
	fetches email-eu-core
	grep -q 'dropped 1 self-loop' "$T/fetch.stderr" ||
		fail "does not say what was dropped: $(<"$T/fetch.stderr")"
	published ego-facebook facebook_combined.txt.gz
	fetches ego-facebook
	rm -r "$T/data/ego-facebook" "$T/data/fetched.tsv"
	gzip -dc "$T/www/facebook_combined.txt.gz" |
		sed 's/^0 /4038 /; s/ 0$/ 4038/; t; s/^4038 /0 /; s/ 4038$/ 0/' |
		gzip >"$T/other.gz"
	mv "$T/other.gz" "$T/www/facebook_combined.txt.gz"
	fetch ego-facebook || true # fails if it refuses the set
	grep -Eq 'its edges are not those|it is another set' "$T/fetch.stderr" ||
		fail "says $(<"$T/fetch.stderr")"
}

test_citations() {
	WWW=$T/www
	published cora cora.tgz
	fetches cora
	grep -q 'cora: 1 links to papers that are not in it are left out' "$T/fetch.stderr" ||
		fail "says $(<"$T/fetch.stderr")"
	jq -e '.made == { rows: 2708, features: 1433, ids: true, labels: true }
		and .edges.kept == 5278' "$T/data/cora/import.json" >/dev/null ||
		fail "$(<"$T/data/cora/import.json")"
	published pubmed Pubmed-Diabetes.tgz
	fetches pubmed
	jq -e '.made == { rows: 19717, features: 500, ids: true, labels: true }' \
		"$T/data/pubmed/import.json" >/dev/null || fail "pubmed"
}

test_matrices_and_graphs() {
	WWW=$T/www
	published coil20 COIL20.mat
	fetches coil20
	published MUTAG MUTAG.zip
	fetches tu/MUTAG
	"$BIN/coterie" split --by graphs --parties 2 --data "$T/data/tu/MUTAG" --out "$T/split" \
		>/dev/null || fail "MUTAG is not read"
	rm -r "$T/data/tu" "$T/data/fetched.tsv"
	unpacked=$T/MUTAG
	mkdir "$unpacked" &&
		(cd "$unpacked" && python3 -m zipfile -e "$T/www/MUTAG.zip" . &&
		sed -i '1s/.*/1,3/' MUTAG/MUTAG_A.txt &&
		python3 -m zipfile -c "$T/www/MUTAG.zip" MUTAG)
	fetch tu/MUTAG || fail "status $?"
	grep -q 'MUTAG: its edges are not those' "$T/fetch.stderr" ||
		fail "says $(<"$T/fetch.stderr")"
}

# A server or mirror fails. The files are small and belong to no set, so this test needs no data.
test_downloads_that_fail() {
	www
	refused 'coil20: cannot be fetched: .*404.*, http://127.0.0.1:[0-9]*/COIL20.mat' coil20
	echo '5.1,3.5,1.4,0.2,Iris-setosa' >"$T/www/iris.data"
	refused 'iris: .*/iris.data has SHA-256 [0-9a-f]{64}, expected '\
'6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0: not what' iris
	kill "${PID[www]}" && wait "${PID[www]}" || true
	refused 'coil20: cannot be fetched: .*(refused|connect)' coil20
	[[ ! -e $T/data/fetched.tsv ]] || fail "digests of what failed: $(<"$T/data/fetched.tsv")"
}

# The connection ends in the middle of the file: the server announces twice as many bytes as it
# sends.
test_a_cut_download() {
	python3 -c 'import os, sys; sys.stdout.buffer.write(os.urandom(20000))' >"$T/half"
	start www python3 -u - "$T/half" <<-'EOF'
		import http.server, sys
		half = open(sys.argv[1], "rb").read()
		class Cut(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        self.send_response(200)
		        self.send_header("Content-Length", str(2 * len(half)))
		        self.end_headers()
		        self.wfile.write(half)
		server = http.server.HTTPServer(("127.0.0.1", 0), Cut)
		print("port", server.server_port)
		server.serve_forever()
	EOF
	until_true 20 grep -q 'port [0-9]' "$T/www.stdout" || fail "no server: $(<"$T/www.stderr")"
	WWW=http://127.0.0.1:$(cut -d ' ' -f 2 "$T/www.stdout")
	refused 'coil20: cannot be fetched: .*(remaining|closed)' coil20
	[[ ! -e $T/data/fetched.tsv ]] || fail "the digest of half a file was written down"
}

# Downloaded files are truncated or of another format, for each kind of conversion.
test_what_cannot_be_converted() {
	WWW=$T/www
	mkdir "$T/www"
	head -c 3000 /dev/urandom >"$T/www/COIL20.mat"
	refused 'coil20: .*COIL20.mat' coil20
	seq 1 30000 | awk '{ print $1 % 1005, $1 * 7 % 1005 }' | gzip >"$T/whole.gz"
	head -c 2000 "$T/whole.gz" >"$T/www/facebook_combined.txt.gz"
	refused 'ego-facebook: facebook_combined.txt.gz is no whole gzip file' ego-facebook
	cp "$T/whole.gz" "$T/www/email-Eu-core.txt.gz"
	seq 0 1004 | awk '{ print $1, $1 % 42 }' | gzip |
		head -c 1500 >"$T/www/email-Eu-core-department-labels.txt.gz"
	refused 'email-eu-core: email-Eu-core-department-labels.txt.gz is no whole gzip file' \
		email-eu-core
	mkdir -p "$T/cora" && printf 'p1\t0\tA\n' >"$T/cora/cora.content"
	tar -C "$T" -czf "$T/www/cora.tgz" cora
	refused 'cora: the archive has no cora.cites' cora
	printf 'p1\tp2\n' >"$T/cora/cora.cites"
	tar -C "$T" -czf "$T/www/cora.tgz" cora
	refused 'cora: has 1 rows, expected 2708: it is another set' cora
	# This row has one column more than the row before.
	printf 'p2\t1\t0\tB\n' >>"$T/cora/cora.content"
	tar -C "$T" -czf "$T/www/cora.tgz" cora
	refused 'cora: .*set.tsv.*' cora
	head -c 100 "$T/www/cora.tgz" >"$T/cut" && mv "$T/cut" "$T/www/cora.tgz"
	refused 'cora: cannot be unpacked' cora
	printf 'no archive' >"$T/www/Pubmed-Diabetes.tgz"
	refused 'pubmed: cannot be unpacked' pubmed
	printf 'no archive' >"$T/www/MUTAG.zip"
	refused 'tu/MUTAG: cannot be unpacked' tu/MUTAG
	[[ ! -e $T/data/fetched.tsv ]] || fail "digests of what failed: $(<"$T/data/fetched.tsv")"
}

# A set that fails does not stop the others. The exit status reports it.
test_some_of_several() {
	WWW=$T/www
	mkdir -p "$T/www/MUTAG"
	local status=0 i
	for ((i = 1; i <= 188; i++)); do
		echo "$((2 * i - 1)), $((2 * i))" >>"$T/www/MUTAG/MUTAG_A.txt"
		printf '%d\n%d\n' $i $i >>"$T/www/MUTAG/MUTAG_graph_indicator.txt"
		echo $((i % 2)) >>"$T/www/MUTAG/MUTAG_graph_labels.txt"
	done
	(cd "$T/www" && python3 -m zipfile -c MUTAG.zip MUTAG)
	fetch coil20 tu/MUTAG wiki || status=$?
	((status == 1)) || fail "status $status"
	[[ -e $T/data/tu/MUTAG/MUTAG_A.txt && ! -e $T/data/coil20 ]] ||
		fail "there is $(ls -R "$T/data")"
	grep -q 'coil20: cannot be fetched' "$T/fetch.stderr" &&
		grep -q 'wiki: cannot be fetched' "$T/fetch.stderr" &&
		grep -q 'tu/MUTAG: its edges are not those' "$T/fetch.stderr" ||
		fail "says $(<"$T/fetch.stderr")"
	[[ $(cut -f 1 "$T/data/fetched.tsv") == https://*/MUTAG.zip ]] ||
		fail "fetched.tsv: $(<"$T/data/fetched.tsv")"
}

# Relative paths start at the caller's directory, not at the script's.
test_paths_of_the_caller() {
	mkdir -p "$T/www" "$T/there"
	head -c 3000 /dev/urandom >"$T/www/COIL20.mat"
	(cd "$T/there" &&
		! "$ROOT/scripts/fetch-data" --out out --from ../www coil20 2>"$T/fetch.stderr") ||
		fail "it was read"
	grep -q 'coil20: .*COIL20.mat: ' "$T/fetch.stderr" && [[ -d $T/there/out ]] ||
		fail "says $(<"$T/fetch.stderr")"
	(cd "$T/there" &&
		! COTERIE_DATA=sets "$ROOT/scripts/fetch-data" --from ../www coil20 \
		2>"$T/fetch.stderr") || fail "it was read"
	[[ -d $T/there/sets ]] || fail "COTERIE_DATA is elsewhere: $(ls "$T/there")"
}

wrong_use() { # REGEX ARG...
	local status=0
	"$ROOT/scripts/fetch-data" "${@:2}" >"$T/stdout" 2>"$T/stderr" || status=$?
	((status == 4)) || fail "${*:2}: status $status, expected 4"
	grep -q -- "$1" "$T/stderr" || fail "${*:2}: says $(<"$T/stderr")"
	[[ ! -s $T/stdout ]] || fail "${*:2}: $(<"$T/stdout")"
}

test_arguments() {
	wrong_use 'which set? see --list'
	wrong_use 'nowhere: no such set; see --list' nowhere
	wrong_use 'nowhere: no such set; see --list' iris nowhere
	wrong_use '--fast: no such option; see --help' --fast iris
	wrong_use '--out needs a value' iris --out
	wrong_use '--from needs a value' iris --from ''
	local flag
	for flag in --help -h; do
		"$ROOT/scripts/fetch-data" "$flag" >"$T/help" || fail "$flag: status $?"
		[[ $(head -n 1 "$T/help") == "fetch-data -- "* ]] || fail "$flag: $(<"$T/help")"
		for word in --list --out --from COTERIE_DATA 'Exit status'; do
			grep -q -- "$word" "$T/help" || fail "$flag does not say $word"
		done
		(($(wc -l <"$T/help") <= 24)) || fail "$flag does not fit a screen"
	done
}

test_what_cannot_be_had() {
	WWW=$T/www
	refused 'blogcatalog: cannot be fetched: each node has several classes.*; see '\
'https://github.com/phanein/deepwalk' blogcatalog
	"$ROOT/scripts/fetch-data" --list >"$T/list" || fail "--list"
	grep -Eq '^wiki +no ' "$T/list" && [[ $(grep -c '^[a-z].* yes ' "$T/list") -gt 20 ]] ||
		fail "--list: $(<"$T/list")"
	local status=0
	"$ROOT/scripts/fetch-data" nowhere 2>"$T/stderr" || status=$?
	((status == 4)) || fail "status $status"
	grep -q 'nowhere: no such set; see --list' "$T/stderr" || fail "says $(<"$T/stderr")"
}

sample test_arguments test_downloads_that_fail
run_tests "$@"
