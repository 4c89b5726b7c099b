# make                  everything: build/bin/coordinator, party, coterie, and, if Open MPI is
#                       installed, coterie-worker
# make lab              build/bin/coterie-lab: baselines and measurements for research;
#                       coterie-netlab: the emulator of scripts/netlab; neither is installed
# make check            unit tests; ROOM=proto: only those of tests/unit/proto
# make bench            benchmarks of the masked sum and the kernels; prints ratios
# make fuzz SECONDS=60  runs each fuzzer for so long (30 by default); needs clang
# make soak             every fault in every step of every protocol, and 20 minutes of each fuzzer:
#                       five hours; then random faults for HOURS=2 with SEED=1
# make lint             layers, formatting, static analysis
# make format           runs clang-format in place
# make reproducible     builds the programs in two folders and compares their bytes: five minutes
# make docs             all pages as a site with search: build/docs/index.html; needs scripts/deps
#                       --docs, and --python for the reference of the Python package
# make install          installs to $(DESTDIR)$(PREFIX); SECURITY_CONTACT=security@example.org: the
#                       contact for security issues, in the installed SECURITY.md
# make dist             build/dist/coterie-VERSION.tar.gz (scripts/version) of git's HEAD, and
#                       sbom.spdx.json; DIST=DIR: writes them to DIR
# make wheel            build/dist/coterie-VERSION-py3-none-*.whl: the Python package for pip, one
#                       with the programs inside and one without; needs scripts/deps --wheel
# make deb              build/deb/*.deb: Debian packages of that archive; needs scripts/deps --deb
# make deb-check        installs them on three hosts with systemd, runs, upgrades, purges; needs
#                       root
# make container-check  builds images by the Containerfile, and runs a job between three of them;
#                       needs root and scripts/deps --container
# make clean
#
# SAN=address,undefined or SAN=thread: builds with sanitizers, in a separate build folder. With
# fuzzer-no-link in the list (clang), the folder is build/fuzz, in which fuzzers and sanitized tests
# share their objects. WERROR=1: a warning ends the build, as in scripts/check; other compilers and
# libraries may give other warnings. CC=clang works too. CFLAGS adds compiler flags.

PREFIX   ?= /usr/local
# In a build with sanitizers, tests should run fast, and traces should name lines.
CFLAGS   ?= $(if $(SAN),-O1 -g1,-O2 -g)
B        := build/plain
BIN      := build/bin
SAN_FLAGS :=
ifdef SAN
comma := ,
FUZZED   := $(findstring fuzzer-no-link,$(SAN))
B        := build/$(if $(FUZZED),fuzz,$(subst $(comma),-,$(SAN)))
BIN      := $(B)/bin
# Without -O2, gcc gives false warnings about truncated formats and uninitialised variables. So
# these warnings are off.
SAN_FLAGS := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer \
             $(if $(findstring clang,$(CC)),,-Wno-format-truncation -Wno-maybe-uninitialized)
else
# Flags that harden the programs; builds with sanitizers do not need them.
# tests/integration/test-binaries.sh checks their effect.
HARDEN      := -fstack-protector-strong -fstack-clash-protection -fPIE -U_FORTIFY_SOURCE \
	-D_FORTIFY_SOURCE=2
HARDEN_LINK := -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
HARDEN      += -fcf-protection=full
endif
endif
VERSION  := $(shell cat VERSION)
BUILD    := $(or $(shell scripts/version build 2>/dev/null),$(VERSION))

# Other builds compile the same sources with warnings, so build/fuzz needs none.
WARN     := $(if $(FUZZED),-w,-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wvla $(if $(WERROR),-Werror))
STRICT   := $(if $(FUZZED),,-Wconversion)
PKGS     := libuv openssl openblas lapacke libcjson sqlite3 libseccomp
DEPFLAGS := $(shell pkg-config --cflags $(PKGS))
FLAGS     = -std=gnu11 -D_GNU_SOURCE -DCOTERIE_VERSION='"$(VERSION)"' -I. -MMD -MP -pthread \
            -ffp-contract=off -fno-math-errno $(WARN) $(DEPFLAGS) $(SAN_FLAGS) $(HARDEN) \
            -ffile-prefix-map=$(CURDIR)=.
# Links libmicrohttpd only to programs that call it: it loads a TLS library that nothing here uses.
LDLIBS   := $(shell pkg-config --libs $(PKGS)) -Wl,--push-state,--as-needed -lmicrohttpd \
	-Wl,--pop-state -lgmp -lm -pthread

