-- The texts that are long enough to be compared. n numbers them in the order of receipt.
SELECT text_digest, first_at, CAST(row_number() OVER (ORDER BY first_at, text_digest) AS INTEGER) AS n
FROM (SELECT text_digest, min(received_at) AS first_at FROM entries WHERE comparable GROUP BY text_digest) AS texts
