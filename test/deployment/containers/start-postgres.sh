#!/bin/sh
# Fills an empty volume and runs the scripts of /docker-entrypoint-initdb.d once, as the published image of PostgreSQL does. Sockets are
# in /tmp: Podman with runc ignores the mode of a tmpfs over a folder of the image.
set -eu
export PGHOST=/tmp
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username=postgres --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait start --options="-c listen_addresses='' -c unix_socket_directories=/tmp"
  for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
  pg_ctl --wait stop
fi
exec postgres -c 'listen_addresses=*' -c unix_socket_directories=/tmp
