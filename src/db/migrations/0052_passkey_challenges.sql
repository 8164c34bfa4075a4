-- Up Migration

-- What a passkey is asked to sign: once, and for a short while.
CREATE TABLE passkey_challenges (
  challenge text PRIMARY KEY,
  -- NULL: of somebody who is not signed in.
  member_id uuid REFERENCES members (id),
  expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);

-- Wrong passwords and codes in a row, and until when none is looked at.
ALTER TABLE members ADD COLUMN failed_tries integer NOT NULL DEFAULT 0;
ALTER TABLE members ADD COLUMN try_after timestamptz;

-- Down Migration

ALTER TABLE members DROP COLUMN failed_tries, DROP COLUMN try_after;
DROP TABLE passkey_challenges;
