# chart.sh -- renders the Helm chart without helm; sourced after lib.sh.
#
# shellcheck shell=bash
CHART=$ROOT/configs/helm/coterie

needs_renderer() {
	[[ -d /usr/share/gocode/src/github.com/Masterminds/sprig ]] && command -v go >/dev/null &&
		/usr/bin/python3 -c 'import jsonschema, kubernetes, yaml' 2>/dev/null ||
		skip "go, sprig or python3-kubernetes is not installed: scripts/deps --helm"
	RENDERER=$ROOT/build/tools/render-chart
	mkdir -p "${RENDERER%/*}"
	(
		flock 9
		[[ $RENDERER -nt $ROOT/tests/tools/render-chart.go ]] ||
			GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$ROOT/build/tools/go nice \
				go build -o "$RENDERER" "$ROOT/tests/tools/render-chart.go"
	) 9>"$ROOT/build/tools/render-chart.lock" || fail "tests/tools/render-chart.go"
}

# Renders the chart into $T/chart. Each of VALUES is a file, or JSON itself.
render() { # RELEASE VALUES...
	local release=$1 name i=0 files=()
	for name in "${@:2}"; do
		if [[ $name == "{"* ]]; then
			echo "$name" >"$T/values-$((++i)).yaml"
			name=$T/values-$i.yaml
		fi
		files+=("$name")
	done
	"$RENDERER" "$CHART" "$release" banks "${files[@]}" >"$T/rendered" ||
		fail "$* does not render"
	rm -rf "$T/chart"
	mkdir "$T/chart"
	for name in $(jq -r 'keys[] | select(. != "values")' "$T/rendered"); do
		jq -r --arg name "$name" '.[$name]' "$T/rendered" >"$T/chart/$name"
	done
}

# Fails, with the errors in $T/faults, if values.schema.json refuses the last rendered values.
accepted() {
	/usr/bin/python3 -c '
import json, sys, jsonschema
schema, rendered = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
faults = list(jsonschema.Draft7Validator(schema).iter_errors(rendered["values"]))
for fault in faults: print(".".join(map(str, fault.absolute_path)), fault.message)
sys.exit(bool(faults))' "$CHART/values.schema.json" "$T/rendered" >"$T/faults" 2>&1
}

shape() { /usr/bin/python3 "$ROOT/tests/tools/kube-shape.py" "$@" >"$T/faults" 2>&1; } # FILE...

objects() { # JQ: applies JQ to the list of all rendered objects
	(cd "$T/chart" && for f in *.yaml; do echo --- && cat "$f"; done) |
		gojq -cs --yaml-input "map(values) | $1" -e
}

object() { objects "map(select(.kind == \"$1\"))[0] | $2"; } # KIND JQ

# Prints the daemon's configuration.
config() { objects 'map(select(.kind == "ConfigMap"))[0].data[]' | jq -r .; }
