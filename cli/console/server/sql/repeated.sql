-- What a log repeats: that of another team before its own earlier one.
SELECT relation, kind, places, of_uid, of_id, earlier
FROM related
WHERE uid = $uid AND entry_id = $id
ORDER BY relation = 'own'
