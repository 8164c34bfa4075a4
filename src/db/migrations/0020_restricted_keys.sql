-- Up Migration

-- What a key may do, and how much it may refund in a UTC day; NULL: everything. ADR 0044.
ALTER TABLE api_keys
  ADD COLUMN scopes text[] CHECK (cardinality(scopes) BETWEEN 1 AND 20),
  ADD COLUMN refund_cap_cents bigint CHECK (refund_cap_cents >= 0),
  -- Of a rolled key: the first key of its line. All keys of a line share its cap.
  ADD COLUMN line_id text;
GRANT SELECT (scopes, refund_cap_cents) ON api_keys TO card_payments_tenant;

-- The line of the key that made a refund; NULL: it was made by no key, or by a build before this one.
ALTER TABLE refunds ADD COLUMN key_line_id text;

-- Down Migration

ALTER TABLE refunds DROP COLUMN key_line_id;
ALTER TABLE api_keys DROP COLUMN scopes, DROP COLUMN refund_cap_cents, DROP COLUMN line_id;
