-- Up Migration

ALTER TABLE attempts
  -- When the provider says that it took the money, never later than when the answer was stored; NULL: nothing was
  -- taken, or a version before this one stored the answer.
  ADD COLUMN captured_at timestamptz,
  -- Of a paid attempt: whether the money was taken after the checkout's deadline; NULL: a version before this one
  -- made the payment paid, and it is late when its checkout was closed by then.
  ADD COLUMN late boolean;

-- Reports of the provider about attempts that are closed here: each is read at the provider once. There is no foreign
-- key: adding one locks the payments, and its check would wait for their commits.
CREATE TABLE capture_hints (
  -- The attempt's key at the provider, `<payment id>:<attempt number>`.
  key text PRIMARY KEY,
  payment_id uuid NOT NULL,
  attempt_no integer NOT NULL CHECK (attempt_no >= 1),
  -- The provider's object that it reported, where it prepares one.
  provider_reference text CHECK (length(provider_reference) <= 255),
  next_check_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0 -- in a row
);
-- What the sweep reads next.
CREATE INDEX capture_hints_due ON capture_hints (next_check_at);

-- Money that the provider took and that is in no paid attempt. A row changes nothing of its payment, and never changes.
CREATE TABLE unexpected_captures (
  payment_id uuid NOT NULL,
  attempt_no integer NOT NULL,
  merchant_id uuid NOT NULL,
  environment text NOT NULL,
  -- As the provider says, also where that contradicts the payment.
  amount_cents bigint NOT NULL,
  currency text NOT NULL CHECK (length(currency) <= 16),
  provider_reference text NOT NULL CHECK (length(provider_reference) <= 255),
  -- NULL: the provider named no instant.
  captured_at timestamptz,
  found_at timestamptz NOT NULL,
  PRIMARY KEY (payment_id, attempt_no)
);
-- What needs a merchant's attention, newest first.
CREATE INDEX unexpected_captures_list ON unexpected_captures (merchant_id, environment, found_at);
ALTER TABLE unexpected_captures ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON unexpected_captures FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, environment));
GRANT SELECT ON unexpected_captures TO card_payments_tenant;

-- Down Migration
DROP TABLE unexpected_captures, capture_hints;
ALTER TABLE attempts DROP COLUMN captured_at, DROP COLUMN late;
