-- The request log by day, of the time in its ids: old days are dropped whole. ADR 0071.

-- Up Migration

LOCK TABLE api_requests IN ACCESS EXCLUSIVE MODE;
ALTER TABLE api_requests RENAME TO api_requests_first;
ALTER INDEX api_requests_pkey RENAME TO api_requests_first_pkey;
ALTER INDEX api_requests_of_tenant RENAME TO api_requests_first_of_tenant;
ALTER INDEX api_requests_of_payment RENAME TO api_requests_first_of_payment;
ALTER INDEX api_requests_refused RENAME TO api_requests_first_refused;
CREATE TABLE api_requests (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL,
  -- Named as that of the table of before, which it must find there.
  environment text NOT NULL CONSTRAINT api_requests_environment_check CHECK (environment IN ('sandbox', 'live')),
  at timestamptz NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  status smallint NOT NULL,
  error_code text,
  ms integer NOT NULL,
  key_id text NOT NULL,
  payment_id uuid
) PARTITION BY RANGE (id);
CREATE INDEX api_requests_of_tenant ON api_requests (merchant_id, environment, id);
CREATE INDEX api_requests_of_payment ON api_requests (merchant_id, environment, payment_id, id)
  WHERE payment_id IS NOT NULL;
CREATE INDEX api_requests_refused ON api_requests (merchant_id, environment, id) WHERE status >= 400;
ALTER TABLE api_requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON api_requests FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON api_requests TO card_payments_tenant;
-- What arrives while the partition of its day is missing.
CREATE TABLE api_requests_rest PARTITION OF api_requests DEFAULT;
ALTER TABLE api_requests_rest ENABLE ROW LEVEL SECURITY;
-- A partition is read and written through its table only.
REVOKE ALL ON api_requests_first FROM card_payments_tenant;

DO $$
DECLARE
  -- Of the migration before, which has shown that no row lies above it: no row is read now.
  bound text := (SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f]{8}-[0-9a-f-]{27}') FROM pg_constraint
    WHERE conrelid = 'api_requests_first'::regclass AND conname = 'api_requests_bound');
BEGIN
  EXECUTE format('ALTER TABLE api_requests ATTACH PARTITION api_requests_first FOR VALUES FROM (MINVALUE) TO (%L)', bound);
  -- The processes that run meanwhile keep their rights. A new database has no such roles yet.
  IF to_regrole('card_payments_api') IS NOT NULL AND to_regrole('card_payments_worker') IS NOT NULL THEN
    GRANT SELECT, INSERT ON api_requests TO card_payments_api;
    GRANT SELECT, DELETE ON api_requests TO card_payments_worker;
    CREATE POLICY of_processes ON api_requests TO card_payments_api, card_payments_worker
      USING (true) WITH CHECK (true);
    REVOKE ALL ON api_requests_first, api_requests_rest FROM card_payments_api, card_payments_worker;
  END IF;
END $$;
ALTER TABLE api_requests_first DROP CONSTRAINT api_requests_bound;

-- The partitions and the ids between which their rows lie; NULL: no bound. The one for the rest is not among them.
CREATE FUNCTION request_partitions() RETURNS TABLE (name text, low uuid, high uuid) LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT c.relname::text, substring(b.text FROM $r$FROM \('([0-9a-f-]{36})'\)$r$)::uuid,
    substring(b.text FROM $r$TO \('([0-9a-f-]{36})'\)$r$)::uuid
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid, LATERAL pg_get_expr(c.relpartbound, c.oid) AS b (text)
  WHERE i.inhparent = 'api_requests'::regclass AND b.text <> 'DEFAULT' AND NOT i.inhdetachpending
  ORDER BY 2 NULLS FIRST
$$;

-- Makes the partition of a day (UTC), with the rows of that day that lie in the rest. Returns whether it did: a day that
-- has a partition needs none, and one with more than 20,000 rows in the rest stays there, because they would be moved
-- under a lock. All of it or nothing. As the owner, because no process may make a table.
CREATE FUNCTION create_request_partition(day date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
DECLARE
  first_id uuid := first_request_id(day::timestamp AT TIME ZONE 'UTC');
  next_id uuid := first_request_id((day + 1)::timestamp AT TIME ZONE 'UTC');
  made text := 'api_requests_' || to_char(day, 'YYYYMMDD');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('partitions of api_requests', 0));
  IF EXISTS (SELECT FROM request_partitions() p WHERE coalesce(p.low < next_id, true)
    AND coalesce(p.high > first_id, true))
  THEN
    RETURN false;
  END IF;
  LOCK TABLE api_requests_rest IN ACCESS EXCLUSIVE MODE;
  IF (SELECT count(*) FROM (SELECT FROM api_requests_rest r WHERE r.id >= first_id AND r.id < next_id
    LIMIT 20001) AS counted) > 20000
  THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE api_requests INCLUDING ALL)', made);
  EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', made);
  EXECUTE format('WITH moved AS (DELETE FROM api_requests_rest WHERE id >= %L AND id < %L RETURNING *)
    INSERT INTO %I SELECT * FROM moved', first_id, next_id, made);
  EXECUTE format('ALTER TABLE api_requests ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', made,
    first_id, next_id);
  RETURN true;
END $$;

-- Drops a partition whose requests all arrived before an instant. Returns whether it did. A process can only name an
-- instant of the past.
CREATE FUNCTION drop_request_partition(dropped text, before timestamptz) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '1s' AS $$
BEGIN
  IF session_user IN ('card_payments_api', 'card_payments_worker') AND before > now() THEN
    RAISE EXCEPTION 'requests of today may not be dropped' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('partitions of api_requests', 0));
  IF NOT EXISTS (SELECT FROM request_partitions() p WHERE p.name = dropped AND p.high <= first_request_id(before)) THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', dropped);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION create_request_partition, drop_request_partition FROM PUBLIC;

-- Three days ahead, from the first one that the table of before does not hold.
SELECT create_request_partition(((now() AT TIME ZONE 'UTC')::date + ahead)) FROM generate_series(3, 5) AS ahead;

-- Down Migration

DROP FUNCTION drop_request_partition, create_request_partition, request_partitions;
ALTER TABLE api_requests DETACH PARTITION api_requests_first;
INSERT INTO api_requests_first SELECT * FROM api_requests;
DROP TABLE api_requests;
ALTER TABLE api_requests_first RENAME TO api_requests;
ALTER INDEX api_requests_first_pkey RENAME TO api_requests_pkey;
ALTER INDEX api_requests_first_of_tenant RENAME TO api_requests_of_tenant;
ALTER INDEX api_requests_first_of_payment RENAME TO api_requests_of_payment;
ALTER INDEX api_requests_first_refused RENAME TO api_requests_refused;
GRANT SELECT ON api_requests TO card_payments_tenant;
