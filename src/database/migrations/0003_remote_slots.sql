ALTER TABLE "remote_places" RENAME TO "remote_slots";--> statement-breakpoint
ALTER TABLE "remote_slots" RENAME CONSTRAINT "remote_places_pkey" TO "remote_slots_pkey";--> statement-breakpoint
ALTER SEQUENCE "remote_places_seq_seq" RENAME TO "remote_slots_seq_seq";--> statement-breakpoint
-- Processes of 1.0.0-rc.1 that still run use the former name.
CREATE VIEW "remote_places" AS SELECT * FROM "remote_slots";
