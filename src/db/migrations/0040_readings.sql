-- Up Migration

-- Writers wait for one lock at most: no other is waited for meanwhile.
LOCK TABLE payments IN ACCESS EXCLUSIVE MODE;
LOCK TABLE attempts, merchant_settings, operator_alerts IN ACCESS EXCLUSIVE MODE NOWAIT;

-- What a payment was before each change of what is read of it, in the order of the changes: with its row, every
-- state it was ever in. Written by whoever changes the row, in the same commit. ADR 0019.
ALTER TABLE payments
  ADD COLUMN version integer NOT NULL DEFAULT 0,
  -- When it became what it is; NULL: when it was created. Never earlier than the change before.
  ADD COLUMN changed_at timestamptz;
CREATE TABLE payment_versions (
  payment_id uuid NOT NULL REFERENCES payments (id) ON DELETE CASCADE,
  version integer NOT NULL,
  -- It was so up to this instant, exclusive.
  until timestamptz NOT NULL,
  event_seq integer NOT NULL,
  status text NOT NULL,
  checkout_status text NOT NULL,
  terminal_reason text,
  attempts_left smallint NOT NULL,
  method text,
  refunded_cents bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  capture_expires_at timestamptz NOT NULL,
  failure_code text,
  failure_message text,
  card_bin text,
  card_issuer jsonb,
  card_brand text,
  card_last4 text,
  paid_at timestamptz,
  refunded_at timestamptz,
  finalized_at timestamptz,
  PRIMARY KEY (payment_id, version)
);

CREATE FUNCTION keep_payment_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Whoever decided says when; milliseconds, as everybody who reads it.
  IF NEW.changed_at IS NOT DISTINCT FROM OLD.changed_at THEN NEW.changed_at := clock_timestamp(); END IF;
  NEW.changed_at := date_trunc('milliseconds', greatest(NEW.changed_at, OLD.changed_at, OLD.created_at));
  NEW.version := OLD.version + 1;
  INSERT INTO payment_versions (payment_id, version, until, event_seq, status, checkout_status, terminal_reason,
    attempts_left, method, refunded_cents, expires_at, capture_expires_at, failure_code, failure_message,
    card_bin, card_issuer, card_brand, card_last4, paid_at, refunded_at, finalized_at)
  VALUES (OLD.id, OLD.version, NEW.changed_at, OLD.event_seq, OLD.status, OLD.checkout_status, OLD.terminal_reason,
    OLD.attempts_left, OLD.method, OLD.refunded_cents, OLD.expires_at, OLD.capture_expires_at, OLD.failure_code,
    OLD.failure_message, OLD.card_bin, OLD.card_issuer, OLD.card_brand, OLD.card_last4, OLD.paid_at,
    OLD.refunded_at, OLD.finalized_at);
  RETURN NEW;
END $$;

-- When the outcome of an attempt first was unknown; unlike unknown_since it stays.
ALTER TABLE attempts ADD COLUMN first_unknown_at timestamptz;
CREATE FUNCTION keep_first_unknown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.first_unknown_at := coalesce(OLD.first_unknown_at, NEW.unknown_since);
  RETURN NEW;
END $$;

-- A payment that is paid after its checkout closed is given back by itself.
ALTER TABLE merchant_settings ADD COLUMN refund_late boolean NOT NULL DEFAULT false;

-- What payments are found by that their rows alone cannot be: the customer's e-mail address in lower case, the last
-- four digits of any card that was tried, any method that was. Kept as long as the payment.
CREATE TABLE payment_search_terms (
  merchant_id uuid NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('email', 'last4', 'method')),
  term text NOT NULL,
  -- The payment's own, for the order of what is found.
  created_at timestamptz NOT NULL,
  payment_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, environment, kind, term, created_at, payment_id)
);

