#!/bin/bash
# Tests the Debian packages. Without COTERIE_DEB the tests check the contents of packages. With
# COTERIE_DEB=DIRECTORY (make deb-check) they use the packages there, and also install, run, upgrade
# and purge them on three hosts with systemd: see hosts.sh.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=hosts.sh
source "${0%/*}/hosts.sh"

# shellcheck disable=SC2034
TEST_TIMEOUT=1800
PACKAGES=(coterie-coordinator coterie-party coterie-worker coterie python3-coterie coterie-doc)

possible() {
	local tool
	for tool in dpkg-buildpackage dh lintian systemd-analyze; do
		command -v "$tool" >/dev/null || skip "$tool is not installed: scripts/deps --deb"
	done
	[[ -e $ROOT/.git ]] || skip "not a git repository"
}

# Makes an archive as make dist does, but of the present working tree.
archive() { # DIRECTORY
	local version commit
	version=$(<"$ROOT/VERSION")
	commit=$(
		cp "$(git -C "$ROOT" rev-parse --absolute-git-dir)/index" "$1/index"
		export GIT_INDEX_FILE=$1/index GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@test \
			GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@test
		GIT_COMMITTER_DATE=$(git -C "$ROOT" log -1 --format=%cI) GIT_AUTHOR_DATE=$(git -C \
			"$ROOT" log -1 --format=%cI)
		export GIT_COMMITTER_DATE GIT_AUTHOR_DATE
		git -C "$ROOT" add -A
		git -C "$ROOT" commit-tree -p HEAD -m test "$(git -C "$ROOT" write-tree)"
	)
	git -C "$ROOT" -c tar.umask=0022 archive --format=tar --prefix="coterie-$version/" \
		"$commit" | gzip -9n >"$1/coterie-$version.tar.gz"
}

# Makes an archive of the same release under another version.
renamed() { # ARCHIVE VERSION DIRECTORY
	mkdir -p "$3"
	tar -xzf "$1" -C "$3"
	mv "$3"/coterie-* "$3/coterie-$2"
	touch -r "$3/coterie-$2/VERSION" "$3/time"
	echo "$2" >"$3/coterie-$2/VERSION"
	touch -r "$3/time" "$3/coterie-$2/VERSION"
	tar -C "$3" -czf "$3/coterie-$2.tar.gz" "coterie-$2"
}

# ARCHIVE OUT [OPTIONS]: builds packages with DEB_BUILD_OPTIONS set to OPTIONS. The default builds
# without optimisation and debugging symbols, because the tests need no speed.
build_from() {
	DEB_BUILD_OPTIONS="${3-nocheck noopt noautodbgsym}" "$ROOT/scripts/deb" "$1" "$2" \
		2>"$T/deb.stderr" || fail "scripts/deb: $(cat "$T/deb.stderr")"
}

# Sets $DEBS to the packages of make deb, or to packages made here once for all tests of this file.
packages() {
	possible
	DEBS=${COTERIE_DEB-}
	[[ -z $DEBS ]] || return 0
	local sum kept
	archive "$T"
	sum=$(sha256sum "$T"/coterie-*.tar.gz | cut -c 1-16)
	kept=$ROOT/build/deb-test
	(
		flock 9
		[[ -e $kept/$sum ]] || {
			rm -rf "$kept"
			build_from "$T"/coterie-*.tar.gz "$kept"
			touch "$kept/$sum"
		}
	) 9>"$ROOT/build/deb-test.lock" || exit 1
	DEBS=$kept
}

deb() { echo "$DEBS/$1"_[0-9]*.deb; } # NAME

unpacked() { # unpacks all packages below $T/NAME
	local name
	packages
	for name in "${PACKAGES[@]}"; do dpkg-deb -R "$(deb "$name")" "$T/$name"; done
}

