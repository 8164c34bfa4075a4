-- Up Migration

-- Counts the rows that were there before 0014. Writers go on meanwhile: one statement sees one snapshot, so that the
-- changes it takes away are exactly those whose rows it counts, and what commits later stays to be folded.
WITH counted_here AS (DELETE FROM list_changes),
spans AS MATERIALIZED (
  SELECT list, merchant_id, environment, status, created_s - created_s % 10 AS starts_s, count(*) AS entries
  FROM (
    SELECT 'payments' AS list, merchant_id, environment, status,
      floor(extract(epoch FROM created_at))::bigint AS created_s FROM payments
    UNION ALL
    SELECT 'refunds', merchant_id, environment, status, floor(extract(epoch FROM created_at))::bigint FROM refunds
    UNION ALL
    SELECT 'disputes', merchant_id, environment, status, floor(extract(epoch FROM created_at))::bigint FROM disputes
  ) AS listed GROUP BY 1, 2, 3, 4, 5
)
INSERT INTO list_counts (list, merchant_id, environment, status, width_s, starts_s, entries)
SELECT list, merchant_id, environment, status, width_s, starts_s - starts_s % width_s, sum(entries)
FROM spans, unnest(ARRAY[5529600, 86400, 1200, 10]) AS width_s
GROUP BY 1, 2, 3, 4, 5, 6;

-- Down Migration

TRUNCATE list_counts;
