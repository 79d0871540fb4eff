WHERE (
    ("transaction model" IS NOT NULL AND "transaction model" >= 0.7575e0 AND -"transaction model" <= -0.7575e0)
    OR ("account model" IS NOT NULL AND "account model" >= 0.765e0 AND -"account model" <= -0.765e0)
)