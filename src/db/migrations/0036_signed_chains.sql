-- Signatures of the audit log, what was copied of it elsewhere, and seals of the event log. ADR 0065 and 0066.

-- Up Migration

-- The key that signs, sealed with the encryption keys: who can read the database cannot sign.
CREATE TABLE chain_keys (
  name text PRIMARY KEY CHECK (name = 'chains'),
  private_key_sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Ed25519, of the hash. NULL: written by a build before this one.
ALTER TABLE audit_entries ADD COLUMN signature bytea CHECK (octet_length(signature) = 64);

-- What of each audit log is stored outside of this database.
CREATE TABLE audit_copies (
  merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
  -- The last entry that AUDIT_SINK took.
  sent_sequence bigint NOT NULL DEFAULT 0,
  -- The last entry whose hash a worker has logged, and when.
  logged_sequence bigint NOT NULL DEFAULT 0,
  logged_at timestamptz
);
INSERT INTO audit_copies (merchant_id) SELECT id FROM merchants;

-- The entries of a merchant up to this number may lack a signature; only an operator raises it.
CREATE TABLE audit_unsigned (
  merchant_id uuid PRIMARY KEY REFERENCES merchants (id),
  until_sequence bigint NOT NULL CHECK (until_sequence >= 0)
);
INSERT INTO audit_unsigned (merchant_id, until_sequence) SELECT merchant_id, sequence FROM audit_heads;

-- Which kind of actor may be recorded is decided by the database's user: the operator's command alone connects as the
-- owner. An entry that does not follow the one before it is refused.
CREATE FUNCTION check_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.actor_kind = 'operator' AND current_user IN ('card_payments_api', 'card_payments_worker') THEN
    RAISE EXCEPTION 'only the operator command records an operator' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NEW.sequence > 1 AND NOT EXISTS (SELECT FROM audit_entries
      WHERE merchant_id = NEW.merchant_id AND sequence = NEW.sequence - 1 AND hash = NEW.previous_hash) THEN
    RAISE EXCEPTION 'the entry does not follow the one before it' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER audit_entries_check BEFORE INSERT ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION check_audit_entry();

-- Hashes of the events of a merchant, up to 500 in one row, signed; each seal holds the hash of the one before it.
CREATE TABLE event_seals (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  last_position bigint NOT NULL,
  previous_hash bytea NOT NULL CHECK (octet_length(previous_hash) = 32),
  previous_at timestamptz,
  -- Of each event: its id, its position in the log, when it was made (microseconds since 1970), and its hash.
  ids text[] NOT NULL,
  positions bigint[] NOT NULL,
  instants text[] NOT NULL,
  hashes bytea[] NOT NULL,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  signature bytea NOT NULL CHECK (octet_length(signature) = 64),
  sealed_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, environment, last_position)
);
-- What the sweep deletes after the events.
CREATE INDEX event_seals_age ON event_seals (sealed_at);

-- Up to where the events of each merchant are sealed.
CREATE TABLE event_seal_heads (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  position bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
  sealed_at timestamptz,
  PRIMARY KEY (merchant_id, environment)
);
INSERT INTO event_seal_heads (merchant_id, environment)
  SELECT id, environment FROM merchants CROSS JOIN (VALUES ('sandbox'), ('live')) AS of (environment);
CREATE FUNCTION begin_chains() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_copies (merchant_id) VALUES (NEW.id);
  INSERT INTO event_seal_heads (merchant_id, environment) VALUES (NEW.id, 'sandbox'), (NEW.id, 'live');
  RETURN NULL;
END $$;
CREATE TRIGGER merchants_begin_chains AFTER INSERT ON merchants FOR EACH ROW EXECUTE FUNCTION begin_chains();

-- Down Migration

DROP TRIGGER merchants_begin_chains ON merchants;
DROP FUNCTION begin_chains;
DROP TRIGGER audit_entries_check ON audit_entries;
DROP FUNCTION check_audit_entry;
DROP TABLE event_seal_heads, event_seals, audit_unsigned, audit_copies, chain_keys;
ALTER TABLE audit_entries DROP COLUMN signature;
