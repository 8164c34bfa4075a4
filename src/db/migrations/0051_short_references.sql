-- No transaction
-- The short reference that a customer reads on the receipt finds the payment. It is made from the last 62 bits of the
-- payment's id (src/domain/short-reference.ts) and cannot be turned back into it.

-- Up Migration

-- The seven characters before the checksum as one number: the remainder by 29^6 * 8, the number of short references.
CREATE OR REPLACE FUNCTION short_reference_number(id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (('x' || right(replace(id::text, '-', ''), 16))::bit(64)::bigint & 4611686018427387903) % 4758586568;

-- Two payments rarely share a number, so the merchant need not be part of the indexes.
DROP INDEX CONCURRENTLY IF EXISTS payments_by_short_reference;
CREATE INDEX CONCURRENTLY payments_by_short_reference ON payments (short_reference_number(id));
DROP INDEX CONCURRENTLY IF EXISTS card_payments_archive.payments_by_short_reference;
CREATE INDEX CONCURRENTLY payments_by_short_reference ON card_payments_archive.payments (short_reference_number(id));

-- Returns the ids of the tenant's payments with a number, archived ones too. It reads as the owner of the tables: under row
-- security PostgreSQL evaluates the function, which is not leakproof, only after the policy, and could not use the indexes.
-- So it checks the tenant of the connection itself (is_own_row), and returns nothing for another one. The indexes are
-- read first: otherwise PostgreSQL may prefer to read all payments of a merchant.
CREATE OR REPLACE FUNCTION find_short_references(merchant uuid, env text, number bigint) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 1 SET search_path FROM CURRENT AS $$
  WITH found AS MATERIALIZED (
    SELECT p.id, p.merchant_id, p.environment FROM payments p WHERE short_reference_number(p.id) = number
    UNION ALL
    SELECT p.id, p.merchant_id, p.environment FROM card_payments_archive.payments p
    WHERE short_reference_number(p.id) = number)
  SELECT f.id FROM found f WHERE f.merchant_id = merchant AND f.environment = env AND is_own_row(merchant, env) LIMIT 10
$$;
REVOKE ALL ON FUNCTION find_short_references FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_short_references TO card_payments_tenant;

-- Down Migration

DROP FUNCTION IF EXISTS find_short_references;
DROP INDEX CONCURRENTLY IF EXISTS card_payments_archive.payments_by_short_reference;
DROP INDEX CONCURRENTLY IF EXISTS payments_by_short_reference;
DROP FUNCTION IF EXISTS short_reference_number;
