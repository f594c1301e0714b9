DROP INDEX "deliveries_unsent";--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "leased_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "deliveries_overdue" ON "deliveries" USING btree (greatest(leased_until, next_attempt_at, created_at)) WHERE status = 'PENDING' and held is distinct from 'waiting';