-- The 20 longest times in which each team traded without a log. One begins with the first order that was placed more
-- than the limit after the team's last log, and ends with the next log, or with the period.
SELECT uid, starts, ends, orders
FROM (
  SELECT uid, starts, ends, orders, row_number() OVER (PARTITION BY uid ORDER BY ends - starts DESC, starts) AS place
  FROM (
    SELECT uid, min(placed_at) AS starts, min(least(coalesce(after_at, ends), ends)) AS ends, count(*) AS orders
    FROM timeline
    CROSS JOIN bounds
    CROSS JOIN period
    WHERE (before_at IS NULL OR placed_at - before_at > within) AND (after_at IS NULL OR after_at > placed_at)
    GROUP BY uid, after_at
  ) AS found
) AS ranked
WHERE place <= 20