test_lintian() {
	packages
	lintian --allow-root --profile debian --fail-on error,warning "$DEBS"/*.changes \
		>"$T/lintian" 2>&1 || fail "$(grep '^[EW]:' "$T/lintian")"
}

# Each program, page, completion, configuration and unit is in one package. Programs are hardened
# and have the version of the package.
test_contents() {
	unpacked
	local file where
	for file in usr/bin/{coordinator,party,coterie,coterie-worker} \
		usr/share/man/man1/{coordinator,party,coterie,coterie-worker}.1.gz \
		usr/share/bash-completion/completions/{coordinator,party,coterie} \
		usr/share/zsh/vendor-completions/_{coordinator,party,coterie} \
		usr/share/fish/vendor_completions.d/{coordinator,party,coterie}.fish \
		etc/coterie/{coordinator,party}.json \
		lib/systemd/system/coterie-{coordinator,party}.service \
		usr/lib/{sysusers,tmpfiles}.d/coterie-{coordinator,party}.conf \
		etc/logrotate.d/coterie-{coordinator,party} usr/share/doc/coterie/README.md \
		usr/share/doc/coterie/docs/index.md; do
		where=$(cd "$T" && find "${PACKAGES[@]}" -path "*/$file")
		[[ $(wc -w <<<"$where") == 1 ]] || fault "$file is in: $where"
	done
	[[ -z $(find "$T/coterie-doc/usr/share/doc/coterie" -name '*.gz' ! -name 'changelog*') ]] ||
		fault "a document is packed, and no link finds it"
	for file in coordinator party coterie; do
		where=$(find "$T"/*/usr/bin -name "$file")
		readelf -dW "$where" | grep -q 'BIND_NOW\|NOW' || fault "$file is not hardened"
		[[ $("$where" --version) == *"$(dpkg-deb -f "$(deb coterie)" Version |
			sed 's/-1$//')"* ]] || fault "$file --version: $("$where" --version)"
	done
	for file in coterie-coordinator coterie-party; do
		[[ $(sort "$T/$file/DEBIAN/conffiles") == \
			"/etc/coterie/${file#coterie-}.json"$'\n'"/etc/logrotate.d/$file" ]] ||
			fault "$file has other conffiles"
	done
}

# The Python package finds coterie of package coterie, and runs a job with it.
test_python_package() {
	unpacked
	/usr/bin/python3 -c 'import numpy' 2>/dev/null || skip "python3-numpy is not installed"
	local site=$T/python3-coterie/usr/lib/python3/dist-packages
	cd "$T" || fail "is gone"
	PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 PATH=$T/coterie/usr/bin:/usr/bin:/bin \
		/usr/bin/python3 -c 'import coterie
print(coterie.__version__, coterie.find(),
      coterie.KMeans(3,
                     parties=2).fit([[i % 3 * 9.0, i % 3 * 5.0 + i % 7]
                                     for i in range(60)]).labels_.size)' \
		>"$T/said" 2>"$T/python.stderr" || fail "$(<"$T/python.stderr")"
	[[ $(<"$T/said") == "$(<"$ROOT/VERSION") $T/coterie/usr/bin/coterie 60" ]] ||
		fail "it says $(<"$T/said")"
	dpkg-deb -f "$(deb python3-coterie)" Depends | grep -q 'python3:any\|python3 ' ||
		fail "it depends on $(dpkg-deb -f "$(deb python3-coterie)" Depends)"
}

# The files in /etc/coterie are complete except for one line, which the operator must remove.
test_examples_are_refused_until_edited() {
	unpacked
	local role
	for role in coordinator party; do
		cp "$T/coterie-$role/etc/coterie/$role.json" "$T/$role.json"
		[[ $(jq -r .output "$T/$role.json") == "/var/lib/coterie-$role" ]] ||
			fault "output of $role: $(jq -r .output "$T/$role.json")"
		start "$role" "$T/coterie-$role/usr/bin/$role" --config "$T/$role.json" --job \
			"$ROOT/configs/jobs/kcagc-cora.json" --check-config
		ends 4 "$role"
		says "$role" "$role.json: this is still the example that was installed .*take the \
line \"example\" out"
		edit "$role" 'del(.example)'
		start "$role" "$T/coterie-$role/usr/bin/$role" --config "$T/$role.json" --job \
			"$ROOT/configs/jobs/kcagc-cora.json" --check-config
		ends 4 "$role"
		says "$role" '(hub|bank-a).crt: No such file'
	done
	[[ $(jq -r '.data[] | select(startswith("/var/lib/coterie-party/data/") | not)' \
		"$T/party.json") == "" ]] || fault "data lie elsewhere"
}

# systemd accepts the units and the examples. It rates their exposure as
# docs/howto/run-as-a-service.md says.
test_units() {
	unpacked
	local unit figure dir=$T/root/etc/systemd/system
	mkdir -p "$dir" "$T/root/usr/bin" "$T/root/usr/sbin" "$T/root/bin"
	# since Debian 13 packages have their units in usr/lib
	find "$T"/coterie-*/{,usr/}lib/systemd/system -type f -exec cp -t "$dir" {} + 2>/dev/null ||
		true
	cp "$T/coterie-coordinator/usr/share/doc/coterie-coordinator/examples"/coterie-*@* "$dir"
	cp /usr/lib/systemd/system/*.target "$dir"
	cp "$T"/*/usr/bin/* "$T/root/usr/bin"
	for unit in bin/sh bin/kill usr/sbin/sendmail; do
		install -m 755 /bin/true "$T/root/$unit"
	done
	for unit in coterie-coordinator.service coterie-party.service \
		coterie-submit@segments.timer coterie-submit@segments.service \
		coterie-alarm@x.service; do
		systemd-analyze verify --root="$T/root" --man=no --recursive-errors=no "$unit" \
			>"$T/verify" 2>&1 || fault "$unit: $(cat "$T/verify")"
		[[ ! -s $T/verify ]] || fault "$unit: $(cat "$T/verify")"
	done
	for unit in coterie-coordinator coterie-party; do
		figure=$(systemd-analyze security --offline=yes --root="$T/root" --no-pager \
			"$unit.service" 2>"$T/security" |
			sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p')
		grep -Eq "^ *$unit +$figure( |\$)" "$ROOT/docs/howto/run-as-a-service.md" ||
			fault "$unit: systemd-analyze security says $figure, which its page does \
not ($(cat "$T/security"))"
	done
}

full() { [[ -n ${COTERIE_DEB-} ]] || skip "takes minutes and hosts of its own: make deb-check"; }

test_same_bytes_from_another_folder() {
	full
	packages
	local name archive
	archive=$(echo "$DEBS"/coterie_*.orig.tar.gz)
	name=${archive##*/coterie_} name=coterie-${name%.orig.tar.gz}
	cp "$archive" "$T/$name.tar.gz"
	# builds as make deb does, with optimisation and debugging symbols
	(umask 077 && TZ=Asia/Tokyo build_from "$T/$name.tar.gz" "$T/another/folder" nocheck)
	for name in "$DEBS"/*.deb; do
		cmp "$name" "$T/another/folder/${name##*/}" ||
			fault "${name##*/} is not the same bytes twice"
	done
}

