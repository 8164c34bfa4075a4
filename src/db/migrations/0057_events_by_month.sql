-- Events, deliveries and their tries by month, of the time in the ids of events: old months are dropped whole. ADR 0083.

-- Up Migration

-- In the order in which a commit takes its locks, and briefly each: writers wait for less than a second in all. The
-- first three are named by foreign keys of the partitions.
SET LOCAL lock_timeout = '400ms';
LOCK TABLE payments IN SHARE ROW EXCLUSIVE MODE;
SET LOCAL lock_timeout = '80ms';
LOCK TABLE merchants, webhook_endpoints IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE events, webhook_deliveries, webhook_attempts IN ACCESS EXCLUSIVE MODE;

-- The tables of before become the partitions of the ids of before, which an earlier build still gives.
ALTER TABLE events RENAME TO events_first;
ALTER INDEX events_pkey RENAME TO events_first_pkey;
ALTER INDEX events_payment_id_sequence_key RENAME TO events_first_payment_id_sequence_key;
ALTER INDEX events_log RENAME TO events_first_log;
ALTER INDEX events_log_by_type RENAME TO events_first_log_by_type;
ALTER INDEX events_newest RENAME TO events_first_newest;
ALTER INDEX events_newest_by_type RENAME TO events_first_newest_by_type;
ALTER INDEX events_age RENAME TO events_first_age;
ALTER TABLE webhook_deliveries RENAME TO webhook_deliveries_first;
ALTER INDEX webhook_deliveries_pkey RENAME TO webhook_deliveries_first_pkey;
ALTER INDEX webhook_deliveries_endpoint RENAME TO webhook_deliveries_first_endpoint;
ALTER INDEX webhook_deliveries_by_status RENAME TO webhook_deliveries_first_by_status;
ALTER INDEX webhook_deliveries_due RENAME TO webhook_deliveries_first_due;
ALTER TABLE webhook_attempts RENAME TO webhook_attempts_first;
ALTER INDEX webhook_attempts_pkey RENAME TO webhook_attempts_first_pkey;
DROP TRIGGER events_assign_position ON events_first;
CREATE TABLE events (LIKE events_rest INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE webhook_deliveries (LIKE webhook_deliveries_rest INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
  PRIMARY KEY (event_id, endpoint_id)) PARTITION BY RANGE (event_id);
CREATE TABLE webhook_attempts (LIKE webhook_attempts_rest INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
  PRIMARY KEY (event_id, endpoint_id, attempt_no)) PARTITION BY RANGE (event_id);
-- Unique indexes other than these primary keys, and foreign keys, belong to each partition. A payment's sequence is given
-- under its lock, and positions come from a sequence: both stay unique across months without an index.
CREATE INDEX events_log_by_type ON events (merchant_id, environment, type, position);
CREATE INDEX events_newest ON events (merchant_id, environment, created_at DESC, position DESC);
CREATE INDEX events_newest_by_type ON events (merchant_id, environment, type, created_at DESC, position DESC);
CREATE INDEX events_age ON events (created_at);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, event_id DESC);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (endpoint_id, status, created_at DESC, event_id DESC);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_check_at) WHERE status = 'pending';
-- The constraints have shown where the rows lie, so that no row is read now.
ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM ('evt_00001') TO (MAXVALUE);
ALTER TABLE webhook_deliveries ATTACH PARTITION webhook_deliveries_first FOR VALUES FROM ('evt_00001') TO (MAXVALUE);
ALTER TABLE webhook_attempts ATTACH PARTITION webhook_attempts_first FOR VALUES FROM ('evt_00001') TO (MAXVALUE);
ALTER TABLE events_first DROP CONSTRAINT events_bound;
ALTER TABLE webhook_deliveries_first DROP CONSTRAINT webhook_deliveries_bound;
ALTER TABLE webhook_attempts_first DROP CONSTRAINT webhook_attempts_bound;

-- Takes what has no partition, so that an event is never refused because a month is missing.
ALTER TABLE events_rest ADD FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  ADD FOREIGN KEY (payment_id) REFERENCES payments (id);
ALTER TABLE webhook_deliveries_rest ADD FOREIGN KEY (event_id) REFERENCES events_rest (id) ON DELETE CASCADE,
  ADD FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints (id);
ALTER TABLE webhook_attempts_rest ADD FOREIGN KEY (event_id, endpoint_id)
  REFERENCES webhook_deliveries_rest (event_id, endpoint_id) ON DELETE CASCADE;
ALTER TABLE events ATTACH PARTITION events_rest DEFAULT;
ALTER TABLE webhook_deliveries ATTACH PARTITION webhook_deliveries_rest DEFAULT;
ALTER TABLE webhook_attempts ATTACH PARTITION webhook_attempts_rest DEFAULT;

