CREATE TABLE "account_receipts" (
	"account_id" text PRIMARY KEY NOT NULL,
	"receipt" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"max_resolution" integer NOT NULL,
	"credits_per_period" integer NOT NULL,
	"requests_per_minute" integer NOT NULL,
	"jobs_at_once" integer NOT NULL,
	"fairness_weight" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_sessions" (
	"hash" text PRIMARY KEY NOT NULL,
	"key_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ALTER COLUMN "credits_per_period" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_entries" ALTER COLUMN "account_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "requests_per_minute" integer;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "jobs_at_once" integer;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "min_retention_days" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "max_retention_days" integer DEFAULT 365 NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "allowed_tiers" jsonb;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "account_receipts" ADD CONSTRAINT "account_receipts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- The plans that a new instance has; `SEED_PLANS` names the same.
INSERT INTO "plans" ("id", "name", "max_resolution", "credits_per_period", "requests_per_minute", "jobs_at_once", "fairness_weight") VALUES
	('FREE', 'Free', 300, 1000, 6000, 2000, 1),
	('BASIC', 'Basic', 600, 10000, 12000, 5000, 2),
	('BUSINESS', 'Business', 1200, 100000, 24000, 20000, 4);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_plan_plans_id_fk" FOREIGN KEY ("plan") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "enhancements_open" ON "enhancements" USING btree ("account_id","status") WHERE status in ('QUEUED', 'AWAITING_APPROVAL', 'AWAITING_CREDITS', 'PROCESSING');--> statement-breakpoint
CREATE INDEX "enhancements_ended" ON "enhancements" USING btree ("finished_at") WHERE finished_at is not null;