# ---- hosts ----

root_with_packages() { # makes at $BASE a Debian with the packages and all their dependencies
	hosts_possible
	packages
	BASE=$T/base
	base "$BASE"
	mkdir "$BASE/srv/packages"
	for name in "${PACKAGES[@]}"; do cp "$(deb "$name")" "$BASE/srv/packages"; done
	in_root "$BASE" apt-get -q update
	in_root "$BASE" /bin/sh -c 'apt-get -q -y install /srv/packages/*.deb'
}

traces() { # HOST-COMMAND...: lists the packages' users, groups, and files except archives and logs
	"$@" /bin/sh \
		-c 'find / -xdev \( -path /proc -o -path /srv -o -path /var/log -o -path '\
'/var/cache \) -prune -o \( -name "*coterie*" -o -path "/usr/bin/coordinator*" -o -path '\
'"/usr/bin/party" \) -print; getent passwd | grep coterie; getent group | grep coterie; true'
}

in_base() { systemd-nspawn -q --register=no --keep-unit -D "$BASE" "$@" </dev/null 2>/dev/null; }

test_fresh_root() {
	full
	root_with_packages
	local name
	for name in coordinator party coterie; do in_root "$BASE" "$name" --version; done
	in_root "$BASE" coterie launch --help
	[[ $(traces in_base | wc -l) -gt 20 ]] ||
		fail "the packages are not there: $(traces in_base)"
	in_root "$BASE" apt-get -q -y remove "${PACKAGES[@]}"
	in_root "$BASE" test -e /etc/coterie/party.json
	# apt would refuse a removed package that left no file.
	in_root "$BASE" dpkg --purge "${PACKAGES[@]}"
	[[ -z $(traces in_base) ]] || fail "after purge there are: $(traces in_base)"
}

journal_says() { on "$1" journalctl -q -o cat -u "$2" | grep -Eq -- "$3"; } # HOST UNIT REGEX

