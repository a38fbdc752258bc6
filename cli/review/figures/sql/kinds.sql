-- The logs of each team that repeat another, by relation and kind.
SELECT logs.uid, 'own' AS relation, repeats.own_kind AS kind, count(*) AS logs
FROM repeats JOIN logs ON logs.n = repeats.n WHERE repeats.own_n IS NOT NULL GROUP BY 1, 2, 3
UNION ALL
SELECT logs.uid, CASE WHEN repeats.is_copy THEN 'copy' ELSE 'sameTime' END, repeats.other_kind, count(*)
FROM repeats JOIN logs ON logs.n = repeats.n WHERE repeats.other_n IS NOT NULL GROUP BY 1, 2, 3
