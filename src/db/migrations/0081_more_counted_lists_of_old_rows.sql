-- Up Migration

-- Counts the rows that were there before 0080: adds what the rows are more than what is counted of them. Writers and
-- the folding go on meanwhile, because one statement sees one snapshot and everything that is counted adds up. It may
-- be run at any time, and changes nothing where the counts are right.
WITH differences AS MATERIALIZED (
  SELECT list, merchant_id, environment, status, place - place % 10 AS starts_s, sum(entries) AS entries
  FROM (
    SELECT 'events' AS list, merchant_id, environment, type AS status,
      floor(extract(epoch FROM created_at))::bigint AS place, 1 AS entries FROM events
    UNION ALL
    SELECT 'eventLog', merchant_id, environment, type, position, 1 FROM events
    UNION ALL
    SELECT 'disputesDue', merchant_id, environment, status, floor(extract(epoch FROM evidence_due_at))::bigint, 1
    FROM disputes
    UNION ALL
    SELECT list, merchant_id, environment, status, created_s, -change FROM list_changes
    WHERE list IN ('events', 'eventLog', 'disputesDue')
    UNION ALL
    SELECT list, merchant_id, environment, status, starts_s, -entries FROM list_counts
    WHERE list IN ('events', 'eventLog', 'disputesDue') AND width_s = 10
  ) AS listed GROUP BY 1, 2, 3, 4, 5 HAVING sum(entries) <> 0
)
INSERT INTO list_counts AS c (list, merchant_id, environment, width_s, starts_s, status, entries)
SELECT list, merchant_id, environment, width_s, starts_s - starts_s % width_s, status, sum(entries)
FROM differences, unnest(ARRAY[5529600, 86400, 1200, 10]) AS width_s
GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
ON CONFLICT (list, merchant_id, environment, width_s, starts_s, status)
DO UPDATE SET entries = c.entries + excluded.entries;

-- Down Migration

-- 0080 takes away what is counted.
SELECT 1;
