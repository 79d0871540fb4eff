WHERE (
    ("transaction model" IS NOT NULL AND "transaction model" >= 0.8e0 AND -"transaction model" <= -0.8e0)
    AND ("account model" IS NOT NULL AND "account model" >= 0.55e0 AND -"account model" <= -0.55e0)
)