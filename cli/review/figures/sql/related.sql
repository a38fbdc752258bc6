-- Each log with the one that it repeats: of another team (copy, at the same time, or a text that several share), one
-- that it follows, or its own earlier one (own).
SELECT
  logs.uid, logs.entry_id, logs.signed_at, relation, kind, places,
  others.uid AS of_uid, others.entry_id AS of_id,
  CASE WHEN relation = 'own' THEN logs.signed_at - others.signed_at ELSE logs.received_at - others.received_at END AS earlier
FROM (
  SELECT n, other_n AS of_n, other_kind AS kind, places, relation FROM repeats WHERE other_n IS NOT NULL
  UNION ALL
  SELECT follows.n, follows.of_n, 5, CAST(NULL AS INTEGER), 'follows' FROM follows
  UNION ALL
  SELECT n, own_n, own_kind, places, 'own' FROM repeats WHERE own_n IS NOT NULL
) AS found
JOIN logs ON logs.n = found.n
JOIN logs AS others ON others.n = found.of_n
