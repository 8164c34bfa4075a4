-- Up Migration

-- The event log and disputes by their deadline are counted as they change, too (0014, ADR 0016). A list is counted
-- along one coordinate: `events` by creation, `eventLog` by place in the log, `disputesDue` by deadline, in seconds or
-- places; its `status` is what it is filtered by, which of an event is the type.

CREATE FUNCTION note_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted events := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  step smallint := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
  INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change) VALUES
    ('events', noted.merchant_id, noted.environment, noted.type, floor(extract(epoch FROM noted.created_at)), step),
    ('eventLog', noted.merchant_id, noted.environment, noted.type, noted.position, step);
  RETURN NULL;
END $$;

CREATE FUNCTION note_due_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change) VALUES ('disputesDue',
      OLD.merchant_id, OLD.environment, OLD.status, floor(extract(epoch FROM OLD.evidence_due_at)), -1);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change) VALUES ('disputesDue',
      NEW.merchant_id, NEW.environment, NEW.status, floor(extract(epoch FROM NEW.evidence_due_at)), 1);
  END IF;
  RETURN NULL;
END $$;

-- As in 0014, of several statuses together (NULL: of all).
DROP FUNCTION IF EXISTS count_listed(text, uuid, text, text, bigint);
CREATE OR REPLACE FUNCTION count_listed(of_list text, merchant uuid, env text, of_statuses text[], before_s bigint)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  total bigint := 0;
  part bigint;
  floor_s bigint := 0;
  width integer;
BEGIN
  IF before_s % 10 <> 0 THEN
    RAISE EXCEPTION 'lists are counted by spans of 10' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT coalesce(sum(c.change), 0) INTO total FROM list_changes c
    WHERE c.list = of_list AND c.merchant_id = merchant AND c.environment = env
      AND (of_statuses IS NULL OR c.status = ANY (of_statuses)) AND (before_s IS NULL OR c.created_s < before_s);
  FOREACH width IN ARRAY ARRAY[5529600, 86400, 1200, 10] LOOP
    SELECT coalesce(sum(c.entries), 0) INTO part FROM list_counts c
      WHERE c.list = of_list AND c.merchant_id = merchant AND c.environment = env AND c.width_s = width
        AND c.starts_s >= floor_s AND c.starts_s < coalesce(before_s - before_s % width, 9223372036854775807)
        AND (of_statuses IS NULL OR c.status = ANY (of_statuses));
    total := total + part;
    floor_s := before_s - before_s % width;
    EXIT WHEN before_s IS NULL OR floor_s = before_s;
  END LOOP;
  RETURN total;
END $$;

