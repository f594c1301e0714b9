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
CREATE INDEX "upload_starts_refused" ON "upload_starts" USING btree ("created_at") WHERE refused;