CREATE INDEX "enhancements_by_status" ON "enhancements" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "uploads_by_status" ON "uploads" USING btree ("status","created_at");