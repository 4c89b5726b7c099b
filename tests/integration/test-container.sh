#!/bin/bash
# Images of the daemons by the Containerfile, from a Debian that the mirror has and no registry; a job between three containers.
# With COTERIE_CONTAINER=yes (make container-check), since it takes minutes; without, only what is written there.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=serve.sh
source "${0%/*}/serve.sh"

# shellcheck disable=SC2034
TEST_TIMEOUT=2400

possible() {
	[[ ${COTERIE_CONTAINER-} ]] || skip "takes minutes: make container-check"
	((EUID == 0)) || skip "only root can make a Debian root"
	local tool
	for tool in mmdebstrap buildah; do command -v "$tool" >/dev/null || skip "$tool is not installed: scripts/deps --container"; done
	export BUILDAH_ISOLATION=chroot
	unshare -m true 2>/dev/null || skip "no namespaces can be made here"
}

build() { buildah --storage-driver vfs --root "$T/store" --runroot "$T/run" "$@"; }

debian() { # the image localhost/debian:12
	local kept=$ROOT/build/container-base.tar c
	[[ -s $kept ]] || {
		mmdebstrap --quiet --format=tar --variant=minbase bookworm "$kept.new" 2>"$T/mmdebstrap" || skip "no Debian can be had from the mirror: $(tail -n 1 "$T/mmdebstrap")"
		mv "$kept.new" "$kept"
	}
	c=$(build from scratch)
	build add -q "$c" "$kept" / >/dev/null
	build commit -q --rm "$c" localhost/debian:12 >/dev/null
}

image() { # TARGET
	build bud --layers --build-arg DEBIAN=localhost/debian:12 --target "$1" -t "coterie-$1" "$ROOT" >"$T/build-$1.log" 2>&1 ||
		fail "$1 cannot be built: $(tail -n 15 "$T/build-$1.log")"
}

# As the image's own user, with its own way to begin; $T is there as on this host.
container() { # NAME TARGET ARG...
	local c
	c=$(build from "coterie-$2")
	start "$1" buildah --storage-driver vfs --root "$T/store" --runroot "$T/run" run -v "$T:$T" --user "coterie-$2" "$c" -- "/usr/bin/$2" "${@:3}"
}

# An image's user and command are those of the package's unit.
test_as_the_units() {
	local role stage of_unit of_image
	for role in coordinator party; do
		stage=$(sed -n "/ AS $role\$/,/^\$/p" "$ROOT/Containerfile")
		of_unit=$(sed -n "s/^@$role@ ExecStart=//p" "$ROOT/scripts/debian/daemon.service")
		of_image=$(sed -n 's/^ENTRYPOINT //p; s/^CMD //p' <<<"$stage" | jq -rs 'add | join(" ")')
		[[ $of_unit && $of_image == "$of_unit" ]] || fault "the image of a $role begins '$of_image', the unit '$of_unit'"
		[[ $(sed -n 's/^USER //p' <<<"$stage") == "coterie-$role" ]] || fault "the image of a $role has another user"
	done
}

ready_or_gone() { [[ -s $T/out/ready ]] || gone coordinator; }

test_job_between_containers() {
	possible
	debian
	image coordinator
	image party
	[[ $(build inspect --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}' --type image coterie-party) == \
		'coterie-party [/usr/bin/party] [--config /etc/coterie/party.json]' ]] || fail "the image begins otherwise"
	federation 2
	for name in party-00 party-01; do edit "$name" '.retry_s = 0'; done
	edit coordinator '.control.socket = "out/control.socket" | .control.submitters = ["daemon"]'
	mkdir -p "$T/out"
	# Each image has a user of its own, and keys are for that one alone.
	chmod a+rwx "$T" "$T/out"
	chmod -R a+rX "$T/data" "$T/pki" "$T"/*.json
	chmod 600 "$T"/pki/*.key
	local c name
	c=$(build from coterie-coordinator)
	build run -v "$T:$T" --user root "$c" -- chown coterie-coordinator "$T/pki/coordinator.key"
	container coordinator coordinator --serve --config "$T/coordinator.json" --ready-file "$T/out/ready"
	until_true 60 ready_or_gone && [[ -s $T/out/ready ]] || fail "the coordinator did not become ready: $(tail -n 3 "$T/coordinator.stderr")"
	ADDRESS=$(<"$T/out/ready")
	c=$(build from coterie-party)
	for name in party-00 party-01; do
		build run -v "$T:$T" --user root "$c" -- chown coterie-party "$T/pki/$name.key"
		container "$name" party --config "$T/$name.json" --coordinator "$ADDRESS"
	done
	here 2
	says party-00 'system calls are confined'
	[[ $("$BIN/coterie" job --socket "$T/out/control.socket" submit --wait "$T/job.json") == $'job 1\njob 1: done' ]] || fail "job 1: $("$BIN/coterie" job --socket "$T/out/control.socket" show 1)"
	same_labels "$T"/out/party-00/job-*/labels.csv "$T"/out/party-01/job-*/labels.csv
}

run_tests "$@"
