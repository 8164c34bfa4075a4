-- No transaction
-- A part of a reference, a name, an e-mail address or a description finds a payment. ADR 0041.

-- Up Migration

-- Both are trusted extensions of PostgreSQL's own distribution: an owner who may create in the database installs them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- What the parts are searched in, in lower case: each value is a line of its own, so that a whole value can be asked for
-- and no match reaches from one value into the next.
CREATE OR REPLACE FUNCTION payment_text(reference text, customer_name text, customer_email text, description text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(E'\n' || reference || E'\n' || coalesce(customer_name, '') || E'\n' || coalesce(customer_email, '')
  || E'\n' || coalesce(description, '') || E'\n');

-- The merchant is part of the index: another merchant's payments do not make a search slower. The pending list is read
-- by every search, so it is kept short.
DROP INDEX CONCURRENTLY IF EXISTS payments_by_text;
CREATE INDEX CONCURRENTLY payments_by_text ON payments
  USING gin (merchant_id, payment_text(reference, customer_name, customer_email, description) gin_trgm_ops)
  WITH (gin_pending_list_limit = 512);

-- Most checkouts end as paid, and a search for those reads the list itself.
DROP INDEX CONCURRENTLY IF EXISTS payments_by_checkout_status;
CREATE INDEX CONCURRENTLY payments_by_checkout_status ON payments
  (merchant_id, environment, checkout_status, created_at DESC, id DESC) WHERE checkout_status <> 'paid';

-- What was taken in a span, for reports.
DROP INDEX CONCURRENTLY IF EXISTS payments_by_paid_at;
CREATE INDEX CONCURRENTLY payments_by_paid_at ON payments (merchant_id, environment, paid_at)
  INCLUDE (method, amount_cents) WHERE paid_at IS NOT NULL;

-- Returns the ids of the tenant's payments whose text is like the pattern. It reads as the owner of the tables: under row
-- security PostgreSQL evaluates LIKE, which is not leakproof, only after the policy, and could not use the index. So it
-- checks the tenant of the connection itself (is_own_row), and returns nothing for another one.
CREATE OR REPLACE FUNCTION find_payment_texts(merchant uuid, env text, pattern text, from_at timestamptz,
  until_at timestamptz) RETURNS SETOF uuid LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100 AS $$
BEGIN
  RETURN QUERY EXECUTE 'SELECT p.id FROM payments p WHERE p.merchant_id = $1 AND p.environment = $2
    AND payment_text(p.reference, p.customer_name, p.customer_email, p.description) LIKE $3
    AND p.created_at >= $4 AND p.created_at < $5 AND is_own_row($1, $2)'
    USING merchant, env, pattern, coalesce(from_at, '-infinity'), coalesce(until_at, 'infinity') ; -- planned for its values
END $$ SET search_path FROM CURRENT SET enable_seqscan = off SET enable_indexscan = off;
REVOKE ALL ON FUNCTION find_payment_texts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_payment_texts TO card_payments_tenant;

-- Down Migration

DROP FUNCTION IF EXISTS find_payment_texts;
DROP INDEX CONCURRENTLY IF EXISTS payments_by_paid_at;
DROP INDEX CONCURRENTLY IF EXISTS payments_by_checkout_status;
DROP INDEX CONCURRENTLY IF EXISTS payments_by_text;
DROP FUNCTION IF EXISTS payment_text;
