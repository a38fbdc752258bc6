-- Every log once, also if it has several rows. n numbers the logs in the order of their receipt.
-- counts: it is in the period. Another one is only an original, or the log of an order in it, up to read_until.
SELECT
  row_number() OVER (ORDER BY received_at, entry_id, uid) AS n,
  uid, entry_id, signed_at, received_at, order_id, stage, model,
  body_digest, data_digest, output_digest, text_digest, decision_digest, prose, output_prose,
  trade_coin, named_coins, trade_side, says_trade, has_data, has_version, hidden_characters, text_cut, comparable,
  (since IS NULL OR signed_at >= since) AND (until IS NULL OR signed_at < until) AS counts
FROM (
  SELECT
    uid, entry_id, min(signed_at) AS signed_at, min(received_at) AS received_at, min(order_id) AS order_id,
    min(stage) AS stage, min(model) AS model, min(body_digest) AS body_digest, min(data_digest) AS data_digest,
    min(output_digest) AS output_digest, min(text_digest) AS text_digest,
    min(decision_digest) AS decision_digest, min(prose) AS prose, min(output_prose) AS output_prose,
    bool_or(has_data) AS has_data, bool_or(has_version) AS has_version,
    bool_or(hidden_characters) AS hidden_characters, bool_or(text_cut) AS text_cut,
    min(trade_coin) AS trade_coin, min(named_coins) AS named_coins, min(trade_side) AS trade_side,
    bool_or(says_trade) AS says_trade, bool_or(comparable) AS comparable
  FROM entries
  GROUP BY uid, entry_id
) AS each
CROSS JOIN bounds
WHERE read_until IS NULL OR signed_at < read_until
