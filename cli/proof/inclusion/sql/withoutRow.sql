-- The entry hashes of the log: each once, a leaf that is there twice at its first index.
CREATE OR REPLACE TABLE logged AS
SELECT hash, min(idx) AS idx, count(*) AS times FROM leaf GROUP BY hash;

-- Those of uploads that no row has.
CREATE OR REPLACE VIEW without_row AS
SELECT l.* FROM logged l ANTI JOIN compared r ON r.hash = l.hash ANTI JOIN announced a ON a.hash = l.hash
