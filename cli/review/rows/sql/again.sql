-- The texts that were known and are compared again, as far as they are not fresh.
SELECT text_digest, first_at
FROM known
WHERE text_digest IN (SELECT text_digest FROM again) AND text_digest NOT IN (SELECT text_digest FROM fresh)
