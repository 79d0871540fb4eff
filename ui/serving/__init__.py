"""What every answer of the server carries, and which of Streamlit's own addresses nobody reaches, how much it holds."""

from starlette.middleware import Middleware

from ui.serving.closed import ClosedAddresses
from ui.serving.headers import SafeHeaders
from ui.serving.lifespan import lifespan
from ui.serving.upload_limits import UploadLimits

MIDDLEWARE = (Middleware(SafeHeaders), Middleware(ClosedAddresses), Middleware(UploadLimits))

__all__ = ["MIDDLEWARE", "lifespan"]
