#!/bin/sh
# Brings Temporal's two databases up to date; may be run again and again. Server and user come by SQL_*; TEMPORAL_SCHEMA is the
# folder of the schema files where they do not lie as in the image.
set -eu
bring_up_to_date() {
  # The first two refuse when they have been done before, which is no error here; the third then finds nothing wrong.
  temporal-sql-tool --db "$1" create || true
  temporal-sql-tool --db "$1" setup-schema -v 0.0 || true
  temporal-sql-tool --db "$1" update-schema -d "${TEMPORAL_SCHEMA:-/etc/temporal/schema}/postgresql/v12/$2/versioned"
}
bring_up_to_date temporal temporal
bring_up_to_date temporal_visibility visibility
