-- Events, deliveries and their tries become tables partitioned by month, whose first partitions are the tables of today.
-- ADR 0083. So that these need not be read under a lock then, constraints show beforehand where their ids lie.

-- Up Migration

-- The lowest id of an event that happened at an instant or later: five zeros and the seconds since 1970, in ten digits.
-- Ids of before are random, and above all of these.
CREATE FUNCTION first_event_id(instant timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN 'evt_00000' || lpad(floor(extract(epoch FROM instant))::bigint::text, 10, '0');

LOCK TABLE events IN ACCESS EXCLUSIVE MODE;
LOCK TABLE webhook_deliveries, webhook_attempts IN ACCESS EXCLUSIVE MODE NOWAIT;
-- What has no partition. A random id begins with five zeros once in 900 million events: such rows are moved here.
CREATE TABLE events_rest (LIKE events INCLUDING ALL);
CREATE TABLE webhook_deliveries_rest (LIKE webhook_deliveries INCLUDING ALL);
CREATE TABLE webhook_attempts_rest (LIKE webhook_attempts INCLUDING ALL);
ALTER TABLE events_rest ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries_rest ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_attempts_rest ENABLE ROW LEVEL SECURITY;
-- Tries first: the foreign keys delete what refers to a deleted row.
WITH moved AS (DELETE FROM webhook_attempts WHERE event_id < 'evt_00001' RETURNING *)
  INSERT INTO webhook_attempts_rest SELECT * FROM moved;
WITH moved AS (DELETE FROM webhook_deliveries WHERE event_id < 'evt_00001' RETURNING *)
  INSERT INTO webhook_deliveries_rest SELECT * FROM moved;
WITH moved AS (DELETE FROM events WHERE id < 'evt_00001' RETURNING *)
  INSERT INTO events_rest SELECT * FROM moved;
-- The other rows are not read now: the next migration does that, beside writers.
ALTER TABLE events ADD CONSTRAINT events_bound CHECK (id >= 'evt_00001') NOT VALID;
ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_bound CHECK (event_id >= 'evt_00001') NOT VALID;
ALTER TABLE webhook_attempts ADD CONSTRAINT webhook_attempts_bound CHECK (event_id >= 'evt_00001') NOT VALID;

-- Down Migration

ALTER TABLE webhook_attempts DROP CONSTRAINT IF EXISTS webhook_attempts_bound;
ALTER TABLE webhook_deliveries DROP CONSTRAINT IF EXISTS webhook_deliveries_bound;
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_bound;
-- The migration that attached these tables has dropped them.
DO $$
BEGIN
  IF to_regclass('events_rest') IS NOT NULL THEN
    INSERT INTO events SELECT * FROM events_rest;
    INSERT INTO webhook_deliveries SELECT * FROM webhook_deliveries_rest;
    INSERT INTO webhook_attempts SELECT * FROM webhook_attempts_rest;
    DROP TABLE webhook_attempts_rest, webhook_deliveries_rest, events_rest;
  END IF;
END $$;
DROP FUNCTION first_event_id;
