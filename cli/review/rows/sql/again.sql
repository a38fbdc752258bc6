-- The texts that were known and are compared again, as far as they are not fresh.
SELECT n, text_digest, first_at
FROM numbered
WHERE n IN (SELECT n FROM again) AND n NOT IN (SELECT n FROM fresh)
