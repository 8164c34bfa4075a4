-- No transaction: the rows of before are filled in parts, while others write.
-- Movements of money, each written in the commit that makes it true. ADR 0061, docs/movements.md.

-- Up Migration

-- Rows are only added. There are no foreign keys: checking one would wait for the commit of a payment.
CREATE TABLE IF NOT EXISTS movements (
  -- Derived from what the movement is, so that it is written once.
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL,
  environment text NOT NULL,
  type text NOT NULL CHECK (type IN ('captured', 'refunded', 'refund_failed', 'disputed', 'dispute_won', 'dispute_lost',
    'late', 'fee', 'payout')),
  -- What it adds to the merchant's money; negative: what it takes.
  amount_cents bigint NOT NULL,
  currency text NOT NULL,
  -- NULL: a payout belongs to no payment.
  payment_id uuid,
  refund_id uuid, dispute_id uuid,
  method text,
  -- The provider's name of the object, or the key under which it is found there.
  provider_reference text,
  -- The movement that it undoes or continues.
  follows_from uuid,
  -- When the money moved, as the provider says where it does.
  occurred_at timestamptz NOT NULL,
  -- The instant under which it is counted: its own, or when it was noticed if its month was closed by then.
  booked_at timestamptz NOT NULL,
  -- The day of booked_at in the merchant's time zone as it was then.
  booked_on date NOT NULL
);
-- The list of a merchant, newest first, and all that sums by day, month or method need.
CREATE INDEX IF NOT EXISTS movements_list ON movements (merchant_id, environment, booked_at DESC, id DESC)
  INCLUDE (booked_on, type, method, amount_cents, currency);
-- The list by type. Captures are most of all movements: the list above finds them.
CREATE INDEX IF NOT EXISTS movements_by_type ON movements (merchant_id, environment, type, booked_at DESC, id DESC)
  WHERE type <> 'captured';
-- The movements of a payment.
CREATE INDEX IF NOT EXISTS movements_payment ON movements (payment_id, booked_at DESC, id DESC);
ALTER TABLE movements ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS own_rows ON movements;
CREATE POLICY own_rows ON movements FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON movements TO card_payments_tenant;

CREATE OR REPLACE FUNCTION refuse_movement_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'movements are only ever added to' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE TRIGGER movements_append_only BEFORE UPDATE OR DELETE ON movements
  FOR EACH ROW EXECUTE FUNCTION refuse_movement_change();
CREATE OR REPLACE TRIGGER movements_no_truncate BEFORE TRUNCATE ON movements
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_movement_change();

