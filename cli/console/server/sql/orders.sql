-- The orders of a team in a window of time, those to look at and then the largest first.
SELECT
  CAST(order_id AS VARCHAR) AS id, placed_at AS "at", delay, timing, value,
  count(*) OVER () AS total
FROM timeline
WHERE uid = $uid AND placed_at >= $from AND placed_at < $until
ORDER BY timing IN ('in time', 'child order'), value DESC NULLS LAST, placed_at
LIMIT $most
