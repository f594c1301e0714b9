ALTER TABLE "nexus_endpoints" ALTER COLUMN "caller_namespace" SET DEFAULT '';--> statement-breakpoint
ALTER TABLE "nexus_endpoints" ADD COLUMN "scopes" jsonb DEFAULT '["enhance"]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "nexus_endpoints" ADD COLUMN "token_hash" text;--> statement-breakpoint
ALTER TABLE "nexus_endpoints" ADD COLUMN "token_created_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "nexus_endpoints" ADD COLUMN "previous_token_hash" text;--> statement-breakpoint
ALTER TABLE "nexus_endpoints" ADD COLUMN "previous_token_until" timestamp (3) with time zone;