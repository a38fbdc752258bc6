-- The period: since and until where they are given, else from the first to the last log or order.
SELECT
  coalesce(min(since), min(moment), min(until), 0) AS starts,
  coalesce(min(until), max(moment) + 1, min(since) + 1, 1) AS ends
FROM bounds
LEFT JOIN (
  SELECT signed_at AS moment FROM logs WHERE counts
  UNION ALL
  SELECT placed_at FROM placed
) AS moments ON TRUE
