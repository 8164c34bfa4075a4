-- No transaction: the tables may be long, and are written to meanwhile.

-- Up Migration

-- An API key is found by its hash alone, so that a wrong secret of a known id costs the same as an unknown id.
DROP INDEX CONCURRENTLY IF EXISTS api_keys_secret_hash;
CREATE UNIQUE INDEX CONCURRENTLY api_keys_secret_hash ON api_keys (secret_hash);
ALTER TABLE idempotency_responses VALIDATE CONSTRAINT idempotency_responses_once;

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS api_keys_secret_hash;
