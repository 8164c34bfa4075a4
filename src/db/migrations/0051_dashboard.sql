-- Up Migration

-- A key that was rolled ends by itself.
ALTER TABLE api_keys ADD COLUMN expires_at timestamptz;

-- When a key was used last, to the minute; apart from the keys, whose changes every API process hears of.
CREATE TABLE api_key_uses (
  key_id text PRIMARY KEY REFERENCES api_keys (id),
  last_used_at timestamptz NOT NULL
);

-- Who may use a merchant's dashboard. docs/dashboard.md.
CREATE TABLE members (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 80),
  role text NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'readOnly')),
  -- Made by the first sign-in link of the merchant.
  created_at timestamptz NOT NULL,
  removed_at timestamptz,
  last_seen_at timestamptz,
  -- argon2id, in the PHC format.
  password_hash text,
  -- What the member gives beside the password; unique among those who are there.
  login text,
  totp_sealed bytea,
  -- The last time step that was used: none twice.
  totp_step bigint
);
CREATE INDEX members_of_merchant ON members (merchant_id);
CREATE UNIQUE INDEX members_login ON members (login) WHERE removed_at IS NULL;

CREATE TABLE member_passkeys (
  id text PRIMARY KEY,
  member_id uuid NOT NULL REFERENCES members (id),
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX member_passkeys_member ON member_passkeys (member_id);

-- Keyed hashes of codes that each replace a second factor once.
CREATE TABLE member_recovery_codes (
  member_id uuid NOT NULL REFERENCES members (id),
  code_hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (member_id, code_hash)
);

-- Links that sign in once (member) or make a member (role), by keyed hash.
CREATE TABLE sign_in_links (
  token_hash bytea PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  member_id uuid REFERENCES members (id),
  role text CHECK (role IN ('owner', 'developer', 'support', 'readOnly')),
  name text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CHECK ((member_id IS NULL) <> (role IS NULL))
);
CREATE INDEX sign_in_links_merchant ON sign_in_links (merchant_id);
CREATE INDEX sign_in_links_expiry ON sign_in_links (expires_at);

-- Browsers that are signed in, by the keyed hash of what their cookie holds.
CREATE TABLE member_sessions (
  id uuid PRIMARY KEY,
  secret_hash bytea NOT NULL UNIQUE,
  member_id uuid NOT NULL REFERENCES members (id),
  csrf_secret text NOT NULL,
  address text,
  user_agent text,
  created_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  -- When the member last showed who they are: asked anew for what matters.
  confirmed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX member_sessions_member ON member_sessions (member_id);
CREATE INDEX member_sessions_expiry ON member_sessions (expires_at);

-- What a page of the dashboard reads goes through row-level security, as the API's reads do.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['api_keys', 'merchant_settings'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_rows ON %I FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment))', name);
  END LOOP;
END $$;
-- Never the hash of a key.
GRANT SELECT (id, merchant_id, environment, name, methods, embedding_origins, created_at, revoked_at, expires_at)
  ON api_keys TO card_payments_tenant;
GRANT SELECT ON merchant_settings TO card_payments_tenant;
ALTER TABLE api_key_uses ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON api_key_uses FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM api_keys k WHERE k.id = key_id));
GRANT SELECT ON api_key_uses TO card_payments_tenant;

ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON webhook_deliveries FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM webhook_endpoints w WHERE w.id = endpoint_id));
GRANT SELECT ON webhook_deliveries TO card_payments_tenant;
ALTER TABLE webhook_attempts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON webhook_attempts FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM webhook_endpoints w WHERE w.id = endpoint_id));
GRANT SELECT ON webhook_attempts TO card_payments_tenant;

-- Members are of the merchant in both environments; nobody reads a secret of theirs.
CREATE FUNCTION is_own_merchant(merchant uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN merchant = nullif(current_setting('card_payments.merchant', true), '')::uuid;

ALTER TABLE members ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON members FOR SELECT TO card_payments_tenant USING (is_own_merchant(merchant_id));
GRANT SELECT (id, merchant_id, name, role, created_at, removed_at, last_seen_at, login) ON members
  TO card_payments_tenant;
ALTER TABLE member_passkeys ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON member_passkeys FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM members m WHERE m.id = member_id));
GRANT SELECT (id, member_id, name, created_at, last_used_at) ON member_passkeys TO card_payments_tenant;
ALTER TABLE member_sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON member_sessions FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM members m WHERE m.id = member_id));
GRANT SELECT (id, member_id, address, user_agent, created_at, seen_at, expires_at) ON member_sessions
  TO card_payments_tenant;
ALTER TABLE sign_in_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON sign_in_links FOR SELECT TO card_payments_tenant USING (is_own_merchant(merchant_id));
GRANT SELECT (merchant_id, member_id, role, name, created_by, created_at, expires_at, used_at) ON sign_in_links
  TO card_payments_tenant;

-- Down Migration

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['api_keys', 'merchant_settings', 'webhook_deliveries', 'webhook_attempts'] LOOP
    EXECUTE format('REVOKE ALL ON %I FROM card_payments_tenant', name);
    EXECUTE format('DROP POLICY own_rows ON %I', name);
    EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;
DROP TABLE member_sessions;
DROP TABLE sign_in_links;
DROP TABLE member_recovery_codes;
DROP TABLE member_passkeys;
DROP TABLE members;
DROP FUNCTION is_own_merchant;
DROP TABLE api_key_uses;
ALTER TABLE api_keys DROP COLUMN expires_at;
