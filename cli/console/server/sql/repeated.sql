-- The log that a log repeats: a log of another team before an earlier log of its own. users: the teams that share its
-- text.
SELECT
  relation, kind, places, of_uid, of_id, earlier,
  (SELECT string_agg(DISTINCT users.uid, ', ' ORDER BY users.uid)
    FROM related AS users WHERE users.relation = 'shared' AND users.of_id IN (related.of_id, related.entry_id)) AS users
FROM related
WHERE uid = $uid AND entry_id = $id
ORDER BY relation = 'own'
