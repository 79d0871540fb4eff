WHERE (
    ("listing model" IS NOT NULL AND "listing model" >= 0.78686e0 AND -"listing model" <= -0.78686e0)
    OR ("seller model" IS NOT NULL AND "seller model" >= 0.7815e0 AND -"seller model" <= -0.7815e0)
    OR ("message model" IS NOT NULL AND "message model" >= 0.7826e0 AND -"message model" <= -0.7826e0)
)