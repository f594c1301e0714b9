CREATE SEQUENCE "public"."webhook_listener_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "webhook_listeners" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"events" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	"reader" text,
	CONSTRAINT "webhook_listeners_name" UNIQUE("account_id","name")
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "listener_seq" bigint;--> statement-breakpoint
ALTER TABLE "webhook_listeners" ADD CONSTRAINT "webhook_listeners_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_to_pull" ON "deliveries" USING btree ("endpoint_id","listener_seq") WHERE status = 'PENDING' and listener_seq is not null;