journal_soon_says() {
	until_true 30 journal_says "$@" ||
		fail "$1: $2 does not say '$3': $(on "$1" journalctl -q -o cat -n 5 -u "$2")"
}

is_state() { [[ $(on "$1" systemctl show -P ActiveState "$2") == "$3" ]]; } # HOST UNIT STATE

property() { on "$1" systemctl show -P "$3" "$2"; } # HOST UNIT NAME

role_of() { [[ $1 == hub ]] && echo coordinator || echo party; } # HOST

# Runs the commands of a step of the tutorial, each on the host that it names.
readme() { # STEP
	local host line
	while read -r host line; do
		arrive "$host" "$line"
		# shellcheck disable=SC2016
		on "$host" /bin/sh -c 'cd /etc/coterie && eval "$1"' - "$line" >>"$T/readme" 2>&1 ||
			# Before the hub runs, only doctor's check of the connection fails.
			[[ $line == *doctor*party.json &&
				$(tail -n 1 "$T/readme") == *': 1 of '*' checks failed' ]] ||
			fail "tutorial, step $1: $host$ $line: $(tail -n 5 "$T/readme")"
	done < <(between_organisations |
		sed -n \
		"/^\*\*$1\. /,/^\*\*$(($1 + 1))\. /s/^    \(hub\|bank-[ab]\)\$ *\(.*\)/\1 \2/p")
}

# Copies the files that the tutorial sends: a request to the hub for signing, a certificate to its
# user.
arrive() { # HOST LINE
	[[ $2 != *"pki sign"*anna.csr* ]] || sent bank-a anna.csr hub
	[[ $2 != *"--cert anna.crt"* ]] || sent hub anna.crt bank-a
}

between_organisations() {
	sed -n '/^## Between organisations/,/^## /p' \
		"${TUTORIAL:-$ROOT/docs/tutorials/two-banks.md}"
}

# N: prints the N-th JSON block of the tutorial's section.
readme_json() {
	between_organisations |
		awk -v n="$1" \
		'/^```json/ { inside = ++at == n; next } /^```/ { inside = 0 } inside' | jq .
}

sent() { # HOST FILE HOST: copies FILE to the /etc/coterie of the second host
	on "$1" cat "/etc/coterie/$2" | put "$3" "/etc/coterie/${2##*/}"
}

# Keys are made on their hosts; only requests, certificates and fingerprints travel. Configurations
# are those of the packages with the tutorial's values.
federation_of_hosts() {
	local name other
	readme 1
	readme 2
	for name in bank-a bank-b; do sent "$name" "$name.csr" hub; done
	readme 3
	for name in bank-a bank-b; do sent hub "$name.crt" "$name" && sent hub ca.crt "$name"; done
	readme 4
	on hub cat /etc/coterie/coordinator.json |
		jq -s '(.[0] | del(.example)) * (.[1] | del(.output)) | .threads = 1' - \
		<(readme_json 1) >"$T/new"
	put hub /etc/coterie/coordinator.json <"$T/new"
	for name in hub bank-a; do readme_json 2 | put "$name" /etc/coterie/job.json; done
	for name in bank-a bank-b; do
		other=bank-$(tr ab ba <<<"${name#bank-}")
		on "$name" cat /etc/coterie/party.json |
			jq -s --arg name "$name" --arg other "$other" --arg hub \
			"$(on hub coterie pki fingerprint /etc/coterie/hub.crt)" \
			--arg pin \
			"$(on "$other" coterie pki fingerprint "/etc/coterie/$other.crt")" '
			(.[0] | del(.example, .peers)) * (.[1] | del(.output, .data))
			| del(.data.ids) | .name = $name | .threads = 1 |
			.identity.certificate = "\($name).crt" | .identity.key = "\($name).key"
			| .peers = { hub: $hub, ($other): $pin } |
			.data.features = "/var/lib/coterie-party/data/features.mtx"' - \
			<(readme_json 3) >"$T/new"
		put "$name" /etc/coterie/party.json <"$T/new"
	done
}

three_hosts() { # starts hub, bank-a and bank-b, without packages
	local name address=1
	wire
	for name in hub bank-a bank-b; do
		host "$name" 10.83.0.$((address++))
		printf '127.0.0.1 localhost\n10.83.0.1 hub.example.org\n' | put "$name" /etc/hosts
	done
}

