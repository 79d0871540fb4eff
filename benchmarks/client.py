"""Run a session over Streamlit's WebSocket as a browser does, without drawing."""

import asyncio
import json
import time
import urllib.request
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

MAX_MESSAGE = 64 * 2**20
SECONDS_TO_ANSWER = 120.0
# As many as a browser keeps.
MAX_TEXTS = 100
COOKIE = "_streamlit_xsrf"
# A browser drops a message unused in this number of whole runs.
RUNS_KEPT = 2
FAILED = ForwardMsg.FINISHED_WITH_COMPILE_ERROR
CUT_SHORT = ForwardMsg.FINISHED_EARLY_FOR_RERUN
IN_FRAGMENT = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY


class ClientError(Exception):
    """Report an exception on the page, a closed connection or a timeout."""


class Client:
    """Hold a browser's state of a page: elements by component, label or key, and finished runs.

    `headings`: all shown so far. `fields`: text boxes. `alerts`: texts of success, warning and error boxes in order.
    `explorer`: the last message to the explorer, its table as text. `texts`: the last `MAX_TEXTS` long texts by name.
    `arrived`, `methods_arrived`: times (`perf_counter`) of that message and of the last change of its methods.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.pages: dict[str, str] = {}
        self.buttons: dict[str, str] = {}
        self.headings: set[str] = set()
        self.fields: dict[str, str] = {}
        self.alerts: list[str] = []
        self.uploader = ""
        self.expanders: dict[str, tuple[str, str]] = {}
        self.explorer: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.explorer_id = self.explorer_fragment = ""
        self.arrived = self.methods_arrived = 0.0
        self.page = ""
        # The query string of the URL.
        self._query = ""
        self.bytes_received = self.runs_begun = self.runs_finished = 0
        self._session = self._page_hash = ""
        self._states: dict[str, WidgetState] = {}
        self._kept: dict[str, tuple[ForwardMsg, int]] = {}
        self._whole_runs = 0
        self._running = False
        self._error = ""
        self._repeating: dict[str, asyncio.Task[None]] = {}
        self._urls: dict[str, Any] = {}
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        """Connect and ask for the page Rated data."""
        health = f"{self.address}/_stcore/health"
        async with asyncio.timeout(SECONDS_TO_ANSWER):
            self._token = await asyncio.to_thread(_token, health)
            self._socket: ClientConnection = await connect(
                f"ws{self.address.removeprefix('http')}/_stcore/stream",
                subprotocols=[Subprotocol("streamlit"), Subprotocol(self._token)] if self._token else None,
                additional_headers={"Cookie": f"{COOKIE}={self._token}"},
                origin=self.address,  # type: ignore[arg-type]
                max_size=MAX_MESSAGE,
            )
        self._receiving = asyncio.create_task(self._receive())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        """Close the connection, as a closed tab does."""
        self._receiving.cancel()
        self._stop_repeating(list(self._repeating))
        await self._socket.close()

    async def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait until `holds()`; raise `ClientError` on an error or after `SECONDS_TO_ANSWER`."""
        try:
            async with asyncio.timeout(SECONDS_TO_ANSWER), self._changed:
                await self._changed.wait_for(lambda: self._error or holds())
        except TimeoutError:
            raise ClientError(f"no answer in {SECONDS_TO_ANSWER:g} s: {what}") from None
        if self._error:
            raise ClientError(f"{what}: {self._error}")

    @property
    def is_at_rest(self) -> bool:
        """Whether no run is active or scheduled."""
        return not self._running and not self._repeating

    @property
    def is_running(self) -> bool:
        """Whether a run is active."""
        return self._running

    async def go(self, *, page_hash: str = "", page_name: str = "", query: str = "") -> None:
        """Request a page by its address or, from another page, by its hash; reset the widgets."""
        self._states.clear()
        self._query = query
        for known in (self.buttons, self.fields, self.expanders, self.explorer):
            known.clear()
        self.page = page_name or next(name for name, found in self.pages.items() if found == page_hash)
        await self._rerun(page_hash=page_hash, page_name=page_name)

    async def set(self, state: WidgetState, fragment: str = "", *, is_trigger: bool = False) -> None:
        """Change one widget; delete a trigger once sent."""
        self._states[state.id] = state
        await self._rerun(fragment=fragment)
        if is_trigger:
            del self._states[state.id]

    def fill(self, state: WidgetState) -> None:
        """Change a widget of a form, to be sent with the next change outside the form."""
        self._states[state.id] = state

    async def upload(self, name: str, content: bytes) -> None:
        """Request an upload URL, send the file to it and notify the uploader."""
        place = await self.place_for(name)
        try:
            await self.put(place.upload_url, name, content)
        except OSError as error:
            raise ClientError(f"the file was rejected: {error}") from error
        state = WidgetState(id=self.uploader)
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(content), place.file_id
        info.file_urls.CopyFrom(place)
        await self.set(state)

    async def place_for(self, name: str) -> Any:
        """Request the `file_id` and `upload_url` for a file name."""
        request = str(uuid4())
        ask = BackMsg()
        ask.file_urls_request.request_id = request
        ask.file_urls_request.file_names.append(name)
        ask.file_urls_request.session_id = self._session
        await self._socket.send(ask.SerializeToString())
        await self.until(lambda: request in self._urls, "an address for the file")
        return self._urls.pop(request)

    async def put(self, path: str, name: str, content: bytes) -> None:
        """Send a file to a path of the server; raise OSError or, for an error status, HTTPError."""
        await asyncio.to_thread(_put, f"{self.address}{path}", name, content, self._token)

    async def _rerun(
        self, *, fragment: str = "", page_hash: str = "", page_name: str = "", by_itself: bool = False
    ) -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.widget_states.widgets.extend(self._states.values())
        asked.fragment_id, asked.page_name = fragment, page_name
        # Without the hash the server opens the first page and drops the widgets.
        asked.page_script_hash = "" if page_name else page_hash or self._page_hash
        asked.query_string = self._query
        asked.is_auto_rerun = by_itself
        asked.cached_message_hashes.extend(self._kept)
        context = asked.context_info
        context.timezone, context.locale, context.color_scheme = "UTC", "en-US", "light"
        context.url = f"{self.address}/{self.page}"
        try:
            await self._socket.send(message.SerializeToString())
        except ConnectionClosed as error:
            raise ClientError("the server closed the connection") from error

    async def _receive(self) -> None:
        try:
            async for frame in self._socket:
                message = ForwardMsg()
                message.ParseFromString(frame if isinstance(frame, bytes) else frame.encode())
                self.bytes_received += len(frame)
                self._take(message)
                async with self._changed:
                    self._changed.notify_all()
            self._error = "the server closed the connection"
        except Exception as error:
            self._error = f"{type(error).__name__}: {error}"
        async with self._changed:
            self._changed.notify_all()

    def _take(self, message: ForwardMsg) -> None:
        match message.WhichOneof("type"):
            case "ref_hash":
                whole = ForwardMsg()
                whole.CopyFrom(self._kept[message.ref_hash][0])
                whole.metadata.CopyFrom(message.metadata)
                self._keep(message.ref_hash, whole)
                self._take(whole)
            case "new_session":
                self._begin(message)
            case "navigation":
                self.pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
                # The run may have begun under another page.
                self._page_hash = message.navigation.page_script_hash or self._page_hash
            case "delta":
                if message.metadata.cacheable:
                    self._keep(message.hash, message)
                self._draw(message)
            case "page_info_changed":
                self._query = message.page_info_changed.query_string
            case "file_urls_response":
                answer = message.file_urls_response
                self._urls[answer.response_id] = answer.file_urls[0] if answer.file_urls else None
            case "auto_rerun":
                asked = message.auto_rerun
                self._stop_repeating([asked.fragment_id])
                self._repeating[asked.fragment_id] = asyncio.create_task(
                    self._repeat(asked.fragment_id, asked.interval)
                )
            case "stop_auto_rerun":
                self._stop_repeating(list(message.stop_auto_rerun.fragment_ids))
            case "script_finished":
                self._finish(message.script_finished)
            case "session_event" if message.session_event.WhichOneof("type") == "script_compilation_exception":
                self._error = "the script does not compile"
            case "page_not_found":
                self._error = "there is no such page"

    def _begin(self, message: ForwardMsg) -> None:
        self._session = message.new_session.initialize.session_id
        self._page_hash = message.new_session.page_script_hash
        self._running = True
        self.runs_begun += 1
        # A whole run restarts repeating fragments.
        if not message.metadata.run.fragment_ids:
            self._stop_repeating(list(self._repeating))

    def _finish(self, status: int) -> None:
        self._running = False
        if status == FAILED:
            self._error = "the script does not compile"
        elif status != CUT_SHORT:
            self.runs_finished += 1
            if status != IN_FRAGMENT:
                self._whole_runs += 1
                oldest = self._whole_runs - RUNS_KEPT
                self._kept = {name: kept for name, kept in self._kept.items() if kept[1] > oldest}

    def _keep(self, name: str, message: ForwardMsg) -> None:
        self._kept[name] = (message, self._whole_runs)

    def _draw(self, message: ForwardMsg) -> None:
        delta = message.delta
        if delta.WhichOneof("type") == "add_block":
            part = delta.add_block.expandable
            if part.id:
                self.expanders[part.label] = (part.id, delta.fragment_id)
            return
        element = delta.new_element
        match element.WhichOneof("type"):
            case "exception":
                self._error = f"{element.exception.type}: {element.exception.message}"
            case "file_uploader":
                self.uploader = element.file_uploader.id
            case "text_input":
                self.fields[element.text_input.label] = element.text_input.id
            case "text_area":
                self.fields[element.text_area.label] = element.text_area.id
            case "heading":
                self.headings.add(element.heading.body)
            case "alert":
                self.alerts.append(element.alert.body)
            case "button":
                self.buttons[element.button.label] = element.button.id
            case "bidi_component" if element.bidi_component.component_name == "multiloss_explorer":
                self._take_explorer(element.bidi_component, delta.fragment_id)

    def _take_explorer(self, component: Any, fragment: str) -> None:
        text = component.mixed.json if component.WhichOneof("data") == "mixed" else component.json
        before = [entry["name"] for entry in self.explorer.get("key", ())]
        message = json.loads(text)
        self._keep_texts(message)
        self.explorer = message | {"table": self.texts[message["table"]]}
        self.explorer_id, self.explorer_fragment = component.id, fragment
        self.arrived = time.perf_counter()
        if before != [entry["name"] for entry in self.explorer["key"]]:
            self.methods_arrived = self.arrived

    def _keep_texts(self, message: dict[str, Any]) -> None:
        named = [message["table"]]
        for chart in message["charts"].values():
            named += [name for name in (*chart["traces"], chart["layout"]) if name]
        for name in named:
            text = message["texts"].get(name, self.texts.pop(name, None))
            if text is None:
                raise ClientError("the server left out a text that the client does not hold")
            self.texts[name] = text
        for name in [*self.texts][:-MAX_TEXTS]:
            del self.texts[name]

    async def _repeat(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            await self._rerun(fragment=fragment, by_itself=True)

    def _stop_repeating(self, fragments: list[str]) -> None:
        for fragment in fragments:
            if task := self._repeating.pop(fragment, None):
                task.cancel()


def _token(address: str) -> str:
    with urllib.request.urlopen(address, timeout=SECONDS_TO_ANSWER) as answer:
        cookies = [line.partition(";")[0].partition("=") for line in answer.headers.get_all("Set-Cookie") or []]
    return next((value.strip('"') for name, _, value in cookies if name == COOKIE), "")


def _put(address: str, name: str, content: bytes, token: str) -> None:
    border = uuid4().hex
    head = f'--{border}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n'
    body = f"{head}Content-Type: text/csv\r\n\r\n".encode() + content + f"\r\n--{border}--\r\n".encode()
    headers = {
        "Content-Type": f"multipart/form-data; boundary={border}",
        "Cookie": f"{COOKIE}={token}",
        "X-Xsrftoken": token,
    }
    with urllib.request.urlopen(
        urllib.request.Request(address, body, headers, method="PUT"), timeout=SECONDS_TO_ANSWER
    ):
        pass
