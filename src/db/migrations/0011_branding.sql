-- Up Migration

-- How a shop looks on the pages of its customers: one row a merchant and environment, read by its key. A logo is kept as it is
-- served, cleaned and written anew, and found by the hash of its bytes.
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
  logo_width integer,
  logo_height integer,
  logo_bytes bytea CHECK (octet_length(logo_bytes) <= 65536),
  PRIMARY KEY (merchant_id, environment),
  CHECK (num_nulls(logo_sha256, logo_content_type, logo_width, logo_height, logo_bytes) IN (0, 5))
);
CREATE INDEX merchant_branding_logo ON merchant_branding (logo_sha256) WHERE logo_sha256 IS NOT NULL;

-- What merchants read goes through row security (migration 0006, ADR 0008).
ALTER TABLE merchant_branding ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON merchant_branding FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, environment));
GRANT SELECT ON merchant_branding TO card_payments_tenant;

-- Down Migration

DROP TABLE merchant_branding;
