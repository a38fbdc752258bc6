-- A random sample of the logs of a team in the period: the same for the same seed. Anyone can draw it again with the
-- MD5 of seed, UID and entry id.
SELECT entry_id AS id, signed_at AS signed, count(*) OVER () AS total
FROM logs
WHERE counts AND uid = $uid
ORDER BY md5(concat($seed, uid, entry_id))
LIMIT $most
