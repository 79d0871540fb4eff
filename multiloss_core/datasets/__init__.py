"""Tables with the meanings of their columns, and the checked data that are built from them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
