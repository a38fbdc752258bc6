-- The texts that are new, or first received earlier than was known.
SELECT numbered.n, numbered.text_digest, numbered.first_at
FROM numbered
LEFT JOIN known ON known.text_digest = numbered.text_digest AND known.first_at = numbered.first_at
WHERE known.text_digest IS NULL
