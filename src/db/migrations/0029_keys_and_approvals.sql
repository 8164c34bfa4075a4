-- From where a key may call, and refunds that wait for a second member. ADR 0057.

-- Up Migration

-- IP addresses and networks that a key may call from; NULL: any.
ALTER TABLE api_keys ADD COLUMN allow_from text[] CHECK (cardinality(allow_from) BETWEEN 1 AND 50);
GRANT SELECT (allow_from) ON api_keys TO card_payments_tenant;
-- The caller's address, to the minute like the time.
ALTER TABLE api_key_uses ADD COLUMN last_used_from text;

-- From this sum of a member's refunds in a day on, a second member approves a refund of the dashboard; NULL: never.
ALTER TABLE merchant_settings ADD COLUMN refund_approval_cents bigint CHECK (refund_approval_cents >= 0);

ALTER TABLE refunds
  -- The member who made it in the dashboard; NULL: a key, the service, or a build before this one.
  ADD COLUMN member_id uuid,
  -- The approval that it was made with: it counts in no member's sum.
  ADD COLUMN approval_id uuid;

CREATE TABLE refund_approvals (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  payment_id uuid NOT NULL REFERENCES payments (id),
  asked_by uuid NOT NULL REFERENCES members (id),
  asked_by_name text NOT NULL,
  amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 1 AND 100000000),
  reason text,
  reference text CHECK (char_length(reference) BETWEEN 1 AND 255),
  -- Of the form that asked: a form that is sent twice asks once.
  form_key text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  approved_by uuid REFERENCES members (id),
  approved_at timestamptz,
  CONSTRAINT refund_approvals_two_members CHECK (approved_by <> asked_by),
  UNIQUE (payment_id, form_key)
);
ALTER TABLE refund_approvals ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON refund_approvals FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, environment));
GRANT SELECT ON refund_approvals TO card_payments_tenant;

-- Down Migration

DROP TABLE refund_approvals;
ALTER TABLE refunds DROP COLUMN approval_id, DROP COLUMN member_id;
ALTER TABLE merchant_settings DROP COLUMN refund_approval_cents;
ALTER TABLE api_key_uses DROP COLUMN last_used_from;
ALTER TABLE api_keys DROP COLUMN allow_from;
