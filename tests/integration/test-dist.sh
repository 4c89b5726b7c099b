#!/bin/bash
# Checks the parts of a release: the list of packages that the programs load (scripts/sbom), and the
# archive (make dist).
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

programs=(coordinator party coterie)

debian() { command -v dpkg-query >/dev/null || skip "no dpkg here"; }

libraries() { # PROGRAM: prints "soname path" for each library, as the loader finds it
	ldd "$1" |
		awk '$2 == "=>" { print $1, $3 }
			$2 != "=>" && $1 ~ /^\// { n = split($1, part, "/"); print part[n], $1 }'
}

test_list_names_what_the_loader_loads() {
	debian
	"$ROOT/scripts/sbom" >"$T/sbom"
	local program soname path relation package
	declare -A asked=()
	for program in "${programs[@]}"; do
		libraries "$ROOT/build/bin/$program" >"$T/libraries"
		readelf -dW "$ROOT/build/bin/$program" |
			sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >"$T/needed"
		(($(wc -l <"$T/libraries") > 2)) || fail "$program: ldd names no libraries"
		while read -r soname path; do
			# Finds the program's package that has this library, and the relation to it.
			jq -r --arg program "SPDXRef-program-$program" --arg soname "$soname" '
				(.packages | map(select((.comment // "") | split(" ")
				| index($soname)))) as [$package] |
				.relationships[] | select(.spdxElementId == $program
				and .relatedSpdxElement == $package.SPDXID) |
				"\(.relationshipType) \($package.name) \($package.versionInfo)"' \
				"$T/sbom" >"$T/found"
			[[ $(wc -l <"$T/found") == 1 ]] ||
				fail "$program loads $soname ($path), of which the list says: \
$(cat "$T/found")"
			package=$(cut -d ' ' -f 2 "$T/found")
			# The relation is DYNAMIC_LINK if the program itself names a library of the
			# package. DEPENDS_ON: only its libraries load one.
			relation=DEPENDS_ON
			! jq -r --arg name "$package" \
				'.packages[] | select(.name == $name) | .comment' "$T/sbom" |
				tr ' ' '\n' |
				grep -xFf "$T/needed" >/dev/null || relation=DYNAMIC_LINK
			grep -x "$relation .*" "$T/found" >/dev/null ||
				fail "$program and $soname: $(cat "$T/found"), expected $relation"
			[[ -z ${asked[$path]-} ]] || continue # it was checked for another program
			asked[$path]=yes
			dpkg-query -L "$package" |
				grep -x ".*/$(basename "$(realpath "$path")")" >/dev/null ||
				fail "$package has no $path"
			[[ $(cut -d ' ' -f 3 \
				"$T/found") == "$(dpkg-query -W -f '${Version}\n' "$package" |
				head -n 1)" ]] ||
				fail "$package: the list says version $(cut -d ' ' -f 3 "$T/found")"
		done <"$T/libraries"
	done
}

# The list has the fields that SPDX 2.3 requires of every document and package.
test_list_is_spdx() {
	debian
	"$ROOT/scripts/sbom" >"$T/sbom"
	# shellcheck disable=SC2016
	jq -e --arg version "$(<"$ROOT/VERSION")" '
		(.packages | map(.SPDXID)) as $ids |
		.spdxVersion == "SPDX-2.3" and .dataLicense == "CC0-1.0"
		and .SPDXID == "SPDXRef-DOCUMENT" and
		(.documentNamespace | test("^https://[^#]+$")) and
		(.creationInfo.created | test("^[0-9-]{10}T[0-9:]{8}Z$"))
		and (.creationInfo.creators | length > 0) and
		($ids | length == (unique | length))
		and all($ids[]; test("^SPDXRef-[A-Za-z0-9.-]+$")) and
		all(.packages[]; .name and .versionInfo and .downloadLocation
		and .filesAnalyzed == false) and
		(.packages[0] | .name == "coterie" and .versionInfo == $version) and
		all(.relationships[]; (.spdxElementId
		| IN($ids[], "SPDXRef-DOCUMENT")) and (.relatedSpdxElement | IN($ids[]))) and
		any(.packages[]; .name == "uplot" and .licenseDeclared == "MIT" and (.versionInfo
		| test("^[0-9]+[.][0-9]+"))) and
		any(.relationships[];
		.relationshipType == "DESCRIBES")' "$T/sbom" >/dev/null ||
			fail "not as SPDX 2.3 has it: $T/sbom"
}

# scripts/sbom fails if a program is missing, or a library is missing or of no package. It does not
# leave the library out.
test_list_with_a_gap_is_none() {
	debian
	mkdir "$T/bin"
	cp "$ROOT"/build/bin/{coordinator,party} "$T/bin"
	refuses '/coterie: no such program'
	echo 'int own(void) { return 0; }' |
		"${CC:-cc}" -shared -fPIC -x c -o "$T/libown.so.1" -Wl,-soname,libown.so.1 -
	echo 'int own(void); int main(void) { return own(); }' |
		"${CC:-cc}" -x c -o "$T/bin/coterie" - -x none "$T/libown.so.1" -Wl,-rpath,"$T"
	refuses "$T/libown.so.1, which coterie links, is of no Debian package"
	rm "$T/libown.so.1"
	refuses 'coterie: the library libown.so.1 is missing'
}

refuses() { # TEXT
	local status=0
	"$ROOT/scripts/sbom" --bin "$T/bin" >"$T/sbom" 2>"$T/said" || status=$?
	[[ $status == 4 ]] || fail "scripts/sbom: status $status, expected 4"
	grep -F -- "$1" "$T/said" >/dev/null ||
		fail "scripts/sbom says $(cat "$T/said"), expected $1"
	[[ ! -s $T/sbom ]] || fail "scripts/sbom printed a list all the same"
}

# The list of an image has each installed package, and the licences that are given in Debian's
# format.
test_list_of_an_image() {
	debian
	local doc=$T/root/usr/share/doc name
	mkdir -p "$T/root/var/lib/dpkg" "$doc"/{coterie,old,gone}
	for name in "coterie installed" "old installed" "gone config-files"; do
		# shellcheck disable=SC2086
		printf '%s: %s\n' Package ${name% *} Status "install ok ${name#* }" Version 1:2-3 \
			Architecture all Maintainer x Description x && echo
	done >"$T/root/var/lib/dpkg/status"
	cat >"$doc/coterie/copyright" <<-'EOF'
		Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

		Files: *
		License: Apache-2.0

		Files: a
		License: GPL-2+ or Artistic, and Expat
		 text

		License: LGPL-2.1
		 of no file
	EOF
	echo 'See /usr/share/common-licenses/GPL-3.' >"$doc/old/copyright"
	"$ROOT/scripts/sbom" --root "$T/root" >"$T/sbom"
	[[ $(jq -r \
		'.packages[] | "\(.name) \(.versionInfo) \(.licenseDeclared) \(.licenseComments)"' \
		"$T/sbom" | grep -v uplot) == \
		"coterie-image 1:2-3 NOASSERTION null
coterie 1:2-3 (GPL-2.0-or-later OR LicenseRef-Artistic) AND Apache-2.0 AND MIT \
/usr/share/doc/coterie/copyright
old 1:2-3 NOASSERTION /usr/share/doc/old/copyright, which refers to GPL-3" ]] ||
	fail "$(jq -c '.packages[]' "$T/sbom")"
	jq -e '[.hasExtractedLicensingInfos[].licenseId] == ["LicenseRef-Artistic"] and
		([.packages[].SPDXID, "SPDXRef-DOCUMENT"] as $ids |
			all(.relationships[]; [.spdxElementId, .relatedSpdxElement]
			| inside($ids)))' "$T/sbom" >/dev/null ||
		fail "not as SPDX has it: $(<"$T/sbom")"
	sed -i 's/coterie/other/' "$T/root/var/lib/dpkg/status"
	! "$ROOT/scripts/sbom" --root "$T/root" >"$T/none" 2>"$T/said" ||
		fail "a root without coterie has a list"
	grep -q 'the package coterie is not installed in it' "$T/said" || fail "$(<"$T/said")"
}

# At the tag of a release the version is that of the release. Each later commit has a higher
# version. An archive has the version of its commit.
test_version_rises_with_commits() {
	local tree=$T/tree before='' now time
	mkdir -p "$tree/scripts"
	cp "$ROOT/scripts/version" "$tree/scripts"
	cp "$ROOT/.commit" "$ROOT/.gitattributes" "$tree"
	echo 7.8.9 >"$tree/VERSION"
	[[ $("$tree/scripts/version" build) == 7.8.9 ]] ||
		fail "without git: $("$tree/scripts/version" build)"
	export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@test GIT_COMMITTER_NAME=test \
		GIT_COMMITTER_EMAIL=test@test
	git -C "$tree" init -q
	git -C "$tree" add -A
	for time in 1000000000 1000000007 1000000060; do
		GIT_COMMITTER_DATE="$time +0900" git -C "$tree" commit -q --allow-empty -m "$time"
		[[ $before ]] || git -C "$tree" tag -a v7.8.9 -m release
		now=$("$tree/scripts/version")
		[[ ! $before ]] || dpkg --compare-versions "$before" lt "$now" ||
			fail "$now is not later than $before"
		[[ $("$tree/scripts/version" build) == *"$(git -C "$tree" rev-parse --short=12 \
			HEAD)"* ]] || fail "no commit in $("$tree/scripts/version" build)"
		git -C "$tree" archive --prefix="at-$time/" HEAD | tar -x -C "$T"
		[[ $("$T/at-$time/scripts/version") == "$now" ]] ||
			fail "the archive is $("$T/at-$time/scripts/version"), not $now"
		[[ $before || $now == 7.8.9 ]] || fail "at the tag: $now"
		before=$now
	done
	[[ $now == 7.8.9+git20010909014740.* ]] || fail "$now"
}

test_archive_is_the_same_twice() {
	debian
	[[ -e $ROOT/.git ]] || skip "not a git repository"
	local name archive
	archive=coterie-$("$ROOT/scripts/version")
	make -s -C "$ROOT" dist DIST="$T/one" 2>/dev/null
	(
		umask 077
		export TZ=Asia/Tokyo LC_ALL=C.UTF-8 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=tar.umask \
			GIT_CONFIG_VALUE_0=0007
		until [[ $(date +%s) -gt $(stat -c %Y "$T/one/$archive.tar.gz") ]]; do
			sleep 0.1
		done
		make -s -C "$ROOT" dist DIST="$T/another/folder" 2>/dev/null
	)
	for name in sbom.spdx.json "$archive.tar.gz"; do
		cmp "$T/one/$name" "$T/another/folder/$name" ||
			fail "$name is not the same bytes twice"
	done
	tar -xzf "$T/one/$archive.tar.gz" -C "$T"
	cmp "$T/one/sbom.spdx.json" "$T/$archive/sbom.spdx.json" ||
		fail "the archive has another list"
	{
		git -C "$ROOT" ls-tree -r --name-only HEAD && echo sbom.spdx.json
	} | LC_ALL=C sort >"$T/expected"
	(cd "$T/$archive" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort) >"$T/unpacked"
	cmp "$T/expected" "$T/unpacked" ||
		fail "the archive does not hold what git has: $(diff "$T/expected" "$T/unpacked" |
		head -n 3)"
}

sample
run_tests "$@"