-- Returns the id of the movement of a cause, as derivedId of src/db/server does.
CREATE OR REPLACE FUNCTION movement_id(cause text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN overlay(overlay(left(encode(sha256(convert_to('movement ' || cause, 'UTF8')), 'hex'), 32)
  PLACING '8' FROM 13) PLACING 'a' FROM 17)::uuid;

-- Writes a movement, once. A movement that is noticed three days after the end of its month or later is counted in the
-- month in which it is noticed, so that closed months stay as they were; `is_old`: it is filled in, and nothing was
-- closed yet. The functions that write run as the owner: no process can write a movement of its own.
CREATE OR REPLACE FUNCTION book_movement(cause text, kind text, at timestamptz, cents bigint, money text, merchant uuid,
  env text, payment uuid, refund uuid, dispute uuid, of_method text, reference text, after uuid, is_old boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  occurred timestamptz := date_trunc('milliseconds', at);
  booked timestamptz := occurred;
  noticed timestamptz := date_trunc('milliseconds', clock_timestamp());
  zone text;
BEGIN
  SELECT s.time_zone INTO zone FROM merchant_settings s WHERE s.merchant_id = merchant AND s.environment = env;
  BEGIN
    PERFORM occurred AT TIME ZONE zone;
  EXCEPTION WHEN invalid_parameter_value THEN
    -- A zone that PostgreSQL does not have stops no payment.
    zone := NULL;
  END;
  zone := coalesce(zone, 'UTC');
  IF NOT is_old AND noticed >=
    (date_trunc('month', occurred AT TIME ZONE zone) + interval '1 month 3 days') AT TIME ZONE zone
  THEN
    booked := noticed;
  END IF;
  INSERT INTO movements (id, merchant_id, environment, type, amount_cents, currency, payment_id, refund_id, dispute_id,
    method, provider_reference, follows_from, occurred_at, booked_at, booked_on)
  VALUES (movement_id(cause), merchant, env, kind, cents, money, payment, refund, dispute, of_method, reference, after,
    occurred, booked, (booked AT TIME ZONE zone)::date)
  ON CONFLICT (id) DO NOTHING;
END $$;

-- Money of an attempt is one movement, also if it was first noticed as an unexpected capture. `late`: it was taken after
-- the checkout, or the attempt, was over.
CREATE OR REPLACE FUNCTION book_paid_attempt(a attempts, is_old boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  p payments;
BEGIN
  SELECT o.* INTO p FROM payments o WHERE o.id = a.payment_id;
  PERFORM book_movement('capture ' || p.id || ':' || a.attempt_no, CASE WHEN a.late THEN 'late' ELSE 'captured' END,
    coalesce(a.captured_at, a.resolved_at, p.paid_at, clock_timestamp()), p.amount_cents, p.currency, p.merchant_id,
    p.environment, p.id, NULL, NULL, a.method, coalesce(a.provider_reference, p.id || ':' || a.attempt_no), NULL, is_old);
END $$;

CREATE OR REPLACE FUNCTION book_unexpected_capture(c unexpected_captures, is_old boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM book_movement('capture ' || c.payment_id || ':' || c.attempt_no, 'late', coalesce(c.captured_at, c.found_at),
    c.amount_cents, c.currency, c.merchant_id, c.environment, c.payment_id, NULL, NULL,
    (SELECT a.method FROM attempts a WHERE a.payment_id = c.payment_id AND a.attempt_no = c.attempt_no),
    c.provider_reference, NULL, is_old);
END $$;

-- Returns the movement that took the money of a payment.
CREATE OR REPLACE FUNCTION capture_of(payment uuid) RETURNS uuid LANGUAGE sql STABLE
RETURN (SELECT movement_id('capture ' || a.payment_id || ':' || a.attempt_no) FROM attempts a
  WHERE a.payment_id = payment AND a.status = 'paid' ORDER BY a.attempt_no LIMIT 1);

-- A refund moves money when it succeeds, and moves it back when it fails afterwards.
CREATE OR REPLACE FUNCTION book_refund(r refunds, is_old boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  p payments;
  reference text := coalesce(r.provider_reference, r.id::text);
BEGIN
  SELECT o.* INTO p FROM payments o WHERE o.id = r.payment_id;
  PERFORM book_movement('refunded ' || r.id, 'refunded', r.succeeded_at, -r.amount_cents, p.currency, r.merchant_id,
    r.environment, p.id, r.id, NULL, p.method, reference, capture_of(p.id), is_old);
  IF r.status = 'failed' THEN
    PERFORM book_movement('refund failed ' || r.id, 'refund_failed', coalesce(r.failed_at, clock_timestamp()),
      r.amount_cents, p.currency, r.merchant_id, r.environment, p.id, r.id, NULL, p.method, reference,
      movement_id('refunded ' || r.id), is_old);
  END IF;
END $$;

-- Writes what a dispute moves beyond its movements so far, under the lock of its row: its amount is withdrawn while it is
-- open and after it is lost, and returned when it is won. An inquiry withdraws nothing unless it is lost.
CREATE OR REPLACE FUNCTION book_dispute(d disputes, opened timestamptz, is_old boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  p payments;
  so_far integer;
  withdrawn bigint;
  previous uuid;
  previous_type text;
  wanted bigint := CASE WHEN d.status = 'won' OR (d.stage = 'inquiry' AND d.status <> 'lost') THEN 0
    ELSE d.amount_cents END;
BEGIN
  SELECT count(*), coalesce(-sum(m.amount_cents), 0) INTO so_far, withdrawn FROM movements m
  WHERE m.payment_id = d.payment_id AND m.dispute_id = d.id;
  SELECT o.* INTO p FROM payments o WHERE o.id = d.payment_id;
  previous := movement_id('dispute ' || d.id || ' ' || so_far);
  SELECT m.type INTO previous_type FROM movements m WHERE m.id = previous;
  IF so_far = 0 THEN previous := capture_of(p.id); END IF;
  IF so_far = 0 AND d.closed_at IS NOT NULL AND d.stage <> 'inquiry' THEN
    PERFORM book_movement('dispute ' || d.id || ' 1', 'disputed', d.created_at, -d.amount_cents, p.currency,
      d.merchant_id, d.environment, p.id, NULL, d.id, p.method, d.provider_reference, previous, is_old);
    so_far := 1;
    withdrawn := d.amount_cents;
    previous := movement_id('dispute ' || d.id || ' 1');
    previous_type := 'disputed';
  END IF;
  -- That a withdrawn amount is lost is a movement of nothing: it ends the dispute in the books.
  IF wanted = withdrawn AND (d.status <> 'lost' OR previous_type IS NOT DISTINCT FROM 'dispute_lost') THEN RETURN; END IF;
  PERFORM book_movement('dispute ' || d.id || ' ' || so_far + 1,
    CASE d.status WHEN 'won' THEN 'dispute_won' WHEN 'lost' THEN 'dispute_lost' ELSE 'disputed' END,
    coalesce(d.closed_at, opened), withdrawn - wanted, p.currency, d.merchant_id, d.environment, p.id, NULL, d.id,
    p.method, d.provider_reference, previous, is_old);
END $$;

-- Writes fees and payouts as a provider lists them, and nothing else: the worker may call it. What names a charge must be of
-- a payment of the merchant's environment.
CREATE OR REPLACE FUNCTION record_provider_movements(merchant uuid, env text, entries json) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM book_movement(i.type || ' ' || merchant || ' ' || env || ' ' || i.reference, i.type, i.occurred_at, i.amount_cents,
    i.currency, merchant, env, p.id, NULL, NULL, p.method, i.reference,
    CASE WHEN p.id IS NOT NULL THEN capture_of(p.id) END, false)
  FROM json_to_recordset(entries) AS i (type text, reference text, amount_cents bigint, currency text,
    charge_reference text, occurred_at timestamptz)
  LEFT JOIN attempts a ON a.provider_reference = i.charge_reference
  LEFT JOIN payments p ON p.id = a.payment_id
  WHERE i.type IN ('fee', 'payout')
    AND (i.charge_reference IS NULL OR (p.merchant_id = merchant AND p.environment = env));
END $$;

CREATE OR REPLACE FUNCTION record_paid_attempt() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM book_paid_attempt(NEW, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION record_unexpected_capture() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM book_unexpected_capture(NEW, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION record_refund() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM book_refund(NEW, false);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION record_dispute() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM book_dispute(NEW, CASE
    WHEN TG_OP = 'INSERT' THEN NEW.created_at
    WHEN NEW.reopened_at IS DISTINCT FROM OLD.reopened_at THEN coalesce(NEW.reopened_at, clock_timestamp())
    ELSE clock_timestamp() END, false);
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION book_movement, book_paid_attempt, book_unexpected_capture, book_refund, book_dispute,
  record_provider_movements FROM PUBLIC;

-- Triggers, so that no writer forgets a movement: also the version before this one writes them. Each waits a second for
-- its table at most. Then the migration begins again.
SET lock_timeout = '1s';
CREATE OR REPLACE TRIGGER attempts_movement AFTER INSERT OR UPDATE OF status ON attempts FOR EACH ROW
  WHEN (NEW.status = 'paid') EXECUTE FUNCTION record_paid_attempt();
CREATE OR REPLACE TRIGGER unexpected_captures_movement AFTER INSERT ON unexpected_captures FOR EACH ROW
  EXECUTE FUNCTION record_unexpected_capture();
CREATE OR REPLACE TRIGGER refunds_movement AFTER INSERT OR UPDATE OF status ON refunds FOR EACH ROW
  WHEN (NEW.succeeded_at IS NOT NULL) EXECUTE FUNCTION record_refund();
CREATE OR REPLACE TRIGGER disputes_movement AFTER INSERT OR UPDATE OF status, stage, amount_cents ON disputes FOR EACH ROW
  EXECUTE FUNCTION record_dispute();

-- Fills in the movements of the rows of before, those of 5,000 payments in each commit. What a trigger wrote meanwhile stays.
CREATE OR REPLACE PROCEDURE fill_movements() LANGUAGE plpgsql AS $$
DECLARE
  done uuid := '00000000-0000-0000-0000-000000000000';
  upto uuid;
BEGIN
  LOOP
    SELECT max(part.id::text)::uuid INTO upto
    FROM (SELECT p.id FROM payments p WHERE p.id > done ORDER BY p.id LIMIT 5000) AS part;
    EXIT WHEN upto IS NULL;
    PERFORM book_paid_attempt(a, true) FROM attempts a
    WHERE a.payment_id > done AND a.payment_id <= upto AND a.status = 'paid';
    PERFORM book_unexpected_capture(c, true) FROM unexpected_captures c
    WHERE c.payment_id > done AND c.payment_id <= upto;
    PERFORM book_refund(r, true) FROM refunds r
    WHERE r.payment_id > done AND r.payment_id <= upto AND r.succeeded_at IS NOT NULL;
    -- Locked, because a trigger may write about the same dispute.
    PERFORM book_dispute(l.d, l.created_at, true) FROM (
      SELECT d, d.created_at FROM disputes d WHERE d.payment_id > done AND d.payment_id <= upto FOR UPDATE) AS l;
    done := upto;
    COMMIT;
  END LOOP;
END $$;
CALL fill_movements();
DROP PROCEDURE fill_movements;

-- Down Migration

DROP TRIGGER attempts_movement ON attempts;
DROP TRIGGER unexpected_captures_movement ON unexpected_captures;
DROP TRIGGER refunds_movement ON refunds;
DROP TRIGGER disputes_movement ON disputes;
DROP FUNCTION record_provider_movements, record_dispute, record_refund, record_unexpected_capture, record_paid_attempt;
DROP FUNCTION book_dispute, book_refund, book_unexpected_capture, book_paid_attempt, book_movement;
DROP FUNCTION capture_of, movement_id;
DROP TABLE movements;
DROP FUNCTION refuse_movement_change;
