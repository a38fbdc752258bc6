-- Every text that is long enough to be compared, with its leader and the places that they share, if it has one.
SELECT text_digest, first_at, leader, places FROM known WHERE text_digest NOT IN (SELECT text_digest FROM fresh)
UNION ALL
SELECT fresh.text_digest, fresh.first_at, signatures.text_digest, CAST(found.places AS INTEGER)
FROM fresh
LEFT JOIN (SELECT text_digest, min(n) AS n, min_by(places, n) AS places FROM leaders GROUP BY text_digest) AS found
  ON found.text_digest = fresh.text_digest
LEFT JOIN signatures ON signatures.n = found.n
