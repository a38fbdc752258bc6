-- The acts of each team in 240 equal parts of the period: for each part a digit in base 32, the sum of its acts. It
-- placed an order (1), signed a log (2), placed an order whose log is late (4) or early (8), or one without a log that
-- names it or is near it (16).
SELECT uid, string_agg(substr('0123456789abcdefghijklmnopqrstuv', coalesce(marks, 0) + 1, 1), '' ORDER BY part) AS strip
FROM teams
CROSS JOIN range(240) AS parts(part)
LEFT JOIN (
  SELECT
    uid,
    least(239, CAST(floor((moment - starts) * 240.0 / (ends - starts)) AS INTEGER)) AS part,
    CAST(bit_or(
      CASE timing WHEN 'log' THEN 2 WHEN 'late' THEN 5 WHEN 'early' THEN 9 WHEN 'no log' THEN 17 ELSE 1 END
    ) AS INTEGER) AS marks
  FROM (
    SELECT uid, signed_at AS moment, 'log' AS timing FROM logs WHERE counts
    UNION ALL
    SELECT uid, placed_at, timing FROM timeline
  ) AS moments
  CROSS JOIN period
  GROUP BY uid, part
) AS marked USING (uid, part)
GROUP BY uid
