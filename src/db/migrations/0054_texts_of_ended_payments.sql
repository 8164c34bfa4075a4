-- No transaction
-- A payment changes four times until it ends, and each change of a column that any index contains writes all parts of its
-- text to the index of texts again. Now the index contains the payments that ended; the open ones are few, and their
-- texts are compared one by one. ADR 0041.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS payments_open;
CREATE INDEX CONCURRENTLY payments_open ON payments (merchant_id, environment) WHERE finalized_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS payments_ended_by_text;
CREATE INDEX CONCURRENTLY payments_ended_by_text ON payments
  USING gin (merchant_id, payment_text(reference, customer_name, customer_email, description) gin_trgm_ops)
  WITH (gin_pending_list_limit = 512) WHERE finalized_at IS NOT NULL;

-- As in migration 0017, with each half of the payments by its own index.
CREATE OR REPLACE FUNCTION find_payment_texts(merchant uuid, env text, pattern text, from_at timestamptz,
  until_at timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100 AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT p.id FROM payments p WHERE p.merchant_id = $1 AND p.environment = $2
    AND payment_text(p.reference, p.customer_name, p.customer_email, p.description) LIKE $3
    AND p.finalized_at IS NOT NULL AND p.created_at >= $4 AND p.created_at < $5 AND is_own_row($1, $2)
    UNION ALL SELECT p.id FROM payments p WHERE p.merchant_id = $1 AND p.environment = $2
    AND payment_text(p.reference, p.customer_name, p.customer_email, p.description) LIKE $3
    AND p.finalized_at IS NULL AND p.created_at >= $4 AND p.created_at < $5 AND is_own_row($1, $2)'
    USING merchant, env, pattern, coalesce(from_at, '-infinity'), coalesce(until_at, 'infinity'); -- planned for its values
END $$ SET search_path FROM CURRENT SET enable_seqscan = off SET enable_indexscan = off;

DROP INDEX CONCURRENTLY IF EXISTS payments_by_text;

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS payments_by_text;
CREATE INDEX CONCURRENTLY payments_by_text ON payments
  USING gin (merchant_id, payment_text(reference, customer_name, customer_email, description) gin_trgm_ops)
  WITH (gin_pending_list_limit = 512);
CREATE OR REPLACE FUNCTION find_payment_texts(merchant uuid, env text, pattern text, from_at timestamptz,
  until_at timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100 AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT p.id FROM payments p WHERE p.merchant_id = $1 AND p.environment = $2
    AND payment_text(p.reference, p.customer_name, p.customer_email, p.description) LIKE $3
    AND p.created_at >= $4 AND p.created_at < $5 AND is_own_row($1, $2)'
    USING merchant, env, pattern, coalesce(from_at, '-infinity'), coalesce(until_at, 'infinity') ; -- planned for its values
END $$ SET search_path FROM CURRENT SET enable_seqscan = off SET enable_indexscan = off;
DROP INDEX CONCURRENTLY IF EXISTS payments_ended_by_text;
DROP INDEX CONCURRENTLY IF EXISTS payments_open;
