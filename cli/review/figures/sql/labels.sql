-- Logs with an equal label of a kind repeat each other. The kinds, the strongest first: the same body (1), input and
-- output (2), output but for digits (3), output and explanation but for digits (4), nearly the same text (5).
-- Of near texts, the earliest has the label too. Logs outside the period may be originals. letters: without names.
SELECT 1 AS kind, body_digest AS label, n, CAST(NULL AS INTEGER) AS letters FROM logs
UNION ALL
SELECT 2, data_digest, n, NULL FROM logs
UNION ALL
SELECT 3, output_digest, n, output_prose FROM logs
UNION ALL
SELECT 4, text_digest, n, prose FROM logs
UNION ALL
SELECT 5, near.leader, logs.n, prose
FROM logs JOIN near ON near.text_digest = logs.text_digest WHERE near.leader IS NOT NULL
UNION ALL
SELECT 5, text_digest, n, prose FROM logs WHERE text_digest IN (SELECT leader FROM near WHERE leader IS NOT NULL)
