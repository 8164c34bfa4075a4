-- No transaction
-- A second logo, for dark pages. A build before this one neither reads nor changes it.

-- Up Migration

ALTER TABLE merchant_branding
  ADD COLUMN IF NOT EXISTS dark_logo_sha256 text CHECK (dark_logo_sha256 ~ '^[0-9a-f]{64}$'),
  ADD COLUMN IF NOT EXISTS dark_logo_content_type text CHECK (dark_logo_content_type IN ('image/png', 'image/svg+xml')),
  ADD COLUMN IF NOT EXISTS dark_logo_width integer,
  ADD COLUMN IF NOT EXISTS dark_logo_height integer,
  ADD COLUMN IF NOT EXISTS dark_logo_bytes bytea CHECK (octet_length(dark_logo_bytes) <= 65536),
  DROP CONSTRAINT IF EXISTS merchant_branding_whole_dark_logo,
  ADD CONSTRAINT merchant_branding_whole_dark_logo CHECK (num_nulls(dark_logo_sha256, dark_logo_content_type,
    dark_logo_width, dark_logo_height, dark_logo_bytes) IN (0, 5));
DROP INDEX CONCURRENTLY IF EXISTS merchant_branding_dark_logo;
CREATE INDEX CONCURRENTLY merchant_branding_dark_logo ON merchant_branding (dark_logo_sha256)
  WHERE dark_logo_sha256 IS NOT NULL;

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS merchant_branding_dark_logo;
ALTER TABLE merchant_branding
  DROP CONSTRAINT IF EXISTS merchant_branding_whole_dark_logo,
  DROP COLUMN IF EXISTS dark_logo_bytes, DROP COLUMN IF EXISTS dark_logo_height,
  DROP COLUMN IF EXISTS dark_logo_width, DROP COLUMN IF EXISTS dark_logo_content_type,
  DROP COLUMN IF EXISTS dark_logo_sha256;
