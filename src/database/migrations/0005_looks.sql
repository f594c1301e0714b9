CREATE TABLE "looks" (
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "looks_account_id_name_version_pk" PRIMARY KEY("account_id","name","version")
);
--> statement-breakpoint
ALTER TABLE "looks" ADD CONSTRAINT "looks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;