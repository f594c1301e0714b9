{{/* Labels that select the pods of a role. Call it with (dict "root" $ "role" "gateway"). */}}
{{- define "burnish.selector" -}}
app.kubernetes.io/name: burnish
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "burnish.labels" -}}
{{ include "burnish.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* Name of the objects of a role; at most 63 characters */}}
{{- define "burnish.name" -}}
{{ printf "%s-%s" (trunc 55 .root.Release.Name | trimSuffix "-") .role }}
{{- end }}
