-- The logs of a team that repeat those of another team, or its own, in the order of time.
SELECT
  entry_id AS id, signed_at AS signed, of_id AS original, kind, relation, places, earlier, count(*) OVER () AS total
FROM related
WHERE uid = $uid AND of_uid = $original
ORDER BY signed_at, entry_id
LIMIT $most