CREATE FUNCTION note_email_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_search_terms (merchant_id, environment, kind, term, created_at, payment_id)
  VALUES (NEW.merchant_id, NEW.environment, 'email', lower(NEW.customer_email), NEW.created_at, NEW.id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_attempt_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_search_terms (merchant_id, environment, kind, term, created_at, payment_id)
  SELECT p.merchant_id, p.environment, t.kind, t.term, p.created_at, p.id
  FROM payments p, (VALUES ('method', NEW.method), ('last4', NEW.card_last4)) AS t (kind, term)
  WHERE p.id = NEW.payment_id AND t.term IS NOT NULL AND (t.kind = 'last4' OR TG_OP = 'INSERT')
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

DO $$
DECLARE
  name text;
BEGIN
  ALTER TABLE payment_search_terms ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_rows ON payment_search_terms FOR SELECT TO card_payments_tenant
    USING (is_own_row(merchant_id, environment));
  ALTER TABLE payment_versions ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_rows ON payment_versions FOR SELECT TO card_payments_tenant
    USING (EXISTS (SELECT FROM payments p WHERE p.id = payment_id));
  -- A payment that the sweeps cannot look at waits for an operator, and says so.
  ALTER TABLE operator_alerts ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own_payments ON operator_alerts FOR SELECT TO card_payments_tenant
    USING (EXISTS (SELECT FROM payments p WHERE p.id =
      CASE WHEN subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN subject::uuid END));
  FOREACH name IN ARRAY ARRAY['payment_search_terms', 'payment_versions', 'operator_alerts'] LOOP
    EXECUTE format('GRANT SELECT ON %I TO card_payments_tenant', name);
  END LOOP;
END $$;

CREATE TRIGGER payments_versions BEFORE UPDATE ON payments FOR EACH ROW
  WHEN ((OLD.status, OLD.checkout_status, OLD.terminal_reason, OLD.attempts_left, OLD.method, OLD.refunded_cents,
         OLD.expires_at, OLD.capture_expires_at, OLD.failure_code, OLD.failure_message, OLD.card_bin,
         OLD.card_issuer, OLD.card_brand, OLD.card_last4, OLD.paid_at, OLD.refunded_at, OLD.finalized_at)
        IS DISTINCT FROM
        (NEW.status, NEW.checkout_status, NEW.terminal_reason, NEW.attempts_left, NEW.method, NEW.refunded_cents,
         NEW.expires_at, NEW.capture_expires_at, NEW.failure_code, NEW.failure_message, NEW.card_bin,
         NEW.card_issuer, NEW.card_brand, NEW.card_last4, NEW.paid_at, NEW.refunded_at, NEW.finalized_at))
  EXECUTE FUNCTION keep_payment_version();
CREATE TRIGGER payments_email_term AFTER INSERT ON payments FOR EACH ROW
  WHEN (NEW.customer_email IS NOT NULL) EXECUTE FUNCTION note_email_term();
CREATE TRIGGER attempts_first_unknown BEFORE UPDATE OF unknown_since ON attempts FOR EACH ROW
  WHEN (NEW.unknown_since IS NOT NULL) EXECUTE FUNCTION keep_first_unknown();
CREATE TRIGGER attempts_new_terms AFTER INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION note_attempt_term();
CREATE TRIGGER attempts_card_term AFTER UPDATE OF card_last4 ON attempts FOR EACH ROW
  WHEN (NEW.card_last4 IS NOT NULL AND NEW.card_last4 IS DISTINCT FROM OLD.card_last4)
  EXECUTE FUNCTION note_attempt_term();

-- Down Migration

DROP TRIGGER attempts_card_term ON attempts;
DROP TRIGGER attempts_new_terms ON attempts;
DROP TRIGGER attempts_first_unknown ON attempts;
DROP TRIGGER payments_email_term ON payments;
DROP TRIGGER payments_versions ON payments;
DROP FUNCTION note_attempt_term, note_email_term, keep_first_unknown, keep_payment_version;
DROP TABLE payment_search_terms, payment_versions;
REVOKE ALL ON operator_alerts FROM card_payments_tenant;
DROP POLICY own_payments ON operator_alerts;
ALTER TABLE operator_alerts DISABLE ROW LEVEL SECURITY;
ALTER TABLE merchant_settings DROP COLUMN refund_late;
ALTER TABLE attempts DROP COLUMN first_unknown_at;
ALTER TABLE payments DROP COLUMN changed_at, DROP COLUMN version;
