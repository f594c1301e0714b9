CREATE TABLE "destination_addresses" (
	"enhancement_id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "destination" jsonb;--> statement-breakpoint
ALTER TABLE "enhancements" ADD COLUMN "destination" jsonb;