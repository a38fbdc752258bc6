-- The logs of each team by day (in days since 1970, UTC), model and stage.
-- The models and stages after the 100 most frequent have one row together, without a name.
SELECT uid, what, CASE WHEN place <= 100 OR what = 'day' THEN name END AS name, CAST(sum(entries) AS BIGINT) AS entries
FROM (
  SELECT uid, what, name, entries, row_number() OVER (PARTITION BY uid, what ORDER BY entries DESC, name) AS place
  FROM (
    SELECT uid, 'model' AS what, model AS name, count(*) AS entries FROM logs WHERE counts GROUP BY 1, 2, 3
    UNION ALL
    SELECT uid, 'stage', stage, count(*) FROM logs WHERE counts GROUP BY 1, 2, 3
    UNION ALL
    SELECT uid, 'day', CAST(CAST((signed_at - signed_at % 86400000) / 86400000 AS BIGINT) AS VARCHAR), count(*)
    FROM logs WHERE counts GROUP BY 1, 2, 3
  ) AS counted
) AS ranked
GROUP BY 1, 2, 3
