-- What each log repeats, by the strongest kind: the earliest log of its team (own), and a log of another team (other).
-- Within a team, the time of the signature decides. Between teams, the log that was received first is the original, and
-- a team that first sent the same later than at the same time (same_time) copies it (is_copy). A team whose first log
-- came at the same time may have been the author too: its logs of that time repeat at the same time, and its later ones
-- repeat itself.
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
    CASE WHEN team_at - first_at > same_time THEN first_n END AS copy_n,
    CASE
      WHEN received_at - first_at > same_time OR team_at - first_at > same_time THEN NULL
      WHEN uid <> first_uid THEN first_n
      ELSE min(CASE WHEN uid <> first_uid AND received_at - first_at <= same_time THEN n END)
        OVER (PARTITION BY kind, label)
    END AS tied_n
  FROM members
  CROSS JOIN bounds
),
strongest AS (
  SELECT
    n, kind, own_n, copy_n, tied_n,
    min(CASE WHEN own_n IS NOT NULL THEN kind END) OVER (PARTITION BY n) AS own_kind,
    min(CASE WHEN copy_n IS NOT NULL OR tied_n IS NOT NULL THEN kind END) OVER (PARTITION BY n) AS other_kind
  FROM related
),
chosen AS (
  SELECT
    n, own_kind, other_kind,
    min(CASE WHEN kind = own_kind THEN own_n END) AS own_n,
    min(CASE WHEN kind = other_kind THEN copy_n END) AS copy_n,
    min(CASE WHEN kind = other_kind THEN tied_n END) AS tied_n
  FROM strongest
  WHERE own_kind IS NOT NULL OR other_kind IS NOT NULL
  GROUP BY n, own_kind, other_kind
)
SELECT
  chosen.n, own_kind, own_n, other_kind,
  coalesce(copy_n, tied_n) AS other_n,
  CASE WHEN other_kind IS NOT NULL THEN copy_n IS NOT NULL END AS is_copy,
  near.places
FROM chosen
JOIN logs ON logs.n = chosen.n
LEFT JOIN near ON near.text_digest = logs.text_digest
