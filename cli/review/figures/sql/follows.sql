-- Logs of the period with a short text that one of another team has, too, or nearly, and that are no copies: those of a
-- team that sends such texts within follow_within after one other team far more often than its times give when they are
-- shifted by one or two such spans, back or forth.
-- A text counts if no third team uses it, and the other team uses it less often than frame_logs.
-- texts: the different logs of the other team; shifted: the most that a shift gives.
WITH spans AS (
  SELECT kind, label, min(uid) AS one_uid, max(uid) AS other_uid
  FROM labels
  JOIN logs ON logs.n = labels.n
  CROSS JOIN bounds
  WHERE kind > 2
  GROUP BY kind, label, equal_prose, long_prose
  HAVING min(uid) <> max(uid) AND max(letters) < CASE WHEN kind = 5 THEN long_prose ELSE equal_prose END
),
used AS (
  SELECT spans.kind, spans.label, one_uid, other_uid, logs.n, logs.uid, logs.received_at, logs.counts
  FROM labels
  JOIN spans ON spans.kind = labels.kind AND spans.label = labels.label
  JOIN logs ON logs.n = labels.n
),
uses AS (
  SELECT kind, label, one_uid, count(CASE WHEN uid = one_uid THEN 1 END) AS of_one,
    count(CASE WHEN uid = other_uid THEN 1 END) AS of_other
  FROM used
  GROUP BY kind, label, one_uid, other_uid
  HAVING count(CASE WHEN uid <> one_uid AND uid <> other_uid THEN 1 END) = 0
),
near_logs AS (
  SELECT
    later.n, later.uid, earlier.n AS of_n, earlier.uid AS of_uid,
    later.received_at - earlier.received_at - same_time AS delay, follow_within AS span
  FROM uses
  CROSS JOIN bounds
  JOIN used AS later ON later.kind = uses.kind AND later.label = uses.label AND later.counts
  JOIN used AS earlier ON earlier.kind = uses.kind AND earlier.label = uses.label AND earlier.uid <> later.uid
  LEFT JOIN repeats ON repeats.n = later.n AND repeats.other_n IS NOT NULL
  WHERE repeats.n IS NULL AND CASE WHEN earlier.uid = uses.one_uid THEN of_one ELSE of_other END < frame_logs
),
counted AS (
  SELECT
    uid, of_uid,
    count(DISTINCT CASE WHEN delay > 0 AND delay <= span THEN of_n END) AS texts,
    count(DISTINCT CASE WHEN delay > -span AND delay <= 0 THEN of_n END) AS one_back,
    count(DISTINCT CASE WHEN delay > -2 * span AND delay <= -span THEN of_n END) AS two_back,
    count(DISTINCT CASE WHEN delay > span AND delay <= 2 * span THEN of_n END) AS one_forth,
    count(DISTINCT CASE WHEN delay > 2 * span AND delay <= 3 * span THEN of_n END) AS two_forth
  FROM near_logs
  GROUP BY uid, of_uid
),
found AS (
  SELECT uid, of_uid, texts, greatest(one_back, two_back, one_forth, two_forth) AS shifted
  FROM counted
  CROSS JOIN bounds
  WHERE texts >= least_follows + follow_times * greatest(one_back, two_back, one_forth, two_forth)
)
SELECT near_logs.n, max(near_logs.of_n) AS of_n, found.uid, found.of_uid, texts, shifted
FROM found
JOIN near_logs ON near_logs.uid = found.uid AND near_logs.of_uid = found.of_uid AND delay > 0 AND delay <= span
GROUP BY near_logs.n, found.uid, found.of_uid, texts, shifted
