-- Up Migration

-- What merchants' keys asked of the API lately, without bodies and addresses: ADR 0025. Kept for seven days. Named by
-- its Request-Id, whose first bits are the time: newest first is the order of the ids, in every index.
CREATE TABLE api_requests (
  id uuid PRIMARY KEY,
  -- No foreign keys: a line of a log is no reason to lock a merchant's row.
  merchant_id uuid NOT NULL,
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  -- When it arrived.
  at timestamptz NOT NULL,
  method text NOT NULL,
  -- The route's template; '' where the path is none of ours.
  route text NOT NULL,
  status smallint NOT NULL,
  error_code text,
  ms integer NOT NULL,
  key_id text NOT NULL,
  payment_id uuid
);
CREATE INDEX api_requests_of_tenant ON api_requests (merchant_id, environment, id);
CREATE INDEX api_requests_of_payment ON api_requests (merchant_id, environment, payment_id, id)
  WHERE payment_id IS NOT NULL;
-- Few, and what a log is opened for.
CREATE INDEX api_requests_refused ON api_requests (merchant_id, environment, id) WHERE status >= 400;

ALTER TABLE api_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON api_requests FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, environment));
GRANT SELECT ON api_requests TO card_payments_tenant;

-- Down Migration

REVOKE ALL ON api_requests FROM card_payments_tenant;
DROP TABLE api_requests;
