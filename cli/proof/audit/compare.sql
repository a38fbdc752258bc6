-- What a comparison of the tables with the log finds. Input:
--   leaf (idx, hash, days): the entries of the log, and the days of those that announce a retention;
--   logged, placed and without_row: the rows of the table against them, see cli/proof/inclusion/sql;
--   file (kind, position, stored_at): the files of the log;
--   cosigned (size, cosigned_at): the checkpoints that the quorum of witnesses has cosigned, and when;
--   known (hash, uid, entry_id, received_at, source, receipt, deadline): what receipts and exports tell;
--   mark, hint (size, cursor): what the head and the hints tell of the log at a size; the constants $now and others.
-- Times are milliseconds since 1970; expires_at is in seconds. A hash is that of an entry. Output: found.

CREATE MACRO iso(ms) AS strftime(make_timestamp(ms * 1000), '%Y-%m-%dT%H:%M:%SZ');
CREATE MACRO span(ms) AS CASE
  WHEN ms >= 86400000 THEN format('{} d {} h', ms // 86400000, ms % 86400000 // 3600000)
  WHEN ms >= 3600000 THEN format('{} h {} min', ms // 3600000, ms % 3600000 // 60000)
  ELSE format('{} min {} s', ms // 60000, ms % 60000 // 1000) END;
CREATE MACRO checkpoint_in(size, ms) AS
  coalesce('checkpoints/' || size || coalesce(' (' || iso(ms) || ')', ''), 'no checkpoint that is left');

-- Each checkpoint, with the time at which the bucket stored it.
CREATE TABLE checkpoint AS
SELECT position AS size, max(stored_at) AS stored_at FROM file WHERE kind = 'checkpoint' GROUP BY position;

-- Each checkpoint that the quorum of witnesses has cosigned, with the time of that.
CREATE TABLE witnessed AS SELECT size, min(cosigned_at) AS cosigned_at FROM cosigned GROUP BY size;

-- How long entries are kept, from an index and a time on.
CREATE TABLE retention AS
SELECT r.hash, r.days, r.idx, lag(r.days) OVER (ORDER BY r.idx) IS NULL AS is_first,
  c.stored_at AS from_at, lead(c.stored_at) OVER (ORDER BY r.idx) AS until_at
FROM (SELECT hash, idx, days FROM leaf WHERE days IS NOT NULL) r
ASOF LEFT JOIN checkpoint c ON r.idx < c.size;

-- The time to which the sequencer had come at a size. No mark of somebody who writes the tables makes it earlier.
CREATE TABLE reached AS
SELECT size, max(max(cursor)) OVER (ORDER BY size) AS cursor
FROM (SELECT size, cursor FROM mark UNION ALL SELECT size, cursor FROM hint) GROUP BY size;

-- The rows with the leaf that their arrival attributes name, and with the first checkpoint that contains their own one.
-- The sequencer had passed a row if it came by its time, and the window after it, before. A row came into the log late if
-- witnesses had cosigned a later log without it, or if neither witnesses nor the storage had it by the deadline.
CREATE TABLE timed AS
SELECT p.*, other.idx AS claimed_idx, c.size AS logged_size, c.stored_at AS logged_at,
  least(c.stored_at, w.cosigned_at) > p.received_at + $promise
    OR (earlier.cosigned_at > p.received_at + $promise AND coalesce(w.cosigned_at > p.received_at + $promise, true)) AS is_overdue,
  coalesce(w.cosigned_at <= p.received_at + $promise, false) AND coalesce(earlier.cosigned_at <= p.received_at + $promise, true) AS is_witnessed,
  coalesce(m.cursor > p.received_at + $found, false) AS was_passed
FROM placed p
LEFT JOIN logged other ON other.hash = p.claimed
ASOF LEFT JOIN checkpoint c ON p.idx < c.size
ASOF LEFT JOIN witnessed w ON p.idx < w.size
ASOF LEFT JOIN witnessed earlier ON p.idx >= earlier.size
ASOF LEFT JOIN reached m ON p.idx >= m.size;

-- The latest time of receipt in the log at the size of a checkpoint.
CREATE TABLE passed AS
SELECT size, max(latest) OVER (ORDER BY size) AS received_at
FROM (SELECT logged_size AS size, max(received_at) AS latest FROM timed WHERE idx IS NOT NULL GROUP BY logged_size);

-- The entries of the log that no row has, with the checkpoints around them and the retention when they were logged.
CREATE TABLE gone AS
SELECT l.hash, l.idx, before.stored_at AS before_at, before.size AS before_size, after.stored_at AS after_at, after.size AS after_size, r.days
FROM without_row l
ASOF LEFT JOIN checkpoint before ON l.idx >= before.size
ASOF LEFT JOIN checkpoint after ON l.idx < after.size
ASOF LEFT JOIN retention r ON l.idx >= r.idx;

-- Findings, and what is only counted. Only the log and the times of its checkpoints decide, and nothing that somebody
-- can edit who writes the tables.
CREATE TABLE found AS
WITH began AS (SELECT coalesce(min(stored_at), 0) AS began FROM checkpoint)

-- Rows against the time at which their leaves were logged.
SELECT
  CASE WHEN p.received_at > logged_at + $skew THEN 'early'
    WHEN was_passed OR e.received_at > p.received_at + $late THEN 'late' WHEN is_overdue THEN 'overdue' ELSE 'delayed' END AS kind,
  NULL AS tally, uid, entry_id AS "entryId", idx AS index, NULL AS path, NULL AS stored,
  'Its time of receipt is ' || iso(p.received_at) || ', and it was logged with ' || checkpoint_in(logged_size, logged_at)
  || CASE WHEN p.received_at > logged_at + $skew THEN ', before it.'
    WHEN was_passed OR e.received_at > p.received_at + $late
    THEN coalesce(', ' || span(logged_at - p.received_at), ',') || ' late and after '
      || CASE WHEN e.received_at > p.received_at + $late THEN 'entries received later' ELSE 'the log had passed this time' END
      || '. It was backdated, or the index showed it late'
      || CASE WHEN e.received_at > p.received_at + $late THEN '.' ELSE ', or a clock of the sequencer was ahead.' END
    WHEN is_overdue THEN coalesce(': ' || span(logged_at - p.received_at) || ' later', ', later')
      || CASE WHEN earlier.cosigned_at > p.received_at + $promise
        THEN format(', and witnesses cosigned {} entries without it at {}', earlier.size, iso(earlier.cosigned_at)) ELSE '' END
      || '. Its receipt promised ten minutes.'
    ELSE ': ' || span(logged_at - p.received_at) || ' later.' END AS problem
FROM timed p ASOF LEFT JOIN passed e ON p.idx >= e.size ASOF LEFT JOIN witnessed earlier ON p.idx >= earlier.size CROSS JOIN began
WHERE p.received_at > logged_at + $skew OR was_passed OR e.received_at > p.received_at + $late
  OR (p.received_at >= began AND (is_overdue OR logged_at > p.received_at + $late))

-- Rows whose expiry is not that of a retention that was in force when they were received.
UNION ALL
SELECT 'expiry', NULL, uid, entry_id, p.idx, NULL, expires_at,
  format('expiresAt is {}, and {} by the log.', coalesce(expires_at::VARCHAR, 'absent'), CASE WHEN r.days IS NULL THEN 'the log announces no retention'
    WHEN r.days = 0 THEN 'entries are kept for ever' ELSE format('entries are kept {} days', r.days) END)
FROM timed p ASOF LEFT JOIN retention r ON p.idx >= r.idx
WHERE p.idx IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM retention q WHERE (q.is_first OR p.received_at >= q.from_at - $rollout)
    AND (q.until_at IS NULL OR p.received_at <= q.until_at + $rollout)
    AND CASE WHEN q.days = 0 THEN p.expires_at IS NULL
        ELSE p.expires_at = (p.received_at + 999) // 1000 + q.days * 86400 END)

-- Nobody can set back the times of a bucket with Object Lock, and a file that is stored again has a later one.
UNION ALL
SELECT 'checkpoint', NULL, NULL, NULL, NULL, 'checkpoints/' || size, NULL,
  format('checkpoints/{} was stored at {}, after a larger one: it was stored again.', size, iso(stored_at))
FROM (
  SELECT *, min(stored_at) OVER (ORDER BY size ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next FROM checkpoint
) WHERE $tables AND stored_at > next

-- What the head tells of its cursor, against the entries that were logged by then.
UNION ALL
SELECT 'head', NULL, NULL, NULL, NULL, NULL, NULL,
  format('The head in the Tlog table: its cursor at size {} is {}, and the log had an entry received at {}.',
    m.size, iso(m.cursor), iso(e.received_at))
FROM mark m ASOF JOIN passed e ON m.size >= e.size WHERE e.received_at >= m.cursor

-- Leaves without a row. What a receipt or an export says of the time of receipt is exact; otherwise, the checkpoint
-- before tells the earliest one.
UNION ALL
SELECT
  CASE WHEN has_expired THEN CASE WHEN uid IS NOT NULL THEN 'expired' END WHEN NOT is_older THEN 'removed' END,
  CASE WHEN has_expired THEN 'expired' WHEN is_older THEN 'older' END,
  uid, entry_id, idx, NULL, NULL,
  format('{} entry was logged at index {}, {}, and {}.', CASE WHEN uid IS NULL THEN 'An' ELSE 'This' END, idx,
    CASE WHEN before_size IS NULL THEN 'by ' ELSE 'between ' || checkpoint_in(before_size, before_at) || ' and ' END
      || checkpoint_in(after_size, after_at),
    CASE WHEN has_expired THEN 'has expired since' ELSE 'no row of the table has it' END)
FROM (
  SELECT *, uid IS NULL AND days IS DISTINCT FROM 0
      AND coalesce(idx < (SELECT max(idx) FROM timed, began WHERE received_at < began - $found AND NOT was_passed), false) AS is_older,
    coalesce(days > 0 AND coalesce(received_at, coalesce(before_at, began) - $found) + days * 86400000 <= $now, false) AS has_expired
  FROM gone CROSS JOIN began LEFT JOIN (
    SELECT hash, max(uid) AS uid, max(entry_id) AS entry_id, max(received_at) AS received_at FROM known GROUP BY hash
  ) k ON k.hash = gone.hash
  WHERE $tables AND NOT EXISTS (SELECT 1 FROM timed p WHERE p.claimed = gone.hash AND p.idx IS NULL)
)

-- What an export or a statement tells, and neither the log nor the table has.
UNION ALL
SELECT 'unlogged', NULL, k.uid, k.entry_id, NULL, NULL, NULL,
  format('It was received at {}, as a file given with --known says. It was removed before the log had it.', iso(k.received_at))
FROM known k CROSS JOIN began ANTI JOIN logged l ON l.hash = k.hash
ANTI JOIN row r ON r.uid = k.uid AND r.entry_id = k.entry_id
WHERE receipt IS NULL AND k.received_at >= began AND k.received_at + $found <= $newest GROUP BY ALL

-- Receipts whose leaves came late into a copy. Its files may be younger than those of the log, so witnesses decide.
UNION ALL
SELECT 'overdue', NULL, k.uid, k.entry_id, l.idx, receipt, NULL,
  format('{} promised its entry by {}, and witnesses cosigned {} entries without it at {}.', receipt, iso(deadline), w.size, iso(w.cosigned_at))
FROM known k JOIN logged l ON l.hash = k.hash ASOF JOIN witnessed w ON l.idx >= w.size ASOF LEFT JOIN witnessed over ON l.idx < over.size
WHERE NOT $tables AND receipt IS NOT NULL AND w.cosigned_at > deadline AND coalesce(over.cosigned_at > deadline, true)

-- Receipts without a leaf.
UNION ALL
SELECT CASE WHEN $newest >= deadline THEN 'promised' END,
  CASE WHEN $newest < deadline THEN CASE WHEN $tables AND deadline <= $now THEN 'stalled' ELSE 'pending' END END,
  uid, entry_id, NULL, receipt, NULL,
  format('{} is for an entry received at {}, and the log does not have it.', receipt, iso(received_at))
FROM known k ANTI JOIN logged l ON l.hash = k.hash WHERE receipt IS NOT NULL;
