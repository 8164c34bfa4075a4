-- No transaction: the table may be long, and is written to meanwhile.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS payments_by_reference;
CREATE INDEX CONCURRENTLY payments_by_reference
  ON payments (merchant_id, environment, reference, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS payments_by_amount;
CREATE INDEX CONCURRENTLY payments_by_amount
  ON payments (merchant_id, environment, amount_cents, created_at DESC, id DESC);

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS payments_by_amount;
DROP INDEX CONCURRENTLY IF EXISTS payments_by_reference;
