CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"plan" text NOT NULL,
	"credits_per_period" integer NOT NULL,
	"retention_days" integer NOT NULL,
	"webhook_secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "changes" (
	"upload_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"account_id" text NOT NULL,
	"subject" text NOT NULL,
	"subject_id" text NOT NULL,
	"revision" integer NOT NULL,
	"snapshot" jsonb NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "changes_upload_id_seq_pk" PRIMARY KEY("upload_id","seq")
);
--> statement-breakpoint
CREATE TABLE "credit_entries" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"period" text NOT NULL,
	"kind" text NOT NULL,
	"credits" integer NOT NULL,
	"enhancement_id" text,
	"reference" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "credit_entries_credits" CHECK (credits >= 0),
	CONSTRAINT "credit_entries_kind" CHECK (kind in ('grant', 'top_up', 'reserve', 'release', 'capture'))
);
--> statement-breakpoint
CREATE TABLE "credit_totals" (
	"account_id" text NOT NULL,
	"period" text NOT NULL,
	"grants" integer NOT NULL,
	"top_ups" integer NOT NULL,
	"used" integer NOT NULL,
	"reserved" integer NOT NULL,
	CONSTRAINT "credit_totals_account_id_period_pk" PRIMARY KEY("account_id","period"),
	CONSTRAINT "credit_totals_never_negative" CHECK (used >= 0 and reserved >= 0 and grants + top_ups - used - reserved >= 0)
);
--> statement-breakpoint
CREATE TABLE "enhancements" (
	"id" text PRIMARY KEY NOT NULL,
	"upload_id" text NOT NULL,
	"account_id" text NOT NULL,
	"revision" integer NOT NULL,
	"status" text NOT NULL,
	"parameters" jsonb NOT NULL,
	"provider" text NOT NULL,
	"max_credits" integer,
	"credit_wait_ms" bigint NOT NULL,
	"estimated_credits" integer,
	"charged_credits" integer,
	"result" jsonb,
	"engine" jsonb,
	"reused_from" text,
	"error_code" text,
	"error_detail" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"source_sha256" text,
	"fingerprint" text,
	"engine_version" text
);
--> statement-breakpoint
CREATE TABLE "instance_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_id" text NOT NULL,
	"key" text NOT NULL,
	"operation" text NOT NULL,
	"fingerprint" text NOT NULL,
	"subject_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "staged_files" (
	"upload_id" text PRIMARY KEY NOT NULL,
	"object_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"revision" integer NOT NULL,
	"status" text NOT NULL,
	"sub_status" text,
	"error_code" text,
	"error_detail" text,
	"original_filename" text NOT NULL,
	"object_key" text,
	"file" jsonb,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"analysis" jsonb,
	"provider" text NOT NULL,
	"webhook_url" text,
	"retention_days" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"deletion_reason" text,
	"change_seq" bigint DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"endpoint_id" text,
	"url" text NOT NULL,
	"event_id" text NOT NULL,
	"status" text DEFAULT 'PENDING' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"http_status" integer,
	"latency_ms" integer NOT NULL,
	"answer" text NOT NULL,
	"retry_after_ms" integer,
	"outcome" text NOT NULL,
	CONSTRAINT "delivery_attempts_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"url" text NOT NULL,
	"events" jsonb NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"disabled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"event" text NOT NULL,
	"data" jsonb NOT NULL,
	"created" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "changes" ADD CONSTRAINT "changes_upload_id_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."uploads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_entries" ADD CONSTRAINT "credit_entries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_totals" ADD CONSTRAINT "credit_totals_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enhancements" ADD CONSTRAINT "enhancements_upload_id_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."uploads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enhancements" ADD CONSTRAINT "enhancements_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "changes_at" ON "changes" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_entries_once_per_enhancement" ON "credit_entries" USING btree ("enhancement_id","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_entries_once_per_reference" ON "credit_entries" USING btree ("account_id","kind","reference");--> statement-breakpoint
CREATE INDEX "credit_entries_newest" ON "credit_entries" USING btree ("account_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "enhancements_newest" ON "enhancements" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "enhancements_of_upload" ON "enhancements" USING btree ("upload_id","created_at","id");--> statement-breakpoint
CREATE INDEX "enhancements_awaiting_credits" ON "enhancements" USING btree ("account_id","created_at") WHERE status = 'AWAITING_CREDITS';--> statement-breakpoint
CREATE INDEX "enhancements_reusable" ON "enhancements" USING btree ("account_id","source_sha256","fingerprint","engine_version") WHERE status = 'FINISHED';--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "staged_files_age" ON "staged_files" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "uploads_newest" ON "uploads" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "uploads_newest_by_status" ON "uploads" USING btree ("account_id","status","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_newest" ON "deliveries" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_of_event" ON "deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "deliveries_of_endpoint" ON "deliveries" USING btree ("endpoint_id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account" ON "webhook_endpoints" USING btree ("account_id","created_at");