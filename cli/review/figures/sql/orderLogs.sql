-- The orders of the timeline with the ids of the last log before each and the first after it.
WITH signed AS (
  SELECT uid, signed_at, min(entry_id) AS first_id, max(entry_id) AS last_id FROM logs GROUP BY uid, signed_at
)
SELECT timeline.*, earlier.last_id AS before_id, later.first_id AS after_id
FROM timeline
LEFT JOIN signed AS earlier ON earlier.uid = timeline.uid AND earlier.signed_at = timeline.before_at
LEFT JOIN signed AS later ON later.uid = timeline.uid AND later.signed_at = timeline.after_at
