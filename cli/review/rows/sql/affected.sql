-- The texts that are known and compared with others now, because a fresh text came before them among the first 16.
SELECT DISTINCT later.text_digest
FROM ranked AS later
LEFT JOIN fresh ON fresh.text_digest = later.text_digest
JOIN ranked AS earlier ON earlier.band = later.band AND earlier.place < later.place AND earlier.place <= 16
JOIN fresh AS earlier_fresh ON earlier_fresh.text_digest = earlier.text_digest
WHERE fresh.text_digest IS NULL