# Rooms: the parts of the source tree. Each is compiled into an archive. BELOW_X has the archives
# that programs and tests of room X link: its own and those of the rooms below it. Each folder of
# common/ is a room, and so is each protocol. A protocol's roles are part of server and party.
# COMMON lists the rooms of common/ and the protocols from the top down. scripts/lint layers
# checks the folders within the other rooms.
src       = $(filter-out %/main.c,$(wildcard $(1)/*.c $(1)/*/*.c))
PROTOCOLS  := $(sort $(patsubst protocols/%/,%,$(wildcard protocols/*/)))
COMMON     := $(addprefix common/,http job ranks) $(PROTOCOLS:%=protocols/%) \
              $(addprefix common/,kind parties data privacy learn cluster graph linalg base)
$(foreach r,$(COMMON),$(eval SRC_$(r) := $(wildcard $(r)/*.c)))
SRC_common := $(foreach r,$(COMMON),$(SRC_$(r)))
SRC_crypto := $(call src,crypto)
SRC_proto  := $(call src,proto)
SRC_server := $(call src,server) $(wildcard protocols/*/coordinator/*.c)
SRC_party  := $(call src,party) $(wildcard protocols/*/party/*.c)
SRC_netlab := $(call src,lab/netlab)
SRC_worker := $(call src,worker)
SRC_cli    := $(call src,cli)
SRC_lab    := $(filter-out $(SRC_netlab),$(call src,lab))
ROOMS      := $(COMMON) crypto proto server party cli lab netlab
lib        = $(patsubst %,$(B)/%.a,$(1))
BELOW_base   := $(call lib,common/base)
BELOW_common := $(call lib,$(COMMON))
BELOW_proto  := $(call lib,proto) $(BELOW_base)
BELOW_server := $(call lib,server proto crypto) $(BELOW_common)
BELOW_party  := $(call lib,party proto crypto) $(BELOW_common)
BELOW_cli    := $(call lib,cli server party proto crypto) $(BELOW_common)
BELOW_lab    := $(call lib,lab) $(BELOW_cli)
BELOW_netlab := $(call lib,netlab) $(BELOW_base)
# Tests of a folder of common/ link only it and the folders below, so that a call of a higher folder
# fails to link.
from        = $(shell echo ' $(COMMON)' | sed 's| \(.* \)*$(1) |$(1) |')
$(foreach r,$(filter-out common/base,$(filter common/%,$(COMMON))),$(eval BELOW_$(notdir $(r)) := \
	$(call lib,$(call from,$(r)))))
BELOW_crypto := $(call lib,crypto) $(BELOW_privacy)
# Tests of a protocol run its coordinator side and party side against each other in memory.
BELOW_both   := $(call lib,server party proto crypto) $(BELOW_common)

TESTS    := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/*/test_*.c tests/unit/*/*/test_*.c))
BENCHES  := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/bench_*.c))
FUZZERS  := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
# Arguments of make for build/fuzz.
FUZZ     := CC=clang SAN=fuzzer-no-link,address,undefined WERROR=

WORKER   := $(if $(shell pkg-config --exists ompi-c && echo yes),$(BIN)/coterie-worker)
all: $(BIN)/coordinator $(BIN)/party $(BIN)/coterie $(or $(WORKER),no-worker)
lab: $(BIN)/coterie-lab $(BIN)/coterie-netlab

.SECONDEXPANSION:
$(BIN)/coordinator: $(B)/server/daemon/main.o $(BELOW_server)
$(BIN)/party: $(B)/party/daemon/main.o $(BELOW_party)
$(BIN)/coterie: $(B)/cli/main.o $(BELOW_cli)
$(BIN)/coterie-lab: $(B)/lab/main.o $(BELOW_lab)
$(BIN)/coterie-netlab: $(B)/lab/netlab/main.o $(BELOW_netlab)
# coterie-worker is built only if Open MPI is installed.
$(B)/worker/%.o: DEPFLAGS += $(shell pkg-config --cflags ompi-c)
$(BIN)/coterie-worker: LDLIBS := $(shell pkg-config \
	--libs openblas lapacke libcjson) -lm -pthread $(if $(WORKER),$(shell pkg-config \
	--libs ompi-c))
