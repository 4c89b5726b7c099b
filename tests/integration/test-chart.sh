#!/bin/bash
# Tests the Helm chart of configs/helm/coterie. Its objects have the shape of the Kubernetes API,
# and the daemons accept the configuration in them. helm's template engine renders the chart; so
# does helm, if it is installed.
#
# This test needs the packages of scripts/deps --helm, and is skipped without them.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=serve.sh
source "${0%/*}/serve.sh"
# shellcheck source=chart.sh
source "${0%/*}/chart.sh"

variants() { # COMMAND...: runs COMMAND on each example: alone, with $plain and with $more
	local example plain more
	plain='{"config": {"api": null}, "metrics": {"enabled": false}, "networkPolicy":
		{"enabled": false}}'
	more='{"config": {"api": null}, "metrics": {"enabled": true, "from": [{"podSelector": {}}]},
		"state": {"storageClassName": "fast"}, "nodeSelector": {"disk": "ssd"},
		"tolerations": [{"operator": "Exists"}], "imagePullSecrets": [{"name": "registry"}],
		"service": {"annotations": {"a": "b"}}}'
	for example in "$CHART"/examples/*.yaml; do
		"$@" "$example"
		"$@" "$example" "$plain"
		"$@" "$example" "$more"
	done
}

# shellcheck disable=SC2016
readonly \
	SELECTORS='map(select(.kind == "StatefulSet"))[0].spec.template.metadata.labels as $labels |
	all(.[] | .spec | .selector.matchLabels // .podSelector.matchLabels // .selector | values;
		inside($labels))'

has_shape() { # VALUES...
	render one "$@"
	shape "$T"/chart/*.yaml || fault "$*: $(<"$T/faults")"
	object StatefulSet '.spec.template.spec | ([.containers[].volumeMounts[].name] | sort) ==
		([.volumes[].name, "state"] | sort)' >/dev/null ||
		fault "$*: volumes and mounts differ"
	objects "$SELECTORS" >/dev/null || fault "$*: a selector is not the pod's"
	accepted "$@" || fault "$*: $(<"$T/faults")"
}

test_shape() {
	needs_renderer
	variants has_shape
	sed 's/^  replicas: 1/  replicas: "1"\n  size: 3/' "$T/chart/statefulset.yaml" \
		>"$T/bad.yaml"
	! shape "$T/bad.yaml" || fail "any shape will do"
	grep -q 'spec.replicas: expected int' "$T/faults" || fail "$(<"$T/faults")"
	grep -q 'spec.size: there is no' "$T/faults" || fail "$(<"$T/faults")"
}

readonly CONFINED='.spec.template.spec |
	.automountServiceAccountToken == false and
	(.securityContext | .runAsNonRoot and .runAsUser > 0 and
		.seccompProfile.type == "RuntimeDefault") and
	all(.containers[]; .resources.limits.memory and .livenessProbe and .readinessProbe and
		([.volumeMounts[] | select(.readOnly | not).name] == ["state", "run"]) and
		(.securityContext | .readOnlyRootFilesystem
		and .allowPrivilegeEscalation == false and
			.capabilities == { drop: ["ALL"] }))'

# No process runs as root, only the state is writable, and the objects contain no secrets, only
# their names.
test_confined() {
	needs_renderer
	local example kinds='["Service", "ConfigMap", "NetworkPolicy", "StatefulSet"]'
	for example in "$CHART"/examples/*.yaml; do
		render one "$example"
		object StatefulSet "$CONFINED" >/dev/null || fail "$example is not confined"
		[[ $(objects "[.[].kind] - $kinds") == '[]' ]] ||
			fail "kinds: $(objects '[.[].kind]')"
	done
	render one "$CHART/examples/party.yaml" \
		'{"config": {"proxy": "http://proxy.bank-a.org:3128"}}'
	[[ $(object NetworkPolicy '.spec.egress[0].ports[0].port') == 3128 ]] ||
		fault "the way to the proxy is closed"
}

refuses() { # TEXT VALUES...
	render one "${@:2}"
	! accepted "${@:2}" || fault "values.schema.json takes ${*:2}"
	grep -q -- "$1" "$T/faults" || fault "${*:2}: $(<"$T/faults")"
}

test_values_that_do_not_do() {
	needs_renderer
	local party=$CHART/examples/party.yaml coordinator=$CHART/examples/coordinator.yaml
	refuses role "$party" '{"role": "worker"}'
	refuses image.repository "$party" '{"image": {"repository": ""}}'
	refuses identity.secretName "$coordinator" '{"identity": {"secretName": ""}}'
	refuses config.identity "$party" '{"config": {"identity": {"key": "x.key"}}}'
	refuses config.listen "$coordinator" '{"config": {"listen": "0.0.0.0:80"}}'
	refuses config.api "$party" '{"config": {"api": {"listen": "0.0.0.0:80"}}}'
	refuses 'data.claimName' "$party" '{"data": {"claimName": ""}}'
	refuses "'peers' is a required" "$party" '{"config": {"peers": null}}'
	refuses "'parties' is a required" "$coordinator" '{"config": {"parties": null}}'
	refuses metrics.from "$party" '{"metrics": {"enabled": true}}'
	refuses privileged "$party" '{"privileged": true}'
}

# Makes files with the modes that the kubelet gives a Secret for a pod with fsGroup.
secret_files() { # NAME
	mkdir -p "$T/etc/$1"
	cp "$T/pki/$1.crt" "$T/etc/$1/tls.crt"
	cp "$T/pki/$1.key" "$T/etc/$1/tls.key"
	cp "$T/pki/ca.crt" "$T/etc/$1/ca.crt"
	chmod 440 "$T/etc/$1"/*
}

readonly HERE='walk(if type != "string" then . else
	sub("^/etc/coterie-identity"; $dir) | sub("^/var/lib/coterie-[a-z]+"; $state) end)'

check_config() { # NAME [ENV...] DAEMON...: checks NAME's configuration, with its files in $T
	config >"$T/$1.rendered"
	jq --arg dir "$T/etc/$1" --arg state "$T/state" "$HERE" "$T/$1.rendered" >"$T/$1.here.json"
	env "${@:2}" --config "$T/$1.here.json" --check-config >"$T/said" 2>&1
}

test_daemons_take_it() {
	needs_renderer
	federation 2
	local name
	for name in party-00 coordinator; do secret_files "$name"; done
	render one "$CHART/examples/party.yaml" \
		"$(jq '{ config: ({ name, peers, policy } + { api: null }) }' "$T/party-00.json")"
	check_config party-00 CREDENTIALS_DIRECTORY="$T/etc/party-00" "$BIN/party" ||
		fault "$(<"$T/said")"
	jq -e --slurpfile old "$T/party-00.json" '
		.peers["party-01"] == $old[0].peers["party-01"] and
		.control.socket == "/run/coterie-party/control.socket"' "$T/party-00.rendered" \
			>/dev/null ||
		fault "another configuration: $(<"$T/party-00.rendered")"
	! check_config party-00 "$BIN/party" || fault "its group may read a key, elsewhere, too"
	grep -q 'mode 0440 lets others at the private key' "$T/said" || fault "$(<"$T/said")"
	render one "$CHART/examples/coordinator.yaml" '{"config": {"name": "coordinator"},
		"identity": {"crl": ""}}'
	check_config coordinator CREDENTIALS_DIRECTORY="$T/etc/coordinator" \
		"$BIN/coordinator" --serve || fault "$(<"$T/said")"
}

test_notes_and_version() {
	needs_renderer
	render hub "$CHART/examples/coordinator.yaml"
	grep -q 'kubectl -n banks exec hub-0 -- coterie status' "$T/chart/NOTES.txt" ||
		fail "NOTES.txt"
	object StatefulSet ".spec.template.spec.containers[0].image |
		endswith(\":$(<"$ROOT/VERSION")\")" >/dev/null ||
		fail "Chart.yaml: appVersion is another than VERSION"
}

test_helm() {
	command -v helm >/dev/null || skip "helm is not installed"
	local example
	for example in "$CHART"/examples/*.yaml; do
		helm lint --strict -f "$example" "$CHART" >"$T/said" 2>&1 || fail "$(<"$T/said")"
		helm template one "$CHART" -f "$example" >"$T/one.yaml" || fail "helm template"
		shape "$T/one.yaml" || fail "$(<"$T/faults")"
	done
}

sample test_shape test_daemons_take_it
run_tests "$@"
