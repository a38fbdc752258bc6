-- The texts in each bucket of one band (texts with the same 4 places of their signatures), the one that was received
-- first of all first. A text that was received twice at once is there twice.
SELECT band, n, dense_rank() OVER (PARTITION BY band ORDER BY n) AS place
FROM banded
