{{- define "coterie.selector" -}}
app.kubernetes.io/name: coterie
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "coterie.labels" -}}
{{ include "coterie.selector" . }}
app.kubernetes.io/component: {{ .Values.role }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "coterie.apiPort" -}}
{{ eq .Values.role "party" | ternary 7444 7443 }}
{{- end -}}

{{- /* The ports for parties and people: a line "name number" for each. */ -}}
{{- define "coterie.ports" -}}
{{- if eq .Values.role "coordinator" }}parties 7431
{{ end }}
{{- if .Values.config.api }}api {{ include "coterie.apiPort" . }}
{{ end }}
{{- end -}}

{{- /* The port that a party dials: the proxy's, or the coordinator's. */ -}}
{{- define "coterie.dialled" -}}
{{ default .Values.config.coordinator .Values.config.proxy | trimSuffix "/" | regexFind "[0-9]+$" }}
{{- end -}}

{{- /* The daemon's JSON: .Values.config, and what the chart alone decides. */ -}}
{{- define "coterie.config" -}}
{{- $secret := "/etc/coterie-identity" -}}
{{- $identity := dict "certificate" (printf "%s/tls.crt" $secret)
	"key" (printf "%s/tls.key" $secret) "ca" (printf "%s/ca.crt" $secret) -}}
{{- with .Values.identity.crl }}{{ $_ := set $identity "crl" (printf "%s/%s" $secret .) }}{{ end -}}
{{- $own := dict "identity" $identity
	"output" (printf "/var/lib/coterie-%s" .Values.role)
	"control" (dict "socket" (printf "/run/coterie-%s/control.socket" .Values.role)) -}}
{{- if eq .Values.role "coordinator" }}{{ $_ := set $own "listen" "0.0.0.0:7431" }}{{ end -}}
{{- if .Values.config.api -}}
{{- $api := dict "listen" (printf "0.0.0.0:%s" (include "coterie.apiPort" .)) -}}
{{- if eq .Values.role "party" -}}
{{- $_ := set $api "certificate" (printf "%s/api.crt" $secret) -}}
{{- $_ := set $api "key" (printf "%s/api.key" $secret) -}}
{{- end -}}
{{- $_ := set $own "api" $api -}}
{{- end -}}
{{- if .Values.metrics.enabled -}}
{{- $name := printf "%s-metrics" .Release.Name -}}
{{- $hosts := list $name (printf "%s.%s" $name .Release.Namespace)
	(printf "%s.%s.svc" $name .Release.Namespace) -}}
{{- $_ := set $own "http" (dict "listen" "0.0.0.0:7440" "anywhere" true "hosts" $hosts) -}}
{{- end -}}
{{- mergeOverwrite (deepCopy .Values.config) $own | toPrettyJson -}}
{{- end -}}
