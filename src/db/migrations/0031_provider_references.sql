-- No transaction: the table may be long, and is written to meanwhile.

-- Up Migration

-- A network's webhook names its own object: the attempt behind it is found by that.
DROP INDEX CONCURRENTLY IF EXISTS attempts_provider_reference;
CREATE UNIQUE INDEX CONCURRENTLY attempts_provider_reference ON attempts (provider_reference)
  WHERE provider_reference IS NOT NULL;
ALTER TABLE payments VALIDATE CONSTRAINT payments_connector;

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS attempts_provider_reference;