install_on() { # HOST PACKAGE...: installs packages of $FROM
	# shellcheck disable=SC2016
	on "$1" /bin/sh \
		-c 'cd "$1" && shift && for p; do set -- "$@" "$p"_[0-9]*.deb && shift; done; '\
'dpkg --force-confold -i "$@"' - "${FROM:-/srv/packages}" "${@:2}" >"$T/dpkg" 2>&1 ||
		fail "$1: dpkg -i: $(cat "$T/dpkg")"
}

both_connected() {
	[[ $(on hub coterie status --json | jq '[.peers[].connected] | all') == true ]]
}

ready_on_hosts() {
	until_true 60 both_connected || fail "not both are connected: $(on hub coterie status)"
}

# N: both parties have the labels of N jobs, and the labels of the last job are equal
same_labels_on_hosts() {
	local name
	for name in bank-a bank-b; do
		until_true 30 on "$name" /bin/sh \
			-c "[ \$(ls /var/lib/coterie-party/job-*/labels.csv 2>/dev/null | wc -l) = \
$1 ]" || fail "$name has no labels of job $1"
		on "$name" /bin/sh -c \
			'cat "$(ls -t /var/lib/coterie-party/job-*/labels.csv | head -n 1)"' \
			>"$T/labels-$name"
	done
	[[ $(wc -l <"$T/labels-bank-a") == 151 ]] ||
		fail "bank-a has $(wc -l <"$T/labels-bank-a") lines of labels"
	same_labels "$T/labels-bank-a" "$T/labels-bank-b"
}

job_on_hosts() { # N: submits job N and waits until it is done
	ready_on_hosts
	on hub coterie job submit --wait /etc/coterie/job.json >"$T/job-$1" 2>&1 ||
		fail "job $1: $(cat "$T/job-$1" &&
		on hub journalctl -q -o cat -n 5 -u coterie-coordinator)"
	same_labels_on_hosts "$1"
}

data_on_hosts() {
	local name other f
	federation 2
	for name in bank-a bank-b; do
		other=party-0$([[ $name == bank-a ]] && echo 0 || echo 1)
		for f in features.mtx edges.tsv; do
			put "$name" "/var/lib/coterie-party/data/$f" coterie-party: 600 \
				<"$T/data/$other/$f"
		done
	done
}

# Builds the packages of the previous release, $COTERIE_COMPAT_REF or the newest tag, into
# $OLD_DEBS. Sets $TUTORIAL to its tutorial.
packages_before() {
	local ref version
	ref=${COTERIE_COMPAT_REF:-$(git -C "$ROOT" describe --tags --match 'v[0-9]*' --abbrev=0 \
		HEAD^ 2>/dev/null || true)}
	[[ $ref ]] ||
		skip "git has no tag v* before this commit, and COTERIE_COMPAT_REF names no other"
	version=$(git -C "$ROOT" show "$ref:VERSION")
	TUTORIAL=$T/tutorial.md OLD_DEBS=$T/before/packages
	# Release 0.2.0 has the tutorial in its README.
	git -C "$ROOT" show "$ref:docs/tutorials/two-banks.md" >"$TUTORIAL" 2>/dev/null ||
		git -C "$ROOT" show "$ref:README.md" >"$TUTORIAL"
	mkdir "$T/before"
	git -C "$ROOT" -c tar.umask=0022 archive --format=tar --prefix="coterie-$version/" "$ref" |
		gzip -9n >"$T/before/coterie-$version.tar.gz"
	build_from "$T/before/coterie-$version.tar.gz" "$OLD_DEBS"
}

# HOST: prints the number of lines in its ledger's list
rows_of_ledger() { on "$1" coterie ledger --state /var/lib/coterie-party/state list | wc -l; }

