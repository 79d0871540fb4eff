WHERE (
    ("model a" IS NOT NULL AND "model a" >= 0.6702e0 AND -"model a" <= -0.6702e0)
    OR ("model b" IS NOT NULL AND "model b" >= 0.6663e0 AND -"model b" <= -0.6663e0)
)