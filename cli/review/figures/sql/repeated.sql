-- Every log that repeats another or is repeated.
SELECT
  logs.n, logs.uid, logs.entry_id, logs.signed_at, logs.received_at,
  repeats.own_kind, repeats.own_n, repeats.other_kind, repeats.other_n, repeats.relation, repeats.places
FROM logs
LEFT JOIN repeats ON repeats.n = logs.n
WHERE repeats.n IS NOT NULL
  OR logs.n IN (SELECT own_n FROM repeats WHERE own_n IS NOT NULL)
  OR logs.n IN (SELECT other_n FROM repeats WHERE other_n IS NOT NULL)
