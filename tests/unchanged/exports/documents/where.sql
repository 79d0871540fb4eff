WHERE (
    (CASE WHEN TRIM(LOWER(CAST("transaction model" AS VARCHAR))) NOT IN ('', 'nan', 'na', 'n/a', 'null', 'none') THEN CAST("transaction model" AS DOUBLE PRECISION) ELSE -1e+300 END >= 0.7575e0)
    OR (CASE WHEN TRIM(LOWER(CAST("account model" AS VARCHAR))) NOT IN ('', 'nan', 'na', 'n/a', 'null', 'none') THEN CAST("account model" AS DOUBLE PRECISION) ELSE -1e+300 END >= 0.765e0)
)