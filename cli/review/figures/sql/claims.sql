-- The teams whose logs name a contested order: one that several teams name, or that a team names and did not place.
-- first_n is the log of the team that was received first. The order was placed in the period, or a log of it names it.
WITH named AS (
  SELECT order_id, uid, count(*) AS logs, min(n) AS first_n, bool_or(counts) AS counts
  FROM logs WHERE order_id IS NOT NULL GROUP BY order_id, uid
),
contested AS (
  SELECT named.order_id, min(orders.uid) AS owner
  FROM named
  LEFT JOIN (SELECT order_id, uid FROM orders WHERE uid IN (SELECT uid FROM teams)) AS orders
    ON orders.order_id = named.order_id
  GROUP BY named.order_id
  HAVING (count(DISTINCT named.uid) > 1 OR min(orders.uid) <> min(named.uid))
    AND (bool_or(named.counts) OR named.order_id IN (SELECT order_id FROM placed))
)
SELECT contested.order_id, contested.owner, named.uid, named.logs, logs.n, logs.entry_id, logs.received_at
FROM contested
JOIN named ON named.order_id = contested.order_id
JOIN logs ON logs.n = named.first_n
