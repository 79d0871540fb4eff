"""Let thresholds and intervals rest on fewer resamples where two ways are compared."""

from multiloss_core.generalisation import bootstrap, bootstrap_points, bootstrap_thresholds

RESAMPLES = 40


def resample_less(patch):
    """Change how many resamples are drawn when no number is given."""
    patch.setitem(bootstrap_points.__kwdefaults__, "resamples", RESAMPLES)
    for of_fixed in (bootstrap_thresholds, bootstrap.bootstrap_flagged):
        patch.setitem(of_fixed.__kwdefaults__, "resamples", 5 * RESAMPLES)
    patch.setattr("multiloss_core.segments.segment_fits.RESAMPLES", 10)
