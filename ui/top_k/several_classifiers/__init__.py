"""Parts of the screen Top-k on thresholds of several classifiers, after Robles et al. 2020."""
