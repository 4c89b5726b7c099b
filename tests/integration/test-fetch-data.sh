#!/bin/bash
# scripts/fetch-data: from a server on this machine, files in the form in which sets are published.
#
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"

published() { # NAME FILE...: into $T/www
	local name=$1 files=("${@:2}")
	mkdir -p "$T/www"
	if [[ $name == iris ]]; then
		/usr/bin/python3 -c 'import sklearn' 2>/dev/null || skip "scikit-learn is not installed; scripts/deps --tables installs it"
		set --
	else
		/usr/bin/python3 -c 'import scipy.io' 2>/dev/null || skip "SciPy is not installed; scripts/deps --tables installs it"
		local data=${COTERIE_DATA:-$ROOT/../shared/data}
		[[ -d $data/cora ]] || skip "no data: set COTERIE_DATA"
		[[ $name != MUTAG ]] || data=$data/tu
		set -- "$data/$name"
	fi
	/usr/bin/python3 "$ROOT/tests/python/published.py" "$name" "$@" "${files[@]/#/$T/www/}"
}

www() { # $WWW is the address of $T/www
	mkdir -p "$T/www"
	start www env PYTHONUNBUFFERED=1 python3 -m http.server 0 --bind 127.0.0.1 --directory "$T/www"
	until_true 20 grep -q 'port [0-9]' "$T/www.stdout" || fail "no server"
	WWW=http://127.0.0.1:$(grep -o 'port [0-9]*' "$T/www.stdout" | cut -d ' ' -f 2)
}

fetch() { COTERIE_BIN=$BIN "$ROOT/scripts/fetch-data" --out "$T/data" --from "$WWW" "$@" >"$T/fetch.stdout" 2>"$T/fetch.stderr"; }

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

# By the digest that is published; by http.
test_a_known_digest() {
	published iris iris.data
	www
	fetches iris
	jq -e '.made == { rows: 150, features: 4, ids: false, labels: true }' "$T/data/iris/import.json" >/dev/null || fail "$(<"$T/data/iris/import.json")"
	[[ ! -e $T/data/fetched.tsv ]] || fail "a digest that is known was written down"
	fetch iris || fail "a second time"
	grep -q 'is there, and left as it is' "$T/fetch.stdout" || fail "says $(<"$T/fetch.stdout")"
	rm -r "$T/data/iris"
	sed -i 's/5.1/5.2/' "$T/www/iris.data"
	refused 'iris: http://127.0.0.1:[0-9]*/iris.data has SHA-256 [0-9a-f]{64}, expected 6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0' iris
	rm "$T/www/iris.data"
	refused 'iris: cannot be fetched: .*404' iris
}

# Nobody publishes one: the first download decides.
test_the_first_download_decides() {
	WWW=$T/www # a folder
	published football football.zip
	fetches football
	[[ $(cut -f 2 "$T/data/fetched.tsv") == $(sha256sum <"$T/www/football.zip" | cut -d ' ' -f 1) ]] || fail "fetched.tsv"
	[[ $(wc -l <"$T/data/football/ids.txt") == 115 ]] || fail "nodes"
	rm -r "$T/data/football"
	echo >>"$T/www/football.zip"
	refused 'has SHA-256 [0-9a-f]{64}, the first download had [0-9a-f]{64} .*: it was changed' football
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

# Nodes as they are numbered in the copies that the figures were taken on.
test_snap() {
	WWW=$T/www
	published email-eu-core email-Eu-core.txt.gz email-Eu-core-department-labels.txt.gz
	fetches email-eu-core
	grep -q 'dropped 1 self-loop' "$T/fetch.stderr" || fail "does not say what was dropped: $(<"$T/fetch.stderr")"
	published ego-facebook facebook_combined.txt.gz
	fetches ego-facebook
	rm -r "$T/data/ego-facebook" "$T/data/fetched.tsv"
	gzip -dc "$T/www/facebook_combined.txt.gz" | sed 's/^0 /4038 /; s/ 0$/ 4038/; t; s/^4038 /0 /; s/ 4038$/ 0/' | gzip >"$T/other.gz"
	mv "$T/other.gz" "$T/www/facebook_combined.txt.gz"
	fetch ego-facebook || true # as many nodes, or one fewer
	grep -Eq 'its edges are not those|it is another set' "$T/fetch.stderr" || fail "says $(<"$T/fetch.stderr")"
}

test_citations() {
	WWW=$T/www
	published cora cora.tgz
	fetches cora
	grep -q 'cora: 1 links to papers that are not in it are left out' "$T/fetch.stderr" || fail "says $(<"$T/fetch.stderr")"
	jq -e '.made == { rows: 2708, features: 1433, ids: true, labels: true } and .edges.kept == 5278' "$T/data/cora/import.json" >/dev/null ||
		fail "$(<"$T/data/cora/import.json")"
	published pubmed Pubmed-Diabetes.tgz
	fetches pubmed
	jq -e '.made == { rows: 19717, features: 500, ids: true, labels: true }' "$T/data/pubmed/import.json" >/dev/null || fail "pubmed"
}

test_matrices_and_graphs() {
	WWW=$T/www
	published coil20 COIL20.mat
	fetches coil20
	published MUTAG MUTAG.zip
	fetches tu/MUTAG
	"$BIN/coterie" split --by graphs --parties 2 --data "$T/data/tu/MUTAG" --out "$T/split" >/dev/null || fail "MUTAG is not read"
	rm -r "$T/data/tu" "$T/data/fetched.tsv"
	unpacked=$T/MUTAG
	mkdir "$unpacked" && (cd "$unpacked" && python3 -m zipfile -e "$T/www/MUTAG.zip" . && sed -i '1s/.*/1,3/' MUTAG/MUTAG_A.txt &&
		python3 -m zipfile -c "$T/www/MUTAG.zip" MUTAG)
	fetch tu/MUTAG || fail "status $?"
	grep -q 'MUTAG: its edges are not those' "$T/fetch.stderr" || fail "says $(<"$T/fetch.stderr")"
}

test_what_cannot_be_had() {
	WWW=$T/www
	refused 'blogcatalog: cannot be fetched: each node has several classes.*; see https://github.com/phanein/deepwalk' blogcatalog
	"$ROOT/scripts/fetch-data" --list >"$T/list" || fail "--list"
	grep -Eq '^wiki +no ' "$T/list" && [[ $(grep -c '^[a-z].* yes ' "$T/list") -gt 20 ]] || fail "--list: $(<"$T/list")"
	local status=0
	"$ROOT/scripts/fetch-data" nowhere 2>"$T/stderr" || status=$?
	((status == 4)) || fail "status $status"
	grep -q 'nowhere: no such set; see --list' "$T/stderr" || fail "says $(<"$T/stderr")"
}

run_tests "$@"
