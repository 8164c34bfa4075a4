-- Up Migration

-- Refunds, each driven by a workflow of its own. docs/refunds-and-disputes.md.
CREATE TABLE refunds (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  payment_id uuid NOT NULL REFERENCES payments (id),
  amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 1 AND 100000000),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
  reason text CHECK (reason IN ('duplicate', 'fraudulent', 'requestedByCustomer', 'other')),
  reference text CHECK (char_length(reference) BETWEEN 1 AND 255),
  -- The provider's name of a refund that was made there; NULL for a refund that was made here. ADR 0024.
  provider_reference text,
  failure_code text CHECK (char_length(failure_code) BETWEEN 1 AND 128),
  failure_message text CHECK (char_length(failure_message) <= 500),
  -- json, not jsonb: what was sent is returned as it was sent.
  metadata json NOT NULL,
  created_at timestamptz NOT NULL,
  -- Until then it can be canceled without the provider.
  submit_after timestamptz NOT NULL,
  -- Written before the network is called: a refund that may have been sent cannot be canceled.
  submitted_at timestamptz,
  succeeded_at timestamptz, failed_at timestamptz,
  -- When the sweep next checks that the workflow runs, or asks the provider about it; NULL: never again.
  next_check_at timestamptz,
  check_failures integer NOT NULL DEFAULT 0,
  -- A refund that may have been sent is not canceled.
  CONSTRAINT refunds_canceled_unsent CHECK (status <> 'canceled' OR submitted_at IS NULL),
  -- A failed refund has a reason, and only a failed one.
  CONSTRAINT refunds_failure_of_failed CHECK ((status = 'failed') = (failure_code IS NOT NULL))
);
-- The refunds of a payment.
CREATE INDEX refunds_payment ON refunds (payment_id);
-- The list of a merchant, newest first, and the same by status.
CREATE INDEX refunds_list ON refunds (merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX refunds_list_by_status ON refunds (merchant_id, environment, status, created_at DESC, id DESC);
-- What the sweep checks next: pending refunds, and succeeded ones that the network may still take back.
CREATE INDEX refunds_pending ON refunds (next_check_at) WHERE status = 'pending';
CREATE INDEX refunds_succeeded ON refunds (next_check_at) WHERE status = 'succeeded' AND next_check_at IS NOT NULL;
ALTER TABLE refunds ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON refunds FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON refunds TO card_payments_tenant;

-- Backs up src/domain/refund.ts: what a refund was ordered for never changes, and its status moves along known edges.
CREATE FUNCTION refuse_refund_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.amount_cents <> OLD.amount_cents OR NEW.payment_id <> OLD.payment_id THEN
    RAISE EXCEPTION 'the terms of a refund may not change' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status || '>' || NEW.status) NOT IN (
    'pending>succeeded', 'pending>failed', 'pending>canceled', 'succeeded>failed'
  ) THEN
    RAISE EXCEPTION 'refund status may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refunds_edges BEFORE UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION refuse_refund_change();

-- Payments whose refunds are to be read at the provider, which reported one that is not stored, or that changed.
-- Written with the cursor of the provider's list, so that no report is lost before the refund is stored. ADR 0024.
CREATE TABLE provider_refund_hints (
  payment_id uuid PRIMARY KEY,
  next_check_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0 -- in a row
);
-- What the sweep reads next.
CREATE INDEX provider_refund_hints_due ON provider_refund_hints (next_check_at);
-- Down Migration
DROP TABLE provider_refund_hints, refunds;
DROP FUNCTION refuse_refund_change;
