ALTER TABLE "enhancements" ADD COLUMN "waiting_for" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "waiting_for" text;