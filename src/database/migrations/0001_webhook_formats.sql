ALTER TABLE "webhook_endpoints" ADD COLUMN "format" text DEFAULT 'BURNISH' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD COLUMN "public_data" jsonb;