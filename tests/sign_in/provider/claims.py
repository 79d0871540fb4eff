"""Add the claims of a person to those of the provider."""

from django.conf import settings
from oauth2_provider.oauth2_validators import OAuth2Validator


class Claims(OAuth2Validator):
    oidc_claim_scope = None

    def get_additional_claims(self, request):
        return settings.DESCRIBED["people"][request.user.get_username()]