# After an upgrade from the previous release the queue and the ledgers are whole, and a waiting job
# is done.
test_upgrade_of_the_release_before() {
	full
	trap 'STATUS=$?; hosts_end; finish $STATUS' EXIT
	local name version rows before
	packages_before
	root_with_packages
	in_root "$BASE" apt-get -q -y purge "${PACKAGES[@]}"
	mkdir "$BASE/srv/before"
	cp "$OLD_DEBS"/*.deb "$BASE/srv/before"
	in_root "$BASE" /bin/sh -c 'apt-get -q -y install /srv/before/*.deb'
	mapfile -t before < <(cd "$OLD_DEBS" && printf '%s\n' *.deb | sed 's/_.*//')
	in_root "$BASE" apt-get -q -y purge "${before[@]}"
	three_hosts
	FROM=/srv/before install_on hub coterie-coordinator coterie coterie-doc
	for name in bank-a bank-b; do
		FROM=/srv/before install_on "$name" coterie-party coterie
	done
	federation_of_hosts
	data_on_hosts
	readme 6
	readme 8
	ready_on_hosts
	readme 9
	same_labels_on_hosts 1
	on bank-b systemctl stop coterie-party
	on hub coterie job submit /etc/coterie/job.json >/dev/null
	rows=$(rows_of_ledger bank-a)
	version=$(on bank-a party --version)

	install_on hub coterie-coordinator coterie coterie-doc
	for name in bank-a bank-b; do install_on "$name" coterie-party coterie; done
	[[ $(on bank-a party --version) != "$version" ]] ||
		fail "after the upgrade it is still $version"
	on hub systemctl restart coterie-coordinator
	for name in bank-a bank-b; do on "$name" systemctl restart coterie-party; done
	on hub coterie job wait 2 >"$T/waited" 2>&1 || fail "job 2: $(cat "$T/waited")"
	[[ $(on hub coterie job list --json |
		jq -r \
		'sort_by(.id) | map("\(.id) \(.state)") | join(", ")') == "1 done, 2 done" ]] ||
		fail "the queue: $(on hub coterie job list --json)"
	same_labels_on_hosts 2
	for name in bank-a bank-b; do
		on "$name" coterie ledger --state /var/lib/coterie-party/state verify >"$T/ledger" \
			2>&1 || fail "$name: $(<"$T/ledger")"
	done
	(($(rows_of_ledger bank-a) > rows)) ||
		fail "bank-a's ledger has $(rows_of_ledger bank-a) rows, $rows before"
}

test_three_hosts() {
	full
	trap 'STATUS=$?; hosts_end; finish $STATUS' EXIT
	root_with_packages
	in_root "$BASE" apt-get -q -y purge "${PACKAGES[@]}"
	three_hosts
	local name pid
	install_on hub coterie-coordinator coterie coterie-doc
	for name in bank-a bank-b; do install_on "$name" coterie-party coterie; done

	# Services do not run by themselves. A service with an unedited example fails with an error,
	# and is not restarted again and again.
	! on bank-a systemctl is-enabled -q coterie-party || fail "the party is enabled"
	is_state bank-a coterie-party inactive || fail "the party runs"
	! on bank-a systemctl start coterie-party || fail "the example was taken"
	journal_soon_says bank-a coterie-party 'this is still the example that was installed'
	until_true 10 is_state bank-a coterie-party failed ||
		fail "it is tried again: $(property bank-a coterie-party ActiveState)"

	# A failure sends a mail.
	put bank-a /usr/sbin/sendmail root:root 755 <<<$'#!/bin/sh\ncat >>/root/mail'
	on bank-a cp /usr/share/doc/coterie-party/examples/coterie-alarm@.service \
		/etc/systemd/system
	on bank-a cat /usr/share/doc/coterie-party/examples/on-failure.conf |
		put bank-a /etc/systemd/system/coterie-party.service.d/on-failure.conf
	on bank-a systemctl daemon-reload
	! on bank-a systemctl restart coterie-party 2>/dev/null || fail "the example was taken"
	until_true 20 on bank-a grep -q 'Subject: coterie-party failed on bank-a' /root/mail ||
		fail "nobody was told"

	federation_of_hosts
	data_on_hosts
	readme 6
	readme 8
	for name in bank-a bank-b; do
		journal_soon_says "$name" coterie-party 'system calls are confined'
	done
	ready_on_hosts
	readme 9
	same_labels_on_hosts 1
	[[ $(on bank-b coterie status --json | jq -r .role) == party ]] ||
		fail "a party does not say what it does: $(on bank-b coterie status 2>&1)"

	# A remote user submits a job.
	on hub cat /etc/coterie/coordinator.json | jq -s '.[0] * .[1]' - <(readme_json 4) >"$T/new"
	put hub /etc/coterie/coordinator.json <"$T/new"
	readme 10
	same_labels_on_hosts 2
	[[ $(on hub coterie job show 2 --json | jq -r '.submitter, .state' |
		xargs) == "anna done" ]] || fail "job 2: $(on hub coterie job show 2)"
	[[ $(on bank-a stat -c '%a %U' /var/lib/coterie-party \
		/var/lib/coterie-party/log.jsonl) == $'700 coterie-party\n600 coterie-party' ]] ||
		fail "modes"

	# The watchdog is on, SIGHUP reloads, a killed party is restarted, and the log is rotated.
	[[ $(property bank-a coterie-party WatchdogUSec) == 1min ]] || fail "no watchdog"
	renewed
	on bank-a systemctl reload coterie-party ||
		fail "reload: $(on bank-a journalctl -q -o cat -n 8 -u coterie-party)"
	journal_soon_says bank-a coterie-party 'certificates reloaded'
	pid=$(property bank-a coterie-party MainPID)
	on bank-a kill -KILL "$pid"
	until_true 30 is_another_process bank-a "$pid" || fail "the party that died is not back"
	on bank-a logrotate -f /etc/logrotate.d/coterie-party || fail "logrotate"
	on bank-a /bin/sh \
		-c 'test -s /var/lib/coterie-party/log.jsonl.1.gz && test ! -s '\
'/var/lib/coterie-party/log.jsonl' || fail "the log was not rotated"
	on bank-a systemctl restart coterie-party
	until_true 10 on bank-a test -s /var/lib/coterie-party/log.jsonl ||
		fail "nothing is logged after rotation"
	job_on_hosts 3
	group_reads

	# The coordinator is restarted during a job; the next attempt succeeds.
	ready_on_hosts
	on hub coterie job submit /etc/coterie/job.json >/dev/null
	on hub systemctl restart coterie-coordinator
	on hub coterie job wait 4 >"$T/waited" 2>&1 || fail "job 4: $(cat "$T/waited")"
	same_labels_on_hosts 4

	upgrade
	job_on_hosts 5
	[[ $(on hub coterie job list --json |
		jq -r '[.[].state] | unique | join(" ")') == "done" ]] ||
		fail "the queue: $(on hub coterie job list)"
	purge
}

