#!/bin/sh
# Makes the namespace named by TEMPORAL_NAMESPACE unless it is there. Workflows that have ended are kept for three days.
set -eu
tries=0
until temporal operator cluster health; do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 1
  sleep 2
done
temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 3d
