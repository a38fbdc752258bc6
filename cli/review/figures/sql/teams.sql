-- The teams: those on the allowlist, and those with logs. is_reported: the report on all teams has it. Orders of other
-- UIDs are those of nobody.
SELECT uid, bool_or(is_reported) AS is_reported
FROM (
  SELECT uid, NOT is_removed AS is_reported FROM allowed
  UNION ALL
  SELECT uid, TRUE FROM logs
  UNION ALL
  SELECT uid, TRUE FROM orders
  WHERE uid IN (SELECT uid FROM allowed) OR uid IN (SELECT uid FROM entries)
) AS known
GROUP BY uid
