CREATE TABLE "account_storage" (
	"account_id" text PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "max_stored_bytes" bigint;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "max_stored_bytes" bigint DEFAULT 10000000000000 NOT NULL;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "expected_bytes" bigint;--> statement-breakpoint
ALTER TABLE "account_storage" ADD CONSTRAINT "account_storage_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- Bytes that an upload without its results takes. A file that is on its way takes the bytes that it was granted.
CREATE FUNCTION upload_bytes(upload uploads) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE
    WHEN upload.status = 'UPLOAD_DELETED' THEN 0
    WHEN upload.object_key IS NOT NULL OR upload.status IN ('UPLOAD_PENDING', 'UPLOAD_PROCESSING')
      THEN coalesce((upload.file ->> 'size')::bigint, upload.expected_bytes, 0)
    ELSE 0 END
$$;
--> statement-breakpoint
CREATE FUNCTION account_storage_add(account text, delta bigint) RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO account_storage (account_id, bytes) VALUES (account, delta)
    ON CONFLICT (account_id) DO UPDATE SET bytes = account_storage.bytes + excluded.bytes RETURNING bytes
$$;
--> statement-breakpoint
-- A transaction changes the row of an upload before this row of its account: every writer takes the two locks in this order.
CREATE FUNCTION uploads_add_to_storage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  delta bigint := 0;
  stored bigint;
  bound bigint;
BEGIN
  IF TG_OP <> 'DELETE' THEN delta := upload_bytes(NEW); END IF;
  IF TG_OP <> 'INSERT' THEN delta := delta - upload_bytes(OLD); END IF;
  IF TG_OP = 'UPDATE' AND NEW.status = 'UPLOAD_DELETED' AND OLD.status <> 'UPLOAD_DELETED' THEN
    delta := delta - coalesce((SELECT sum((result ->> 'size')::bigint) FROM enhancements WHERE upload_id = NEW.id), 0);
  END IF;
  IF delta = 0 THEN RETURN NULL; END IF;
  stored := account_storage_add(coalesce(NEW.account_id, OLD.account_id), delta);
  -- Only a file that asks for room is refused; a record of what has happened never is.
  IF TG_OP = 'DELETE' OR delta < 0 OR NEW.expected_bytes IS NULL THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' AND NEW.expected_bytes IS NOT DISTINCT FROM OLD.expected_bytes THEN RETURN NULL; END IF;
  SELECT coalesce(accounts.max_stored_bytes, plans.max_stored_bytes) INTO bound
    FROM accounts JOIN plans ON plans.id = accounts.plan WHERE accounts.id = NEW.account_id;
  IF stored > bound THEN
    RAISE EXCEPTION 'the account may not store more' USING ERRCODE = 'check_violation',
      CONSTRAINT = 'account_storage_bound', DETAIL = format('%s %s', stored - delta, bound);
  END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE FUNCTION enhancements_add_to_storage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  delta bigint := 0;
  owner uploads;
BEGIN
  IF TG_OP <> 'DELETE' THEN delta := coalesce((NEW.result ->> 'size')::bigint, 0); END IF;
  IF TG_OP <> 'INSERT' THEN delta := delta - coalesce((OLD.result ->> 'size')::bigint, 0); END IF;
  IF delta = 0 THEN RETURN NULL; END IF;
  -- The deletion of the upload subtracts its results, and takes place before or after this change.
  SELECT * INTO owner FROM uploads WHERE id = coalesce(NEW.upload_id, OLD.upload_id) FOR SHARE;
  IF owner.status <> 'UPLOAD_DELETED' THEN PERFORM account_storage_add(owner.account_id, delta); END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER uploads_storage AFTER INSERT OR DELETE OR UPDATE OF status, object_key, file, expected_bytes ON "uploads"
  FOR EACH ROW EXECUTE FUNCTION uploads_add_to_storage();
--> statement-breakpoint
CREATE TRIGGER enhancements_storage AFTER INSERT OR DELETE OR UPDATE OF result ON "enhancements"
  FOR EACH ROW EXECUTE FUNCTION enhancements_add_to_storage();
--> statement-breakpoint
-- The triggers have locked both tables, and count each later change, also those of processes of an earlier version.
INSERT INTO account_storage (account_id, bytes)
  SELECT account_id, sum(bytes) FROM (
    SELECT uploads.account_id, upload_bytes(uploads) AS bytes FROM uploads
    UNION ALL
    SELECT uploads.account_id, (enhancements.result ->> 'size')::bigint FROM enhancements
      JOIN uploads ON uploads.id = enhancements.upload_id
      WHERE uploads.status <> 'UPLOAD_DELETED' AND enhancements.result IS NOT NULL
  ) AS files GROUP BY account_id;
--> statement-breakpoint
-- `SEED_PLANS` names the same numbers. Accounts that already store more keep room for as much again.
UPDATE plans SET max_stored_bytes = greatest(
  CASE id WHEN 'FREE' THEN 100000000000 WHEN 'BASIC' THEN 1000000000000 ELSE max_stored_bytes END,
  2 * coalesce((SELECT max(bytes) FROM account_storage JOIN accounts ON accounts.id = account_id WHERE accounts.plan = plans.id), 0));
