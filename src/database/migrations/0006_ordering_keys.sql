ALTER TABLE "batches" ADD COLUMN "key_id" text;--> statement-breakpoint
ALTER TABLE "enhancement_labels" ADD COLUMN "key_id" text;--> statement-breakpoint
ALTER TABLE "enhancements" ADD COLUMN "key_id" text;