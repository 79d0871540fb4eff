"""Compute expected multivariate losses, and check Theorem 1 (Natarajan et al. 2016)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
