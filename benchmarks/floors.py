"""Rating floors of simulated files, with and without alerts from elsewhere: how far off, and whether they are asked.

Run: python -m benchmarks.floors
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from multiloss_core.numerics import Bools, Floats
from multiloss_core.thresholds.data.rating_floors import estimate_floors

FILES, DOCUMENTS, PREVALENCE, RATED = 20, 200_000, 0.003, 0.006
ELSEWHERE = (0.0002, 0.0005, 0.001, 0.002, 0.005)
# How many times as often something else raises fraud.
LIFT = 60
NEAR = 0.03


def simulated(seed: int, elsewhere: float) -> tuple[Floats, Floats, Bools]:
    """Simulate the scores (n, k) of a file, its floors (k,), and which alerts only something else raised."""
    generator = np.random.default_rng(seed)
    classifiers, levels = 1 + seed % 4, (None, None, 40, 20)[seed // 4 % 4]
    fraud = generator.random(DOCUMENTS) < PREVALENCE
    shared, own = generator.standard_normal((DOCUMENTS, 1)), generator.standard_normal((DOCUMENTS, classifiers))
    correlation = (0.0, 0.3, 0.6)[seed % 3]
    latent = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own + 1.5 * fraud[:, np.newaxis]
    scores = expit(1.2 * latent - 3) if seed % 2 else 500 + 100 * latent
    if levels:
        low, high = scores.min(axis=0), scores.max(axis=0)
        scores = np.round((scores - low) / (high - low) * levels)
    floors = np.quantile(scores, 1 - RATED, axis=0, method="higher")
    own_alert = (scores >= floors).any(axis=1)
    raised = generator.random(DOCUMENTS) < elsewhere * np.where(fraud, LIFT, 1)
    kept = own_alert | raised
    return scores[kept], floors, (raised & ~own_alert)[kept]


def rows() -> Iterator[str]:
    """Measure each file and count what a reader of the page would meet."""
    for name, shares in (("clean", (0.0,) * FILES), ("with alerts from elsewhere", ELSEWHERE * (FILES // 5))):
        asked, silent, off = 0, 0, []
        for seed, share in enumerate(shares):
            scores, floors, _ = simulated(seed, share)
            found = estimate_floors(scores, [f"score {j}" for j in range(scores.shape[1])])
            used = found.corner if found.is_certain else found.jump
            apart = float(np.abs((scores < used).mean(axis=0) - (scores < floors).mean(axis=0)).max())
            off.append(apart)
            asked += not found.is_certain
            silent += found.is_certain and apart > NEAR
        yield (
            f"{name}: {FILES} files, asked in {asked}, wrong by more than {NEAR} of the ranks in silence {silent}; "
            f"floors off by at most {max(off):.4f}, within {NEAR} in {sum(value <= NEAR for value in off)}"
        )


if __name__ == "__main__":
    for line in rows():
        print(line)
