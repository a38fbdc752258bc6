-- The leader of each text: the earliest text, by time of receipt, with which it shares a band and at least half of the
-- 128 places of its signature. coded: its number and how many places they share, in one number, so that the least is
-- the earliest.
WITH compared AS (
  SELECT
    one.text_digest, other.n,
    -- In the sum, each of the eight bytes counts up to 16 places. The remainder adds them up, because 256 is 1 more
    -- than 255.
    128 - (
      unequal_bytes(one.s0, other.s0) + unequal_bytes(one.s1, other.s1) + unequal_bytes(one.s2, other.s2)
      + unequal_bytes(one.s3, other.s3) + unequal_bytes(one.s4, other.s4) + unequal_bytes(one.s5, other.s5)
      + unequal_bytes(one.s6, other.s6) + unequal_bytes(one.s7, other.s7) + unequal_bytes(one.s8, other.s8)
      + unequal_bytes(one.s9, other.s9) + unequal_bytes(one.s10, other.s10) + unequal_bytes(one.s11, other.s11)
      + unequal_bytes(one.s12, other.s12) + unequal_bytes(one.s13, other.s13) + unequal_bytes(one.s14, other.s14)
      + unequal_bytes(one.s15, other.s15)
    ) % 255 AS places
  FROM pairs
  JOIN signatures AS one ON one.text_digest = pairs.text_digest
  JOIN signatures AS other ON other.text_digest = pairs.candidate
),
-- A filter would make DuckDB count the places twice.
earliest AS (
  SELECT text_digest, min(CASE WHEN places >= 64 THEN n * 1000 + places END) AS coded FROM compared GROUP BY text_digest
)
SELECT text_digest, coded FROM earliest WHERE coded IS NOT NULL
