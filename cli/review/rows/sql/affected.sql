-- The texts that are known and compared with others now, because a fresh text came before them among the first 16.
SELECT DISTINCT later.n
FROM ranked AS later
LEFT JOIN fresh ON fresh.n = later.n
JOIN ranked AS earlier ON earlier.band = later.band AND earlier.place < later.place AND earlier.place <= 16
JOIN fresh AS earlier_fresh ON earlier_fresh.n = earlier.n
WHERE fresh.n IS NULL
