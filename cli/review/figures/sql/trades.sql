-- Each order that a log of its team names, beside what its logs say of the trade. other: they state a coin or a side,
-- and none names that of the order. told: they name it, or other. Nothing is held against an order if a log of it may
-- speak of another order too, nor if the team placed an order of the coin and side that they state at most trade_gap
-- before or after: a stop belongs to its entry, and one log may be about several orders. The side of another coin than
-- that of the order says nothing of the order, nor does a side if the order can end a position or a part of it, which
-- is the sum of the orders before: the side may be that of the position.
WITH listed AS (
  SELECT
    uid, order_id, min(placed_at) AS placed_at, min(orders.symbol) AS symbol, min(coin) AS coin,
    min(direction) AS direction, coalesce(min(size), 1) AS size, bool_and(cancelled) AS cancelled
  FROM orders
  JOIN markets ON markets.symbol = coalesce(orders.symbol, '') AND markets.side = coalesce(orders.side, '')
  GROUP BY uid, order_id
),
signed AS (
  SELECT *, CASE WHEN cancelled THEN 0 WHEN direction = 'buy' THEN size WHEN direction = 'sell' THEN -size END AS change
  FROM listed
),
-- What was held before each order, and what of it came from orders of its size: positions of both sides may overlap.
held AS (
  SELECT
    uid, order_id, placed_at, coin, size, CASE WHEN coin IS NOT NULL THEN direction END AS direction,
    CASE direction WHEN 'buy' THEN -1 ELSE 1 END * coalesce(sum(change) OVER of_symbol, 0) AS held,
    CASE direction WHEN 'buy' THEN -1 ELSE 1 END * coalesce(sum(change) OVER of_size, 0) AS held_of_size
  FROM signed
  WINDOW
    of_symbol AS (
      PARTITION BY uid, symbol ORDER BY placed_at, order_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ),
    of_size AS (
      PARTITION BY uid, symbol, size ORDER BY placed_at, order_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),
said AS (
  SELECT
    held.uid, held.order_id, placed_at, coin, direction,
    -- Fees take a part of what is held.
    greatest(held, held_of_size) >= size * 0.99 AS can_end,
    CASE WHEN min(trade_coin) = max(trade_coin) AND min(trade_coin) <> 'unclear' THEN min(trade_coin) END AS log_coin,
    CASE WHEN min(trade_side) = max(trade_side) AND min(trade_side) <> 'unclear' THEN min(trade_side) END AS log_side,
    min(trade_coin) IS NULL AS no_coin,
    coalesce(bool_or(strpos(named_coins, concat(' ', coin, ' ')) > 0), FALSE) AS names_coin
  FROM held
  JOIN logs ON logs.uid = held.uid AND logs.order_id = held.order_id
  GROUP BY held.uid, held.order_id, placed_at, coin, direction, held, held_of_size, size
),
compared AS (
  SELECT
    uid, order_id, placed_at, names_coin, log_coin, log_side,
    coalesce(log_coin <> coin AND NOT names_coin, FALSE) AS other_coin,
    CASE
      WHEN (no_coin OR log_coin = coin) AND NOT (log_side <> direction AND can_end) THEN log_side <> direction
    END AS other_side
  FROM said
),
beside AS (
  SELECT DISTINCT compared.uid, compared.order_id
  FROM compared
  CROSS JOIN bounds
  -- The order's slot of time, and those before and after it.
  CROSS JOIN (VALUES (-1), (0), (1)) AS slots(slot)
  JOIN listed ON listed.uid = compared.uid
    AND listed.placed_at - listed.placed_at % trade_gap
      = compared.placed_at - compared.placed_at % trade_gap + slot * trade_gap
  WHERE (other_coin OR other_side)
    AND listed.placed_at >= compared.placed_at - trade_gap AND listed.placed_at <= compared.placed_at + trade_gap
    AND (log_coin IS NULL OR coalesce(listed.coin, log_coin) = log_coin)
    AND (log_side IS NULL OR coalesce(listed.direction, log_side) = log_side)
)
SELECT
  compared.uid, compared.order_id, log_coin, log_side,
  beside.order_id IS NULL AND (other_coin OR coalesce(other_side, FALSE)) AS other,
  names_coin OR beside.order_id IS NULL AND (other_coin OR other_side IS NOT NULL) AS told
FROM compared
LEFT JOIN beside ON beside.uid = compared.uid AND beside.order_id = compared.order_id
