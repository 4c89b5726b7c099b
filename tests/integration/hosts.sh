# hosts.sh -- runs hosts with a Debian and a systemd of their own, for tests of packages; sourced
# after lib.sh. Needs root.
#
#     hub    bank-a   bank-b      each: systemd-nspawn on an overlay over $BASE, which stays
#       \      |       /          unchanged
#        +-- wire ----+           a bridge in a network namespace without a route to the outside
#
# All mounts are in a mount namespace of the host's process. They end with that process, which ends
# with the test.
#
# shellcheck shell=bash
declare -A LEADER=() # host -> process id of its systemd

hosts_possible() {
	((EUID == 0)) || skip "only root can make hosts"
	local tool
	for tool in mmdebstrap systemd-nspawn nsenter ip; do
		command -v "$tool" >/dev/null || skip "$tool is not installed: scripts/deps --deb"
	done
	unshare -m mount -t overlay -o "lowerdir=/usr:/etc" none /mnt 2>/dev/null ||
		skip "no overlay can be mounted here"
	unshare -m mount -t cgroup2 none /mnt 2>/dev/null || skip "no cgroup2 can be mounted here"
}

# Makes a Debian with systemd from the mirror. The archive is made once in a working tree.
base() { # DIRECTORY
	local kept=$ROOT/build/deb-base.tar
	(
		flock 9
		[[ -s $kept ]] || {
			mmdebstrap --quiet --format=tar --variant=minbase \
				--include=systemd,systemd-sysv,dbus,iproute2,jq bookworm \
				"$kept.new" 2>"$T/mmdebstrap.stderr" ||
				skip "no Debian can be had from the mirror: $(tail -n 1 \
				"$T/mmdebstrap.stderr")"
			mv "$kept.new" "$kept"
		}
	) 9>"$ROOT/build/deb-base.lock" || exit $?
	mkdir -p "$1"
	tar -C "$1" -xf "$kept"
	rm -f "$1/etc/hostname" # mmdebstrap copied this machine's name
}

# Runs a command in the root DIRECTORY, without systemd, on this machine's network.
in_root() { # DIRECTORY COMMAND...
	systemd-nspawn -q --register=no --keep-unit -D "$1" \
		--setenv=DEBIAN_FRONTEND=noninteractive "${@:2}" </dev/null >"$T/root.log" 2>&1 || {
		tail -n 20 "$T/root.log"
		fail "${*:2}: failed"
	}
}

net() { nsenter -t "${PID[net-$1]}" -n "${@:2}"; } # HOST COMMAND...

own_network() { # HOST
	start "net-$1" unshare -n sleep infinity
	until_true 10 network_is_its_own "$1" || fail "$1 has no network namespace"
	net "$1" ip link set lo up
}

network_is_its_own() {
	[[ $(readlink "/proc/${PID[net-$1]}/ns/net") != "$(readlink /proc/self/ns/net)" ]]
}

wire() {
	own_network wire
	net wire ip link add lan type bridge
	net wire ip link set lan up
}

host() { # NAME ADDRESS: starts a host; call wire() and set $BASE before
	local name=$1
	own_network "$name"
	net wire ip link add "$name" type veth peer name eth0 netns "${PID[net-$name]}"
	net wire ip link set "$name" master lan up
	net "$name" ip address add "$2/24" dev eth0
	net "$name" ip link set eth0 up
	mkdir -p "$T/host/$name"/{upper,work,root}
	# The container gets control groups of version 2. A hierarchy of version 1 stays with the
	# host.
	start "$name" unshare -m bash -euc '
		cd "$1"
		mount -t overlay -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" none root
		[[ $(stat -f -c %T /sys/fs/cgroup) == cgroup2fs ]] ||
			{ umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup; }
		mkdir -p "/sys/fs/cgroup/${1//\//-}"
		echo $$ >"/sys/fs/cgroup/${1//\//-}/cgroup.procs"
		export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1
		exec systemd-nspawn -q --register=no --keep-unit -b -D root --hostname "$3" \
			--console pipe \
			--network-namespace-path "/proc/$4/ns/net"' \
		- "$T/host/$name" "$BASE" "$name" "${PID[net-$name]}"
	until_true 60 host_is_up "$name" ||
		fail "$name does not start: $(tail -n 5 "$T/$name.stdout" "$T/$name.stderr")"
}

host_is_up() { # NAME
	gone "$1" && return 0
	LEADER[$1]=$(pgrep -P "${PID[$1]}" | head -n 1) &&
		on "$1" systemctl is-system-running 2>/dev/null | grep -Eq 'running|degraded'
}

on() { # HOST COMMAND...
	nsenter -t "${LEADER[$1]}" -m -u -i -n -p --root --wd -- \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "${@:2}" </dev/null
}

put() { # HOST FILE [OWNER [MODE]]: writes standard input to FILE
	nsenter -t "${LEADER[$1]}" -m --root --wd -- /bin/sh -c \
		'mkdir -p "${1%/*}"; umask 077; cat >"$1"; chmod "$3" "$1"; chown "$2" "$1"' \
		- "$2" "${3:-root:root}" "${4:-644}"
}

# Kills the hosts and removes their control groups. Call it before lib.sh removes $T.
hosts_end() {
	local cgroups name
	for name in "${!LEADER[@]}"; do kill -KILL "${LEADER[$name]}" 2>/dev/null || true; done
	cgroups=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	for name in "${!LEADER[@]}"; do
		until_true 10 no_cgroup "$cgroups/${T//\//-}-host-$name" || true
	done
}

no_cgroup() { # DIRECTORY
	[[ ! -e $1 ]] || find "$1" -depth -type d -exec rmdir {} + 2>/dev/null
}
