-- The figures of each team, a row each; reasons.ts adds the reasons to look at it. Without an order list, what counts
-- orders is null. The delays are the median and the 95th percentile (nearest rank), in milliseconds.
WITH of_logs AS (
  SELECT
    teams.uid, is_reported,
    count(logs.n) AS entries,
    min(signed_at) AS first_at,
    max(signed_at) AS last_at,
    count(order_id) AS with_order,
    count(CASE WHEN has_version AND has_data AND order_id IS NOT NULL THEN 1 END) AS complete,
    count(CASE WHEN NOT has_version THEN 1 END) AS without_version,
    count(CASE WHEN NOT has_data THEN 1 END) AS without_data,
    count(CASE WHEN NOT has_version OR NOT has_data THEN 1 END) AS without_version_or_data,
    count(CASE WHEN hidden_characters THEN 1 END) AS hidden_characters,
    count(CASE WHEN text_cut THEN 1 END) AS cut_texts,
    count(CASE WHEN own_kind < 6 THEN 1 END) AS own_repeats,
    count(CASE WHEN own_kind = 6 THEN 1 END) AS templates,
    count(CASE WHEN NOT comparable THEN 1 END) AS short_texts,
    count(CASE WHEN relation = 'shared' THEN 1 END) AS shared
  FROM teams
  LEFT JOIN logs ON logs.uid = teams.uid AND logs.counts
  LEFT JOIN repeats ON repeats.n = logs.n
  GROUP BY teams.uid, is_reported
),
-- The team of which a team repeats most. Repeats are counted for each pair of teams.
of_pairs AS (
  SELECT
    uid, max(copies) AS copies, max(same_time) AS same_time, max(follows) AS follows,
    min(CASE WHEN copied = 1 AND copies > 0 THEN of_uid END) AS copied_uid,
    min(CASE WHEN copied = 1 THEN back END) AS copied_back,
    min(CASE WHEN followed = 1 AND follows > 0 THEN of_uid END) AS followed_uid
  FROM (
    SELECT
      *,
      row_number() OVER (PARTITION BY uid ORDER BY copies DESC, of_uid) AS copied,
      row_number() OVER (PARTITION BY uid ORDER BY follows DESC, of_uid) AS followed
    FROM pairs
    WHERE uid <> of_uid
  ) AS ranked
  GROUP BY uid
),
of_orders AS (
  SELECT
    teams.uid,
    count(ranked.order_id) AS orders,
    count(log_at) AS orders_with_log,
    count(CASE WHEN timing = 'not named' THEN 1 END) AS orders_only_near,
    count(CASE WHEN timing = 'no log' THEN 1 END) AS orders_without_log,
    count(CASE WHEN timing = 'child order' THEN 1 END) AS child_orders,
    count(DISTINCT CASE WHEN timing = 'child order' THEN parent_id END) AS parent_orders,
    sum(CASE WHEN timing = 'child order' THEN times END) AS child_times,
    count(CASE WHEN told THEN 1 END) AS told_orders,
    count(CASE WHEN other THEN 1 END) AS other_trades,
    count(CASE WHEN log_at IS NULL THEN claimed.order_id END) AS orders_only_others,
    count(CASE WHEN timing = 'late' THEN 1 END) AS late,
    count(CASE WHEN timing = 'early' THEN 1 END) AS early,
    min(CASE WHEN place * 100 >= logged_orders * 50 THEN delay END) AS median_delay,
    min(CASE WHEN place * 100 >= logged_orders * 95 THEN delay END) AS p95_delay
  FROM bounds
  JOIN teams ON has_orders
  LEFT JOIN (
    SELECT
      uid, order_id, parent_id, log_at, delay, timing, times, told, other,
      row_number() OVER (PARTITION BY uid ORDER BY delay NULLS LAST) AS place,
      count(log_at) OVER (PARTITION BY uid) AS logged_orders
    FROM timeline
  ) AS ranked ON ranked.uid = teams.uid
  LEFT JOIN (SELECT DISTINCT order_id FROM claims) AS claimed ON claimed.order_id = ranked.order_id
  GROUP BY teams.uid
),
-- The orders that logs name, and those of which none says anything.
of_named AS (
  SELECT uid, count(*) AS named_orders, count(CASE WHEN NOT says_trade THEN 1 END) AS says_nothing
  FROM (
    SELECT uid, order_id, bool_or(says_trade) AS says_trade
    FROM logs WHERE counts AND order_id IS NOT NULL GROUP BY uid, order_id
  ) AS named
  GROUP BY uid
),
of_others AS (
  SELECT uid, count(*) AS foreign_orders, count(*) - count(owner) AS contested_orders
  FROM claims
  WHERE owner IS NULL OR owner <> uid
  GROUP BY uid
),
-- The logs for each order: the median of the teams that have both.
ratios AS (
  SELECT
    CAST(entries AS DOUBLE) / orders AS ratio,
    row_number() OVER (ORDER BY CAST(entries AS DOUBLE) / orders) AS place,
    count(*) OVER () AS all_teams
  FROM of_logs
  JOIN of_orders ON of_orders.uid = of_logs.uid
  WHERE entries > 0 AND orders > 0
),
field AS (
  SELECT min(CASE WHEN place * 2 >= all_teams THEN ratio END) AS median_ratio FROM ratios
),
longest AS (
  SELECT uid, max(seconds) AS silence_seconds FROM silences GROUP BY uid
)
SELECT
  of_logs.*,
  orders, orders_with_log, orders_only_near, orders_without_log, orders_only_others, child_orders, parent_orders,
  child_times, told_orders, other_trades,
  coalesce(named_orders, 0) AS named_orders, coalesce(says_nothing, 0) AS says_nothing,
  late, early, median_delay, p95_delay, median_ratio,
  coalesce(copies, 0) AS copies, copied_uid, coalesce(copied_back, 0) AS copied_back,
  coalesce(same_time, 0) AS same_time, coalesce(follows, 0) AS follows, followed_uid,
  coalesce(foreign_orders, 0) AS foreign_orders,
  coalesce(contested_orders, 0) AS contested_orders,
  coalesce(silence_seconds, 0) AS silence_seconds
FROM of_logs
CROSS JOIN field
LEFT JOIN of_orders ON of_orders.uid = of_logs.uid
LEFT JOIN of_named ON of_named.uid = of_logs.uid
LEFT JOIN of_others ON of_others.uid = of_logs.uid
LEFT JOIN of_pairs ON of_pairs.uid = of_logs.uid
LEFT JOIN longest ON longest.uid = of_logs.uid
