-- The texts that are compared: those with a candidate that is earlier than the leader that was found, if any.
SELECT DISTINCT candidates.n, candidates.candidate
FROM candidates
LEFT JOIN leaders ON leaders.n = candidates.n
WHERE (leaders.leader IS NULL OR candidates.candidate < leaders.leader)
