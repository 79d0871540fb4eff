"""What `server.py` puts around the application: headers, closed addresses, checks of hosts and origins, limits."""

from starlette.middleware import Middleware

from ui.serving.after_sign_in import RETURN_COOKIE, AfterSignIn
from ui.serving.allowed_hosts import AllowedHosts
from ui.serving.closed import ClosedAddresses
from ui.serving.foreign_origins import ForeignOrigins
from ui.serving.headers import SafeHeaders
from ui.serving.lifespan import lifespan
from ui.serving.upload_limits import UploadLimits

MIDDLEWARE = (
    Middleware(SafeHeaders),
    Middleware(AllowedHosts),
    Middleware(ClosedAddresses),
    Middleware(ForeignOrigins),
    Middleware(UploadLimits),
    Middleware(AfterSignIn),
)

__all__ = ["MIDDLEWARE", "RETURN_COOKIE", "lifespan"]
