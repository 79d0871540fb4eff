-- Thresholds of decision 0845a2e9-9202-40ed-80ac-f2e2078f6981, made 2026-11-22T18:17:24.697601Z.
-- Put the name of the model that holds the scores in the place of documents; names are quoted as in the SQL standard.
SELECT
    scored.*,
    (
    ("model a" IS NOT NULL AND "model a" >= 0.6702e0 AND -"model a" <= -0.6702e0)
    OR ("model b" IS NOT NULL AND "model b" >= 0.6663e0 AND -"model b" <= -0.6663e0)
) AS flagged
FROM {{ ref('documents') }} AS scored
