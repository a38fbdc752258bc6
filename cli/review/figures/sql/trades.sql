-- Each order that a log of its team names, beside what its logs say of the trade. other: they state a coin or a side,
-- and none names that of the order. told: they name it, or other. Nothing is held against an order if a log of it may
-- speak of another order too, nor if the team placed an order of the coin and side that they state at most trade_gap
-- before or after: a stop belongs to its entry.
WITH listed AS (
  SELECT
    uid, order_id, min(placed_at) AS placed_at, min(coin) AS coin,
    CASE WHEN min(coin) IS NOT NULL THEN min(direction) END AS direction
  FROM orders
  JOIN markets ON markets.symbol = coalesce(orders.symbol, '') AND markets.side = coalesce(orders.side, '')
  GROUP BY uid, order_id
),
said AS (
  SELECT
    listed.uid, listed.order_id, placed_at, coin, direction,
    min(trade_coin) AS log_coin,
    CASE WHEN min(trade_side) = max(trade_side) AND min(trade_side) <> 'unclear' THEN min(trade_side) END AS log_side,
    bool_or(strpos(named_coins, concat(' ', coin, ' ')) > 0) AS names_coin
  FROM listed
  JOIN logs ON logs.uid = listed.uid AND logs.order_id = listed.order_id
  GROUP BY listed.uid, listed.order_id, placed_at, coin, direction
),
beside AS (
  SELECT DISTINCT said.uid, said.order_id
  FROM said
  CROSS JOIN bounds
  JOIN listed ON listed.uid = said.uid AND listed.coin = said.coin AND listed.direction = said.log_side
  WHERE said.direction <> log_side
    AND listed.placed_at >= said.placed_at - trade_gap AND listed.placed_at <= said.placed_at + trade_gap
),
compared AS (
  SELECT
    said.uid, said.order_id, log_coin, names_coin,
    CASE WHEN beside.order_id IS NULL AND direction IS NOT NULL THEN log_side END AS log_side,
    coalesce(log_coin <> coin AND NOT names_coin, FALSE) AS other_coin,
    coalesce(log_side <> direction AND beside.order_id IS NULL, FALSE) AS other_side
  FROM said
  LEFT JOIN beside ON beside.uid = said.uid AND beside.order_id = said.order_id
)
SELECT
  uid, order_id, log_coin, log_side,
  other_coin OR other_side AS other,
  other_coin OR coalesce(names_coin, FALSE) OR log_side IS NOT NULL AS told
FROM compared
