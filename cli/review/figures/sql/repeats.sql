-- What each log repeats, by the strongest kind: the earliest log of its team (own), and a log of another team (other).
-- Within a team, the time of the signature decides. Between teams, the log that was received first is the original, and
-- a team that first sent the same more than 60 s later copies it (is_copy). A team whose first log came within 60 s of
-- it may have been the author too: its logs of that minute repeat at the same time, and its later ones repeat itself.
-- places: how many of the 128 places of its signature a near text shares with its leader.
WITH shared AS (
  SELECT kind, label FROM labels GROUP BY kind, label HAVING count(*) > 1
),
members AS (
  SELECT
    shared.kind, shared.label, logs.n, logs.uid, logs.received_at,
    first_value(logs.n) OVER (PARTITION BY shared.kind, shared.label ORDER BY logs.n) AS first_n,
    first_value(logs.uid) OVER (PARTITION BY shared.kind, shared.label ORDER BY logs.n) AS first_uid,
    min(logs.received_at) OVER (PARTITION BY shared.kind, shared.label) AS first_at,
    min(logs.received_at) OVER (PARTITION BY shared.kind, shared.label, logs.uid) AS team_at,
    first_value(logs.n)
      OVER (PARTITION BY shared.kind, shared.label, logs.uid ORDER BY logs.signed_at, logs.entry_id) AS own_n
  FROM shared
  JOIN labels ON labels.kind = shared.kind AND labels.label = shared.label
  JOIN logs ON logs.n = labels.n
),
related AS (
  SELECT
    kind, n,
    CASE WHEN own_n <> n THEN own_n END AS own_n,
    CASE WHEN team_at - first_at > 60000 THEN first_n END AS copy_n,
    CASE
      WHEN received_at - first_at > 60000 OR team_at - first_at > 60000 THEN NULL
      WHEN uid <> first_uid THEN first_n
      ELSE min(CASE WHEN uid <> first_uid AND received_at - first_at <= 60000 THEN n END)
        OVER (PARTITION BY kind, label)
    END AS tied_n
  FROM members
),
-- One number for kind, relation and log, so that the least is the strongest.
coded AS (
  SELECT
    n,
    min(kind * 1000000000000 + own_n) AS own,
    min(CASE
      WHEN copy_n IS NOT NULL THEN 2 * kind * 1000000000000 + copy_n
      ELSE (2 * kind + 1) * 1000000000000 + tied_n
    END) AS other
  FROM related
  GROUP BY n
)
SELECT
  coded.n,
  CAST((own - own % 1000000000000) / 1000000000000 AS BIGINT) AS own_kind,
  own % 1000000000000 AS own_n,
  CAST((other - other % 2000000000000) / 2000000000000 AS BIGINT) AS other_kind,
  other % 1000000000000 AS other_n,
  other % 2000000000000 < 1000000000000 AS is_copy,
  near.places
FROM coded
JOIN logs ON logs.n = coded.n
LEFT JOIN near ON near.text_digest = logs.text_digest
WHERE own IS NOT NULL OR other IS NOT NULL
