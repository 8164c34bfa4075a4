-- No transaction
-- The refunds of a key's line, for its cap. ADR 0044.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS refunds_by_key_line;
CREATE INDEX CONCURRENTLY refunds_by_key_line ON refunds (key_line_id, created_at) WHERE key_line_id IS NOT NULL;

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS refunds_by_key_line;
