-- The logs of each team, and what they lack: a model version, input and output data, an order.
SELECT
  uid,
  count(*) AS entries,
  min(signed_at) AS first_at,
  max(signed_at) AS last_at,
  count(order_id) AS with_order,
  count(CASE WHEN has_version AND has_data AND order_id IS NOT NULL THEN 1 END) AS complete,
  count(CASE WHEN NOT has_version THEN 1 END) AS without_version,
  count(CASE WHEN NOT has_data THEN 1 END) AS without_data,
  count(CASE WHEN NOT has_version OR NOT has_data THEN 1 END) AS without_version_or_data,
  count(CASE WHEN hidden_characters THEN 1 END) AS hidden_characters,
  count(CASE WHEN text_cut THEN 1 END) AS cut_texts
FROM logs
WHERE counts
GROUP BY uid
