WHERE (
    ("text model" IS NOT NULL AND "text model" >= 0.8e0 AND -"text model" <= -0.8e0)
    OR ("network model" IS NOT NULL AND "network model" >= 0.9e0 AND -"network model" <= -0.9e0)
    OR ("price model" IS NOT NULL AND "price model" >= 0.95e0 AND -"price model" <= -0.95e0)
)