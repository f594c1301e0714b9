CREATE TABLE "batch_items" (
	"batch_id" text NOT NULL,
	"position" integer NOT NULL,
	"key" text NOT NULL,
	"url" text,
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
ALTER TABLE "batch_items" ADD CONSTRAINT "batch_items_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "batch_items_key" ON "batch_items" USING btree ("batch_id","key");--> statement-breakpoint
CREATE INDEX "batch_items_by_state" ON "batch_items" USING btree ("batch_id","state","position");--> statement-breakpoint
CREATE INDEX "batches_newest" ON "batches" USING btree ("account_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "batches_open" ON "batches" USING btree ("account_id","id") WHERE status not in ('FINISHED', 'CANCELLED');