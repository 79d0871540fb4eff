"""Combine several scores to one, P(positive | scores), and compare it with thresholds."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
