-- No transaction: the tables may be long, and are written to meanwhile.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS refunds_list_by_status;
CREATE INDEX CONCURRENTLY refunds_list_by_status
  ON refunds (merchant_id, environment, status, created_at DESC, id DESC);
DROP INDEX CONCURRENTLY IF EXISTS disputes_list_by_status;
CREATE INDEX CONCURRENTLY disputes_list_by_status
  ON disputes (merchant_id, environment, status, created_at DESC, id DESC);

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS disputes_list_by_status;
DROP INDEX CONCURRENTLY IF EXISTS refunds_list_by_status;
