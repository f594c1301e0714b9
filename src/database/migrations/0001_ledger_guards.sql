-- Entries of the credit ledger are only ever appended.
CREATE FUNCTION credit_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'credit_entries is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER credit_entries_append_only BEFORE UPDATE OR DELETE ON "credit_entries"
  FOR EACH ROW EXECUTE FUNCTION credit_entries_refuse_change();
--> statement-breakpoint
CREATE TRIGGER credit_entries_no_truncate BEFORE TRUNCATE ON "credit_entries"
  FOR EACH STATEMENT EXECUTE FUNCTION credit_entries_refuse_change();
--> statement-breakpoint
-- The totals of a period follow from its entries; the check on credit_totals then refuses to overspend.
CREATE FUNCTION credit_entries_add_to_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO credit_totals (account_id, period, grants, top_ups, used, reserved)
    VALUES (NEW.account_id, NEW.period, 0, 0, 0, 0) ON CONFLICT DO NOTHING;
  UPDATE credit_totals SET
    grants = grants + CASE WHEN NEW.kind = 'grant' THEN NEW.credits ELSE 0 END,
    top_ups = top_ups + CASE WHEN NEW.kind = 'top_up' THEN NEW.credits ELSE 0 END,
    used = used + CASE WHEN NEW.kind = 'capture' THEN NEW.credits ELSE 0 END,
    reserved = reserved + CASE
      WHEN NEW.kind = 'reserve' THEN NEW.credits
      WHEN NEW.kind IN ('capture', 'release') THEN -NEW.credits
      ELSE 0 END
    WHERE account_id = NEW.account_id AND period = NEW.period;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER credit_entries_totals AFTER INSERT ON "credit_entries"
  FOR EACH ROW EXECUTE FUNCTION credit_entries_add_to_totals();
