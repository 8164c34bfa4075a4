-- Up Migration

-- An endpoint's deliveries are counted as they change, too (0014, 0080, ADR 0016): a list for each endpoint, under the
-- merchant and environment it belongs to.

CREATE FUNCTION deliveries_of(endpoint uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'deliveries:' || endpoint;

-- An endpoint's row is never deleted: it stays findable for what is deleted with its events.
CREATE FUNCTION note_delivery_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change)
  SELECT deliveries_of(w.id), w.merchant_id, w.environment, noted.status, floor(extract(epoch FROM noted.created_at)),
    noted.change
  FROM (
    SELECT OLD.endpoint_id, OLD.status, OLD.created_at, -1 WHERE TG_OP <> 'INSERT'
    UNION ALL
    SELECT NEW.endpoint_id, NEW.status, NEW.created_at, 1 WHERE TG_OP <> 'DELETE'
  ) AS noted (endpoint_id, status, created_at, change)
  JOIN webhook_endpoints w ON w.id = noted.endpoint_id;
  RETURN NULL;
END $$;

-- A page of an endpoint's deliveries, newest first, as list_page gives one; the event's id for the delivery's.
CREATE FUNCTION delivery_page(endpoint uuid, of_status text, from_s bigint, until_s bigint, skipped bigint,
  wanted integer) RETURNS TABLE (total bigint, event_id text) LANGUAGE plpgsql STABLE ROWS 20
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  name text := deliveries_of(endpoint);
  statuses text[] := CASE WHEN of_status IS NOT NULL THEN ARRAY[of_status] END;
  merchant uuid;
  env text;
  before_until bigint;
  below_s bigint := until_s;
  rest bigint := skipped;
  newest text := 'SELECT d.event_id FROM webhook_deliveries d WHERE d.endpoint_id = $1';
  found_one boolean := false;
BEGIN
  SELECT w.merchant_id, w.environment INTO merchant, env FROM webhook_endpoints w WHERE w.id = endpoint;
  before_until := count_listed(name, merchant, env, statuses, until_s);
  total := before_until;
  IF from_s IS NOT NULL THEN total := total - count_listed(name, merchant, env, statuses, from_s); END IF;
  IF skipped < total THEN
    -- The first pages are read from the end of the index; those behind from the span that they begin in.
    IF skipped > 200 THEN
      IF until_s IS NOT NULL THEN
        rest := rest + count_listed(name, merchant, env, statuses, NULL) - before_until;
      END IF;
      SELECT f.below_s, f.rest INTO below_s, rest FROM find_listed(name, merchant, env, statuses, rest) AS f;
    END IF;
    IF of_status IS NOT NULL THEN newest := newest || ' AND d.status = $2'; END IF;
    IF from_s IS NOT NULL THEN newest := newest || ' AND d.created_at >= to_timestamp($3)'; END IF;
    IF below_s IS NOT NULL THEN newest := newest || ' AND d.created_at < to_timestamp($4)'; END IF;
    FOR event_id IN EXECUTE newest || ' ORDER BY d.created_at DESC, d.event_id DESC LIMIT $5 OFFSET $6'
      USING endpoint, of_status, from_s, below_s, wanted, rest
    LOOP
      found_one := true;
      RETURN NEXT;
    END LOOP;
  END IF;
  IF NOT found_one THEN
    event_id := NULL;
    RETURN NEXT;
  END IF;
END $$;

LOCK TABLE webhook_deliveries IN SHARE ROW EXCLUSIVE MODE;
CREATE TRIGGER list_rows AFTER INSERT OR DELETE ON webhook_deliveries FOR EACH ROW
  EXECUTE FUNCTION note_delivery_change();
CREATE TRIGGER list_row_changes AFTER UPDATE OF status ON webhook_deliveries FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_delivery_change();

-- Down Migration

DROP TRIGGER list_row_changes ON webhook_deliveries;
DROP TRIGGER list_rows ON webhook_deliveries;
DROP FUNCTION delivery_page, note_delivery_change;
DROP FUNCTION deliveries_of;
DELETE FROM list_changes WHERE starts_with(list, 'deliveries:');
DELETE FROM list_counts WHERE starts_with(list, 'deliveries:');