# Checks docs/howto/run-as-a-service.md: members of the unit's group may read labels but not the
# log, even after systemd-tmpfiles resets directories, as in an upgrade.
group_reads() {
	local dir=/var/lib/coterie-party
	on bank-b /bin/sh -c 'groupadd analysts && usermod -aG analysts coterie-party &&
		useradd -G analysts nina'
	on bank-b jq '.results_group = "analysts"' /etc/coterie/party.json >"$T/new"
	put bank-b /etc/coterie/party.json <"$T/new"
	! on bank-b systemctl restart coterie-party 2>/dev/null ||
		is_state bank-b coterie-party failed ||
		until_true 10 is_state bank-b coterie-party failed ||
		fail "it starts without Group="
	journal_soon_says bank-b coterie-party 'no member of the group .*in a unit, Group=analysts'
	put bank-b /etc/systemd/system/coterie-party.service.d/group.conf \
		<<<$'[Service]\nGroup=analysts'
	on bank-b systemctl daemon-reload
	on bank-b systemctl restart coterie-party
	until_true 20 on bank-b runuser -u nina -- ls "$dir" >/dev/null || fail "nina may not enter"
	on bank-b systemd-tmpfiles --create coterie-party.conf
	on bank-b runuser -u nina -- /bin/sh -c "cat $dir/job-*/labels.csv" >"$T/labels" ||
		fail "nina reads no labels: $(on bank-b ls -lR "$dir")"
	[[ -s $T/labels ]] || fail "no labels"
	! on bank-b runuser -u nina -- cat "$dir/log.jsonl" 2>/dev/null || fail "nina reads the log"
	on bank-b runuser -u coterie-party -- coterie doctor --config /etc/coterie/party.json \
		>"$T/doctor" ||
		fail "doctor: $(<"$T/doctor")"
}

