-- The texts in each bucket of one band (texts with the same 4 places of their signatures) with a fresh text, the one
-- that was received first of all first.
SELECT band, text_digest, row_number() OVER (PARTITION BY band ORDER BY first_at, text_digest) AS place
FROM (
  SELECT banded.band, banded.text_digest, min(banded.received_at) AS first_at
  FROM banded
  JOIN (
    SELECT band FROM banded
    WHERE band IN (SELECT banded.band FROM banded JOIN fresh ON fresh.text_digest = banded.text_digest)
    GROUP BY band
    HAVING min(text_digest) <> max(text_digest)
  ) AS shared ON shared.band = banded.band
  GROUP BY banded.band, banded.text_digest
) AS texts
