-- The orders of teams in the period, each once.
SELECT DISTINCT uid, order_id, placed_at
FROM orders
CROSS JOIN bounds
WHERE NOT cancelled AND uid IN (SELECT uid FROM teams) AND (since IS NULL OR placed_at >= since)
  AND (until IS NULL OR placed_at < until)
