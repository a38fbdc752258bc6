-- The period: since and until where they are given, else from the first to the last log or order.
-- With own_uid, only the logs of that team decide.
SELECT
  coalesce(min(since), min(moment), min(until), 0) AS starts,
  coalesce(min(until), max(moment) + 1, min(since) + 1, 1) AS ends
FROM bounds
LEFT JOIN (
  SELECT signed_at AS moment FROM logs CROSS JOIN bounds WHERE counts AND (own_uid IS NULL OR uid = own_uid)
  UNION ALL
  SELECT placed_at FROM placed
) AS moments ON TRUE
