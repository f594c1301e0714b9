ALTER TABLE "api_keys" ADD COLUMN "internal" boolean DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE "api_keys" SET "internal" = true WHERE "name" IN ('Dashboard', 'Commands on this machine') AND "expires_at" IS NULL AND jsonb_array_length("scopes") = 5;
