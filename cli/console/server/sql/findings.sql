-- The findings in the logs and orders of a team, in the order of time, a silence before its orders: orders that are
-- late, early, without a log or of another trade than their log (id o…), silences (s…), and logs that repeat others,
-- name an order of another team, or lack something (e…).
SELECT 'o' || order_id AS id, timing AS kind, placed_at AS "at", delay AS ms, CAST(NULL AS VARCHAR) AS other
FROM timeline WHERE uid = $uid AND timing NOT IN ('in time', 'child order')
UNION ALL
SELECT 'o' || order_id, 'other trade', placed_at, NULL, concat_ws(' ', log_side, log_coin)
FROM timeline WHERE uid = $uid AND other
UNION ALL
SELECT 's' || starts, 'silence', starts, ends - starts, CAST(orders AS VARCHAR)
FROM silences WHERE uid = $uid AND ends - starts >= $silence
UNION ALL
SELECT 'e' || entry_id, relation, signed_at, earlier, of_uid
FROM related WHERE uid = $uid AND relation NOT IN ('own', 'shared')
UNION ALL
SELECT 'e' || entry_id, CASE WHEN kind = 6 THEN 'template' ELSE 'repeat' END, signed_at, earlier, of_uid
FROM related WHERE uid = $uid AND relation = 'own'
  AND entry_id NOT IN (SELECT entry_id FROM related WHERE uid = $uid AND relation NOT IN ('own', 'shared'))
UNION ALL
SELECT 'e' || claims.entry_id, 'others'' order', logs.signed_at, NULL, coalesce(claims.owner, 'several teams')
FROM claims JOIN logs ON logs.n = claims.n
WHERE claims.uid = $uid AND logs.uid = $uid AND claims.owner IS DISTINCT FROM $uid
UNION ALL
SELECT 'e' || entry_id, 'hidden characters', signed_at, NULL, NULL
FROM logs WHERE uid = $uid AND counts AND hidden_characters
UNION ALL
SELECT 'e' || entry_id, 'incomplete', signed_at, NULL, CASE WHEN has_version THEN 'data' WHEN has_data THEN 'model version' ELSE 'model version and data' END
FROM logs WHERE uid = $uid AND counts AND NOT (has_version AND has_data)
ORDER BY 3, 1 DESC
