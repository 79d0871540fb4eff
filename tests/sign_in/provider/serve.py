"""Serve the site at the port that is given, until the process is stopped."""

import os
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

from tests.sign_in.openid_provider import CLIENT, PASSWORD, SECRET


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def fill():
    from django.contrib.auth.models import User
    from oauth2_provider.models import Application

    call_command("migrate", run_syncdb=True, verbosity=0)
    for account in settings.DESCRIBED["people"]:
        User.objects.create_user(account, password=PASSWORD)
    callback = f"{settings.DESCRIBED['application']}/oauth2callback"
    Application.objects.create(
        client_id=CLIENT,
        client_secret=SECRET,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        redirect_uris=callback,
        post_logout_redirect_uris=callback,
        algorithm=Application.RS256_ALGORITHM,
        skip_authorization=True,
    )


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.sign_in.provider.settings"
    django.setup()
    fill()
    make_server("localhost", int(sys.argv[1]), get_wsgi_application(), server_class=Server).serve_forever()
