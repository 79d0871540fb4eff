"""Draw Plotly figures with titles, axis names, units and one colour per method."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
