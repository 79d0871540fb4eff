"""The scale of sliders for a marginal precision, in percent."""

import numpy as np

LOWEST, HIGHEST, FIRST, STEP = 0.5, 99.5, 20.0, 0.5
PERCENTS = np.arange(LOWEST, HIGHEST + STEP / 2, STEP)
