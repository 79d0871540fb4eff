"""Configure Django; the environment names the folder of the provider."""

import json
import os
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

FOLDER = Path(os.environ["PROVIDER_FOLDER"])
# The address of the application, and the claims about each person by account.
DESCRIBED = json.loads((FOLDER / "provider.json").read_text())
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)
LOGIN = "<form method=post>{% csrf_token %}{{ form }}<button>Log in</button></form>"

SECRET_KEY = "of the provider"
ALLOWED_HOSTS = ["localhost"]
ROOT_URLCONF = "tests.sign_in.provider.urls"
LOGIN_URL = "/login/"
# Cookies know no ports: the application on the same host has its own.
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "provider_session", "provider_csrf"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
# The tables as they are now, without their history.
MIGRATION_MODULES = {"auth": None, "contenttypes": None, "sessions": None, "oauth2_provider": None}
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "provider.db"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {"loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN})]},
    }
]
OAUTH2_PROVIDER = {
    "OIDC_ENABLED": True,
    "OIDC_RSA_PRIVATE_KEY": KEY.decode(),
    "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
    "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
    "SCOPES": {"openid": "who it is", "email": "address", "profile": "name"},
    "OAUTH2_VALIDATOR_CLASS": "tests.sign_in.provider.claims.Claims",
}
