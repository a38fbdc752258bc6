-- For each two teams, how many logs of one (uid) repeat a log of the other: copies, at the same time, or its own.
-- Those between teams come first.
SELECT
  uid, of_uid AS original,
  count(CASE WHEN relation = 'copy' THEN 1 END) AS copies,
  count(CASE WHEN relation = 'same time' THEN 1 END) AS same_time,
  count(CASE WHEN relation = 'own' THEN 1 END) AS own
FROM related
GROUP BY uid, of_uid
ORDER BY uid = of_uid, count(*) DESC, uid, original
