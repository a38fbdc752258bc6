-- The signatures of the texts that are compared.
SELECT
  numbered.n,
  min(s0) AS s0, min(s1) AS s1, min(s2) AS s2, min(s3) AS s3, min(s4) AS s4, min(s5) AS s5,
  min(s6) AS s6, min(s7) AS s7, min(s8) AS s8, min(s9) AS s9, min(s10) AS s10, min(s11) AS s11,
  min(s12) AS s12, min(s13) AS s13, min(s14) AS s14, min(s15) AS s15
FROM entries
JOIN numbered ON numbered.text_digest = entries.text_digest AND numbered.first_at = entries.received_at
WHERE numbered.n IN (SELECT n FROM fresh UNION SELECT candidate FROM candidates)
GROUP BY numbered.n
