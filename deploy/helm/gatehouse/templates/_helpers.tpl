{{- define "gatehouse.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "gatehouse.selector" . }}
{{- end }}

{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: gatehouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gatehouse.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}{{ hasPrefix "sha256:" $tag | ternary "@" ":" }}{{ $tag }}
{{- end }}

{{/* The settings of a pod: those of the chart, and the values; the Secret adds what neither says. */}}
{{- define "gatehouse.environment" -}}
{{- if not .Values.settings.TRUST_PROXY }}
{{- fail "settings.TRUST_PROXY is empty: name the addresses of the ingress controller (docs/deploying.md)" }}
{{- end }}
env:
  - { name: HOST, value: "0.0.0.0" }
  - { name: PORT, value: "3000" }
  - { name: PUBLIC_SCHEME, value: https }
  - { name: MASTER_KEY_FILE, value: /keys/master.key }
  {{- range $name, $value := .Values.settings }}
  {{- if has $name (list "HOST" "PORT" "PUBLIC_SCHEME" "MASTER_KEY_FILE") }}
  {{- fail (printf "settings.%s cannot be set: the chart sets it" $name) }}
  {{- end }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
envFrom:
  - secretRef: { name: {{ .Values.settingsSecret }} }
{{- end }}

{{- define "gatehouse.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
# Lets the first container read the Secret.
fsGroup: 1000
seccompProfile:
  {{- if .Values.seccompProfile }}
  type: Localhost
  localhostProfile: {{ .Values.seccompProfile }}
  {{- else }}
  type: RuntimeDefault
  {{- end }}
{{- end }}

{{- define "gatehouse.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* A key that others can read is refused, and a Secret cannot be mounted so that its user alone reads it. */}}
{{- define "gatehouse.keyCopy" -}}
- name: master-key
  image: {{ include "gatehouse.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [install, "--mode=0600", /secret/master.key, /keys/master.key]
  securityContext:
    {{- include "gatehouse.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - { name: master-key, mountPath: /secret, readOnly: true }
    - { name: keys, mountPath: /keys }
{{- end }}

{{- define "gatehouse.volumes" -}}
- name: master-key
  secret:
    secretName: {{ .Values.masterKey.secret }}
    defaultMode: 0440
    items: [{ key: {{ .Values.masterKey.key }}, path: master.key }]
- name: keys
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
- name: tmp
  emptyDir: {}
{{- end }}

{{- define "gatehouse.mounts" -}}
- { name: keys, mountPath: /keys, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- end }}