$(BIN)/coterie-worker: $(B)/worker/main.o $(SRC_worker:%.c=$(B)/%.o) $(BELOW_ranks)
no-worker:
	@echo "coterie-worker: skipped, as libopenmpi-dev is not installed;" \
		"scripts/deps --ranks installs it"
# tests/faults/nth.sh loads this by LD_PRELOAD, so it is built without sanitizers.
SHIM := build/plain/tests/faults/shim.so
$(SHIM): tests/faults/shim.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -O2 $(WARN) -shared -fPIC -pthread -o $@ $<
# Only coterie job uses libcurl, so only coterie and its tests link it.
$(BIN)/coterie $(B)/tests/unit/cli/%: LDLIBS += $(shell pkg-config --libs libcurl)
# coterie-lab classify uses liblinear.
$(BIN)/coterie-lab $(B)/tests/unit/lab/%: LDLIBS += -llinear
# netlab locks all its memory by mlockall(), so it links only cJSON.
$(BIN)/coterie-netlab: LDLIBS := $(shell pkg-config --libs libcjson) -lm
$(BIN)/coordinator $(BIN)/party $(BIN)/coterie $(BIN)/coterie-lab $(BIN)/coterie-netlab \
	$(BIN)/coterie-worker:
	@mkdir -p $(@D)
	$(CC) $(SAN_FLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LDLIBS)

define archive
$(call lib,$(1)): $(SRC_$(1):%.c=$(B)/%.o)
	@mkdir -p $$(@D)
	@rm -f $$@
	$(AR) rcs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call archive,$(r))))

# These files handle bytes from outside and secrets, so implicit conversions give warnings.
$(B)/proto/%.o $(B)/crypto/%.o $(B)/common/data/%.o $(B)/common/base/pack.o \
	$(B)/protocols/fedgcn/file.o $(B)/protocols/fedsc/model.o: WARN += $(STRICT)
