-- What each log of the period repeats, of whatever time, by the strongest kind: the earliest log of its team (own), and
-- a log of another team (other), by relation. Within a team, the time of the signature decides. Between two teams, it
-- is the log that was received first, and a team that first sent the same later than at the same time (same_time)
-- copies it (copy). A team whose first log came at the same time may have been the author too: its logs of that time
-- repeat at the same time, and its later ones repeat itself. What three teams or more use belongs to none of them
-- (shared). A text with fewer letters than equal_prose, or long_prose if it is only nearly the same, counts with its
-- data only, and so does a frame, which its author fills with other data again and again. Within a team, texts with
-- other data never repeat each other. Long ones that come again more than template_after later are filled templates
-- (6). places: how many of the 128 places of its signature a near text shares with its leader.
WITH shared AS (
  SELECT kind, label, max(letters) AS letters FROM labels GROUP BY kind, label HAVING count(*) > 1
),
labelled AS (
  SELECT
    shared.kind, shared.label, shared.letters, logs.n, logs.uid, logs.received_at, logs.signed_at, logs.entry_id, logs.prose,
    CASE WHEN shared.kind > 2 THEN logs.decision_digest END AS decision,
    first_value(logs.uid) OVER (PARTITION BY shared.kind, shared.label ORDER BY logs.n) AS author,
    min(logs.decision_digest) OVER (PARTITION BY shared.kind, shared.label, logs.uid)
      <> max(logs.decision_digest) OVER (PARTITION BY shared.kind, shared.label, logs.uid) AS varies,
    count(*) OVER (PARTITION BY shared.kind, shared.label, logs.uid) AS uses
  FROM shared
  JOIN labels ON labels.kind = shared.kind AND labels.label = shared.label
  JOIN logs ON logs.n = labels.n
),
framed AS (
  SELECT
    *,
    CASE
      WHEN letters < CASE WHEN kind = 5 THEN long_prose ELSE equal_prose END
        OR bool_or(uid = author AND varies AND uses >= frame_logs) OVER (PARTITION BY kind, label) THEN decision
    END AS part
  FROM labelled
  CROSS JOIN bounds
),
members AS (
  SELECT
    kind, label, part, n, uid, received_at, same_time,
    first_value(n) OVER (PARTITION BY kind, label, part ORDER BY n) AS first_n,
    first_value(uid) OVER (PARTITION BY kind, label, part ORDER BY n) AS first_uid,
    min(received_at) OVER (PARTITION BY kind, label, part) AS first_at,
    min(received_at) OVER (PARTITION BY kind, label, part, uid) AS team_at,
    min(uid) OVER (PARTITION BY kind, label, part) AS one_uid,
    max(uid) OVER (PARTITION BY kind, label, part) AS other_uid,
    first_value(n) OVER (PARTITION BY kind, label, uid, decision ORDER BY signed_at, entry_id) AS own_n,
    CASE
      WHEN kind > 2 AND prose >= long_prose
        AND signed_at - min(signed_at) OVER (PARTITION BY kind, label, uid) > template_after
        THEN first_value(n) OVER (PARTITION BY kind, label, uid ORDER BY signed_at, entry_id)
    END AS template_n
  FROM framed
),
related AS (
  SELECT
    kind, n,
    CASE WHEN own_n <> n THEN own_n END AS own_n,
    CASE WHEN template_n <> n THEN template_n END AS template_n,
    bool_or(uid <> one_uid AND uid <> other_uid) OVER (PARTITION BY kind, label, part) AS is_shared,
    CASE
      WHEN uid <> first_uid THEN first_n
      ELSE min(CASE WHEN uid <> first_uid THEN n END) OVER (PARTITION BY kind, label, part)
    END AS shared_n,
    CASE WHEN team_at - first_at > same_time THEN first_n END AS copy_n,
    CASE
      WHEN received_at - first_at > same_time THEN NULL
      WHEN uid <> first_uid THEN first_n
      ELSE min(CASE WHEN uid <> first_uid AND received_at - first_at <= same_time THEN n END)
        OVER (PARTITION BY kind, label, part)
    END AS tied_n
  FROM members
),
strongest AS (
  SELECT
    n, kind, own_n, template_n, shared_n, copy_n, tied_n,
    coalesce(
      min(CASE WHEN own_n IS NOT NULL THEN kind END) OVER (PARTITION BY n),
      max(CASE WHEN template_n IS NOT NULL THEN 6 END) OVER (PARTITION BY n)
    ) AS own_kind,
    min(CASE WHEN is_shared THEN kind END) OVER (PARTITION BY n) AS shared_kind,
    min(CASE WHEN copy_n IS NOT NULL OR tied_n IS NOT NULL THEN kind END) OVER (PARTITION BY n) AS other_kind
  FROM related
),
chosen AS (
  SELECT
    n, own_kind, shared_kind, other_kind,
    min(CASE WHEN kind = own_kind THEN own_n WHEN own_kind = 6 THEN template_n END) AS own_n,
    min(CASE WHEN kind = shared_kind THEN shared_n END) AS shared_n,
    min(CASE WHEN shared_kind IS NULL AND kind = other_kind THEN copy_n END) AS copy_n,
    min(CASE WHEN kind = other_kind THEN tied_n END) AS tied_n
  FROM strongest
  WHERE own_kind IS NOT NULL OR shared_kind IS NOT NULL OR other_kind IS NOT NULL
  GROUP BY n, own_kind, shared_kind, other_kind
),
-- A team that comes to the words of a copy of its own text is still the author.
authored AS (
  SELECT chosen.n
  FROM chosen
  JOIN chosen AS copied ON copied.n = chosen.copy_n
  JOIN logs AS originals ON originals.n = copied.copy_n
  JOIN logs ON logs.n = chosen.n AND logs.uid = originals.uid
),
named AS (
  SELECT
    n, own_kind, own_n, shared_kind, other_kind, shared_n, copy_n, tied_n,
    CASE
      WHEN shared_kind IS NOT NULL THEN 'shared'
      WHEN n IN (SELECT n FROM authored) THEN NULL
      WHEN copy_n IS NOT NULL THEN 'copy'
      WHEN tied_n IS NOT NULL THEN 'same time'
    END AS relation
  FROM chosen
)
SELECT
  named.n, own_kind, own_n, relation,
  CASE WHEN relation IS NOT NULL THEN coalesce(shared_kind, other_kind) END AS other_kind,
  CASE WHEN relation IS NOT NULL THEN coalesce(shared_n, copy_n, tied_n) END AS other_n,
  near.places
FROM named
JOIN logs ON logs.n = named.n AND logs.counts
LEFT JOIN near ON near.text_digest = logs.text_digest
WHERE own_kind IS NOT NULL OR relation IS NOT NULL
