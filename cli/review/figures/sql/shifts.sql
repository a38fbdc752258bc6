-- Some orders of teams none of whose logs names an order, and how many of these have a log within two minutes after
-- them, if their times are moved by whole hours. A team without such a log has no row.
WITH unnamed AS (
  SELECT uid FROM timeline GROUP BY uid
  HAVING count(log_at) = 0 AND count(CASE WHEN timing = 'no log' THEN 1 END) * 2 > count(*)
),
sampled AS (
  SELECT
    timeline.uid, placed_at, count(*) OVER (PARTITION BY timeline.uid) AS orders,
    row_number() OVER (PARTITION BY timeline.uid ORDER BY placed_at % 60000, order_id) AS place
  FROM timeline
  JOIN unnamed ON unnamed.uid = timeline.uid
),
moved AS (
  SELECT uid, place, orders, hours, placed_at + hours * 3600000 + after AS moment
  FROM sampled
  CROSS JOIN (VALUES (-14), (-13), (-12), (-11), (-10), (-9), (-8), (-7), (-6), (-5), (-4), (-3), (-2), (-1), (0),
    (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14)) AS shifts(hours)
  CROSS JOIN (VALUES (0), (60000)) AS minutes(after)
  WHERE place <= 100
),
logged AS (
  SELECT DISTINCT logs.uid, signed_at - signed_at % 60000 AS minute
  FROM logs
  JOIN unnamed ON unnamed.uid = logs.uid
)
SELECT moved.uid, hours, count(DISTINCT place) AS found, least(100, min(orders)) AS orders
FROM moved
JOIN logged ON logged.uid = moved.uid AND logged.minute = moment - moment % 60000
GROUP BY moved.uid, hours
