"""What every answer of the server carries, and which of Streamlit's own addresses nobody reaches, how much it holds."""

from starlette.middleware import Middleware

from ui.serving.after_sign_in import RETURN_COOKIE, AfterSignIn
from ui.serving.closed import ClosedAddresses
from ui.serving.foreign_origins import ForeignOrigins
from ui.serving.headers import SafeHeaders
from ui.serving.lifespan import lifespan
from ui.serving.upload_limits import UploadLimits

MIDDLEWARE = (
    Middleware(SafeHeaders),
    Middleware(ClosedAddresses),
    Middleware(ForeignOrigins),
    Middleware(UploadLimits),
    Middleware(AfterSignIn),
)

__all__ = ["MIDDLEWARE", "RETURN_COOKIE", "lifespan"]
