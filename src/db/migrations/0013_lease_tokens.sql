-- Up Migration

-- A lease belongs to the request that took it: only its holder renews it, ends it or frees the key.
ALTER TABLE idempotency_keys ADD COLUMN lease_token uuid;

-- Down Migration

ALTER TABLE idempotency_keys DROP COLUMN lease_token;
