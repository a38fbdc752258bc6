-- The rows of `compared` (hash, received_at, is_changed, is_indexed, …) with their indexes in the log, and with their
-- status by the rule of `statusOf`. Times are in milliseconds since 1970.
CREATE OR REPLACE VIEW placed AS
SELECT r.*, l.idx,
  CASE
    WHEN l.idx IS NOT NULL THEN 'logged'
    WHEN is_changed THEN 'differs'
    WHEN is_indexed AND received_at BETWEEN $earliest AND $latest THEN 'pending'
    ELSE 'missing'
  END AS status
FROM compared r LEFT JOIN logged l ON l.hash = r.hash
