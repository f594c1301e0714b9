ALTER TABLE "accounts" ADD COLUMN "test_of" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_test_of_accounts_id_fk" FOREIGN KEY ("test_of") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_test_of" ON "accounts" USING btree ("test_of") WHERE deleted_at is null;