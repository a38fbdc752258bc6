-- The teams: those on the allowlist, and those with logs or orders. is_reported: the report on all teams has it.
SELECT uid, bool_or(is_reported) AS is_reported
FROM (
  SELECT uid, NOT is_removed AS is_reported FROM allowed
  UNION ALL
  SELECT uid, TRUE FROM logs
  UNION ALL
  SELECT uid, TRUE FROM orders
) AS known
GROUP BY uid
