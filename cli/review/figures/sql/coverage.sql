-- The orders of each team by their timing, and the delays of those with a log: the median and the 95th percentile
-- (nearest rank).
SELECT
  uid,
  count(*) AS orders,
  count(log_at) AS logged,
  count(CASE WHEN timing = 'not named' THEN 1 END) AS only_near,
  count(CASE WHEN timing = 'no log' THEN 1 END) AS without_log,
  count(CASE WHEN log_at IS NULL AND order_id IN (SELECT order_id FROM claims) THEN 1 END) AS only_others,
  count(CASE WHEN timing = 'late' THEN 1 END) AS late,
  count(CASE WHEN timing = 'early' THEN 1 END) AS early,
  min(CASE WHEN place * 100 >= logged_orders * 50 THEN delay END) AS median_delay,
  min(CASE WHEN place * 100 >= logged_orders * 95 THEN delay END) AS p95_delay
FROM (
  SELECT
    uid, order_id, log_at, delay, timing,
    row_number() OVER (PARTITION BY uid ORDER BY delay NULLS LAST) AS place,
    count(log_at) OVER (PARTITION BY uid) AS logged_orders
  FROM timeline
) AS ranked
GROUP BY uid
