-- The texts with which each fresh text is compared: the first 16 of its bucket, as far as they are earlier. Without
-- that limit, the work on a template that is used a hundred thousand times would grow with the square.
SELECT later.n, earlier.n AS candidate, earlier.place <= 1 AS among_first
FROM ranked AS later
JOIN fresh ON fresh.n = later.n
JOIN ranked AS earlier ON earlier.band = later.band AND earlier.place < later.place AND earlier.place <= 16
