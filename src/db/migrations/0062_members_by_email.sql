-- No transaction: members are signed in meanwhile.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS members_by_email;
CREATE UNIQUE INDEX CONCURRENTLY members_by_email ON members (email, merchant_id) WHERE removed_at IS NULL;

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS members_by_email;
