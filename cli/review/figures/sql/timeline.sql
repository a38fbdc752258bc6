-- Each order in the period with what it traded, the earliest log of its team that names it, and the times of the last
-- log before it and the first at or after it. Its delay is that to its log, which no clock signs later than it was
-- received. Its timing is late after more than within, early before more than tolerance. Without a log: not named if
-- the team signed any log within that time before or after it, else no log. One that belongs to an order that a log
-- names (parent_id) is a child order instead, of so many times its size (times). Beside it is what its logs say of it.
WITH named AS (
  SELECT
    uid, order_id, min(signed_at) AS log_at, min(entry_id) AS entry_id,
    min(least(signed_at, received_at)) AS written_at
  FROM logs WHERE order_id IS NOT NULL GROUP BY uid, order_id
),
moments AS (
  SELECT uid, placed_at AS moment, order_id, CAST(NULL AS BIGINT) AS signed_at FROM placed
  UNION ALL
  SELECT uid, signed_at, NULL, signed_at FROM logs WHERE uid IN (SELECT uid FROM placed)
),
surrounded AS (
  SELECT
    uid, order_id, moment AS placed_at,
    max(signed_at) OVER (PARTITION BY uid ORDER BY moment, signed_at NULLS FIRST
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS before_at,
    min(signed_at) OVER (PARTITION BY uid ORDER BY moment, signed_at NULLS FIRST
      ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS after_at
  FROM moments
),
traded AS (
  SELECT order_id, min(symbol) AS symbol, min(side) AS side, min(size) AS size, min(price) AS price
  FROM orders GROUP BY order_id
)
SELECT
  surrounded.uid, surrounded.order_id, placed_at, before_at, after_at, log_at, named.entry_id, children.parent_id,
  traded.symbol, traded.side, traded.size, traded.price,
  children.times, trades.log_coin, trades.log_side, trades.told, trades.other,
  written_at - placed_at AS delay,
  CASE
    WHEN written_at - placed_at > within THEN 'late'
    WHEN written_at - placed_at < -tolerance THEN 'early'
    WHEN log_at IS NOT NULL THEN 'in time'
    WHEN children.parent_id IS NOT NULL THEN 'child order'
    WHEN placed_at - before_at <= within OR after_at - placed_at <= within THEN 'not named'
    ELSE 'no log'
  END AS timing
FROM surrounded
CROSS JOIN bounds
LEFT JOIN named ON named.uid = surrounded.uid AND named.order_id = surrounded.order_id
LEFT JOIN children ON children.uid = surrounded.uid AND children.order_id = surrounded.order_id
LEFT JOIN trades ON trades.uid = surrounded.uid AND trades.order_id = surrounded.order_id
JOIN traded ON traded.order_id = surrounded.order_id
WHERE surrounded.order_id IS NOT NULL