# These objects contain the pages byte for byte.
$(B)/common/http/dashboard_page.o: $(wildcard common/http/page/*)
$(B)/cli/report/page.o: $(wildcard cli/report/page/*.* cli/report/page/uplot/*)
# Numerical code is compiled with -O3, which takes longer.
NUMERIC := $(foreach r,linalg graph cluster learn privacy ranks,$(B)/common/$(r)/%.o) \
           $(patsubst %.c,$(B)/%.o,$(foreach r,$(PROTOCOLS),$(SRC_protocols/$(r))))
$(NUMERIC) $(B)/crypto/%.o $(B)/lab/privacy/entropy.o: OPT := $(if $(FUZZED),,-O3 -falign-loops=32)

# Only main.o of each program has the commit. Otherwise each commit would recompile everything.
$(B)/%/main.o: FLAGS += -DCOTERIE_BUILD='"$(BUILD)"'
$(B)/%/main.o: build/version
build/version: FORCE
	@mkdir -p $(@D)
	@echo '$(BUILD)' | cmp -s - $@ || echo '$(BUILD)' >$@

$(B)/%.o: %.c Makefile VERSION
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(CFLAGS) $(OPT) -c -o $@ $<

# tests/unit/ROOM/test_x.c links the room that it tests and the rooms below. The coordinator side
# and the party side of a protocol have headers of the same names. So code of tests that includes
# such a header is compiled in a separate file for each side.
HALVES    := $(patsubst %.c,$(B)/%.o,$(wildcard tests/unit/both/half_*.c))
# gold takes at most half the time of ld.bfd for each of the two hundred test programs. It gives
# warnings about clang's sanitizers, so lld, which is as fast, links build/fuzz.
TEST_LD   := $(if $(FUZZED),lld,gold)
TEST_LD   := $(if $(shell command -v ld.$(TEST_LD)),-fuse-ld=$(TEST_LD))
unit_needs = $(strip $(if $(filter lab/netlab/%,$(1)),$(BELOW_netlab),\
             $(if $(filter both/% protocols/%,$(1)),$(HALVES) $(BELOW_both),\
             $(or $(BELOW_$(firstword $(subst /, ,$(1)))),$(BELOW_common)))))
$(B)/tests/unit/%: $(B)/tests/unit/%.o $$(call unit_needs,$$*)
	$(CC) $(SAN_FLAGS) $(HARDEN_LINK) $(TEST_LD) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lcmocka

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(BELOW_both)
	$(CC) $(SAN_FLAGS) $(HARDEN_LINK) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Test code is compiled more often than it runs, so it is optimised less.
$(B)/tests/unit/%.o: OPT := $(if $(SAN),-O0,-O1)

# ROOM="NAME...": runs only the tests in these folders of tests/unit.
ROOM_TESTS = $(or $(filter $(ROOM:%=$(B)/tests/unit/%/%),$(TESTS)),$(error ROOM=$(ROOM): no tests \
	in tests/unit/$(ROOM)))
tests: $(if $(ROOM),$(ROOM_TESTS),$(TESTS) $(SHIM) lab)

check: $(if $(ROOM),$(ROOM_TESTS),$(TESTS) $(SHIM) all lab)
	@scripts/run-tests unit $(if $(ROOM),$(ROOM_TESTS),$(TESTS))

benches: $(BENCHES)
bench: $(BENCHES)
	@for b in $^; do $$b || exit 1; done

# clang compiles all code that fuzzers link, so that all of it is instrumented.
ifdef FUZZED
build/fuzz/fuzz_%: build/fuzz/tests/fuzz/fuzz_%.o $(call lib,proto crypto) $(BELOW_common)
	$(CC) $(subst fuzzer-no-link,fuzzer,$(SAN_FLAGS)) $(TEST_LD) -o $@ $^ $(LDLIBS)
fuzzers: $(FUZZERS)
else
fuzzers:
	@$(MAKE) $(FUZZ) fuzzers
endif
fuzz: fuzzers
	scripts/fuzz --seconds $(or $(SECONDS),$(FUZZ_S),30) $(notdir $(FUZZERS))

# Builds the programs in two folders, without ccache, and checks that their bytes are the same.
reproducible:
	@rm -rf build/twice && mkdir -p build/twice/one build/twice/another/folder
	@for d in one another/folder; do \
		git archive HEAD | tar -x -C build/twice/$$d && \
		CCACHE_DISABLE=1 $(MAKE) -s -C build/twice/$$d all || exit 1; done
	@for p in coordinator party coterie; do \
		cmp build/twice/one/build/bin/$$p build/twice/another/folder/build/bin/$$p || \
		exit 1; \
		sha256sum build/twice/one/build/bin/$$p; done

# Runs in full the tests of which scripts/check --all runs a sample.
HOURS ?= 2
SEED  ?= 1
BY_CHANCE := $(wildcard tests/faults/nth.sh tests/faults/nemesis.sh)
soak: all lab $(SHIM) fuzzers
	@for s in $(BY_CHANCE); do \
		echo "== $$s" && $$s --seconds $$(($(HOURS) * 3600 / $(words $(BY_CHANCE)))) \
		--seed $(SEED) || exit 1; \
	done
	COTERIE_SOAK=1 scripts/run-tests --timeout 1800 integration tests/integration/test-*death.sh
	COTERIE_JOBS=200 TEST_TIMEOUT=1800 scripts/run-tests \
		--timeout 1800 integration tests/integration/test-serve-row.sh
	$(MAKE) -s SAN=thread all lab
	COTERIE_BIN=$(CURDIR)/build/thread/bin COTERIE_JOBS=20 scripts/run-tests \
		--timeout 36000 integration tests/integration/test-threads.sh
	tests/faults/faults.sh --out build/faults.csv
	tests/faults/twins.sh --times 10 --out build/twins.csv
	scripts/fuzz --seconds 1200

format:
	git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

lint:
	scripts/lint

# Uses Debian's Python programs and modules, not those of another Python.
docs:
	@api=; if /usr/bin/python3 -c 'import sphinx, sklearn, pandas' 2>/dev/null; then \
		api=--python; else \
		echo "docs: without the Python reference," \
			"as Sphinx, pandas or scikit-learn are not" \
			"installed; scripts/deps --python installs them"; fi; \
	if ! /usr/bin/python3 -c 'from mkdocs.utils import get_themes; get_themes()["material"]' \
	2>/dev/null; then \
		echo "docs: skipped, as MkDocs or its theme Material is not installed;" \
		"scripts/deps --docs installs them"; \
	else scripts/site build $$api && /usr/bin/mkdocs build -q --strict -f build/mkdocs.yml && \
		if [ "$$api" ]; then \
			/usr/bin/python3 -B -m sphinx -q -W \
			--keep-going -b html -d build/docs-cache python/docs \
			build/docs/python-api; \
		fi && echo "docs: build/docs/index.html"; fi

DOC := $(DESTDIR)$(PREFIX)/share/doc/coterie
MAN := $(DESTDIR)$(PREFIX)/share/man/man1
SHARE := $(DESTDIR)$(PREFIX)/share
COMPLETIONS := build/completions
$(COMPLETIONS)/bash/coterie: scripts/completions $(BIN)/coordinator $(BIN)/party $(BIN)/coterie
	scripts/completions $(BIN) $(COMPLETIONS)
SECURITY_CONTACT ?= not set in this build
install: all $(COMPLETIONS)/bash/coterie
	install -d $(DESTDIR)$(PREFIX)/bin $(DOC)/docs $(DOC)/proto $(DOC)/configs/jobs \
		$(DOC)/configs/monitoring $(MAN)
	install -m 755 $(BIN)/coordinator $(BIN)/party $(BIN)/coterie $(WORKER) \
		$(DESTDIR)$(PREFIX)/bin
	install -m 644 README.md CHANGELOG.md CONTRIBUTING.md LICENSE SECURITY.md CITATION.cff \
		MAINTAINERS \
		CODE_OF_CONDUCT.md $(DOC)
	sed -i 's#^Security contact: .*#Security contact: $(SECURITY_CONTACT)#' $(DOC)/SECURITY.md
	install -m 644 docs/*.md $(DOC)/docs
	for d in $(sort $(dir $(wildcard docs/*/*.md))); do install -d $(DOC)/$$d && \
		install -m 644 $$d*.md $(DOC)/$$d || exit 1; done
	install -m 644 proto/*.md $(DOC)/proto
	install -m 644 configs/*.json $(DOC)/configs
	install -m 644 configs/jobs/*.json $(DOC)/configs/jobs
	install -m 644 configs/monitoring/* $(DOC)/configs/monitoring
	for f in $$(find configs/helm -type f); do install -D -m 644 $$f $(DOC)/$$f || exit 1; done
	install -m 644 docs/*.1 $(MAN)
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/vendor-completions \
		$(SHARE)/fish/vendor_completions.d
	install -m 644 $(COMPLETIONS)/bash/* $(SHARE)/bash-completion/completions
	install -m 644 $(COMPLETIONS)/zsh/* $(SHARE)/zsh/vendor-completions
	install -m 644 $(COMPLETIONS)/fish/* $(SHARE)/fish/vendor_completions.d

# Makes the same bytes from the same commit on the same packages, for any umask, git settings and
# time.
DIST   ?= build/dist
DISTED = coterie-$(shell scripts/version)
dist: all
	@[ -e .git ] || { echo \
		"dist: this folder is no git repository: its archive is the one that it came from" \
		>&2; exit 1; }
	@git diff --quiet HEAD || echo \
		"dist: there are changes that are not committed; the archive is without them" >&2
	@[ "$$(git show HEAD:VERSION)" = "$(VERSION)" ] || \
		{ echo "dist: VERSION has changes that are not committed" >&2; exit 1; }
	@mkdir -p $(DIST)
	scripts/sbom --bin $(BIN) >$(DIST)/sbom.spdx.json
	@chmod 644 $(DIST)/sbom.spdx.json
	git -c tar.umask=0022 archive --format=tar --prefix=$(DISTED)/ \
		--add-file=$(DIST)/sbom.spdx.json -o $(DIST)/$(DISTED).tar HEAD
	gzip -9nf $(DIST)/$(DISTED).tar

wheel: all
	scripts/wheel --bin $(BIN) $(DIST)

# Does not run unit tests, which make check runs. DEB_BUILD_OPTIONS= runs them here too.
DEB ?= build/deb
deb: dist
	DEB_BUILD_OPTIONS="$${DEB_BUILD_OPTIONS-nocheck}" scripts/deb $(DIST)/$(DISTED).tar.gz \
		$(DEB)
deb-check: deb
	COTERIE_DEB=$(abspath $(DEB)) tests/integration/test-deb.sh
container-check: all
	COTERIE_CONTAINER=yes tests/integration/test-container.sh

clean:
	rm -rf build

.PHONY: FORCE all lab no-worker tests check soak bench benches fuzz fuzzers reproducible format \
	lint docs install dist wheel deb deb-check container-check clean
# Keeps the objects, unlike other intermediate files. With .SECONDARY, make would not compile a new
# source file that is older than its archive.
.PRECIOUS: $(B)/%.o
-include $(shell find build -path build/compat -prune -o -name '*.d' -type f -print 2>/dev/null)
