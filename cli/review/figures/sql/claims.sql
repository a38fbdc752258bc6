-- The teams whose logs name a contested order: one that several teams name, or that a team names and did not place.
-- first_n is the log of the team that was received first. The order was placed in the period, or a log of it names it.
WITH claims AS (
  SELECT order_id, uid, count(*) AS logs, min(n) AS first_n, bool_or(counts) AS counts
  FROM logs WHERE order_id IS NOT NULL GROUP BY order_id, uid
),
contested AS (
  SELECT claims.order_id, min(orders.uid) AS owner
  FROM claims
  LEFT JOIN orders ON orders.order_id = claims.order_id
  GROUP BY claims.order_id
  HAVING (count(DISTINCT claims.uid) > 1 OR min(orders.uid) <> min(claims.uid))
    AND (bool_or(claims.counts) OR claims.order_id IN (SELECT order_id FROM placed))
)
SELECT contested.order_id, contested.owner, claims.uid, claims.logs, logs.n, logs.entry_id, logs.received_at
FROM contested
JOIN claims ON claims.order_id = contested.order_id
JOIN logs ON logs.n = claims.first_n
