#!/bin/bash
# Builds images of the daemons with the Containerfile, from a Debian of the mirror, without a
# registry. Runs a job between three containers, and another as in pods of the Helm chart. This
# takes minutes and needs COTERIE_CONTAINER=yes (make container-check). Without it only the
# Containerfile is checked.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=serve.sh
source "${0%/*}/serve.sh"
# shellcheck source=chart.sh
source "${0%/*}/chart.sh"

# shellcheck disable=SC2034
TEST_TIMEOUT=2400

possible() {
	[[ ${COTERIE_CONTAINER-} ]] || skip "takes minutes: make container-check"
	((EUID == 0)) || skip "only root can make a Debian root"
	local tool
	for tool in mmdebstrap buildah; do
		command -v "$tool" >/dev/null ||
			skip "$tool is not installed: scripts/deps --container"
	done
	export BUILDAH_ISOLATION=chroot
	unshare -m true 2>/dev/null || skip "no namespaces can be made here"
}

build() { buildah --storage-driver vfs --root "$T/store" --runroot "$T/run" "$@"; }

debian() { # makes the image localhost/debian:12
	local kept=$ROOT/build/container-base.tar c
	[[ -s $kept ]] || {
		mmdebstrap --quiet --format=tar --variant=minbase bookworm "$kept.new" \
			2>"$T/mmdebstrap" ||
			skip "no Debian can be had from the mirror: $(tail -n 1 "$T/mmdebstrap")"
		mv "$kept.new" "$kept"
	}
	c=$(build from scratch)
	build add -q "$c" "$kept" / >/dev/null
	build commit -q --rm "$c" localhost/debian:12 >/dev/null
}

image() { # TARGET
	build bud --layers --build-arg DEBIAN=localhost/debian:12 --target "$1" -t "coterie-$1" \
		"$ROOT" >"$T/build-$1.log" 2>&1 ||
		fail "$1 cannot be built: $(tail -n 15 "$T/build-$1.log")"
}

# Ends the containers by SIGTERM. buildah passes SIGTERM on to the daemon, but not SIGKILL.
containers_end() {
	local name
	for name in "${!PID[@]}"; do kill -TERM "${PID[$name]}" 2>/dev/null || true; done
	for name in "${!PID[@]}"; do until_true 15 gone "$name" || true; done
}

# Runs a container as the image's own user, by the image's entry point. $T has the same path in it.
container() { # NAME TARGET ARG...
	local c
	c=$(build from "coterie-$2")
	start "$1" buildah --storage-driver vfs --root "$T/store" --runroot "$T/run" run -v \
		"$T:$T" --user "coterie-$2" "$c" -- "/usr/bin/$2" "${@:3}"
}

# An image's user and command are those of the package's unit.
test_as_the_units() {
	local role stage of_unit of_image
	for role in coordinator party; do
		stage=$(sed -n "/ AS $role\$/,/^\$/p" "$ROOT/Containerfile")
		of_unit=$(sed -n "s/^@$role@ ExecStart=//p" "$ROOT/scripts/debian/daemon.service")
		of_image=$(sed -n 's/^ENTRYPOINT //p; s/^CMD //p' <<<"$stage" |
			jq -rs 'add | join(" ")')
		[[ $of_unit && $of_image == "$of_unit" ]] ||
			fault "the image of a $role begins '$of_image', the unit '$of_unit'"
		[[ $(sed -n 's/^USER //p' <<<"$stage") == "coterie-$role" ]] ||
			fault "the image of a $role has another user"
	done
}

ready_or_gone() { [[ -s $T/out/ready ]] || gone coordinator; }

test_job_between_containers() {
	possible
	trap 'STATUS=$?; containers_end; finish $STATUS' EXIT
	debian
	image coordinator
	image party
	[[ $(build inspect --format \
		'{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}' --type \
		image coterie-party) == \
		'coterie-party [/usr/bin/party] [--config /etc/coterie/party.json]' ]] ||
		fail "the image begins otherwise"
	federation 2
	for name in party-00 party-01; do edit "$name" '.retry_s = 0'; done
	edit coordinator '.control.socket = "out/control.socket" | .control.submitters = ["daemon"]'
	mkdir -p "$T/out"
	# Each image has a user of its own, and only that user may read the keys.
	chmod a+rwx "$T" "$T/out"
	chmod -R a+rX "$T/data" "$T/pki" "$T"/*.json
	chmod 600 "$T"/pki/*.key
	local c name
	c=$(build from coterie-coordinator)
	build run -v "$T:$T" --user root "$c" -- chown coterie-coordinator "$T/pki/coordinator.key"
	container coordinator coordinator --serve --config "$T/coordinator.json" --ready-file \
		"$T/out/ready"
	until_true 60 ready_or_gone && [[ -s $T/out/ready ]] ||
		fail "the coordinator did not become ready: $(tail -n 3 "$T/coordinator.stderr")"
	ADDRESS=$(<"$T/out/ready")
	c=$(build from coterie-party)
	for name in party-00 party-01; do
		build run -v "$T:$T" --user root "$c" -- chown coterie-party "$T/pki/$name.key"
		container "$name" party --config "$T/$name.json" --coordinator "$ADDRESS"
	done
	here 2
	says party-00 'system calls are confined'
	[[ $("$BIN/coterie" job --socket "$T/out/control.socket" submit --wait \
		"$T/job.json") == $'job 1\njob 1: done' ]] ||
		fail "job 1: $("$BIN/coterie" job --socket "$T/out/control.socket" show 1)"
	same_labels "$T"/out/party-00/job-*/labels.csv "$T"/out/party-01/job-*/labels.csv
	image_lists_its_packages
	job_as_in_pods
}

