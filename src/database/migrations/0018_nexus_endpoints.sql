CREATE TABLE "nexus_endpoints" (
	"name" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"caller_namespace" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "nexus_endpoints" ADD CONSTRAINT "nexus_endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;