"""Check that Dockerfile and compose.yaml are valid and as closed as docs/security.md asks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deployment.files import COMPOSE, ENVIRONMENT, ROOT, SERVICES, values_of


def run(program, *arguments):
    done = subprocess.run(
        [Path(sys.executable).with_name(program), *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_dockerfile_satisfies_its_linter():
    run("hadolint", "Dockerfile")


def test_the_compose_file_has_the_form_of_the_specification():
    run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "compose.yaml")


def test_image_is_unprivileged_and_installs_locked_packages():
    (user,) = values_of("USER")
    assert all(int(part) >= 10_000 for part in user.split(":"))
    installs = [value for value in values_of("RUN") if "pip install" in value]
    assert len(installs) == 1
    assert "--require-hashes" in installs[0]
    assert "-r requirements.txt" in installs[0]
    assert values_of("ADD") == []


def test_nothing_that_is_secret_can_enter_the_image():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = [line for line in lines if line.startswith("!")]
    assert lines.index("*") < lines.index(allowed[0])
    assert not [line for line in allowed if "secrets" in line or line in ("!.streamlit", "!.", "!*")]
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {Path(secret["file"]).parts[0] + "/" for secret in COMPOSE["secrets"].values()} <= set(ignored)


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_confined(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "mem_limit" in service
    assert "pids_limit" in service
    # The application's image sets its user itself.
    assert service["image"] == "multiloss" or int(service["user"].split(":")[0]) > 0


def test_only_proxy_is_public_and_only_app_reaches_database():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    # Closed by default, as the application is by itself.
    assert [port.rpartition("}:")[0] for port in SERVICES["proxy"]["ports"]] == ["${MULTILOSS_ADDRESS:-127.0.0.1"] * 2
    members = {
        network: {name for name, service in SERVICES.items() if network in service.get("networks", ())}
        for network in COMPOSE["networks"]
    }
    assert members == {"visitors": {"proxy", "app"}, "data": {"app", "database"}}
    assert COMPOSE["networks"]["data"]["internal"] is True
    alone = {name for name, service in SERVICES.items() if service.get("network_mode") == "none"}
    assert alone == {"schema", "rights"}
    assert set().union(*members.values()) | alone == set(SERVICES)


def test_no_password_stands_in_an_environment():
    said = json.dumps([ENVIRONMENT, *(service.get("environment", {}) for service in SERVICES.values())])
    assert "PGPASSWORD" not in said
    assert 'POSTGRES_PASSWORD"' not in said
    # user:password@
    assert "multiloss_app@" in said
    assert "multiloss_owner@" in said


def test_the_memory_of_uploads_fits_into_that_of_the_application():
    app = SERVICES["app"]
    gigabytes = int(app["mem_limit"].removesuffix("g"))
    in_memory = sum(int(size.partition("size=")[2].removesuffix("g")) for size in app["tmpfs"])
    assert int(app["environment"]["MULTILOSS_MAX_UPLOADED_MB"]) / 1024 + in_memory <= gigabytes / 2
