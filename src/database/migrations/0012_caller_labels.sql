CREATE TABLE "enhancement_labels" (
	"enhancement_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"reference" text,
	"custom_metadata" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "enhancements" ADD COLUMN "reference" text;--> statement-breakpoint
ALTER TABLE "enhancements" ADD COLUMN "custom_metadata" jsonb;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "reference" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "custom_metadata" jsonb;--> statement-breakpoint
ALTER TABLE "enhancement_labels" ADD CONSTRAINT "enhancement_labels_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "enhancement_labels_age" ON "enhancement_labels" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "enhancements_newest_by_status" ON "enhancements" USING btree ("account_id","status","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "enhancements_newest_by_reference" ON "enhancements" USING btree ("account_id","reference","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE reference is not null;--> statement-breakpoint
CREATE INDEX "uploads_newest_by_reference" ON "uploads" USING btree ("account_id","reference","created_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE reference is not null;