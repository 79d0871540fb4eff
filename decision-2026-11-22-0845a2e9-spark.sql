(
    (`model a` IS NOT NULL AND `model a` >= 0.6702e0D AND -`model a` <= -0.6702e0D)
    OR (`model b` IS NOT NULL AND `model b` >= 0.6663e0D AND -`model b` <= -0.6663e0D)
)