-- For each two teams, how one (uid) repeats the other, see pairs.sql. Those between teams come first.
SELECT uid, of_uid AS original, copies, same_time, follows, shared, own, back
FROM pairs
ORDER BY uid = of_uid, copies + same_time + follows DESC, shared + own DESC, uid, original
