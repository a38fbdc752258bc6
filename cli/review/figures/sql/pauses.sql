-- The 20 longest times without a log of each team, from the start to the end of the period, if no orders are known.
SELECT uid, starts, ends, 0 AS orders
FROM (
  SELECT uid, starts, ends, row_number() OVER (PARTITION BY uid ORDER BY ends - starts DESC, starts) AS place
  FROM (
    SELECT uid, lag(moment) OVER (PARTITION BY uid ORDER BY moment) AS starts, moment AS ends
    FROM (
      SELECT uid, signed_at AS moment FROM logs CROSS JOIN period WHERE signed_at > starts AND signed_at < ends
      UNION
      SELECT uid, starts FROM teams CROSS JOIN period
      UNION
      SELECT uid, ends FROM teams CROSS JOIN period
    ) AS marks
  ) AS between_marks
  WHERE starts IS NOT NULL
) AS ranked
WHERE place <= 20