ALTER SEQUENCE events_position OWNED BY events.position;
CREATE TRIGGER events_assign_position BEFORE INSERT ON events
  FOR EACH ROW EXECUTE FUNCTION assign_event_position();
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_attempts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON events FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
CREATE POLICY own_rows ON webhook_deliveries FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM webhook_endpoints w WHERE w.id = endpoint_id));
CREATE POLICY own_rows ON webhook_attempts FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM webhook_endpoints w WHERE w.id = endpoint_id));
GRANT SELECT ON events, webhook_deliveries, webhook_attempts TO card_payments_tenant;
-- A partition is read and written through its table only.
REVOKE ALL ON events_first, webhook_deliveries_first, webhook_attempts_first FROM card_payments_tenant;

DO $$
BEGIN
  -- The processes that run meanwhile keep their rights. A new database has no such roles yet.
  IF to_regrole('card_payments_api') IS NOT NULL AND to_regrole('card_payments_worker') IS NOT NULL THEN
    GRANT SELECT, INSERT ON events TO card_payments_api;
    GRANT SELECT, INSERT, DELETE ON events TO card_payments_worker;
    GRANT SELECT, INSERT, UPDATE ON webhook_deliveries TO card_payments_api, card_payments_worker;
    GRANT SELECT, INSERT ON webhook_attempts TO card_payments_api, card_payments_worker;
    CREATE POLICY of_processes ON events TO card_payments_api, card_payments_worker
      USING (true) WITH CHECK (true);
    CREATE POLICY of_processes ON webhook_deliveries TO card_payments_api, card_payments_worker
      USING (true) WITH CHECK (true);
    CREATE POLICY of_processes ON webhook_attempts TO card_payments_api, card_payments_worker
      USING (true) WITH CHECK (true);
    REVOKE ALL ON events_first, webhook_deliveries_first, webhook_attempts_first, events_rest, webhook_deliveries_rest,
      webhook_attempts_rest FROM card_payments_api, card_payments_worker;
  END IF;
END $$;

-- The partitions of events and the ids between which their rows lie; NULL: no bound. The one for the rest is not among
-- them. Deliveries and tries have the same partitions.
CREATE FUNCTION event_partitions() RETURNS TABLE (name text, low text, high text) LANGUAGE sql STABLE
SET search_path FROM CURRENT AS $$
  SELECT c.relname::text, substring(b.text FROM $r$FROM \('([^']+)'\)$r$), substring(b.text FROM $r$TO \('([^']+)'\)$r$)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid, LATERAL pg_get_expr(c.relpartbound, c.oid) AS b (text)
  WHERE i.inhparent = 'events'::regclass AND b.text <> 'DEFAULT' AND NOT i.inhdetachpending
  ORDER BY 2
$$;

