"""Turn goals into points: caps, minimum precision, share kept, price, vertex, two cuts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
