-- The longest silences of each team. With an order list, one begins with the first order, other than a child order,
-- that was placed more than within after the team's last log. Without one, every log begins a pause, and so does the
-- period. Both end with the next log, or with the period.
WITH silent AS (
  SELECT uid, placed_at AS moment, after_at, 1 AS orders
  FROM timeline
  CROSS JOIN bounds
  WHERE timing <> 'child order' AND (before_at IS NULL OR placed_at - before_at > within) AND (after_at IS NULL OR after_at > placed_at)
  UNION ALL
  SELECT uid, moment, lead(moment) OVER (PARTITION BY uid ORDER BY moment), 0
  FROM (
    SELECT uid, signed_at AS moment FROM logs CROSS JOIN period WHERE signed_at > starts AND signed_at < ends
    UNION
    SELECT uid, starts FROM teams CROSS JOIN period
  ) AS marks
  CROSS JOIN bounds
  WHERE NOT has_orders
)
SELECT
  uid, starts, ends, orders,
  CAST((ends - starts + 500 - (ends - starts + 500) % 1000) / 1000 AS BIGINT) AS seconds
FROM (
  SELECT uid, starts, ends, orders, row_number() OVER (PARTITION BY uid ORDER BY ends - starts DESC, starts) AS place
  FROM (
    SELECT
      uid, min(moment) AS starts, min(least(coalesce(after_at, ends), ends)) AS ends,
      CAST(sum(orders) AS BIGINT) AS orders
    FROM silent
    CROSS JOIN period
    GROUP BY uid, after_at
  ) AS found
  WHERE ends > starts
) AS ranked
CROSS JOIN bounds
WHERE place <= silences_kept
