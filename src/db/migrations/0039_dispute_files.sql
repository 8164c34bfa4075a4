-- Files that a merchant keeps with the evidence of a dispute. ADR 0070.

-- Up Migration

-- There is no foreign key to `disputes`, which is in use: making one stops its writers.
CREATE TABLE dispute_files (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  dispute_id uuid NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 120),
  content_type text NOT NULL CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg')),
  bytes bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 2097152),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- A file that is sent twice is stored once.
  CONSTRAINT dispute_files_once UNIQUE (dispute_id, sha256)
);
ALTER TABLE dispute_files ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON dispute_files FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON dispute_files TO card_payments_tenant;

-- Down Migration

DROP TABLE dispute_files;
