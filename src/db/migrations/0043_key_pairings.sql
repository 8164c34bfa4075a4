-- Command lines that wait for a member to give them a key. ADR 0073.

-- Up Migration

CREATE TABLE key_pairings (
  id uuid PRIMARY KEY,
  -- Keyed hash of the secret that only the command line has.
  secret_hash bytea NOT NULL UNIQUE,
  -- Shown by the terminal and by the dashboard, to be compared.
  code text NOT NULL CHECK (char_length(code) <= 16),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  -- What was asked for, and after the approval what was given.
  scopes text[] NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 32),
  computer text NOT NULL CHECK (char_length(computer) BETWEEN 1 AND 60),
  address text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decision text CHECK (decision IN ('approved', 'refused')),
  -- Who decided; NULL: no one yet, and the pairing is of no merchant.
  merchant_id uuid REFERENCES merchants (id),
  member_id uuid REFERENCES members (id),
  CONSTRAINT key_pairings_decided CHECK (
    (decision IS NULL) = (merchant_id IS NULL) AND (decision IS NULL) = (member_id IS NULL))
);
-- The sweep deletes what is over.
CREATE INDEX key_pairings_age ON key_pairings (expires_at);

-- Down Migration

DROP TABLE key_pairings;
