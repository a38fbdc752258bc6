-- Compares the entries of a log, `leaf` (idx, hash), with rows, `compared` (hash, …), both ways.
-- The entry hashes of the log: each once, a leaf that is there twice at its first index.
CREATE OR REPLACE TABLE logged AS
SELECT hash, min(idx) AS idx, count(*) AS times FROM leaf GROUP BY hash;

-- Those that no row has.
CREATE OR REPLACE VIEW without_row AS
SELECT l.* FROM logged l ANTI JOIN compared r ON r.hash = l.hash;

-- The rows that the log does not have. `whyUnlogged` says of each why.
CREATE OR REPLACE VIEW unlogged AS
SELECT r.* FROM compared r ANTI JOIN logged l ON l.hash = r.hash
