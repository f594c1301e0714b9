ALTER TABLE "uploads" ADD COLUMN "erased_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "batch_items_of_upload" ON "batch_items" USING btree ("upload_id") WHERE upload_id is not null;--> statement-breakpoint
CREATE INDEX "uploads_unerased" ON "uploads" USING btree ("deleted_at","id") WHERE status = 'UPLOAD_DELETED' and erased_at is null;--> statement-breakpoint
CREATE INDEX "webhook_events_of_subject" ON "webhook_events" USING btree (coalesce(data ->> 'uploadId', data ->> 'id'));--> statement-breakpoint
UPDATE "idempotency_keys" SET "key" = encode(sha256(convert_to("account_id" || chr(10) || "key", 'UTF8')), 'hex');
