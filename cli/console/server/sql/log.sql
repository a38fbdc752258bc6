-- A log with the order that it names, and who placed that.
SELECT
  signed_at, received_at, CAST(order_id AS VARCHAR) AS order_id,
  (SELECT min(uid) FROM orders WHERE orders.order_id = logs.order_id) AS placed_by
FROM logs
WHERE uid = $uid AND entry_id = $id
