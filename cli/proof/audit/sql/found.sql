-- The findings of a comparison of rows with the log, beside rows that the log does not have. Input:
--   leaf (idx, hash, n): the entries of the log; logged, without_row, unlogged: see compare.sql;
--   commit (n, time, cursor, looked, days): its commits, and for how many days entries were kept then; 0: for ever;
--   compared (hash, uid, entry_id, received_at, claimed, expires_at, …): the rows of the table;
--   known (hash, uid, entry_id, received_at, promised, deadline): what evidence tells.
-- Times are milliseconds since 1970; expires_at is in seconds. Output: found (kind, uid, entry_id, idx, problem).

CREATE MACRO iso(ms) AS strftime(make_timestamp(ms * 1000), '%Y-%m-%dT%H:%M:%SZ');
CREATE MACRO span(ms) AS CASE
  WHEN ms >= 86400000 THEN format('{} d {} h', ms // 86400000, ms % 86400000 // 3600000)
  WHEN ms >= 3600000 THEN format('{} h {} min', ms // 3600000, ms % 3600000 // 60000)
  ELSE format('{} min {} s', ms // 60000, ms % 60000 // 1000) END;

-- How long entries were kept, from one time to another.
CREATE TABLE retention AS
SELECT days, time AS from_at, lead(time) OVER (ORDER BY n) AS until_at, row_number() OVER (ORDER BY n) = 1 AS is_first
FROM (SELECT *, lag(days) OVER (ORDER BY n) AS days_before FROM commit) WHERE days IS DISTINCT FROM days_before;

-- The entries of the log with the commits that they came with, and the earliest time at which they were received: those
-- of a second look after what was looked before, the others in the window before the cursor of the commit before.
CREATE TABLE placed AS
SELECT l.hash, l.idx, c.time, c.cursor, c.days,
  CASE WHEN c.looked > c.looked_before AND c.cursor = c.cursor_before THEN c.looked_before
    ELSE coalesce(c.cursor_before, c.cursor - $step) - $window END AS earliest
FROM logged l JOIN leaf f ON f.idx = l.idx JOIN (
  SELECT *, lag(cursor) OVER (ORDER BY n) AS cursor_before, lag(looked) OVER (ORDER BY n) AS looked_before FROM commit
) c ON c.n = f.n;

CREATE TABLE found AS

-- Rows that came into the log late, or before they say that they were received. What was received before the first
-- commit had no receipt, and is not late.
SELECT CASE WHEN p.time > r.received_at + $promise THEN 'late' ELSE 'damaged' END AS kind, uid, entry_id, idx,
  CASE WHEN p.time > r.received_at + $promise
    THEN format('Received at {}, in the log since {}: {} late.', iso(r.received_at), iso(p.time), span(p.time - r.received_at - $promise))
    ELSE format('Its time of receipt is {}, after the log had it.', iso(r.received_at)) END AS problem
FROM compared r JOIN placed p ON p.hash = r.hash
WHERE (p.time > r.received_at + $promise AND r.received_at >= (SELECT min(time) FROM commit)) OR r.received_at > p.cursor

-- Rows whose expiry is not that of a retention that was in force when they were received.
UNION ALL
SELECT 'damaged', uid, entry_id, idx, format('Its expiresAt is {}, which the retention in the log does not give.',
  coalesce(expires_at::VARCHAR, 'absent'))
FROM compared r JOIN placed p ON p.hash = r.hash
WHERE NOT EXISTS (
  SELECT 1 FROM retention q WHERE (q.is_first OR p.time >= q.from_at - $rollout)
    AND (q.until_at IS NULL OR r.received_at <= q.until_at + $rollout)
    AND CASE WHEN q.days = 0 THEN r.expires_at IS NULL
        ELSE r.expires_at = (r.received_at + 999) // 1000 + q.days * 86400 END)

-- Rows that the log has, and whose arrival keys name another entry.
UNION ALL
SELECT 'damaged', uid, entry_id, l.idx, 'Its arrival keys name another entry.'
FROM compared r JOIN logged l ON l.hash = r.hash WHERE claimed IS NOT NULL

-- Entries of the log without a row, which cannot have expired, and which no edited row stands for.
UNION ALL
SELECT 'removed', k.uid, k.entry_id, p.idx,
  format('In the log since {}, and no row of the table has it.', coalesce(iso(p.time), 'a commit that is lost'))
FROM without_row w JOIN placed p ON p.hash = w.hash LEFT JOIN (
  SELECT hash, max(uid) AS uid, max(entry_id) AS entry_id, max(received_at) AS received_at FROM known GROUP BY hash
) k ON k.hash = w.hash
WHERE $tables AND NOT (p.days > 0 AND coalesce(k.received_at, p.earliest) + p.days * 86400000 <= $now)
  AND NOT EXISTS (SELECT 1 FROM unlogged u WHERE u.claimed = w.hash OR (u.uid = k.uid AND u.entry_id = k.entry_id))

-- Entries of an export or a statement that neither the log nor the table has.
UNION ALL
SELECT DISTINCT 'unlogged', k.uid, k.entry_id, NULL::BIGINT,
  format('It was received at {}, as evidence says. It was removed before the log had it.', iso(k.received_at))
FROM known k ANTI JOIN logged l ON l.hash = k.hash ANTI JOIN compared r ON r.uid = k.uid AND r.entry_id = k.entry_id
WHERE $tables AND NOT promised AND k.received_at <= $cursor - $window

-- Receipts whose entries came late, and that no row has.
UNION ALL
SELECT DISTINCT 'late', k.uid, k.entry_id, p.idx,
  format('Promised by {}, in the log since {}: {} late.', iso(deadline), iso(p.time), span(p.time - deadline))
FROM known k JOIN placed p ON p.hash = k.hash ANTI JOIN compared r ON r.hash = k.hash
WHERE promised AND p.time > deadline

-- Receipts without an entry in the log.
UNION ALL
SELECT DISTINCT 'promised', k.uid, k.entry_id, NULL::BIGINT,
  format('Received at {}, promised by {}, and not in the log.', iso(k.received_at), iso(deadline))
FROM known k ANTI JOIN logged l ON l.hash = k.hash WHERE promised AND deadline <= $cursor;