-- Makes the partitions of a month (UTC) for events, deliveries and tries, with the rows of that month that lie in the
-- rest. Returns whether it did: a month that has partitions needs none, and one with more than 10,000 rows of a table in
-- the rest stays there, because they would be moved under a lock. All of it or nothing. As the owner, because no process
-- may make a table.
CREATE FUNCTION create_event_partitions(month date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT SET lock_timeout = '400ms' AS $$
DECLARE
  starts timestamp := date_trunc('month', month::timestamp);
  first_id text := first_event_id(starts AT TIME ZONE 'UTC');
  next_id text := first_event_id((starts + interval '1 month') AT TIME ZONE 'UTC');
  suffix text := to_char(starts, '_YYYYMM');
  part record;
  many boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('partitions of events', 0));
  IF EXISTS (SELECT FROM event_partitions() p WHERE coalesce(p.low < next_id, true) AND coalesce(p.high > first_id, true))
  THEN
    RETURN false;
  END IF;
  -- In the order in which a commit takes its locks, and briefly each. Foreign keys need the first three.
  LOCK TABLE payments IN SHARE ROW EXCLUSIVE MODE;
  PERFORM set_config('lock_timeout', '80ms', true);
  LOCK TABLE merchants, webhook_endpoints IN SHARE ROW EXCLUSIVE MODE;
  LOCK TABLE events_rest, webhook_deliveries_rest, webhook_attempts_rest IN ACCESS EXCLUSIVE MODE;
  -- Tries first: the foreign keys delete what refers to a deleted row.
  FOR part IN SELECT * FROM (VALUES ('webhook_attempts', 'event_id'), ('webhook_deliveries', 'event_id'),
    ('events', 'id')) AS parts (name, key)
  LOOP
    EXECUTE format('SELECT count(*) > 10000 FROM (SELECT FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT 10001) AS counted',
      part.name || '_rest', part.key, first_id, next_id) INTO many;
    IF many THEN
      RETURN false;
    END IF;
  END LOOP;
  FOR part IN SELECT * FROM (VALUES ('webhook_attempts', 'event_id'), ('webhook_deliveries', 'event_id'),
    ('events', 'id')) AS parts (name, key)
  LOOP
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part.name || suffix, part.name || '_rest');
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part.name || suffix);
    EXECUTE format('WITH moved AS (DELETE FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L RETURNING *)
      INSERT INTO %5$I SELECT * FROM moved', part.name || '_rest', part.key, first_id, next_id, part.name || suffix);
  END LOOP;
  EXECUTE format('ALTER TABLE %I ADD FOREIGN KEY (merchant_id) REFERENCES merchants (id),
    ADD FOREIGN KEY (payment_id) REFERENCES payments (id)', 'events' || suffix);
  EXECUTE format('ALTER TABLE %I ADD FOREIGN KEY (event_id) REFERENCES %I (id) ON DELETE CASCADE,
    ADD FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints (id)', 'webhook_deliveries' || suffix, 'events' || suffix);
  EXECUTE format('ALTER TABLE %I ADD FOREIGN KEY (event_id, endpoint_id) REFERENCES %I (event_id, endpoint_id)
    ON DELETE CASCADE', 'webhook_attempts' || suffix, 'webhook_deliveries' || suffix);
  FOR part IN SELECT * FROM (VALUES ('events'), ('webhook_deliveries'), ('webhook_attempts')) AS parts (name) LOOP
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part.name, part.name || suffix,
      first_id, next_id);
  END LOOP;
  RETURN true;
END $$;

-- Drops the partitions of a month whose events all happened before an instant, with their deliveries and tries. Takes the
-- name of the events' partition, and returns whether it did. A process can only name an instant of a day ago or earlier.
CREATE FUNCTION drop_event_partitions(dropped text, before timestamptz) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '400ms' AS $$
DECLARE
  suffix text := substring(dropped FROM '^events(_[0-9]{6})$');
BEGIN
  IF session_user IN ('card_payments_api', 'card_payments_worker') AND before > now() - interval '1 day' THEN
    RAISE EXCEPTION 'events of the last day may not be dropped' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('partitions of events', 0));
  IF suffix IS NULL OR NOT EXISTS (SELECT FROM event_partitions() p
    WHERE p.name = dropped AND p.high <= first_event_id(before))
  THEN
    RETURN false;
  END IF;
  -- In the order in which a commit takes its locks, and briefly each. Dropping foreign keys needs the first three.
  LOCK TABLE ONLY payments IN ACCESS EXCLUSIVE MODE;
  PERFORM set_config('lock_timeout', '80ms', true);
  LOCK TABLE ONLY merchants, ONLY webhook_endpoints IN ACCESS EXCLUSIVE MODE;
  LOCK TABLE ONLY events, ONLY webhook_deliveries, ONLY webhook_attempts IN ACCESS EXCLUSIVE MODE;
  EXECUTE format('DROP TABLE %I, %I, %I', 'webhook_attempts' || suffix, 'webhook_deliveries' || suffix,
    'events' || suffix);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION create_event_partitions, drop_event_partitions FROM PUBLIC;

-- This month and three ahead.
SELECT create_event_partitions(((now() AT TIME ZONE 'UTC') + ahead * interval '1 month')::date)
FROM generate_series(0, 3) AS ahead;

-- Down Migration

DROP FUNCTION drop_event_partitions, create_event_partitions, event_partitions;
DROP TRIGGER events_assign_position ON events;
ALTER TABLE webhook_attempts DETACH PARTITION webhook_attempts_first;
ALTER TABLE webhook_deliveries DETACH PARTITION webhook_deliveries_first;
ALTER TABLE events DETACH PARTITION events_first;
INSERT INTO events_first SELECT * FROM events;
INSERT INTO webhook_deliveries_first SELECT * FROM webhook_deliveries;
INSERT INTO webhook_attempts_first SELECT * FROM webhook_attempts;
ALTER SEQUENCE events_position OWNED BY events_first.position;
DROP TABLE webhook_attempts, webhook_deliveries, events;
ALTER TABLE events_first RENAME TO events;
ALTER INDEX events_first_pkey RENAME TO events_pkey;
ALTER INDEX events_first_payment_id_sequence_key RENAME TO events_payment_id_sequence_key;
ALTER INDEX events_first_log RENAME TO events_log;
ALTER INDEX events_first_log_by_type RENAME TO events_log_by_type;
ALTER INDEX events_first_newest RENAME TO events_newest;
ALTER INDEX events_first_newest_by_type RENAME TO events_newest_by_type;
ALTER INDEX events_first_age RENAME TO events_age;
ALTER TABLE webhook_deliveries_first RENAME TO webhook_deliveries;
ALTER INDEX webhook_deliveries_first_pkey RENAME TO webhook_deliveries_pkey;
ALTER INDEX webhook_deliveries_first_endpoint RENAME TO webhook_deliveries_endpoint;
ALTER INDEX webhook_deliveries_first_by_status RENAME TO webhook_deliveries_by_status;
ALTER INDEX webhook_deliveries_first_due RENAME TO webhook_deliveries_due;
ALTER TABLE webhook_attempts_first RENAME TO webhook_attempts;
ALTER INDEX webhook_attempts_first_pkey RENAME TO webhook_attempts_pkey;
CREATE TRIGGER events_assign_position BEFORE INSERT ON events
  FOR EACH ROW EXECUTE FUNCTION assign_event_position();
GRANT SELECT ON events, webhook_deliveries, webhook_attempts TO card_payments_tenant;
