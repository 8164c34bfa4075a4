-- Up Migration

-- The number of rows of the lists that are read by pages (payments, refunds, disputes), by status and by span of
-- creation: from it comes `meta.total`, and a page far behind is found without reading the rows before it. ADR 0016.

-- One row for each row of a list that appears, changes its status or goes, written in the same commit. Rows are only
-- added, so that no two transactions wait for each other. The leftovers sweep folds them into list_counts.
CREATE TABLE list_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The table of the row.
  list text NOT NULL,
  merchant_id uuid NOT NULL,
  environment text NOT NULL,
  status text NOT NULL,
  -- When the row was created, in whole seconds since the epoch.
  created_s bigint NOT NULL,
  change smallint NOT NULL
);
-- What of a list is not folded yet.
CREATE INDEX list_changes_tenant ON list_changes (list, merchant_id, environment, created_s);
ALTER TABLE list_changes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON list_changes FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON list_changes TO card_payments_tenant;

-- How many rows of a list were created in a span, by status. Every row is counted in one span of each width.
CREATE TABLE list_counts (
  list text NOT NULL,
  merchant_id uuid NOT NULL,
  environment text NOT NULL,
  -- Length of the span in seconds: 64 days, a day, 20 minutes, 10 seconds.
  width_s integer NOT NULL CHECK (width_s IN (5529600, 86400, 1200, 10)),
  starts_s bigint NOT NULL,
  status text NOT NULL,
  entries bigint NOT NULL,
  PRIMARY KEY (list, merchant_id, environment, width_s, starts_s, status),
  -- Spans of one width do not overlap.
  CONSTRAINT list_counts_aligned CHECK (starts_s % width_s = 0)
) WITH (fillfactor = 80);
ALTER TABLE list_counts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON list_counts FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON list_counts TO card_payments_tenant;

-- Writes the changes of a row to list_changes.
CREATE FUNCTION record_list_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change)
    VALUES (TG_TABLE_NAME, OLD.merchant_id, OLD.environment, OLD.status, floor(extract(epoch FROM OLD.created_at)), -1);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO list_changes (list, merchant_id, environment, status, created_s, change)
    VALUES (TG_TABLE_NAME, NEW.merchant_id, NEW.environment, NEW.status, floor(extract(epoch FROM NEW.created_at)), 1);
  END IF;
  RETURN NULL;
END $$;
-- What is counted. A change of another column changes no count.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payments', 'refunds', 'disputes'] LOOP
    EXECUTE format('CREATE TRIGGER list_rows AFTER INSERT OR DELETE ON %I FOR EACH ROW
      EXECUTE FUNCTION record_list_change()', name);
    EXECUTE format('CREATE TRIGGER list_statuses AFTER UPDATE OF status ON %I FOR EACH ROW
      WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION record_list_change()', name);
  END LOOP;
END $$;

-- Returns how many rows of a list were created before an instant (a multiple of 10 s; NULL: at any time). Exact,
-- because one statement sees the folded counts and the changes that are not folded yet in one snapshot.
CREATE FUNCTION count_listed(of_list text, merchant uuid, env text, of_status text, before_s bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  total bigint := 0;
  part bigint;
  floor_s bigint := 0;
  width integer;
BEGIN
  IF before_s % 10 <> 0 THEN
    RAISE EXCEPTION 'lists are counted by spans of 10 seconds' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT coalesce(sum(c.change), 0) INTO total FROM list_changes c
    WHERE c.list = of_list AND c.merchant_id = merchant AND c.environment = env
      AND (of_status IS NULL OR c.status = of_status) AND (before_s IS NULL OR c.created_s < before_s);
  -- Whole spans of 64 days, then the days after the last of them, and so on.
  FOREACH width IN ARRAY ARRAY[5529600, 86400, 1200, 10] LOOP
    SELECT coalesce(sum(c.entries), 0) INTO part FROM list_counts c
      WHERE c.list = of_list AND c.merchant_id = merchant AND c.environment = env AND c.width_s = width
        AND c.starts_s >= floor_s AND c.starts_s < coalesce(before_s - before_s % width, 9223372036854775807)
        AND (of_status IS NULL OR c.status = of_status);
    total := total + part;
    floor_s := before_s - before_s % width;
    EXIT WHEN before_s IS NULL OR floor_s = before_s;
  END LOOP;
  RETURN total;
END $$;

-- Returns where the row is that follows `skipped` newer ones of its list: in the span that ends before `below_s`,
-- after `rest` rows of it. NULL: the list is not that long. Each width narrows the span that the one before found.
CREATE FUNCTION find_listed(of_list text, merchant uuid, env text, of_status text, skipped bigint,
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
          AND c.starts_s >= span_s AND c.starts_s < below_s AND (of_status IS NULL OR c.status = of_status)
        UNION ALL
        SELECT c.created_s - c.created_s % width, c.change FROM list_changes c
        WHERE c.list = of_list AND c.merchant_id = merchant AND c.environment = env
          AND c.created_s >= span_s AND c.created_s < below_s AND (of_status IS NULL OR c.status = of_status)
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

-- Returns the ids of a page of a list, newest first, with the total of all matches in every row; for an empty page one
-- row without an id. `from_s` inclusive, `until_s` exclusive, both starts of UTC days. The settings keep the planner
-- on the indexes while its statistics say that a list is short.
CREATE FUNCTION list_page(of_list text, merchant uuid, env text, of_status text, from_s bigint, until_s bigint,
  skipped bigint, wanted integer) RETURNS TABLE (total bigint, id uuid) LANGUAGE plpgsql STABLE ROWS 20
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  before_until bigint := count_listed(of_list, merchant, env, of_status, until_s);
  below_s bigint := until_s;
  rest bigint := skipped;
  found_one boolean := false;
BEGIN
  total := before_until;
  IF from_s IS NOT NULL THEN total := total - count_listed(of_list, merchant, env, of_status, from_s); END IF;
  IF skipped < total THEN
    -- The first pages are read from the end of the index, later ones from the span in which they begin.
    IF skipped > 200 THEN
      IF until_s IS NOT NULL THEN
        rest := rest + count_listed(of_list, merchant, env, of_status, NULL) - before_until;
      END IF;
      SELECT f.below_s, f.rest INTO below_s, rest FROM find_listed(of_list, merchant, env, of_status, rest) AS f;
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
-- Down Migration
DROP FUNCTION list_page, find_listed, count_listed;
DROP TABLE list_counts, list_changes;
DROP FUNCTION record_list_change CASCADE;
