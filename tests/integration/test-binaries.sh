#!/bin/bash
# Checks the compiled programs: they are hardened, and do not depend on the folder of the build.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

programs=("$ROOT"/build/bin/{coordinator,party,coterie})

test_hardened() {
	local program
	for program in "${programs[@]}"; do
		readelf -hW "$program" | grep 'Type: *DYN' >/dev/null ||
			fail "$program: not position-independent"
		readelf -dW "$program" | grep 'FLAGS_1.*NOW' >/dev/null ||
			fail "$program: symbols are bound late"
		readelf -dW "$program" | grep -E 'RPATH|RUNPATH|TEXTREL' >/dev/null &&
			fail "$program: RPATH, or writes into its text"
		readelf -lW "$program" | grep GNU_RELRO >/dev/null || fail "$program: no RELRO"
		readelf -lW "$program" | grep 'GNU_STACK.* RW  *0x' >/dev/null ||
			fail "$program: its stack can be executed"
		readelf -lW "$program" | grep 'LOAD.*RWE' >/dev/null &&
			fail "$program: memory that can be written and executed"
		readelf -W --dyn-syms "$program" >"$T/symbols"
		grep '__stack_chk_fail' "$T/symbols" >/dev/null ||
			fail "$program: no stack protector"
		grep -E '__(memcpy|snprintf|vsnprintf)_chk' "$T/symbols" >/dev/null ||
			fail "$program: no FORTIFY_SOURCE"
	done
	true
}

# Our code marks the targets of indirect jumps. Whether the processor checks them depends on libc's
# start files.
test_landing_places() {
	[[ $(uname -m) == x86_64 ]] || skip "not on x86-64"
	local program
	for program in "${programs[@]}"; do
		(($(objdump -d "$program" | grep -c endbr64) > 100)) ||
			fail "$program: no -fcf-protection"
	done
}

# OpenBLAS takes an unknown new processor for one of 2004. The programs then restart with newer
# kernels, unless the user has chosen kernels.
test_kernels_of_this_processor() {
	local program
	[[ $(uname -m) == x86_64 ]] && grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo ||
		skip "no AVX2 here"
	for program in "$BIN"/{coordinator,party,coterie}; do
		OPENBLAS_VERBOSE=2 "$program" --version >"$T/said" 2>&1
		[[ $(grep '^Core: ' "$T/said" | tail -n 1) != "Core: Prescott" ]] ||
			fault "$program has the kernels of 2004"
		OPENBLAS_CORETYPE=Prescott OPENBLAS_VERBOSE=2 "$program" --version >"$T/said" 2>&1
		[[ $(grep -c '^Core: ' "$T/said") == 1 &&
			$(grep '^Core: ' "$T/said") == "Core: Prescott" ]] ||
			fault \
			"$program does not leave OPENBLAS_CORETYPE as it was: $(cat "$T/said")"
	done
}

# Compiles objects with __FILE__, asserts and debugging information in two folders. `make
# reproducible` compares whole programs.
test_same_from_two_folders() {
	local folder \
		objects=(common/base/alloc.o common/base/err.o crypto/tag.o proto/frame.o
		party/work/secure.o)
	for folder in one a/longer/two; do
		mkdir -p "$T/$folder"
		(cd "$ROOT" && cp -r Makefile VERSION common crypto proto party server "$T/$folder")
		CCACHE_DISABLE=1 make -s -C "$T/$folder" "${objects[@]/#/build/plain/}" >/dev/null
	done
	for folder in "${objects[@]}"; do
		cmp "$T/one/build/plain/$folder" "$T/a/longer/two/build/plain/$folder" ||
			fail "$folder differs"
	done
}

run_tests "$@"
