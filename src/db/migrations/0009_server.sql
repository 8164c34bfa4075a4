-- Up Migration

-- Requests with an Idempotency-Key, for 24 hours: a key and the operation it was first used for.
CREATE TABLE idempotency_keys (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  operation text NOT NULL,
  key text NOT NULL,
  environment text NOT NULL,
  -- Another body under the same key is refused.
  body_hash bytea NOT NULL,
  -- The id of what the first request made: a retry after any crash makes the same.
  resource_id uuid NOT NULL,
  finished boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  -- Until then the request is under way; only the holder of the token renews the lease, ends it or frees the key.
  lease_until timestamptz NOT NULL,
  lease_token uuid,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, operation, key)
);
-- The sweep deletes what has expired.
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

-- The answers of operations whose result does not follow from stored fields: a retry gets the same one.
CREATE TABLE idempotency_responses (
  merchant_id uuid NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  response json,
  -- An answer that holds links or customers' data.
  response_sealed bytea,
  PRIMARY KEY (merchant_id, operation, key),
  FOREIGN KEY (merchant_id, operation, key) REFERENCES idempotency_keys (merchant_id, operation, key) ON DELETE CASCADE,
  -- An answer is stored in clear or sealed.
  CONSTRAINT idempotency_responses_once CHECK ((response IS NULL) <> (response_sealed IS NULL))
);

-- The counters of rate limits. Unlogged: a crash that loses them only forgives a burst.
CREATE UNLOGGED TABLE rate_limits (
  bucket text PRIMARY KEY,
  -- Theoretical arrival time of the generic cell rate algorithm.
  arrival timestamptz NOT NULL
);

-- Takes one call from each bucket by the generic cell rate algorithm: a bucket holds `bursts[i]` calls and gains one
-- every `gaps_us[i]` microseconds. Returns the first bucket that refuses (from 1; 0: none) with the wait until it would
-- admit, and what is left in the first bucket. One statement, so that a request costs one round trip.
CREATE FUNCTION take_rate(names text[], gaps_us bigint[], bursts integer[],
  OUT refused integer, OUT wait_ms integer, OUT remaining integer) LANGUAGE plpgsql AS $$
DECLARE
  instant timestamptz;
  gap interval;
  taken timestamptz;
BEGIN
  refused := 0;
  wait_ms := 0;
  FOR i IN 1 .. array_length(names, 1) LOOP
    gap := gaps_us[i] * interval '1 microsecond';
    instant := clock_timestamp();
    INSERT INTO rate_limits AS r (bucket, arrival) VALUES (names[i], instant + gap)
    ON CONFLICT (bucket) DO UPDATE SET arrival = greatest(r.arrival, instant) + gap
      WHERE greatest(r.arrival, instant) + gap - instant <= bursts[i] * gap
    RETURNING arrival INTO taken;
    IF taken IS NULL THEN
      refused := i;
      SELECT ceil(1000 * extract(epoch FROM r.arrival + gap - instant - bursts[i] * gap))::integer INTO wait_ms
        FROM rate_limits r WHERE r.bucket = names[i];
      wait_ms := greatest(wait_ms, 1);
      IF i = 1 THEN remaining := 0; END IF;
      RETURN;
    END IF;
    IF i = 1 THEN remaining := floor(extract(epoch FROM instant + bursts[i] * gap - taken) / extract(epoch FROM gap)); END IF;
    taken := NULL;
  END LOOP;
END $$;

-- The requests of merchants' keys, without bodies and addresses, for seven days. ADR 0025. The id is the Request-Id,
-- whose first bits are the time: the order of the ids is the order of arrival, in every index.
CREATE TABLE api_requests (
  id uuid PRIMARY KEY,
  -- No foreign keys: a line of a log is no reason to lock a merchant's row.
  merchant_id uuid NOT NULL,
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  -- When it arrived.
  at timestamptz NOT NULL,
  method text NOT NULL,
  -- The template of the route; '' for a path that has none.
  route text NOT NULL,
  status smallint NOT NULL,
  error_code text,
  ms integer NOT NULL,
  key_id text NOT NULL,
  payment_id uuid
);
-- The log of a merchant, and that of one payment.
CREATE INDEX api_requests_of_tenant ON api_requests (merchant_id, environment, id);
CREATE INDEX api_requests_of_payment ON api_requests (merchant_id, environment, payment_id, id)
  WHERE payment_id IS NOT NULL;
