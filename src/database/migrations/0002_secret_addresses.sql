DROP INDEX "deliveries_begun";--> statement-breakpoint
DROP INDEX "deliveries_held";--> statement-breakpoint
ALTER TABLE "upload_starts" ALTER COLUMN "input" SET DATA TYPE text;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "host" text;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "host" text;--> statement-breakpoint
CREATE INDEX "deliveries_begun" ON "deliveries" USING btree ("account_id",coalesce(endpoint_id, host)) WHERE status = 'PENDING' and attempts = 0 and coalesce(held, 'released') = 'released';--> statement-breakpoint
CREATE INDEX "deliveries_held" ON "deliveries" USING btree ("account_id",coalesce(endpoint_id, host),"created_at","id") WHERE status = 'PENDING' and held = 'waiting';--> statement-breakpoint
ALTER TABLE "remote_events" DROP COLUMN "body";--> statement-breakpoint
UPDATE "changes" SET "snapshot" = "snapshot" - 'webhookUrl' WHERE "snapshot" ->> 'webhookUrl' IS NOT NULL;--> statement-breakpoint
UPDATE "changes" SET "snapshot" = jsonb_set("snapshot", '{destination,url}', to_jsonb(regexp_replace("snapshot" #>> '{destination,url}', '^(https?://)([^/?#@]*@)?([^/?#]*).*$', '\1\3'))) WHERE "snapshot" #>> '{destination,url}' IS NOT NULL;--> statement-breakpoint
UPDATE "enhancements" SET "destination" = jsonb_set("destination", '{url}', to_jsonb(regexp_replace("destination" ->> 'url', '^(https?://)([^/?#@]*@)?([^/?#]*).*$', '\1\3'))) WHERE "destination" ->> 'url' IS NOT NULL;--> statement-breakpoint
UPDATE "webhook_events" SET "data" = jsonb_set("data", '{destination,url}', to_jsonb(regexp_replace("data" #>> '{destination,url}', '^(https?://)([^/?#@]*@)?([^/?#]*).*$', '\1\3'))) WHERE "data" #>> '{destination,url}' IS NOT NULL;
