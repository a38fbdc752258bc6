-- The leader of each candidate's text: the earliest text, by time of receipt, with which it shares a band and at least
-- half of the 128 places of its signature. places: how many they share. n numbers the texts in the order of receipt.
WITH signatures AS (
  SELECT
    text_digest, row_number() OVER (ORDER BY min(received_at), text_digest) AS n,
    min(s0) AS s0, min(s1) AS s1, min(s2) AS s2, min(s3) AS s3, min(s4) AS s4, min(s5) AS s5,
    min(s6) AS s6, min(s7) AS s7, min(s8) AS s8, min(s9) AS s9, min(s10) AS s10, min(s11) AS s11,
    min(s12) AS s12, min(s13) AS s13, min(s14) AS s14, min(s15) AS s15
  FROM entries
  WHERE text_digest IN (SELECT text_digest FROM candidates UNION SELECT candidate FROM candidates)
  GROUP BY text_digest
),
-- In the sum, each of the eight bytes counts up to 16 places. The remainder adds them up, because 256 is 1 more than
-- 255.
compared AS (
  SELECT
    one.text_digest, other.n,
    128 - (
      unequal_bytes(one.s0, other.s0) + unequal_bytes(one.s1, other.s1) + unequal_bytes(one.s2, other.s2)
      + unequal_bytes(one.s3, other.s3) + unequal_bytes(one.s4, other.s4) + unequal_bytes(one.s5, other.s5)
      + unequal_bytes(one.s6, other.s6) + unequal_bytes(one.s7, other.s7) + unequal_bytes(one.s8, other.s8)
      + unequal_bytes(one.s9, other.s9) + unequal_bytes(one.s10, other.s10) + unequal_bytes(one.s11, other.s11)
      + unequal_bytes(one.s12, other.s12) + unequal_bytes(one.s13, other.s13) + unequal_bytes(one.s14, other.s14)
      + unequal_bytes(one.s15, other.s15)
    ) % 255 AS places
  FROM (SELECT DISTINCT text_digest, candidate FROM candidates) AS pairs
  JOIN signatures AS one ON one.text_digest = pairs.text_digest
  JOIN signatures AS other ON other.text_digest = pairs.candidate
),
-- One number for text and places, so that the least is the earliest. A filter would make DuckDB count the places twice.
earliest AS (
  SELECT text_digest, min(CASE WHEN places >= 64 THEN n * 1000 + places END) AS coded FROM compared GROUP BY text_digest
)
SELECT earliest.text_digest, signatures.text_digest AS leader, CAST(coded % 1000 AS INTEGER) AS places
FROM earliest
JOIN signatures ON signatures.n = CAST((coded - coded % 1000) / 1000 AS BIGINT)
