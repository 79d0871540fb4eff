"""Use Streamlit's private parts; tests/server fails where an upgrade breaks one.

Other modules do not import `streamlit.runtime`, `streamlit.web` or `streamlit.proto`.
"""

import logging
import re
import sys
from collections.abc import Callable
from typing import Any

from joserfc.jws import JWSRegistry
from starlette.formparsers import MultiPartParser
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

# Compares a host with the option; `AllowedHosts` applies it to all requests.
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from multiloss_core import DataError
from ui.server.script_limit import script_turns
from ui.sign_in.user import current_user

# Other messages clear the caches of all sessions, write files or read the repository.
MESSAGES = {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
OPERATIONS = {"deferred_file", "dataframe_chunk"}
# The id of a session is the key to its data: a client that sends it resumes the session.
SESSION_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)


def limit_streamlit() -> None:
    """Apply all limits, before the first request; Streamlit has no options for them."""
    _run_scripts_in_turns()
    _ignore_messages()
    _hide_session_ids()
    # Before the first run of app.py Streamlit would open pages/ directly, and lose an upload on the way to app.py.
    PagesManager.uses_pages_directory = False
    # Uploads stay in memory: Starlette would write those of more than 1 MB to a file.
    MultiPartParser.spool_max_size = 2**40
    # A token without a signature proves nothing, even where the provider lists "none" among its algorithms.
    JWSRegistry.algorithms.pop("none", None)


def is_running() -> bool:
    """Return whether a server runs."""
    return runtime.exists()


def session_is_open() -> Callable[[], bool]:
    """Return a thread-safe function that returns whether the calling session is connected.

    Calculations of a session that has ended are cancelled; Streamlit announces no end.
    """
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        return lambda: True
    server, session = runtime.get_instance(), context.session_id
    return lambda: bool(server.is_active_session(session))


def files_manager() -> Any:
    """Return Streamlit's store of uploaded files."""
    return runtime.get_instance().uploaded_file_mgr


def claimed_files() -> dict[str, set[str]]:
    """Find the files claimed by widgets, by id of the active sessions."""
    found = {}
    for info in runtime.get_instance()._session_mgr.list_sessions():
        states = info.session.session_state.get_widget_states()
        found[info.session.id] = {
            file.file_id for state in states for file in state.file_uploader_state_value.uploaded_file_info
        }
    return found


def is_admitted(session: str) -> bool:
    """Return whether the user of a session may see the pages and upload."""
    found = runtime.get_instance()._session_mgr.get_session_info(session)
    try:
        return found is not None and bool(current_user(found.session._user_info))
    except DataError:
        return False


def take_ended_sessions() -> list[Any]:
    """Remove and return the sessions that cannot resume; Streamlit frees them late."""
    if not runtime.exists():
        return []
    store: Any = runtime.get_instance()._session_mgr._session_storage._cache  # type: ignore[attr-defined]
    return [kept.session for _, kept in store.expire()]


def is_allowed(message: BackMsg) -> bool:
    """Return whether the server handles a browser message."""
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in OPERATIONS
    return kind in MESSAGES


def _run_scripts_in_turns() -> None:
    """Limit concurrent scripts: hundreds of threads would delay health checks."""
    run = ScriptRunner._run_script

    def run_in_turn(runner: ScriptRunner, rerun_data: RerunData) -> None:
        with script_turns.taken(is_short=bool(rerun_data.fragment_id_queue)):
            run(runner, rerun_data)

    # Shorten thread switches, which delay each step of a request.
    sys.setswitchinterval(0.001)
    ScriptRunner._run_script = run_in_turn  # type: ignore[assignment, method-assign]


def _ignore_messages() -> None:
    """Ignore messages that are not allowed."""
    handle = AppSession.handle_backmsg

    def handle_allowed(session: AppSession, msg: BackMsg) -> None:
        if is_allowed(msg):
            handle(session, msg)

    AppSession.handle_backmsg = handle_allowed  # type: ignore[assignment, method-assign]


def _hide_session_ids() -> None:
    make = logging.getLogRecordFactory()

    def make_without_ids(*arguments: Any, **options: Any) -> logging.LogRecord:
        record = make(*arguments, **options)
        record.msg, record.args = SESSION_ID.sub("…", record.getMessage()), ()
        return record

    logging.setLogRecordFactory(make_without_ids)


__all__ = [
    "claimed_files",
    "files_manager",
    "is_admitted",
    "is_allowed",
    "is_host_allowed",
    "is_running",
    "limit_streamlit",
    "session_is_open",
    "take_ended_sessions",
]
