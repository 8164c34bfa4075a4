-- No transaction: the table may be long, and is written to meanwhile.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_by_status;
CREATE INDEX CONCURRENTLY webhook_deliveries_by_status
  ON webhook_deliveries (endpoint_id, status, created_at DESC, event_id DESC);

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_by_status;
