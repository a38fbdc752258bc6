-- What a team did in 120 equal columns of a window of time: orders, logs, and the model of most logs.
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
