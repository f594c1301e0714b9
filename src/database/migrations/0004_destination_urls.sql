ALTER TABLE "destination_addresses" RENAME TO "destination_urls";--> statement-breakpoint
ALTER TABLE "destination_urls" RENAME CONSTRAINT "destination_addresses_pkey" TO "destination_urls_pkey";--> statement-breakpoint
-- Processes of 1.0.0-rc.1 that still run use the former name.
CREATE VIEW "destination_addresses" AS SELECT * FROM "destination_urls";
