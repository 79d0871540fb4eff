"""Robles et al. 2020: rated documents, surfaces, paths and points."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
