CREATE SEQUENCE "public"."webhook_event_position" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "account_storage" (
	"account_id" text PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "account_receipts" (
	"account_id" text PRIMARY KEY NOT NULL,
	"receipt" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"plan" text NOT NULL,
	"credits_per_period" integer,
	"requests_per_minute" integer,
	"jobs_at_once" integer,
	"max_stored_bytes" bigint,
	"min_retention_days" integer DEFAULT 1 NOT NULL,
	"max_retention_days" integer DEFAULT 365 NOT NULL,
	"allowed_tiers" jsonb,
	"retention_days" integer NOT NULL,
	"webhook_secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"suspended_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"test_of" text
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"last_used_address" text,
	"scopes" jsonb NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"internal" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"max_resolution" integer NOT NULL,
	"credits_per_period" integer NOT NULL,
	"requests_per_minute" integer NOT NULL,
	"jobs_at_once" integer NOT NULL,
	"fairness_weight" integer NOT NULL,
	"max_stored_bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"account_id" text,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text NOT NULL,
	"key_id" text,
	"address" text,
	"action" text NOT NULL,
	"subject_id" text,
	"details" jsonb NOT NULL,
	"once" text
);
--> statement-breakpoint
CREATE TABLE "batch_items" (
	"batch_id" text NOT NULL,
	"position" integer NOT NULL,
	"key" text NOT NULL,
	"url" text,
	"url_secret" text,
	"bucket" text,
	"reference" text,
	"sample" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'PENDING' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"upload_id" text,
	"enhancement_id" text,
	"credits" integer,
	"error_code" text,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "batch_items_batch_id_position_pk" PRIMARY KEY("batch_id","position")
);
--> statement-breakpoint
CREATE TABLE "batches" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"revision" integer NOT NULL,
	"status" text NOT NULL,
	"pause_reason" text,
	"reference" text,
	"parameters" jsonb NOT NULL,
	"preset" text,
	"destination" jsonb,
	"max_credits" integer,
	"samples" integer NOT NULL,
	"prediction" jsonb,
	"round" integer NOT NULL,
	"half_reported" boolean NOT NULL,
	"trouble_reported" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"approved_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"items" integer DEFAULT 0 NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"finished" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"cancelled" integer DEFAULT 0 NOT NULL,
	"charged_credits" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "buckets" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"bucket" text NOT NULL,
	"prefix" text NOT NULL,
	"endpoint" text NOT NULL,
	"region" text NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
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
	"sentence" text,
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
CREATE TABLE "destination_urls" (
	"enhancement_id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "enhancement_labels" (
	"enhancement_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"reference" text,
	"custom_metadata" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "enhancements" (
	"id" text PRIMARY KEY NOT NULL,
	"upload_id" text NOT NULL,
	"account_id" text NOT NULL,
	"revision" integer NOT NULL,
	"status" text NOT NULL,
	"parameters" jsonb NOT NULL,
	"preset" text,
	"provider" text NOT NULL,
	"remote_id" text,
	"max_credits" integer,
	"credit_wait_ms" bigint NOT NULL,
	"estimated_credits" integer,
	"charged_credits" integer,
	"result" jsonb,
	"engine" jsonb,
	"reused_from" text,
	"based_on" text,
	"destination" jsonb,
	"waiting_for" text,
	"error_code" text,
	"error_detail" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"reference" text,
	"custom_metadata" jsonb,
	"source_sha256" text,
	"fingerprint" text,
	"engine_version" text
);
--> statement-breakpoint
CREATE TABLE "remote_events" (
	"id" text PRIMARY KEY NOT NULL,
	"event" text NOT NULL,
	"remote_id" text,
	"remote_upload_id" text,
	"body" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "remote_ids" (
	"kind" text NOT NULL,
	"remote_id" text NOT NULL,
	"subject_id" text NOT NULL,
	"account_id" text NOT NULL,
	"via" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"placed_at" timestamp (3) with time zone,
	CONSTRAINT "remote_ids_kind_remote_id_pk" PRIMARY KEY("kind","remote_id")
);
--> statement-breakpoint
CREATE TABLE "remote_retentions" (
	"holder" text PRIMARY KEY NOT NULL,
	"seq" bigserial NOT NULL,
	"days" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "remote_settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"set_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "remote_slots" (
	"enhancement_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"seq" bigserial NOT NULL,
	"granted_at" timestamp (3) with time zone,
	"renewed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "instance_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payload_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "storage_markers" (
	"name" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"written_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "nexus_endpoints" (
	"name" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"token_hash" text NOT NULL,
	"token_created_at" timestamp (3) with time zone NOT NULL,
	"previous_token_hash" text,
	"previous_token_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "presets" (
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"parameters" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "presets_account_id_name_version_pk" PRIMARY KEY("account_id","name","version")
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
CREATE TABLE "operator_sessions" (
	"hash" text PRIMARY KEY NOT NULL,
	"key_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"hash" text PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_links" (
	"hash" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "resumable_uploads" (
	"upload_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"length" bigint NOT NULL,
	"offset" bigint DEFAULT 0 NOT NULL,
	"parts" integer DEFAULT 0 NOT NULL,
	"metadata" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upload_parts" (
	"upload_id" text NOT NULL,
	"start" bigint NOT NULL,
	"object_key" text NOT NULL,
	CONSTRAINT "upload_parts_upload_id_start_pk" PRIMARY KEY("upload_id","start")
);
--> statement-breakpoint
CREATE TABLE "upload_passwords" (
	"upload_id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upload_starts" (
	"upload_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"input" jsonb NOT NULL,
	"refused" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"revision" integer NOT NULL,
	"status" text NOT NULL,
	"sub_status" text,
	"waiting_for" text,
	"error_code" text,
	"error_detail" text,
	"original_filename" text NOT NULL,
	"object_key" text,
	"file" jsonb,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"analysis" jsonb,
	"provider" text NOT NULL,
	"remote_id" text,
	"webhook_url" text,
	"retention_days" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"deletion_reason" text,
	"reference" text,
	"custom_metadata" jsonb,
	"expected_bytes" bigint,
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
	"redelivery_of" text,
	"held" text,
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
	"format" text DEFAULT 'BURNISH' NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"disabled_reason" text,
	"failing_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"event" text NOT NULL,
	"data" jsonb NOT NULL,
	"public_data" jsonb,
	"created" timestamp (3) with time zone NOT NULL,
	"delivered" boolean DEFAULT true NOT NULL,
	"recorded" bigserial NOT NULL,
	"position" bigint
);
--> statement-breakpoint
ALTER TABLE "account_storage" ADD CONSTRAINT "account_storage_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_receipts" ADD CONSTRAINT "account_receipts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_plan_plans_id_fk" FOREIGN KEY ("plan") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_test_of_accounts_id_fk" FOREIGN KEY ("test_of") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batch_items" ADD CONSTRAINT "batch_items_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "buckets" ADD CONSTRAINT "buckets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "changes" ADD CONSTRAINT "changes_upload_id_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."uploads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_entries" ADD CONSTRAINT "credit_entries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_totals" ADD CONSTRAINT "credit_totals_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enhancement_labels" ADD CONSTRAINT "enhancement_labels_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enhancements" ADD CONSTRAINT "enhancements_upload_id_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."uploads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enhancements" ADD CONSTRAINT "enhancements_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "nexus_endpoints" ADD CONSTRAINT "nexus_endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "presets" ADD CONSTRAINT "presets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_links" ADD CONSTRAINT "sign_in_links_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_parts" ADD CONSTRAINT "upload_parts_upload_id_resumable_uploads_upload_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."resumable_uploads"("upload_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_webhook_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."webhook_events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_test_of" ON "accounts" USING btree ("test_of") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "audit_entries_newest" ON "audit_entries" USING btree ("account_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_once" ON "audit_entries" USING btree ("account_id","once");--> statement-breakpoint
CREATE UNIQUE INDEX "batch_items_key" ON "batch_items" USING btree ("batch_id","key");--> statement-breakpoint
CREATE INDEX "batch_items_by_state" ON "batch_items" USING btree ("batch_id","state","position");--> statement-breakpoint
CREATE INDEX "batches_newest" ON "batches" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "batches_open" ON "batches" USING btree ("account_id","id") WHERE status not in ('FINISHED', 'CANCELLED');--> statement-breakpoint
CREATE UNIQUE INDEX "buckets_name" ON "buckets" USING btree ("account_id","name");--> statement-breakpoint
CREATE INDEX "changes_at" ON "changes" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_entries_once_per_enhancement" ON "credit_entries" USING btree ("enhancement_id","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_entries_once_per_reference" ON "credit_entries" USING btree ("account_id","kind","reference");--> statement-breakpoint
CREATE INDEX "credit_entries_newest" ON "credit_entries" USING btree ("account_id","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "enhancement_labels_age" ON "enhancement_labels" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "enhancements_newest" ON "enhancements" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "enhancements_by_status" ON "enhancements" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "enhancements_newest_by_status" ON "enhancements" USING btree ("account_id","status","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "enhancements_newest_by_reference" ON "enhancements" USING btree ("account_id","reference","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE reference is not null;--> statement-breakpoint
CREATE INDEX "enhancements_of_upload" ON "enhancements" USING btree ("upload_id","created_at","id");--> statement-breakpoint
CREATE INDEX "enhancements_awaiting_credits" ON "enhancements" USING btree ("account_id","created_at") WHERE status = 'AWAITING_CREDITS';--> statement-breakpoint
CREATE INDEX "enhancements_open" ON "enhancements" USING btree ("account_id","status") WHERE status in ('QUEUED', 'AWAITING_APPROVAL', 'AWAITING_CREDITS', 'PROCESSING');--> statement-breakpoint
CREATE INDEX "enhancements_ended" ON "enhancements" USING btree ("finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "enhancements_reusable" ON "enhancements" USING btree ("account_id","source_sha256","fingerprint","engine_version") WHERE status = 'FINISHED';--> statement-breakpoint
CREATE INDEX "remote_events_age" ON "remote_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "remote_events_upload" ON "remote_events" USING btree ("remote_upload_id","received_at");--> statement-breakpoint
CREATE INDEX "remote_ids_subject" ON "remote_ids" USING btree ("kind","subject_id","created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "staged_files_age" ON "staged_files" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sessions_key" ON "sessions" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "sessions_last_seen" ON "sessions" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "resumable_uploads_expiry" ON "resumable_uploads" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "upload_starts_refused" ON "upload_starts" USING btree ("created_at") WHERE refused;--> statement-breakpoint
CREATE INDEX "uploads_newest" ON "uploads" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "uploads_by_status" ON "uploads" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "uploads_newest_by_reference" ON "uploads" USING btree ("account_id","reference","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE reference is not null;--> statement-breakpoint
CREATE INDEX "uploads_deleted" ON "uploads" USING btree ("deleted_at","id") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "uploads_newest_by_status" ON "uploads" USING btree ("account_id","status","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_newest" ON "deliveries" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_of_event" ON "deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "deliveries_of_endpoint" ON "deliveries" USING btree ("endpoint_id");--> statement-breakpoint
CREATE INDEX "deliveries_failed" ON "deliveries" USING btree ("endpoint_id","created_at","id") WHERE status = 'FAILED';--> statement-breakpoint
CREATE INDEX "deliveries_repeats" ON "deliveries" USING btree ("redelivery_of") WHERE redelivery_of is not null;--> statement-breakpoint
CREATE INDEX "deliveries_unsent" ON "deliveries" USING btree ("created_at") WHERE status = 'PENDING' and attempts = 0;--> statement-breakpoint
CREATE INDEX "deliveries_begun" ON "deliveries" USING btree ("account_id",coalesce(endpoint_id, split_part(url, '/', 3))) WHERE status = 'PENDING' and attempts = 0 and coalesce(held, 'released') = 'released';--> statement-breakpoint
CREATE INDEX "deliveries_held" ON "deliveries" USING btree ("account_id",coalesce(endpoint_id, split_part(url, '/', 3)),"created_at","id") WHERE status = 'PENDING' and held = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account" ON "webhook_endpoints" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_events_unnumbered" ON "webhook_events" USING btree ("account_id","recorded") WHERE position is null;--> statement-breakpoint
CREATE INDEX "webhook_events_numbered" ON "webhook_events" USING btree ("account_id","position") WHERE position is not null;--> statement-breakpoint
CREATE INDEX "webhook_events_undelivered" ON "webhook_events" USING btree ("created") WHERE not delivered;--> statement-breakpoint
-- Entries of the credit ledger are only ever appended.
CREATE FUNCTION credit_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'credit_entries is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER credit_entries_append_only BEFORE UPDATE OR DELETE ON "credit_entries"
  FOR EACH ROW EXECUTE FUNCTION credit_entries_refuse_change();
--> statement-breakpoint
CREATE TRIGGER credit_entries_no_truncate BEFORE TRUNCATE ON "credit_entries"
  FOR EACH STATEMENT EXECUTE FUNCTION credit_entries_refuse_change();
--> statement-breakpoint
-- The totals of a period follow from its entries; the check on credit_totals then refuses to overspend.
CREATE FUNCTION credit_entries_add_to_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO credit_totals (account_id, period, grants, top_ups, used, reserved)
    VALUES (NEW.account_id, NEW.period, 0, 0, 0, 0) ON CONFLICT DO NOTHING;
  UPDATE credit_totals SET
    grants = grants + CASE WHEN NEW.kind = 'grant' THEN NEW.credits ELSE 0 END,
    top_ups = top_ups + CASE WHEN NEW.kind = 'top_up' THEN NEW.credits ELSE 0 END,
    used = used + CASE WHEN NEW.kind = 'capture' THEN NEW.credits ELSE 0 END,
    reserved = reserved + CASE
      WHEN NEW.kind = 'reserve' THEN NEW.credits
      WHEN NEW.kind IN ('capture', 'release') THEN -NEW.credits
      ELSE 0 END
    WHERE account_id = NEW.account_id AND period = NEW.period;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER credit_entries_totals AFTER INSERT ON "credit_entries"
  FOR EACH ROW EXECUTE FUNCTION credit_entries_add_to_totals();
--> statement-breakpoint
-- The credits of an enhancement end once: as soon as it has a capture or a release, its entries sum to zero.
CREATE FUNCTION credit_entries_refuse_after_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Of concurrent entries, each sees those before it.
  PERFORM pg_advisory_xact_lock(hashtextextended(NEW.enhancement_id, 0));
  IF (SELECT bool_or(kind <> 'reserve') AND sum(CASE kind WHEN 'reserve' THEN credits ELSE -credits END) <> 0
      FROM credit_entries WHERE enhancement_id = NEW.enhancement_id) THEN
    RAISE EXCEPTION 'the credits of % have ended', NEW.enhancement_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_entries_settled';
  END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
-- Triggers run in the order of their names: this one follows the lock of the totals.
CREATE TRIGGER credit_entries_until_settled AFTER INSERT ON "credit_entries"
  FOR EACH ROW WHEN (NEW.enhancement_id IS NOT NULL) EXECUTE FUNCTION credit_entries_refuse_after_end();
--> statement-breakpoint
-- Entries of the audit log are only ever appended.
CREATE FUNCTION audit_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_entries is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON "audit_entries"
  FOR EACH ROW EXECUTE FUNCTION audit_entries_refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON "audit_entries"
  FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_refuse_change();
--> statement-breakpoint
-- Bytes that an upload without its results takes. A file that is on its way takes the bytes that it was granted.
CREATE FUNCTION upload_bytes(upload uploads) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE
    WHEN upload.status = 'UPLOAD_DELETED' THEN 0
    WHEN upload.object_key IS NOT NULL OR upload.status IN ('UPLOAD_PENDING', 'UPLOAD_PROCESSING')
      THEN coalesce((upload.file ->> 'size')::bigint, upload.expected_bytes, 0)
    ELSE 0 END
$$;
--> statement-breakpoint
CREATE FUNCTION account_storage_add(account text, delta bigint) RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO account_storage (account_id, bytes) VALUES (account, delta)
    ON CONFLICT (account_id) DO UPDATE SET bytes = account_storage.bytes + excluded.bytes RETURNING bytes
$$;
--> statement-breakpoint
-- A transaction changes the row of an upload before this row of its account: every writer takes the two locks in this order.
CREATE FUNCTION uploads_add_to_storage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  delta bigint := 0;
  stored bigint;
  bound bigint;
BEGIN
  IF TG_OP <> 'DELETE' THEN delta := upload_bytes(NEW); END IF;
  IF TG_OP <> 'INSERT' THEN delta := delta - upload_bytes(OLD); END IF;
  IF TG_OP = 'UPDATE' AND NEW.status = 'UPLOAD_DELETED' AND OLD.status <> 'UPLOAD_DELETED' THEN
    delta := delta - coalesce((SELECT sum((result ->> 'size')::bigint) FROM enhancements WHERE upload_id = NEW.id), 0);
  END IF;
  IF delta = 0 THEN RETURN NULL; END IF;
  stored := account_storage_add(coalesce(NEW.account_id, OLD.account_id), delta);
  -- Only a file that asks for room is refused; a record of what has happened never is.
  IF TG_OP = 'DELETE' OR delta < 0 OR NEW.expected_bytes IS NULL THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND NEW.expected_bytes IS NOT DISTINCT FROM OLD.expected_bytes THEN RETURN NULL; END IF;
  SELECT coalesce(accounts.max_stored_bytes, plans.max_stored_bytes) INTO bound
    FROM accounts JOIN plans ON plans.id = accounts.plan WHERE accounts.id = NEW.account_id;
  IF stored > bound THEN
    RAISE EXCEPTION 'the account may not store more' USING ERRCODE = 'check_violation',
      CONSTRAINT = 'account_storage_bound', DETAIL = format('%s %s', stored - delta, bound);
  END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE FUNCTION enhancements_add_to_storage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  delta bigint := 0;
  owner uploads;
BEGIN
  IF TG_OP <> 'DELETE' THEN delta := coalesce((NEW.result ->> 'size')::bigint, 0); END IF;
  IF TG_OP <> 'INSERT' THEN delta := delta - coalesce((OLD.result ->> 'size')::bigint, 0); END IF;
  IF delta = 0 THEN RETURN NULL; END IF;
  -- The deletion of the upload subtracts its results, and takes place before or after this change.
  SELECT * INTO owner FROM uploads WHERE id = coalesce(NEW.upload_id, OLD.upload_id) FOR SHARE;
  IF owner.status <> 'UPLOAD_DELETED' THEN PERFORM account_storage_add(owner.account_id, delta); END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER uploads_storage AFTER INSERT OR DELETE OR UPDATE OF status, object_key, file, expected_bytes ON "uploads"
  FOR EACH ROW EXECUTE FUNCTION uploads_add_to_storage();
--> statement-breakpoint
CREATE TRIGGER enhancements_storage AFTER INSERT OR DELETE OR UPDATE OF result ON "enhancements"
  FOR EACH ROW EXECUTE FUNCTION enhancements_add_to_storage();
--> statement-breakpoint
-- The plans that a new instance has; `SEED_PLANS` names the same.
INSERT INTO "plans" ("id", "name", "max_resolution", "credits_per_period", "requests_per_minute", "jobs_at_once", "fairness_weight", "max_stored_bytes") VALUES
	('FREE', 'Free', 300, 1000, 6000, 2000, 1, 100000000000),
	('BASIC', 'Basic', 600, 10000, 12000, 5000, 2, 1000000000000),
	('BUSINESS', 'Business', 1200, 100000, 24000, 20000, 4, 10000000000000);
