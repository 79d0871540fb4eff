"""Test the limits on Streamlit's messages, logs, tokens and private parts."""

import logging
import re
import sys
import time
from pathlib import Path

import pytest
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, OctKey, RSAKey
from joserfc.jws import JWSRegistry
from starlette.formparsers import MultiPartParser
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from ui.server.streamlit_runtime import is_allowed, limit_streamlit

SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def limited(monkeypatch):
    """Apply the limits for one test, to stand-ins that note what comes through."""
    handled = []
    monkeypatch.setattr(AppSession, "handle_backmsg", lambda session, msg: handled.append(msg.WhichOneof("type")))
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    monkeypatch.setattr(JWSRegistry, "algorithms", dict(JWSRegistry.algorithms))
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    factory, interval = logging.getLogRecordFactory(), sys.getswitchinterval()
    limit_streamlit()
    yield handled
    logging.setLogRecordFactory(factory)
    sys.setswitchinterval(interval)


@pytest.mark.parametrize(
    ("make", "is_good"),
    [
        (lambda message: message.rerun_script.SetInParent(), True),
        (lambda message: message.file_urls_request.SetInParent(), True),
        (lambda message: setattr(message, "stop_script", True), True),
        (lambda message: message.backend_operation_request.dataframe_chunk.SetInParent(), True),
        (lambda message: setattr(message, "clear_cache", True), False),
        (lambda message: setattr(message, "clear_cache", False), False),
        (lambda message: setattr(message, "set_run_on_save", True), False),
        (lambda message: setattr(message, "load_git_info", True), False),
        (lambda message: message.backend_operation_request.install_skills.SetInParent(), False),
        (lambda message: message.backend_operation_request.SetInParent(), False),
        (lambda message: None, False),
    ],
)
def test_only_messages_that_pages_need_are_handled(limited, make, is_good):
    message = BackMsg()
    make(message)
    # As it comes over the wire.
    came = BackMsg.FromString(message.SerializeToString())
    assert is_allowed(came) is is_good
    AppSession.handle_backmsg(None, came)
    assert bool(limited) is is_good


def test_ids_of_sessions_are_not_logged(limited, caplog):
    logger = logging.getLogger("streamlit.runtime.anything")
    with caplog.at_level(logging.WARNING):
        logger.warning("Session with id %s is already connected (%d)!", SESSION, 2)
        logger.warning(f"PUT /_stcore/upload_file/{SESSION.upper()}/{SESSION}")
        logger.warning("100 %")
    assert SESSION not in caplog.text.lower()
    assert "already connected (2)!" in caplog.text
    assert "100 %" in caplog.text


def test_tokens_without_a_signature_prove_nothing(limited):
    claims, key = {"iss": "provider", "sub": "mallory", "iat": int(time.time())}, RSAKey.generate_key(2048)
    lists_none = JWSRegistry(algorithms=["RS256", "none"], strict_check_header=False)
    signed = jwt.encode({"alg": "RS256"}, claims, key)
    assert jwt.decode(signed, KeySet([key]), registry=lists_none).claims["sub"] == "mallory"
    part = signed.split(".")[1]
    for header in ("eyJhbGciOiJub25lIn0", "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0"):
        for keys in (KeySet([key]), KeySet([OctKey.import_key("a secret of sufficient length")])):
            with pytest.raises(JoseError):
                jwt.decode(f"{header}.{part}.", keys, registry=lists_none)


def test_one_file_uses_private_parts_of_streamlit():
    private = re.compile(r"streamlit\.(runtime|web|proto)\b|from streamlit import .*\bruntime\b|\._session_mgr")
    root = Path(__file__).parents[2]
    files = [*root.glob("ui/**/*.py"), *root.glob("pages/*.py"), root / "app.py", root / "server.py"]
    found = {file.relative_to(root).as_posix() for file in files if private.search(file.read_text(encoding="utf-8"))}
    assert found == {"ui/server/streamlit_runtime.py"}


@pytest.mark.parametrize(
    ("owner", "name", "wanted"),
    [
        (ScriptRunner, "_run_script", "page scripts take turns"),
        (AppSession, "handle_backmsg", "messages that no page needs are ignored"),
        (AppSession, "shutdown", "an ended session is shut down"),
        (PagesManager, "uses_pages_directory", "files of pages/ are no pages by themselves"),
        (WebsocketSessionManager, "list_sessions", "files that no widget holds are deleted"),
        (WebsocketSessionManager, "get_session_info", "only admitted users upload"),
        (WebsocketSessionManager, "is_active_session", "calculations end with their session"),
        (MultiPartParser, "spool_max_size", "uploads stay in memory"),
    ],
)
def test_private_parts_are_where_they_are_used(owner, name, wanted):
    assert hasattr(owner, name), f"This release of Streamlit or Starlette has no {owner.__name__}.{name}: {wanted}."
