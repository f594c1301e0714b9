#!/bin/sh
# Makes the users and databases of Burnish and of Temporal. The image of PostgreSQL runs it when it makes an empty volume.
# Neither user is an administrator, and neither can enter the databases of the other.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname="${POSTGRES_DB:-postgres}" \
  --set=burnish="$DATABASE_PASSWORD" --set=temporal="$TEMPORAL_DATABASE_PASSWORD" <<'SQL'
CREATE ROLE burnish LOGIN PASSWORD :'burnish';
CREATE ROLE temporal LOGIN PASSWORD :'temporal';
CREATE DATABASE burnish OWNER burnish;
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE CONNECT, TEMPORARY ON DATABASE burnish, temporal, temporal_visibility, postgres FROM PUBLIC;
SQL
