-- Every text that is long enough to be compared, with its leader and the places that they share, if it has one.
SELECT text_digest, first_at, leader, places FROM known WHERE text_digest NOT IN (SELECT text_digest FROM fresh)
UNION ALL
SELECT fresh.text_digest, fresh.first_at, numbered.text_digest, CAST(found.places AS INTEGER)
FROM fresh
LEFT JOIN (SELECT n, min(leader) AS leader, min_by(places, leader) AS places FROM leaders GROUP BY n) AS found
  ON found.n = fresh.n
LEFT JOIN numbered ON numbered.n = found.leader
