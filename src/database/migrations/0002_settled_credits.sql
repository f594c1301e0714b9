-- The credits of an enhancement end once: as soon as it has a capture or a release, its entries sum to zero.
CREATE FUNCTION credit_entries_refuse_after_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Of concurrent entries, each sees those before it.
  PERFORM pg_advisory_xact_lock(hashtextextended(NEW.enhancement_id, 0));
  IF (SELECT bool_or(kind <> 'reserve') AND sum(CASE kind WHEN 'reserve' THEN credits ELSE -credits END) <> 0
      FROM credit_entries WHERE enhancement_id = NEW.enhancement_id) THEN
    RAISE EXCEPTION 'the credits of % have ended', NEW.enhancement_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_entries_settled';
  END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
-- Triggers run in the order of their names: this one follows the lock of the totals.
CREATE TRIGGER credit_entries_until_settled AFTER INSERT ON "credit_entries"
  FOR EACH ROW WHEN (NEW.enhancement_id IS NOT NULL) EXECUTE FUNCTION credit_entries_refuse_after_end();
