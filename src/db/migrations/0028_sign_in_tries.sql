-- Wrong sign-ins are counted by member and network, so that a stranger cannot lock a member out. ADR 0054.

-- Up Migration

CREATE TABLE member_tries (
  member_id uuid NOT NULL REFERENCES members (id),
  -- `network:…`, `device:…` of a browser that signed in before, `confirm:…` of a session, `all` networks together.
  lane text NOT NULL CHECK (char_length(lane) <= 120),
  -- Wrong tries, less one for every five minutes since the last.
  failed integer NOT NULL,
  tried_at timestamptz NOT NULL,
  -- No try before; NULL: at once.
  try_after timestamptz,
  PRIMARY KEY (member_id, lane)
);
-- The sweep deletes what has decayed.
CREATE INDEX member_tries_age ON member_tries (tried_at);
ALTER TABLE member_tries ENABLE ROW LEVEL SECURITY;

-- Since when a stranger tries to sign in as this member; NULL: not, or an owner has seen the warning.
ALTER TABLE members ADD COLUMN attacked_since timestamptz;

-- Down Migration

ALTER TABLE members DROP COLUMN attacked_since;
DROP TABLE member_tries;
