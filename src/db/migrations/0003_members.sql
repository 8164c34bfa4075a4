-- Up Migration

-- The people who may use a merchant's dashboard, in both environments. docs/dashboard.md.
CREATE TABLE members (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 80),
  role text NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'readOnly')),
  -- The address by which an identity provider signs a member in.
  email text CHECK (email = lower(email)),
  -- The name that is given beside the password.
  login text,
  -- argon2id, in the PHC format.
  password_hash text,
  totp_sealed bytea,
  -- The last time step of a code that was accepted: a code is accepted once.
  totp_step bigint,
  -- Wrong passwords and codes in a row, and the instant until which further ones are refused unread.
  failed_tries integer NOT NULL DEFAULT 0,
  try_after timestamptz,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz,
  -- A member who was removed stays, for the audit log.
  removed_at timestamptz
);
-- The page of a merchant's team.
CREATE INDEX members_of_merchant ON members (merchant_id);
-- A login leads to one member.
CREATE UNIQUE INDEX members_login ON members (login) WHERE removed_at IS NULL;
-- An address leads to one member of a merchant; it may belong to several merchants.
CREATE UNIQUE INDEX members_by_email ON members (email, merchant_id) WHERE removed_at IS NULL;
ALTER TABLE members ENABLE ROW LEVEL SECURITY;
-- The dashboard lists a merchant's members without their secrets.
CREATE POLICY own_rows ON members FOR SELECT TO card_payments_tenant USING (is_own_merchant(merchant_id));
GRANT SELECT (id, merchant_id, name, role, created_at, removed_at, last_seen_at, login, email)
  ON members TO card_payments_tenant;

-- The passkeys that members sign in with.
CREATE TABLE member_passkeys (
  id text PRIMARY KEY,
  member_id uuid NOT NULL REFERENCES members (id),
  public_key bytea NOT NULL,
  -- Rises with every use, so that a copy of the passkey is noticed.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);
-- The passkeys that a member may sign in with.
CREATE INDEX member_passkeys_member ON member_passkeys (member_id);
ALTER TABLE member_passkeys ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON member_passkeys FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM members m WHERE m.id = member_id));
GRANT SELECT (id, member_id, name, created_at, last_used_at) ON member_passkeys TO card_payments_tenant;

-- What a passkey signs to sign in: each challenge is accepted once, and for a short while.
CREATE TABLE passkey_challenges (
  challenge text PRIMARY KEY,
  -- NULL: the browser is not signed in yet.
  member_id uuid REFERENCES members (id),
  expires_at timestamptz NOT NULL
);
-- The sweep deletes what has expired.
CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);

-- Keyed hashes of codes, each of which replaces a second factor once.
CREATE TABLE member_recovery_codes (
  member_id uuid NOT NULL REFERENCES members (id),
  code_hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (member_id, code_hash)
);

-- Links that sign a member in once, or make a member with a role. Found by the keyed hash of the link's secret.
CREATE TABLE sign_in_links (
  token_hash bytea PRIMARY KEY,
  -- The name of an invitation on the page from which it can be withdrawn.
  id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  member_id uuid REFERENCES members (id),
  role text CHECK (role IN ('owner', 'developer', 'support', 'readOnly')),
  name text,
  email text CHECK (email = lower(email)),
  created_by text NOT NULL,
  created_at timestamptz NOT NULL, expires_at timestamptz NOT NULL, used_at timestamptz,
  -- A link is for a member who exists or for a new one.
  CONSTRAINT sign_in_links_one_purpose CHECK ((member_id IS NULL) <> (role IS NULL))
);
-- The open invitations of a merchant.
CREATE INDEX sign_in_links_merchant ON sign_in_links (merchant_id);
-- The sweep deletes what has expired.
CREATE INDEX sign_in_links_expiry ON sign_in_links (expires_at);
ALTER TABLE sign_in_links ENABLE ROW LEVEL SECURITY;
-- The dashboard lists open invitations, and never the hash of a link.
CREATE POLICY own_rows ON sign_in_links FOR SELECT TO card_payments_tenant USING (is_own_merchant(merchant_id));
GRANT SELECT (id, merchant_id, member_id, role, name, email, created_by, created_at, expires_at, used_at)
  ON sign_in_links TO card_payments_tenant;

-- Browsers that are signed in, found by the keyed hash of the secret in their cookie.
CREATE TABLE member_sessions (
  id uuid PRIMARY KEY,
  secret_hash bytea NOT NULL UNIQUE,
  member_id uuid NOT NULL REFERENCES members (id),
  csrf_secret text NOT NULL,
  address text, user_agent text,
  created_at timestamptz NOT NULL, seen_at timestamptz NOT NULL,
  -- When the member last gave a factor: an action that matters needs a recent one.
  confirmed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
-- The sessions that end when a member is removed.
CREATE INDEX member_sessions_member ON member_sessions (member_id);
-- The sweep deletes what has expired.
CREATE INDEX member_sessions_expiry ON member_sessions (expires_at);
ALTER TABLE member_sessions ENABLE ROW LEVEL SECURITY;
-- The dashboard lists a member's sessions, and never their secrets.
CREATE POLICY own_rows ON member_sessions FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM members m WHERE m.id = member_id));
GRANT SELECT (id, member_id, address, user_agent, created_at, seen_at, expires_at)
  ON member_sessions TO card_payments_tenant;
-- Down Migration
DROP TABLE member_sessions, sign_in_links, member_recovery_codes, passkey_challenges, member_passkeys, members;
