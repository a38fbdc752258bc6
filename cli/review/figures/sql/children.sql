-- The orders, which no log names, that belong to one that a log of the team names, their parent. Of its symbol and
-- side, each was placed at most child_gap after the one before it; of the other side, after the parent; of other
-- symbols, at most at_once after it. Only the first most_children of each count. A parent counts as placed a second
-- earlier: orders of one batch have any order. Orders before the period, and cancelled ones, are parents too, and come
-- between others. times: how often it has the size of its parent, of other symbols the value. One of more than
-- child_size is no child.
WITH listed AS (
  SELECT
    uid, order_id, min(placed_at) AS placed_at, min(upper(symbol)) AS symbol, min(upper(side)) AS side,
    min(size) AS size, min(price) AS price,
    bool_and(cancelled) AS cancelled
  FROM orders
  GROUP BY uid, order_id
),
traded AS (
  SELECT
    listed.*,
    CASE WHEN named.order_id IS NULL THEN placed_at ELSE placed_at - 1000 END AS moment,
    named.order_id AS parent_id,
    CASE WHEN named.order_id IS NOT NULL THEN placed_at END AS parent_at,
    CASE WHEN named.order_id IS NOT NULL THEN size END AS parent_size
  FROM listed
  LEFT JOIN (
    SELECT DISTINCT uid, order_id FROM logs WHERE order_id IS NOT NULL
  ) AS named ON named.uid = listed.uid AND named.order_id = listed.order_id
  WHERE symbol IS NOT NULL AND side IS NOT NULL
),
stepped AS (
  SELECT
    *,
    count(parent_id) OVER (PARTITION BY uid, symbol ORDER BY moment, order_id) AS batch,
    count(parent_id) OVER (PARTITION BY uid ORDER BY moment, order_id) AS basket,
    CASE
      WHEN parent_id IS NULL
        AND placed_at - lag(placed_at) OVER (PARTITION BY uid, symbol, side ORDER BY moment, order_id) <= child_gap THEN 0
      ELSE 1
    END AS begins
  FROM traded
  CROSS JOIN bounds
),
chained AS (
  SELECT
    *,
    max(parent_id) OVER (PARTITION BY uid, symbol, batch) AS batch_id,
    min(parent_at) OVER (PARTITION BY uid, symbol, batch) AS batch_at,
    size / nullif(max(parent_size) OVER (PARTITION BY uid, symbol, batch), 0) AS batch_times,
    max(parent_id) OVER (PARTITION BY uid, basket) AS basket_id,
    min(parent_at) OVER (PARTITION BY uid, basket) AS basket_at,
    nullif(size * price, 0) / nullif(max(parent_size * price) OVER (PARTITION BY uid, basket), 0) AS value_times,
    sum(begins) OVER (PARTITION BY uid, symbol, side ORDER BY moment, order_id) AS chain
  FROM stepped
),
candidates AS (
  SELECT
    uid, order_id, cancelled, moment, placed_at, parent_id, child_gap, at_once, child_size,
    batch_id, batch_at, batch_times, basket_id, basket_at,
    CASE WHEN batch_id = basket_id THEN batch_times ELSE value_times END AS basket_times,
    max(parent_id) OVER (PARTITION BY uid, symbol, side, chain) AS chain_id,
    size / nullif(max(parent_size) OVER (PARTITION BY uid, symbol, side, chain), 0) AS chain_times
  FROM chained
),
linked AS (
  SELECT
    uid, order_id, cancelled, moment, parent_id AS own_id,
    CASE
      WHEN chain_id IS NOT NULL AND coalesce(chain_times <= child_size, TRUE) THEN 1
      WHEN placed_at - batch_at <= child_gap AND coalesce(batch_times <= child_size, TRUE) THEN 2
      WHEN placed_at - basket_at <= at_once AND coalesce(basket_times <= child_size, TRUE) THEN 3
    END AS way,
    chain_id, chain_times, batch_id, batch_times, basket_id, basket_times
  FROM candidates
)
SELECT uid, order_id, parent_id, times
FROM (
  SELECT each.*, row_number() OVER (PARTITION BY uid, parent_id ORDER BY moment, order_id) AS place
  FROM (
    SELECT
      uid, order_id, moment,
      CASE way WHEN 1 THEN chain_id WHEN 2 THEN batch_id ELSE basket_id END AS parent_id,
      CASE way WHEN 1 THEN chain_times WHEN 2 THEN batch_times ELSE basket_times END AS times
    FROM linked
    WHERE own_id IS NULL AND way IS NOT NULL AND NOT cancelled
  ) AS each
) AS ranked
CROSS JOIN bounds
WHERE place <= most_children AND child_gap > 0