# Gives bank-a another certificate for the same key, as docs/howto/rotate-keys.md says. doctor must
# then find no fault at the party or at the hub.
renewed() {
	on hub /bin/sh -c \
		'cd /etc/coterie && coterie pki sign --ca ca --out new.crt bank-a.csr >/dev/null'
	sent hub new.crt bank-a
	on bank-a install -m 644 /etc/coterie/new.crt /etc/coterie/bank-a.crt
	on bank-a rm /etc/coterie/new.crt
	on bank-a runuser -u coterie-party -- coterie doctor --config /etc/coterie/party.json \
		>"$T/doctor" 2>&1 || fail "bank-a: $(<"$T/doctor")"
	grep -Eq "^version there +$(<"$ROOT/VERSION")" "$T/doctor" ||
		fail "doctor did not ask the hub: $(<"$T/doctor")"
	on hub runuser -u coterie-coordinator -- coterie doctor --json --config \
		/etc/coterie/coordinator.json >"$T/doctor" 2>&1 || fail "hub: $(<"$T/doctor")"
	jq -e 'any(.[]; .found == "api.listen: 0.0.0.0:7443 is in use" and .verdict == "note")' \
		"$T/doctor" >/dev/null || fail "doctor did not look at api.listen: $(<"$T/doctor")"
}

# HOST PID: true if the party is active with another process id
is_another_process() {
	[[ $(property "$1" coterie-party MainPID) != [0"$2"] &&
		$(property "$1" coterie-party MainPID) != "$2" ]] &&
		is_state "$1" coterie-party active
}

# During an upgrade running daemons continue, and the edited configuration stays. After a restart
# the new version runs.
upgrade() {
	local name pid archive
	archive=$(echo "$DEBS"/coterie_*.orig.tar.gz)
	renamed "$archive" 0.2.1~test "$T/renamed"
	build_from "$T/renamed/coterie-0.2.1~test.tar.gz" "$T/newer"
	pid=$(property bank-a coterie-party MainPID)
	for name in hub bank-a bank-b; do
		on "$name" rm -r /srv/packages
		for p in "$T"/newer/coterie*_{amd64,arm64,all}.deb; do
			[[ ! -e $p || $p == *dbgsym* ]] ||
				put "$name" "/srv/packages/${p##*/}" <"$p"
		done
	done
	on bank-a sha256sum /etc/coterie/party.json >"$T/before"
	install_on hub coterie-coordinator coterie coterie-doc
	for name in bank-a bank-b; do install_on "$name" coterie-party coterie; done
	[[ $(property bank-a coterie-party MainPID) == "$pid" ]] ||
		fail "the upgrade has restarted the party: $(on bank-a journalctl -q -o cat -n 12 \
		-u coterie-party)"
	on bank-a sha256sum /etc/coterie/party.json | cmp - "$T/before" ||
		fail "the upgrade has changed party.json"
	[[ $(on bank-a party --version) == *' 0.2.1~test'* ]] ||
		fail "party --version: $(on bank-a party --version)"
	on hub systemctl restart coterie-coordinator
	for name in bank-a bank-b; do on "$name" systemctl restart coterie-party; done
}

# Removing a package keeps its state. Purging deletes all but the operator's files in /etc/coterie.
# It also keeps the user who owns these files.
purge() {
	on bank-a dpkg -r coterie-party >/dev/null 2>&1
	is_state bank-a coterie-party inactive || fail "removed, and runs"
	on bank-a test -s /var/lib/coterie-party/state/ledger.db || fail "removing took the ledger"
	on bank-a dpkg -P coterie-party coterie >"$T/dpkg" 2>&1 || fail "dpkg -P: $(cat "$T/dpkg")"
	on bank-a test ! -e /var/lib/coterie-party || fail "purged, and its state is there"
	[[ $(on bank-a ls \
		/etc/coterie | xargs) == "anna.crt anna.csr anna.key bank-a.crt bank-a.csr \
bank-a.key ca.crt job.json" ]] || fail "/etc/coterie has: $(on bank-a ls /etc/coterie)"
	on bank-a getent passwd coterie-party >/dev/null ||
		fail "the user is gone whose key is there"
	on bank-a rm -r /etc/coterie /etc/systemd/system/coterie-party.service.d \
		/etc/systemd/system/coterie-alarm@.service
	install_on bank-a coterie-party
	on bank-a dpkg -P coterie-party >"$T/dpkg" 2>&1
	[[ -z $(traces on bank-a) ]] || fail "after purge there are: $(traces on bank-a)"
}

sample
run_tests "$@"
