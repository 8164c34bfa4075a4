-- Up Migration

-- Counts the deliveries that were there before 0084, as 0081 counts other lists: adds what the rows are more than what
-- is counted of them, beside writers and the folding. It may be run at any time.
WITH differences AS MATERIALIZED (
  SELECT list, merchant_id, environment, status, place - place % 10 AS starts_s, sum(entries) AS entries
  FROM (
    SELECT deliveries_of(w.id) AS list, w.merchant_id, w.environment, d.status,
      floor(extract(epoch FROM d.created_at))::bigint AS place, 1 AS entries
    FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
    UNION ALL
    SELECT list, merchant_id, environment, status, created_s, -change FROM list_changes
    WHERE starts_with(list, 'deliveries:')
    UNION ALL
    SELECT list, merchant_id, environment, status, starts_s, -entries FROM list_counts
    WHERE starts_with(list, 'deliveries:') AND width_s = 10
  ) AS listed GROUP BY 1, 2, 3, 4, 5 HAVING sum(entries) <> 0
)
INSERT INTO list_counts AS c (list, merchant_id, environment, width_s, starts_s, status, entries)
SELECT list, merchant_id, environment, width_s, starts_s - starts_s % width_s, status, sum(entries)
FROM differences, unnest(ARRAY[5529600, 86400, 1200, 10]) AS width_s
GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
ON CONFLICT (list, merchant_id, environment, width_s, starts_s, status)
DO UPDATE SET entries = c.entries + excluded.entries;

-- Down Migration

-- 0084 takes away what is counted.
SELECT 1;
