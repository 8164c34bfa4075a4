-- No transaction: the tables may be long, and are written to meanwhile.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS events_newest;
CREATE INDEX CONCURRENTLY events_newest
  ON events (merchant_id, environment, created_at DESC, position DESC);
DROP INDEX CONCURRENTLY IF EXISTS events_newest_by_type;
CREATE INDEX CONCURRENTLY events_newest_by_type
  ON events (merchant_id, environment, type, created_at DESC, position DESC);
DROP INDEX CONCURRENTLY IF EXISTS events_log_by_type;
CREATE INDEX CONCURRENTLY events_log_by_type
  ON events (merchant_id, environment, type, position);
DROP INDEX CONCURRENTLY IF EXISTS disputes_due_list;
CREATE INDEX CONCURRENTLY disputes_due_list
  ON disputes (merchant_id, environment, evidence_due_at, id);
DROP INDEX CONCURRENTLY IF EXISTS disputes_due_list_by_status;
CREATE INDEX CONCURRENTLY disputes_due_list_by_status
  ON disputes (merchant_id, environment, status, evidence_due_at, id);

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS disputes_due_list_by_status;
DROP INDEX CONCURRENTLY IF EXISTS disputes_due_list;
DROP INDEX CONCURRENTLY IF EXISTS events_log_by_type;
DROP INDEX CONCURRENTLY IF EXISTS events_newest_by_type;
DROP INDEX CONCURRENTLY IF EXISTS events_newest;
