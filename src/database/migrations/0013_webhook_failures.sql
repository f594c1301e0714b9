ALTER TABLE "webhook_endpoints" ADD COLUMN "disabled_reason" text;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "failing_since" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "deliveries_failed" ON "deliveries" USING btree ("endpoint_id","created_at","id") WHERE status = 'FAILED';--> statement-breakpoint
CREATE INDEX "deliveries_repeats" ON "deliveries" USING btree ("redelivery_of") WHERE redelivery_of is not null;--> statement-breakpoint
CREATE INDEX "deliveries_unsent" ON "deliveries" USING btree ("created_at") WHERE status = 'PENDING' and attempts = 0;