-- The last log of a team at or before a time, and the first after it.
SELECT
  (SELECT max(entry_id) FROM logs WHERE uid = $uid AND signed_at <= $at) AS before_id,
  (SELECT min(entry_id) FROM logs WHERE uid = $uid AND signed_at > $at) AS after_id
