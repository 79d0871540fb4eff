"""Thresholds from rated predicted positives, and optimal predictions under multivariate losses.

The main road: a table -> `RatedDocuments` -> `CountSurfaces` -> a `ThresholdPath` -> its `OperatingPoint` ->
`DecisionRecord` (Robles, Zaidouni, Mavromoustaki, Refael 2020), and probabilities -> `expected_losses` -> `TopK`
(Natarajan, Koyejo, Ravikumar, Dhillon 2016). All else is in submodules: `tables` reads files and columns, `thresholds`
holds what lies along the road, `targets` turns goals into a target, `generalisation` says what new data will show,
`inspection` what stands behind a point, `losses`, `decisions` and `figures` the rest.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
