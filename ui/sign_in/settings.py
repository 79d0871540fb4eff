"""Validate the sign-in settings of `secrets.toml`. An error closes all pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from multiloss_core import DataError
from ui.sign_in.person import Role

CALLBACK = "/oauth2callback"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Streamlit's cookie ends after 30 days.
MAX_HOURS = 720

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class ProviderSettings(BaseModel):
    """Streamlit's settings of its one default provider, as far as security depends on them."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True)

    redirect_uri: Text
    # It signs the identity cookie: guessing it gives access as any user.
    cookie_secret: Annotated[str, StringConstraints(min_length=32)]
    client_id: Text
    client_secret: Text
    server_metadata_url: Text
    client_kwargs: dict[str, Any] = {}

    @field_validator("redirect_uri")
    @classmethod
    def _comes_back(cls, address: str) -> str:
        if not address.endswith(CALLBACK):
            raise ValueError(f"it must end with {CALLBACK}")
        return _safe(address)

    @field_validator("server_metadata_url")
    @classmethod
    def _is_safe(cls, address: str) -> str:
        return _safe(address)


class RoleSettings(BaseModel):
    """Multiloss's settings: the claim and its values for each role, and related options."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True)

    second_person: bool = False
    roles_claim: Text = "groups"
    sign_in_hours: Annotated[float, Field(gt=0, le=MAX_HOURS)] = 12
    contact: Text = "the operator of this program"
    roles: dict[str, list[Text]] = {}

    @field_validator("roles")
    @classmethod
    def _are_known(cls, roles: dict[str, list[str]]) -> dict[str, list[str]]:
        if unknown := sorted(set(roles) - set(Role)):
            raise ValueError(f"there is no role '{unknown[0]}'; the roles are {', '.join(Role)}")
        return roles

    def given_by(self, claim: object) -> frozenset[Role]:
        """Return the roles for the value of the claim, a text or a list of texts, compared exactly."""
        values = {claim} if isinstance(claim, str) else {value for value in _listed(claim) if isinstance(value, str)}
        return frozenset(Role(role) for role, names in self.roles.items() if not values.isdisjoint(names))


@dataclass(frozen=True)
class Settings:
    """The settings of roles, and whether sign-in is configured."""

    has_sign_in: bool
    roles: RoleSettings


def read_settings(secrets: Mapping[str, Any], trusted_headers: object = None) -> Settings:
    """Validate the settings in the secrets; `trusted_headers` is Streamlit's option.

    Raises
    ------
    DataError : an invalid or missing setting; the message does not contain its value.
    """
    own = _checked(RoleSettings, "multiloss", secrets.get("multiloss", {}))
    if "auth" not in secrets:
        if set(own.model_fields_set) - {"second_person"}:
            raise DataError("secrets.toml has roles in [multiloss] but no [auth] for sign-in; add it.")
        return Settings(False, own)
    _checked(ProviderSettings, "auth", secrets["auth"])
    if not any(own.roles.values()):
        raise DataError("secrets.toml has [auth] but no roles; add [multiloss.roles].")
    if trusted_headers:
        raise DataError("With sign-in, headers must not set the user: remove server.trustedUserHeaders.")
    return Settings(True, own)


def _checked(model: Any, section: str, values: object) -> Any:
    try:
        return model.model_validate(values)
    except ValidationError as refused:
        error = refused.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, (section, *error["loc"])))
        what = error["msg"].removeprefix("Value error, ")
        raise DataError(f"'{where}' in secrets.toml is invalid: {what[:1].lower()}{what[1:]}.") from None


def _safe(address: str) -> str:
    parts = urlsplit(address)
    if (parts.scheme == "https" and parts.hostname) or (parts.scheme == "http" and parts.hostname in LOOPBACK):
        return address
    raise ValueError("it must begin with https://, or http://localhost")


def _listed(claim: object) -> list[object]:
    return claim if isinstance(claim, list) else []
