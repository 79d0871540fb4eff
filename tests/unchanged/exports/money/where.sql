WHERE (
    (CASE WHEN TRIM(LOWER(CAST("transaction model" AS VARCHAR))) NOT IN ('', 'nan', 'na', 'n/a', 'null', 'none') THEN CAST("transaction model" AS DOUBLE PRECISION) ELSE -1e+300 END >= 0.7206e0)
    OR (CASE WHEN TRIM(LOWER(CAST("account model" AS VARCHAR))) NOT IN ('', 'nan', 'na', 'n/a', 'null', 'none') THEN CAST("account model" AS DOUBLE PRECISION) ELSE -1e+300 END >= 0.73878e0)
)