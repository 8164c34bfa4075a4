-- Up Migration

-- How a merchant's payments of one environment reach a vault and a network: none is the simulators. A connector that
-- another took the place of stays for the payments that were made with it. ADR 0018.
CREATE TABLE connectors (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  kind text NOT NULL CHECK (kind IN ('stripe')),
  -- The account at the provider, as the provider names it: another account is another connector.
  account text NOT NULL CHECK (length(account) BETWEEN 1 AND 255),
  credentials_sealed bytea NOT NULL,
  -- Rises with every change of the credentials: what a process keeps of them is of one version.
  version integer NOT NULL DEFAULT 1,
  active boolean NOT NULL,
  -- Its vault has card fields that the hosted page can frame.
  hosted_cards boolean NOT NULL,
  checked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX connectors_active ON connectors (merchant_id, environment) WHERE active;
CREATE UNIQUE INDEX connectors_account ON connectors (merchant_id, environment, kind, account);
ALTER TABLE connectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON connectors FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
CREATE TRIGGER key_changes AFTER INSERT OR UPDATE OR DELETE ON connectors
  FOR EACH STATEMENT EXECUTE FUNCTION tell_key_changes();

-- Writers wait for one lock at most: no other is waited for meanwhile.
LOCK TABLE payments IN ACCESS EXCLUSIVE MODE;
LOCK TABLE attempts, capture_access IN ACCESS EXCLUSIVE MODE NOWAIT;

-- The connector a payment was created with, for ever; NULL for the simulators.
ALTER TABLE payments ADD COLUMN connector_id uuid;
ALTER TABLE payments ADD CONSTRAINT payments_connector FOREIGN KEY (connector_id) REFERENCES connectors (id) NOT VALID;
CREATE TRIGGER payments_connector_terms BEFORE UPDATE OF connector_id ON payments FOR EACH ROW
  WHEN (OLD.connector_id IS DISTINCT FROM NEW.connector_id) EXECUTE FUNCTION refuse_changed_terms();

-- The object that a network prepared for the attempt, committed before any money can move through it.
ALTER TABLE attempts ADD COLUMN provider_reference text CHECK (length(provider_reference) <= 255);
CREATE FUNCTION refuse_changed_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the reference of an attempt may not change' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER attempts_reference BEFORE UPDATE OF provider_reference ON attempts FOR EACH ROW
  WHEN (OLD.provider_reference IS NOT NULL AND OLD.provider_reference IS DISTINCT FROM NEW.provider_reference)
  EXECUTE FUNCTION refuse_changed_reference();

ALTER TABLE capture_access
  -- Where a vault that names its addresses itself takes this payment's cards.
  ADD COLUMN capture_url text CHECK (length(capture_url) <= 2048),
  -- A vault that makes the secret itself is asked by one caller at a time: two would get two secrets.
  ADD COLUMN registering_until timestamptz;

-- Down Migration

ALTER TABLE capture_access DROP COLUMN capture_url, DROP COLUMN registering_until;
DROP TRIGGER attempts_reference ON attempts;
DROP FUNCTION refuse_changed_reference();
ALTER TABLE attempts DROP COLUMN provider_reference;
DROP TRIGGER payments_connector_terms ON payments;
ALTER TABLE payments DROP COLUMN connector_id;
DROP TABLE connectors;
