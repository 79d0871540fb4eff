"""Limits for what Streamlit does for any connection: how many scripts run, which messages count, what is logged."""

import logging
import re
import sys
from typing import Any

from joserfc.jws import JWSRegistry
from starlette.formparsers import MultiPartParser
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from ui.work.turns import script_turns

# By message, what it may ask for. The others clear the caches of all sessions, write files or read the repository.
MESSAGES = {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
OPERATIONS = {"deferred_file", "dataframe_chunk"}
# The id of a session is the key to its data: a client that sends it resumes the session.
SESSION_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)


def limit_streamlit() -> None:
    """Apply all limits, before the first request; Streamlit has no options for them."""
    _run_scripts_in_turns()
    _ignore_messages()
    _hide_session_ids()
    # Before the first run of app.py a server would take the files of pages/ for its pages, and forget on the way to
    # app.py what the first user did: a file brought by a page that outlived a restart.
    PagesManager.uses_pages_directory = False
    # Uploads stay in memory: Starlette would write those of more than 1 MB to a file.
    MultiPartParser.spool_max_size = 2**40
    # A token without a signature proves nothing, even where the provider lists "none" among its algorithms.
    JWSRegistry.algorithms.pop("none", None)


def is_allowed(message: BackMsg) -> bool:
    """Tell whether the server acts on a message of a browser."""
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in OPERATIONS
    return kind in MESSAGES


def _run_scripts_in_turns() -> None:
    run = ScriptRunner._run_script

    def run_in_turn(runner: ScriptRunner, rerun_data: RerunData) -> None:
        with script_turns.taken(is_short=bool(rerun_data.fragment_id_queue)):
            run(runner, rerun_data)

    # With eight scripts at work the server would wait for .04 s at each step of a request.
    sys.setswitchinterval(0.001)
    ScriptRunner._run_script = run_in_turn  # type: ignore[assignment, method-assign]


def _ignore_messages() -> None:
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
