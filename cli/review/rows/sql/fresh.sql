-- The texts that are long enough to be compared, and new or first received earlier than was known.
SELECT texts.text_digest, texts.first_at
FROM (SELECT text_digest, min(received_at) AS first_at FROM entries WHERE comparable GROUP BY text_digest) AS texts
LEFT JOIN known ON known.text_digest = texts.text_digest AND known.first_at = texts.first_at
WHERE known.text_digest IS NULL