-- The requests that were refused: few, and what the log is mostly opened for.
CREATE INDEX api_requests_refused ON api_requests (merchant_id, environment, id) WHERE status >= 400;
ALTER TABLE api_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON api_requests FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON api_requests TO card_payments_tenant;

-- The audit log: who changed what, for ever. Each entry holds the hash of the one before it, so that `admin audit
-- verify` finds an entry that was changed, removed or moved. docs/dashboard.md.
CREATE TABLE audit_entries (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  -- 1, 2, 3, … of each merchant, without gaps.
  sequence bigint NOT NULL CHECK (sequence >= 1),
  at timestamptz NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('operator', 'member', 'apiKey', 'service', 'provider')),
  actor_id text,
  actor_name text NOT NULL,
  -- The caller's address, or the operator's machine.
  address text,
  -- NULL: the merchant as a whole.
  environment text CHECK (environment IN ('sandbox', 'live')),
  action text NOT NULL,
  subject_type text NOT NULL,
  subject_id text NOT NULL,
  before json,
  after json,
  previous_hash bytea NOT NULL CHECK (octet_length(previous_hash) = 32),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (merchant_id, sequence)
);
ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
-- The dashboard shows the entries of an environment, and those of the merchant as a whole in both.
CREATE POLICY own_rows ON audit_entries FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, coalesce(environment, current_setting('card_payments.environment', true))));
GRANT SELECT ON audit_entries TO card_payments_tenant;

-- The end of each chain: what the next entry follows, and what shows that the last entries were removed.
CREATE TABLE audit_heads (
  merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
  sequence bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
);

-- Entries are only ever added.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit trail is only ever added to' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- What an operator has to see, until it is over: checks that fail again and again.
CREATE TABLE operator_alerts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The sweep whose checks fail.
  sweep text NOT NULL,
  -- The id of what it cannot check; empty when all its checks fail.
  subject text NOT NULL,
  merchant_id uuid REFERENCES merchants (id),
  -- A code of this service, of Temporal or of PostgreSQL; never a text of a third party.
  detail text NOT NULL CHECK (char_length(detail) <= 64),
  since timestamptz NOT NULL,
  cleared_at timestamptz
);
-- One open alert for each subject.
CREATE UNIQUE INDEX operator_alerts_open ON operator_alerts (sweep, subject) WHERE cleared_at IS NULL;
-- The open alerts, oldest first.
CREATE INDEX operator_alerts_list ON operator_alerts (since, id) WHERE cleared_at IS NULL;
-- The sweep deletes old ones.
CREATE INDEX operator_alerts_cleared ON operator_alerts (cleared_at) WHERE cleared_at IS NOT NULL;
ALTER TABLE operator_alerts ENABLE ROW LEVEL SECURITY;
-- A payment that waits for an operator shows it, one payment at a time (see payment_versions).
CREATE POLICY own_payments ON operator_alerts FOR SELECT TO card_payments_tenant
  USING ((SELECT true FROM payments p WHERE p.id =
    CASE WHEN subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN subject::uuid END));
GRANT SELECT ON operator_alerts TO card_payments_tenant;

-- How far `admin keys rewrap` got, so that it resumes where it was stopped.
CREATE TABLE key_rewraps (
  -- The keys in use when it began: with other keys it begins anew.
  target text NOT NULL,
  subject text NOT NULL,
  -- The last row that was examined; NULL: none yet.
  after jsonb,
  seen bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  finished_at timestamptz,
  PRIMARY KEY (target, subject)
);
-- Down Migration
DROP TABLE key_rewraps, operator_alerts, audit_heads, audit_entries, api_requests, rate_limits,
  idempotency_responses, idempotency_keys;
DROP FUNCTION refuse_audit_change, take_rate;
