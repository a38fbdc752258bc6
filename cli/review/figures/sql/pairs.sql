-- The number of different logs of another team (of_uid) that a team repeats or follows: those received more than
-- same_time later (copies), at the same time, or nearly the same short ones (follows, beside what shifted times give).
-- back: the copies the other way round. shared: its logs with a text of three teams or more.
WITH counted AS (
  SELECT
    uid, of_uid,
    count(DISTINCT CASE WHEN relation = 'copy' THEN of_id END) AS copies,
    count(DISTINCT CASE WHEN relation = 'same time' THEN of_id END) AS same_time,
    count(CASE WHEN relation = 'shared' THEN 1 END) AS shared,
    count(CASE WHEN relation = 'own' THEN 1 END) AS own
  FROM related
  GROUP BY uid, of_uid
),
followed AS (
  SELECT uid, of_uid, max(texts) AS follows, max(shifted) AS shifted FROM follows GROUP BY uid, of_uid
)
SELECT
  counted.uid, counted.of_uid, counted.copies, counted.same_time, counted.shared, counted.own,
  coalesce(follows, 0) AS follows, coalesce(shifted, 0) AS shifted, coalesce(reverse.copies, 0) AS back
FROM counted
LEFT JOIN followed ON followed.uid = counted.uid AND followed.of_uid = counted.of_uid
LEFT JOIN counted AS reverse ON reverse.uid = counted.of_uid AND reverse.of_uid = counted.uid AND reverse.uid <> reverse.of_uid
