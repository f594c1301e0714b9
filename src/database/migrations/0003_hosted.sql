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
CREATE TABLE "remote_places" (
	"enhancement_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"seq" bigserial NOT NULL,
	"granted_at" timestamp (3) with time zone,
	"renewed_at" timestamp (3) with time zone NOT NULL
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
ALTER TABLE "enhancements" ADD COLUMN "remote_id" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "remote_id" text;--> statement-breakpoint
CREATE INDEX "remote_events_age" ON "remote_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "remote_events_upload" ON "remote_events" USING btree ("remote_upload_id","received_at");--> statement-breakpoint
CREATE INDEX "remote_ids_subject" ON "remote_ids" USING btree ("kind","subject_id","created_at");