-- The request log becomes a partitioned table whose first partition is the table of today. ADR 0071. So that it need not
-- be read under a lock then, a constraint shows beforehand that its rows lie below the partitions to come.

-- Up Migration

-- The lowest id of a request that arrived at an instant or later.
CREATE FUNCTION first_request_id(instant timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (lpad(to_hex(floor(extract(epoch FROM instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- Three days are left for the two migrations that follow; a request after them would not be logged. Rows of today are not
-- read: the next migration does that, beside writers.
DO $$
DECLARE
  bound uuid := first_request_id((date_trunc('day', now() AT TIME ZONE 'UTC') + interval '3 days') AT TIME ZONE 'UTC');
BEGIN
  EXECUTE format('ALTER TABLE api_requests ADD CONSTRAINT api_requests_bound CHECK (id < %L::uuid) NOT VALID', bound);
  -- Lines of a process whose clock was days ahead. They would stop the migration, and never grow old enough to be deleted.
  DELETE FROM api_requests WHERE id >= bound;
END $$;

-- Down Migration

ALTER TABLE api_requests DROP CONSTRAINT IF EXISTS api_requests_bound;
DROP FUNCTION first_request_id;
