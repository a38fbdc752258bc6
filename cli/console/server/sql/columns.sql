-- The orders and logs of a team, and the model of most logs, in 120 equal columns of a window of time.
SELECT
  CAST(floor((moment - $from) * 120.0 / ($until - $from)) AS INTEGER) AS part,
  count(*) - count(model) AS orders, count(model) AS logs, mode(model) AS model
FROM (
  SELECT signed_at AS moment, model FROM logs WHERE uid = $uid
  UNION ALL
  SELECT placed_at, NULL FROM timeline WHERE uid = $uid
) AS moments
WHERE moment >= $from AND moment < $until
GROUP BY part
ORDER BY part
