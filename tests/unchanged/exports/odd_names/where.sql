WHERE (
    ("=cmd|"" /C" IS NOT NULL AND "=cmd|"" /C" >= 0.30000000000000004e0 AND -"=cmd|"" /C" <= -0.30000000000000004e0)
    AND ("o'brien ""quoted""" IS NOT NULL AND "o'brien ""quoted""" >= -1.5e0 AND -"o'brien ""quoted""" <= 1.5e0)
    AND ("ünïcode 分数" IS NOT NULL AND "ünïcode 分数" >= 1e-07 AND -"ünïcode 分数" <= -1e-07)
)