DROP FUNCTION IF EXISTS find_listed(text, uuid, text, text, bigint);
CREATE OR REPLACE FUNCTION find_listed(of_list text, merchant uuid, env text, of_statuses text[], skipped bigint,
  OUT below_s bigint, OUT rest bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  width integer;
  span_s bigint := 0;
  newer bigint;
BEGIN
  rest := skipped;
  below_s := 9223372036854775807;
  FOREACH width IN ARRAY ARRAY[5529600, 86400, 1200, 10] LOOP
    SELECT s.starts_s, s.upto - s.entries INTO span_s, newer FROM (
      SELECT p.starts_s, sum(p.entries) AS entries, sum(sum(p.entries)) OVER (ORDER BY p.starts_s DESC) AS upto
      FROM (
        SELECT c.starts_s, c.entries FROM list_counts c
        WHERE c.list = of_list AND c.merchant_id = merchant AND c.environment = env AND c.width_s = width
          AND c.starts_s >= span_s AND c.starts_s < below_s
          AND (of_statuses IS NULL OR c.status = ANY (of_statuses))
        UNION ALL
        SELECT c.created_s - c.created_s % width, c.change FROM list_changes c
        WHERE c.list = of_list AND c.merchant_id = merchant AND c.environment = env
          AND c.created_s >= span_s AND c.created_s < below_s
          AND (of_statuses IS NULL OR c.status = ANY (of_statuses))
      ) AS p GROUP BY p.starts_s
    ) AS s WHERE s.upto > rest ORDER BY s.starts_s DESC LIMIT 1;
    IF span_s IS NULL THEN
      below_s := NULL;
      RETURN;
    END IF;
    rest := rest - newer;
    below_s := span_s + width;
  END LOOP;
END $$;

-- A page of rows of some statuses (NULL: all), newest first: what list_page was of one.
CREATE FUNCTION statuses_page(of_list text, merchant uuid, env text, of_statuses text[], from_s bigint,
  until_s bigint, skipped bigint, wanted integer) RETURNS TABLE (total bigint, id uuid)
LANGUAGE plpgsql STABLE ROWS 20 SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  before_until bigint := count_listed(of_list, merchant, env, of_statuses, until_s);
  below_s bigint := until_s;
  rest bigint := skipped;
  newest text := format('SELECT r.id, r.created_at FROM %I r WHERE r.merchant_id = $1 AND r.environment = $2', of_list);
  found_one boolean := false;
BEGIN
  total := before_until;
  IF from_s IS NOT NULL THEN total := total - count_listed(of_list, merchant, env, of_statuses, from_s); END IF;
  IF skipped < total THEN
    -- The first pages are read from the end of the index; those behind from the span that they begin in.
    IF skipped > 200 THEN
      IF until_s IS NOT NULL THEN
        rest := rest + count_listed(of_list, merchant, env, of_statuses, NULL) - before_until;
      END IF;
      SELECT f.below_s, f.rest INTO below_s, rest FROM find_listed(of_list, merchant, env, of_statuses, rest) AS f;
    END IF;
    IF from_s IS NOT NULL THEN newest := newest || ' AND r.created_at >= to_timestamp($4)'; END IF;
    IF below_s IS NOT NULL THEN newest := newest || ' AND r.created_at < to_timestamp($5)'; END IF;
    IF of_statuses IS NOT NULL THEN
      newest := 'SELECT r.id, r.created_at FROM unnest($3) AS s (status) CROSS JOIN LATERAL (' || newest ||
        ' AND r.status = s.status ORDER BY r.created_at DESC, r.id DESC LIMIT $6 + $7) AS r';
    END IF;
    FOR id IN EXECUTE 'SELECT r.id FROM (' || newest ||
      ') AS r ORDER BY r.created_at DESC, r.id DESC LIMIT $6 OFFSET $7'
      USING merchant, env, of_statuses, from_s, below_s, wanted, rest
    LOOP
      found_one := true;
      RETURN NEXT;
    END LOOP;
  END IF;
  IF NOT found_one THEN
    id := NULL;
    RETURN NEXT;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION list_page(of_list text, merchant uuid, env text, of_status text, from_s bigint,
  until_s bigint, skipped bigint, wanted integer) RETURNS TABLE (total bigint, id uuid)
LANGUAGE sql STABLE ROWS 20 AS $$
  SELECT p.total, p.id FROM statuses_page(of_list, merchant, env,
    CASE WHEN of_status IS NOT NULL THEN ARRAY[of_status] END, from_s, until_s, skipped, wanted) AS p
$$;

-- The types that a filter stands for: itself, or those of a group such as `payment.*` that are counted. NULL: all.
CREATE FUNCTION filtered_types(merchant uuid, env text, filter text) RETURNS text[] LANGUAGE sql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT CASE
    WHEN filter IS NULL THEN NULL
    WHEN right(filter, 2) <> '.*' THEN ARRAY[filter]
    ELSE (
      SELECT coalesce(array_agg(DISTINCT c.status), '{}') FROM (
        SELECT status FROM list_counts WHERE list = 'events' AND merchant_id = merchant AND environment = env
          AND width_s = 5529600
        UNION ALL
        SELECT status FROM list_changes WHERE list = 'events' AND merchant_id = merchant AND environment = env
      ) AS c WHERE starts_with(c.status, left(filter, -1))
    )
  END
$$;

-- A page of the event log, newest first, as list_page gives one; `place` instead of an id.
CREATE FUNCTION event_page(merchant uuid, env text, of_type text, from_s bigint, until_s bigint, skipped bigint,
  wanted integer) RETURNS TABLE (total bigint, place bigint) LANGUAGE plpgsql STABLE ROWS 20
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  types text[] := filtered_types(merchant, env, of_type);
  before_until bigint := count_listed('events', merchant, env, types, until_s);
  below_s bigint := until_s;
  rest bigint := skipped;
  newest text := 'SELECT e.position, e.created_at FROM events e WHERE e.merchant_id = $1 AND e.environment = $2';
  found_one boolean := false;
BEGIN
  total := before_until;
  IF from_s IS NOT NULL THEN total := total - count_listed('events', merchant, env, types, from_s); END IF;
  IF skipped < total THEN
    IF skipped > 200 THEN
      IF until_s IS NOT NULL THEN
        rest := rest + count_listed('events', merchant, env, types, NULL) - before_until;
      END IF;
      SELECT f.below_s, f.rest INTO below_s, rest FROM find_listed('events', merchant, env, types, rest) AS f;
    END IF;
    IF from_s IS NOT NULL THEN newest := newest || ' AND e.created_at >= to_timestamp($4)'; END IF;
    IF below_s IS NOT NULL THEN newest := newest || ' AND e.created_at < to_timestamp($5)'; END IF;
    IF types IS NOT NULL THEN
      newest := 'SELECT e.position, e.created_at FROM unnest($3) AS t (type) CROSS JOIN LATERAL (' || newest ||
        ' AND e.type = t.type ORDER BY e.created_at DESC, e.position DESC LIMIT $6 + $7) AS e';
    END IF;
    FOR place IN EXECUTE 'SELECT e.position FROM (' || newest ||
      ') AS e ORDER BY e.created_at DESC, e.position DESC LIMIT $6 OFFSET $7'
      USING merchant, env, types, from_s, below_s, wanted, rest
    LOOP
      found_one := true;
      RETURN NEXT;
    END LOOP;
  END IF;
  IF NOT found_one THEN
    place := NULL;
    RETURN NEXT;
  END IF;
END $$;

-- A page of what comes behind a place of the log, in its order.
CREATE FUNCTION log_page(merchant uuid, env text, of_type text, after_place bigint, skipped bigint, wanted integer)
RETURNS TABLE (total bigint, place bigint) LANGUAGE plpgsql STABLE ROWS 20
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  types text[] := filtered_types(merchant, env, of_type);
  span_end bigint := after_place - after_place % 10 + 10;
  begin_behind bigint := after_place;
  rest bigint := skipped;
  below bigint;
  own text := 'SELECT e.position FROM events e WHERE e.merchant_id = $1 AND e.environment = $2
    AND e.position > $4 AND e.position < $5';
  found_one boolean := false;
BEGIN
  IF types IS NOT NULL THEN
    own := 'SELECT e.position FROM unnest($3) AS t (type) CROSS JOIN LATERAL (' || own ||
      ' AND e.type = t.type ORDER BY e.position LIMIT $6) AS e';
  END IF;
  EXECUTE 'SELECT count(*) FROM (' || own || ') AS e' INTO total
    USING merchant, env, types, after_place, span_end, 10;
  total := total + count_listed('eventLog', merchant, env, types, NULL)
    - count_listed('eventLog', merchant, env, types, span_end);
  IF skipped < total THEN
    IF skipped > 200 THEN
      -- Counted from the end of the log, which the spans are.
      SELECT f.below_s, f.rest INTO below, rest
        FROM find_listed('eventLog', merchant, env, types, total - 1 - skipped) AS f;
      -- At most ten places of one span.
      EXECUTE 'SELECT e.position - 1 FROM (' || own || ') AS e ORDER BY e.position DESC OFFSET $7 LIMIT 1'
        INTO begin_behind USING merchant, env, types, below - 11, below, 10, rest;
      rest := 0;
    END IF;
    FOR place IN EXECUTE 'SELECT e.position FROM (' || own || ') AS e ORDER BY e.position LIMIT $8 OFFSET $7'
      USING merchant, env, types, begin_behind, 9223372036854775807, wanted + rest, rest, wanted
    LOOP
      found_one := true;
      RETURN NEXT;
    END LOOP;
  END IF;
  IF NOT found_one THEN
    place := NULL;
    RETURN NEXT;
  END IF;
END $$;

-- A page of the disputes that are due before an instant (NULL: all), the one that is due first first.
CREATE FUNCTION due_page(merchant uuid, env text, of_status text, due_before timestamptz, skipped bigint,
  wanted integer) RETURNS TABLE (total bigint, id uuid) LANGUAGE plpgsql STABLE ROWS 20
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  statuses text[] := CASE WHEN of_status IS NOT NULL THEN ARRAY[of_status] END;
  whole_spans bigint := floor(extract(epoch FROM due_before) / 10) * 10;
  begin_at timestamptz := '-infinity';
  begin_id uuid := '00000000-0000-0000-0000-000000000000';
  rest bigint := skipped;
  below_s bigint;
  own text := 'FROM disputes d WHERE d.merchant_id = $1 AND d.environment = $2';
  found_one boolean := false;
BEGIN
  IF of_status IS NOT NULL THEN own := own || ' AND d.status = $3'; END IF;
  total := count_listed('disputesDue', merchant, env, statuses, whole_spans);
  IF due_before IS NOT NULL THEN
    EXECUTE 'SELECT $6 + count(*) ' || own || ' AND d.evidence_due_at >= to_timestamp($5) AND d.evidence_due_at < $4'
      INTO total USING merchant, env, of_status, due_before, whole_spans, total;
  END IF;
  IF skipped < total THEN
    IF skipped > 200 THEN
      SELECT f.below_s, f.rest INTO below_s, rest FROM find_listed('disputesDue', merchant, env, statuses,
        count_listed('disputesDue', merchant, env, statuses, NULL) - 1 - skipped) AS f;
      EXECUTE 'SELECT d.evidence_due_at, d.id ' || own ||
        ' AND d.evidence_due_at < to_timestamp($4) ORDER BY d.evidence_due_at DESC, d.id DESC OFFSET $5 LIMIT 1'
        INTO begin_at, begin_id USING merchant, env, of_status, below_s, rest;
      rest := 0;
    END IF;
    FOR id IN EXECUTE 'SELECT d.id ' || own || ' AND (d.evidence_due_at, d.id) >= ($4, $5)
      AND d.evidence_due_at < $6 ORDER BY d.evidence_due_at, d.id LIMIT $7 OFFSET $8'
      USING merchant, env, of_status, begin_at, begin_id, coalesce(due_before, 'infinity'), wanted, rest
    LOOP
      found_one := true;
      RETURN NEXT;
    END LOOP;
  END IF;
  IF NOT found_one THEN
    id := NULL;
    RETURN NEXT;
  END IF;
END $$;

LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE disputes IN SHARE ROW EXCLUSIVE MODE NOWAIT;
CREATE TRIGGER list_rows AFTER INSERT OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION note_event_change();
CREATE TRIGGER list_due AFTER INSERT OR DELETE ON disputes FOR EACH ROW EXECUTE FUNCTION note_due_change();
CREATE TRIGGER list_due_changes AFTER UPDATE OF status, evidence_due_at ON disputes FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.evidence_due_at <> NEW.evidence_due_at)
  EXECUTE FUNCTION note_due_change();

