-- The texts that are compared: those with a candidate that is earlier than the leader that was found, if any.
SELECT DISTINCT candidates.text_digest, candidates.candidate
FROM candidates
JOIN signatures ON signatures.text_digest = candidates.candidate
LEFT JOIN leaders ON leaders.text_digest = candidates.text_digest
WHERE (leaders.n IS NULL OR signatures.n < leaders.n)