# The list has each package that dpkg lists in the image, with its version, and each known licence.
image_lists_its_packages() {
	local list=/usr/share/doc/coterie/image.spdx.json c
	c=$(build from coterie-party)
	build run "$c" -- cat "$list" >"$T/list.json"
	build run "$c" -- dpkg-query -W -f '${Package} ${Version}\n' | tr -d '\r' |
		sort -u >"$T/dpkg"
	jq -r '.packages[] | select(.SPDXID | startswith("SPDXRef-package-")) |
		"\(.name) \(.versionInfo)"' "$T/list.json" | grep -v '^uplot ' |
		sort -u >"$T/listed"
	cmp "$T/dpkg" "$T/listed" ||
		fail "the list is not dpkg's: $(diff "$T/dpkg" "$T/listed" | head -n 3)"
	[[ $(jq -r '.packages[] | select(.name == "coterie-party").licenseDeclared' \
		"$T/list.json") == \
		'Apache-2.0 AND MIT' ]] ||
		fail "coterie-party: $(grep -A9 '"coterie-party"' "$T/list.json")"
}

# ---- pods, as the kubelet runs the chart's containers ----

# Makes a pod from the chart with values VALUES. Its configuration and Secret are read-only, and its
# fsGroup may write the volumes.
pod() { # NAME ROLE VALUES
	local pod=$T/pods/$1 c
	mkdir -p "$pod"/{config,identity,state,run,data}
	render "$1" "$3"
	accepted || fail "values of $1: $(<"$T/faults")"
	config >"$pod/config/$2.json"
	cp "$T/pki/$1.crt" "$pod/identity/tls.crt"
	cp "$T/pki/$1.key" "$pod/identity/tls.key"
	cp "$T/pki/ca.crt" "$pod/identity"
	[[ $2 == coordinator ]] || cp "$T/data/$1"/* "$pod/data"
	chown -R 0:10001 "$pod"
	chmod -R u=rwX,g=rX,o= "$pod"
	chmod 440 "$pod"/identity/*
	chmod 2770 "$pod"/{state,run}
	c=$(build from "coterie-$2")
	# A kubelet mounts its volume over the image's volume. buildah would use the image's volume,
	# so that volume is removed here.
	build config --volume "/var/lib/coterie-$2-" "$c"
	printf '%s\n' "nsenter --net=/proc/${PID[wire]}/ns/net buildah --storage-driver vfs" \
		"--root $T/store --runroot $T/run run --user 10001:10001" \
		"--env CREDENTIALS_DIRECTORY=/etc/coterie-identity" \
		"-v $pod/config:/etc/coterie:ro -v $pod/identity:/etc/coterie-identity:ro" \
		"-v $pod/state:/var/lib/coterie-$2 -v $pod/run:/run/coterie-$2 -v \
$pod/data:/data:ro" \
		"$c --" >"$pod/command"
	echo "$c" >"$pod/container"
}

in_pod() { # NAME COMMAND...
	local command
	read -rd '' -a command <"$T/pods/$1/command" || true
	"${command[@]}" "${@:2}"
}

start_pod() { # NAME COMMAND...
	local command
	read -rd '' -a command <"$T/pods/$1/command" || true
	start "pod-$1" "${command[@]}" "${@:2}"
	until_true 60 in_pod "$1" coterie status >"$T/status" 2>&1 ||
		fail "$1 is not live: $(cat "$T/status" "$T/pod-$1.stderr")"
}

party_values() { # NAME
	jq --arg name "$1" '{ role: "party", image: { repository: "coterie-party" },
		identity: { secretName: "x" }, data: { claimName: "x" },
		config: { name: $name, coordinator: "127.0.0.1:7431", retry_s: 0, peers, policy,
			data: (.data | map_values("/data/" + (split("/") | last))) } }' "$T/$1.json"
}

wire_is_own() { [[ ! /proc/${PID[wire]}/ns/net -ef /proc/self/ns/net ]]; }

job_as_in_pods() {
	needs_renderer
	local name root
	kill "${PID[party-00]}" "${PID[party-01]}" "${PID[coordinator]}"
	start wire unshare -n sleep infinity
	until_true 10 wire_is_own || fail "no network of its own"
	nsenter --net="/proc/${PID[wire]}/ns/net" ip link set lo up
	pod coordinator coordinator \
		'{"role": "coordinator", "image": {"repository": "x"}, "identity":
		{"secretName": "x"}, "config": {"name": "coordinator", "parties": ["party-00",
		"party-01"]}}'
	for name in party-00 party-01; do pod "$name" party "$(party_values "$name")"; done
	cp "$T/job.json" "$T/pods/coordinator/data"
	start_pod coordinator coordinator --serve --config /etc/coterie/coordinator.json
	for name in party-00 party-01; do
		start_pod "$name" party --config /etc/coterie/party.json
	done
	in_pod coordinator coterie job submit --wait /data/job.json >"$T/said" 2>&1 ||
		fail "$(cat "$T/said" "$T"/pod-*.stderr)"
	same_labels "$T"/pods/party-00/state/job-*/labels.csv \
		"$T"/pods/party-01/state/job-*/labels.csv
	# No daemon has written outside the volumes, where a read-only root would refuse it.
	for name in coordinator party-00; do
		root=$(build mount "$(<"$T/pods/$name/container")")
		[[ -z $(find "$root" -xdev -user 10001) ]] ||
			fail "$name wrote $(find "$root" -xdev -user 10001)"
	done
}

run_tests "$@"
