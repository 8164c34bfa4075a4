-- Up Migration

-- Who changed what, for ever: docs/dashboard.md, "The audit trail". Each entry carries the hash of the one before it,
-- so that whoever changes, removes or moves one is found by `admin audit verify`.
CREATE TABLE audit_entries (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  -- 1, 2, 3, … of each merchant, without gaps.
  sequence bigint NOT NULL CHECK (sequence >= 1),
  at timestamptz NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('operator', 'member', 'apiKey', 'service')),
  actor_id text,
  actor_name text NOT NULL,
  -- Where from: the caller's address, or the operator's machine.
  address text,
  -- NULL: of the merchant as a whole.
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

-- The end of each chain: what the next entry follows, and what shows that the last ones were cut off.
CREATE TABLE audit_heads (
  merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
  sequence bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit trail is only ever added to' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_are_not_emptied BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON audit_entries FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, coalesce(environment, current_setting('card_payments.environment', true))));
GRANT SELECT ON audit_entries TO card_payments_tenant;

-- Down Migration

REVOKE ALL ON audit_entries FROM card_payments_tenant;
DROP TABLE audit_entries;
DROP TABLE audit_heads;
DROP FUNCTION refuse_audit_change;
