#!/bin/bash
# Checks the wheels of make wheel: their contents, and that pip installs them without a network.
#
# This test needs the packages of scripts/deps --wheel, and is skipped without them.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=python.sh
source "${0%/*}/python.sh"

((TEST_TIMEOUT >= 300)) || TEST_TIMEOUT=300

# Uses Debian's python3, which has Debian's numpy.
needs_wheel() {
	PYTHON=/usr/bin/python3
	"$PYTHON" -c 'import ensurepip, numpy, tomllib, venv' 2>/dev/null ||
		skip "python3-venv or python3-numpy is not installed"
	command -v patchelf >/dev/null || skip "patchelf is not installed"
	[[ $BIN == */build/bin ]] || skip "programs of another build"
}

wheels() { # DIR [COMMAND...]
	[[ ! -d $1 ]] || return 0
	"${@:2}" "$ROOT/scripts/wheel" --bin "$BIN" "$1" 2>"$T/wheel.stderr" ||
		fail "$(<"$T/wheel.stderr")"
}

into_venv() { # WHEEL [OPTION]: makes $T/venv with OPTION and installs WHEEL into it
	"$PYTHON" -m venv "${@:2}" "$T/venv"
	"$T/venv/bin/pip" install -q --disable-pip-version-check --no-index "$1" ||
		fail "pip does not install $1"
}

# Runs a command without the programs of the clone or of PATH.
alone() { (cd "$T" && env -u COTERIE_BIN -u PYTHONPATH PATH=/usr/bin:/bin "$@"); }

test_wheel_with_programs() {
	needs_wheel
	local wheel own dist=${ONCE:-$T}/wheels
	wheels "$dist"
	wheel=$(echo "$dist"/*manylinux*.whl)
	into_venv "$wheel" --system-site-packages
	alone "$T/venv/bin/coterie" --version | grep -q "^coterie $(<"$ROOT/VERSION")" ||
		fail "the venv's coterie says something else"
	own=$(alone "$T/venv/bin/python" -c 'import coterie; print(coterie.find())')
	[[ $own == "$T"/venv/lib/*/coterie/_programs/bin/coterie ]] || fail "the programs are $own"
	# All libraries that the program loads are in the wheel, except glibc.
	ldd "$own" | sed -n 's/.* => \(\/[^ ]*\).*/\1/p' | grep -v "^$T/venv" >"$T/system" || true
	! grep -Ev '/lib(c|m|resolv|dl|rt|pthread)\.so|/ld-linux' "$T/system" ||
		fail "it loads these of the system"
	"$PYTHON" -c 'import numpy, sys
draw = numpy.random.default_rng(1)
rows = numpy.vstack([draw.normal(6 * i, 1, (40, 4)) for i in range(3)])
numpy.savetxt(sys.argv[1], rows, delimiter=",", header="a,b,c,d", comments="")' "$T/table.csv"
	alone "$T/venv/bin/python" -c 'import coterie
model = coterie.KMeans(3, parties=3).fit("table.csv")
print(len(model.labels_), sorted(set(model.labels_.tolist())))' >"$T/said" || fail "no labels"
	[[ $(<"$T/said") == "120 [0, 1, 2]" ]] || fail "labels: $(<"$T/said")"
	"$PYTHON" -m zipfile -l "$wheel" | awk '{ print $1 }' >"$T/names"
	for name in licenses/LICENSE licenses/uplot.LICENSE \
		licenses/libopenblas0-pthread.copyright \
		licenses/common-licenses/LGPL-2.1 sboms/sbom.spdx.json; do
		grep -q "dist-info/$name\$" "$T/names" || fail "the wheel has no $name"
	done
	# pip refuses the wheel for another system, here macOS.
	! "$T/venv/bin/pip" install -q --no-index --no-deps --target "$T/mac" --platform \
		macosx_11_0_arm64 --only-binary :all: "$wheel" 2>"$T/pip" ||
		fail "pip installs it for macOS"
	grep -q 'is not a supported wheel on this platform' "$T/pip" || fail "pip says $(<"$T/pip")"
}

# Runs the install commands of docs/python.md, except make wheel.
test_install_as_documented() {
	needs_wheel
	local dist=${ONCE:-$T}/wheels
	wheels "$dist"
	mkdir -p "$T/clone/build"
	ln -s "$dist" "$T/clone/build/dist"
	sed -n '/^## Install/,/^## Data/s/^    //p' "$ROOT/docs/python.md" |
		grep -v 'make wheel' >"$T/install"
	(($(wc -l <"$T/install") == 2)) || fail "docs/python.md has other lines: $(<"$T/install")"
	(cd "$T/clone" && PATH=/usr/bin:/bin bash -e "$T/install" >"$T/said" 2>&1) ||
		fail "$(<"$T/said")"
	(cd "$T" && "$T/clone/env/bin/coterie" --version >/dev/null) || fail "it does not run"
	! grep -E 'manylinux_[0-9]+_[0-9]+' -o "$ROOT/docs/python.md" |
		grep -vxF \
		"$(basename "$dist"/*manylinux*.whl | grep -oE 'manylinux_[0-9]+_[0-9]+')" ||
		[[ $(. /etc/os-release && echo "$ID$VERSION_ID") != debian12 ]] ||
			fail "docs/python.md names another tag"
}

# Installs the wheel without programs in an empty venv, as on macOS and Windows.
test_wheel_without_programs() {
	needs_wheel
	local dist=${ONCE:-$T}/wheels
	wheels "$dist"
	into_venv "$dist"/*-any.whl
	[[ ! -e $T/venv/bin/coterie ]] || fail "it has a script for a program that is not there"
	alone "$T/venv/bin/python" -c 'import coterie
try: coterie.find()
except coterie.ProgramMissing as e: print(e)
try: coterie.KMeans
except coterie.PackageMissing as e: print(e)' >"$T/said" || fail "it cannot be imported"
	grep -q 'install the wheel that has them' "$T/said" || fail "$(<"$T/said")"
	grep -q 'coterie.KMeans needs numpy' "$T/said" || fail "$(<"$T/said")"
}

test_wheel_is_the_same_twice() {
	needs_wheel
	local wheel dist=${ONCE:-$T}/wheels
	wheels "$dist"
	wheels "$T/two" env TZ=Asia/Tokyo LC_ALL=C.UTF-8 bash -c 'umask 077 && exec "$@"' bash
	for wheel in "$dist"/*.whl; do cmp "$wheel" "$T/two/${wheel##*/}" ||
		fail "$wheel is not the same bytes twice"; done
}

sample test_wheel_without_programs
run_tests "$@"