-- Down Migration

DROP TRIGGER list_due_changes ON disputes;
DROP TRIGGER list_due ON disputes;
DROP TRIGGER list_rows ON events;
DROP FUNCTION due_page, log_page, event_page, filtered_types, note_due_change, note_event_change;
-- count_listed and find_listed stay as they are now, which answer the same of one status.
CREATE OR REPLACE FUNCTION list_page(of_list text, merchant uuid, env text, of_status text, from_s bigint,
  until_s bigint, skipped bigint, wanted integer) RETURNS TABLE (total bigint, id uuid)
LANGUAGE plpgsql STABLE ROWS 20 SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  statuses text[] := CASE WHEN of_status IS NOT NULL THEN ARRAY[of_status] END;
  before_until bigint := count_listed(of_list, merchant, env, statuses, until_s);
  below_s bigint := until_s;
  rest bigint := skipped;
  found_one boolean := false;
BEGIN
  total := before_until;
  IF from_s IS NOT NULL THEN total := total - count_listed(of_list, merchant, env, statuses, from_s); END IF;
  IF skipped < total THEN
    -- The first pages are read from the end of the index; those behind from the span that they begin in.
    IF skipped > 200 THEN
      IF until_s IS NOT NULL THEN
        rest := rest + count_listed(of_list, merchant, env, statuses, NULL) - before_until;
      END IF;
      SELECT f.below_s, f.rest INTO below_s, rest FROM find_listed(of_list, merchant, env, statuses, rest) AS f;
    END IF;
    FOR id IN EXECUTE format(
      'SELECT r.id FROM %I r WHERE r.merchant_id = $1 AND r.environment = $2 %s %s %s
       ORDER BY r.created_at DESC, r.id DESC LIMIT $6 OFFSET $7', of_list,
      CASE WHEN of_status IS NOT NULL THEN 'AND r.status = $3' END,
      CASE WHEN from_s IS NOT NULL THEN 'AND r.created_at >= to_timestamp($4)' END,
      CASE WHEN below_s IS NOT NULL THEN 'AND r.created_at < to_timestamp($5)' END)
      USING merchant, env, of_status, from_s, below_s, wanted, rest
    LOOP
      found_one := true;
      RETURN NEXT;
    END LOOP;
  END IF;
  IF NOT found_one THEN
    id := NULL;
    RETURN NEXT;
  END IF;
END $$;
DROP FUNCTION statuses_page;
DELETE FROM list_changes WHERE list IN ('events', 'eventLog', 'disputesDue');
DELETE FROM list_counts WHERE list IN ('events', 'eventLog', 'disputesDue');
