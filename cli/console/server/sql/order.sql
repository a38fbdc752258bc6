-- An order with its log, the ids of the last log before it and the first after it, and who names it too.
SELECT
  CAST(order_id AS VARCHAR) AS order_id, placed_at, timing, delay, entry_id, log_at, before_at, after_at,
  (SELECT max(entry_id) FROM logs WHERE uid = $uid AND signed_at = before_at) AS before_id,
  (SELECT min(entry_id) FROM logs WHERE uid = $uid AND signed_at = after_at) AS after_id,
  symbol, side, size, price, value, log_side, log_coin, other, CAST(parent_id AS VARCHAR) AS parent_id, times,
  (SELECT string_agg(uid, ', ' ORDER BY uid) FROM claims WHERE order_id = $id AND uid <> $uid) AS others
FROM timeline
WHERE uid = $uid AND order_id = $id
