-- Up Migration

-- The accounts. Only an operator creates them and changes their status.
CREATE TABLE merchants (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  -- Only an active merchant's keys are accepted.
  status text NOT NULL CHECK (status IN ('inactive', 'active', 'disabled')),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- What a merchant's payments may do, by environment: a test of a setting must not change live payments.
CREATE TABLE merchant_settings (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  methods text[] NOT NULL,
  custom_mode boolean NOT NULL DEFAULT false,
  custom_actions boolean NOT NULL DEFAULT false,
  hosted_form boolean NOT NULL DEFAULT false,
  -- Websites that may frame the checkout page.
  embedding_origins text[] NOT NULL DEFAULT '{}',
  -- Whether a payment that is paid after its checkout closed is refunded without an order.
  refund_late boolean NOT NULL DEFAULT false,
  PRIMARY KEY (merchant_id, environment)
);
ALTER TABLE merchant_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON merchant_settings FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON merchant_settings TO card_payments_tenant;

-- How a shop appears on the pages that its customers see. A logo is stored as it is served: cleaned and written anew.
CREATE TABLE merchant_branding (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  display_name text CHECK (char_length(display_name) BETWEEN 1 AND 60),
  accent text CHECK (accent ~ '^#[0-9a-f]{6}$'),
  support_email text CHECK (char_length(support_email) BETWEEN 3 AND 320),
  support_url text CHECK (char_length(support_url) BETWEEN 1 AND 2048),
  terms_url text CHECK (char_length(terms_url) BETWEEN 1 AND 2048),
  privacy_url text CHECK (char_length(privacy_url) BETWEEN 1 AND 2048),
  statement_descriptor text CHECK (char_length(statement_descriptor) BETWEEN 5 AND 22),
  logo_sha256 text CHECK (logo_sha256 ~ '^[0-9a-f]{64}$'),
  logo_content_type text CHECK (logo_content_type IN ('image/png', 'image/svg+xml')),
  logo_width integer, logo_height integer,
  logo_bytes bytea CHECK (octet_length(logo_bytes) <= 65536),
  PRIMARY KEY (merchant_id, environment),
  -- A logo is stored with all that is needed to serve it, or not at all.
  CONSTRAINT merchant_branding_whole_logo
    CHECK (num_nulls(logo_sha256, logo_content_type, logo_width, logo_height, logo_bytes) IN (0, 5))
);
-- The address of a logo holds the hash of its bytes.
CREATE INDEX merchant_branding_logo ON merchant_branding (logo_sha256) WHERE logo_sha256 IS NOT NULL;
ALTER TABLE merchant_branding ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON merchant_branding FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON merchant_branding TO card_payments_tenant;

-- How a merchant's payments of one environment reach a vault and a network; without a row they reach the simulators.
-- A connector that was replaced stays, for the payments that were created with it. ADR 0018.
CREATE TABLE connectors (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  kind text NOT NULL CHECK (kind IN ('stripe')),
  -- The account's name at the provider: another account is another connector.
  account text NOT NULL CHECK (length(account) BETWEEN 1 AND 255),
  credentials_sealed bytea NOT NULL,
  -- Rises with every change of the credentials, so that a process drops what it made with older ones.
  version integer NOT NULL DEFAULT 1,
  active boolean NOT NULL,
  checked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);
-- New payments use one connector.
CREATE UNIQUE INDEX connectors_active ON connectors (merchant_id, environment) WHERE active;
-- An account that becomes active again is the same connector, so that its older payments stay reachable.
CREATE UNIQUE INDEX connectors_account ON connectors (merchant_id, environment, kind, account);
ALTER TABLE connectors ENABLE ROW LEVEL SECURITY;
-- The dashboard shows a merchant where its payments go, and never the credentials.
CREATE POLICY own_rows ON connectors FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT (id, merchant_id, environment, kind, account, active, checked_at, changed_at)
  ON connectors TO card_payments_tenant;

-- How far a provider's list of changes has been read. Written with what was read, so that nothing is skipped.
CREATE TABLE provider_cursors (
  provider text NOT NULL,
  list text NOT NULL,
  cursor text NOT NULL,
  moved_at timestamptz NOT NULL,
  PRIMARY KEY (provider, list)
);

-- The keys that callers of the API authenticate with. The key itself is not stored.
CREATE TABLE api_keys (
  -- The public part of the key, by which people name it.
  id text PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  -- The look-up key (LOOKUP_KEYS) that the hash was made with; NULL for the first one.
  lookup_key_id text,
  -- NULL: the merchant's settings apply.
  methods text[],
  embedding_origins text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When a key that was rolled ends.
  expires_at timestamptz,
  revoked_at timestamptz
);
-- A key is found by its hash alone, so that a wrong secret of a known id takes as long as an unknown id.
CREATE UNIQUE INDEX api_keys_secret_hash ON api_keys (secret_hash);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
-- The dashboard lists a merchant's keys, and never their hashes.
CREATE POLICY own_rows ON api_keys FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT (id, merchant_id, environment, name, methods, embedding_origins, created_at, revoked_at, expires_at)
  ON api_keys TO card_payments_tenant;

-- When a key was last used, to the minute. Apart from the keys, because a change of a key empties the caches.
CREATE TABLE api_key_uses (
  key_id text PRIMARY KEY REFERENCES api_keys (id),
  last_used_at timestamptz NOT NULL
);
ALTER TABLE api_key_uses ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON api_key_uses FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM api_keys k WHERE k.id = key_id));
GRANT SELECT ON api_key_uses TO card_payments_tenant;

-- API processes cache keys, settings and connectors for a short while. This makes all of them drop what changed at
-- once, so that a revoked key is refused immediately.
CREATE FUNCTION notify_key_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('key_changes', '');
  RETURN NULL;
END $$;
-- A new key, merchant or row of settings is in no cache; a new connector replaces the one that is.
CREATE TRIGGER key_changes AFTER UPDATE OR DELETE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_key_changes();
CREATE TRIGGER key_changes AFTER UPDATE OR DELETE ON merchants FOR EACH STATEMENT EXECUTE FUNCTION notify_key_changes();
CREATE TRIGGER key_changes AFTER UPDATE OR DELETE ON merchant_settings
  FOR EACH STATEMENT EXECUTE FUNCTION notify_key_changes();
CREATE TRIGGER key_changes AFTER INSERT OR UPDATE OR DELETE ON connectors
  FOR EACH STATEMENT EXECUTE FUNCTION notify_key_changes();
-- Down Migration
DROP TABLE api_key_uses, api_keys, provider_cursors, connectors, merchant_branding, merchant_settings, merchants;
DROP FUNCTION notify_key_changes;
