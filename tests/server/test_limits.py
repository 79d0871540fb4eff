"""Test that the announced length of an upload counts until it ends."""

import asyncio
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from ui.server import limits, streamlit_runtime
from ui.server.limits import UploadLimits

MEGABYTE = 2**20


class Server:
    """The application behind the limits: it stores what it receives, as Streamlit does."""

    def __init__(self, monkeypatch, admitted=lambda session: True, megabytes=1000):
        monkeypatch.setenv("MULTILOSS_MAX_UPLOADED_MB", str(megabytes))
        self.storage = {}
        monkeypatch.setattr(streamlit_runtime, "is_running", lambda: True)
        monkeypatch.setattr(streamlit_runtime, "files_manager", lambda: SimpleNamespace(file_storage=self.storage))
        monkeypatch.setattr(limits, "issued_files", lambda: SimpleNamespace(was_issued=lambda *_: True))
        monkeypatch.setattr(streamlit_runtime, "is_admitted", admitted)
        self.failure = None
        self.receiving = 0
        self.limits = UploadLimits(self)

    async def __call__(self, scope, receive, send):
        session, _, file = scope["path"].partition("/_stcore/upload_file/")[2].partition("/")
        self.receiving += 1
        length = 0
        async for chunk in Request(scope, receive).stream():
            length += len(chunk)
        if self.failure is not None:
            raise self.failure
        # Not of such a size here.
        self.storage.setdefault(session, {})[file] = SimpleNamespace(data=range(announced(scope)))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def announced(scope):
    return int(dict(scope["headers"])[b"content-length"])


class Upload:
    """One request: its head is sent at once, its body when that is asked for."""

    def __init__(self, server, file, megabytes, session="one"):
        headers = [] if megabytes is None else [(b"content-length", str(int(megabytes * MEGABYTE)).encode())]
        self.scope = {
            "type": "http",
            "method": "PUT",
            "path": f"/_stcore/upload_file/{session}/{file}",
            "headers": headers,
        }
        self.messages = asyncio.Queue()
        self.status = None
        self.received = 0
        self.task = asyncio.create_task(server.limits(self.scope, self.receive, self.send))

    async def receive(self):
        message = await self.messages.get()
        self.received += 1
        return message

    async def send(self, message):
        if message["type"] == "http.response.start":
            self.status = message["status"]

    async def end(self, message=None):
        self.messages.put_nowait(message or {"type": "http.request", "body": b"x", "more_body": False})
        await self.task
        return self.status


async def heads(uploads):
    for _ in range(10):
        await asyncio.sleep(0)
    return [upload.status for upload in uploads]


def test_heads_first_never_exceed_the_limit_of_a_session(monkeypatch):
    async def attack():
        server = Server(monkeypatch)
        uploads = [Upload(server, f"file {i}", 60) for i in range(24)]
        await heads(uploads)
        taken = server.receiving
        return taken, [await upload.end() for upload in uploads], server.storage

    taken, statuses, storage = asyncio.run(attack())
    assert taken == 7
    assert statuses.count(204) == len(storage["one"]) == 7
    assert statuses.count(413) == 17


def test_heads_first_never_exceed_the_limit_of_the_server(monkeypatch):
    async def attack():
        server = Server(monkeypatch, megabytes=500)
        uploads = [Upload(server, "file", 60, session=f"session {i}") for i in range(20)]
        await heads(uploads)
        return [await upload.end() for upload in uploads]

    statuses = asyncio.run(attack())
    assert statuses.count(204) == 8
    assert statuses.count(503) == 12


def test_small_files_at_once_are_counted(monkeypatch):
    async def attack():
        server = Server(monkeypatch)
        uploads = [Upload(server, f"file {i}", 0.001) for i in range(12)]
        await heads(uploads)
        return [await upload.end() for upload in uploads]

    assert sorted(asyncio.run(attack())) == [204] * 8 + [413] * 4


@pytest.mark.parametrize("end", ["disconnect", "error", "cancelled"])
def test_upload_that_breaks_off_gives_its_length_back(monkeypatch, end):
    async def attack():
        server = Server(monkeypatch)
        broken = [Upload(server, f"broken {i}", 200) for i in range(2)]
        await heads(broken)
        refused = await Upload(server, "third", 200).end()
        for upload in broken:
            if end == "disconnect":
                assert await upload.end({"type": "http.disconnect"}) == 408
            elif end == "error":
                server.failure = ValueError("no form")
                with pytest.raises(ValueError, match="no form"):
                    await upload.end()
            else:
                upload.task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await upload.task
        server.failure = None
        return refused, await Upload(server, "third", 200).end()

    assert asyncio.run(attack()) == (413, 204)


def test_sender_that_stays_silent_gives_its_length_back(monkeypatch):
    monkeypatch.setattr(limits, "MAX_SILENCE_SECONDS", 0.05)

    async def attack():
        server = Server(monkeypatch)
        silent = Upload(server, "silent", 200)
        await silent.task
        return silent.status, await Upload(server, "other", 300).end()

    assert asyncio.run(attack()) == (408, 204)


def test_sender_that_drips_is_ended(monkeypatch):
    monkeypatch.setattr(limits, "MAX_SILENCE_SECONDS", 0.2)
    monkeypatch.setattr(limits, "MIN_BYTES_A_SECOND", 200 * MEGABYTE)

    async def attack():
        upload = Upload(Server(monkeypatch), "slow", 1)
        while not upload.task.done():
            upload.messages.put_nowait({"type": "http.request", "body": b"x", "more_body": True})
            await asyncio.sleep(0.02)
        return upload.status

    assert asyncio.run(asyncio.wait_for(attack(), 10)) == 408


@pytest.mark.parametrize(("megabytes", "status"), [(None, 411), (10**6, 413)])
def test_upload_without_a_length_is_not_received(monkeypatch, megabytes, status):
    async def attack():
        upload = Upload(Server(monkeypatch), "file", megabytes)
        await upload.task
        return upload.status, upload.received

    assert asyncio.run(attack()) == (status, 0)


def test_nothing_is_received_from_a_session_that_is_not_admitted(monkeypatch):
    async def attack():
        server = Server(monkeypatch, admitted=lambda session: session == "signed in")
        outside, inside = Upload(server, "file", 1, session="stranger"), Upload(server, "file", 1, session="signed in")
        await outside.task
        return outside.status, outside.received, await inside.end(), list(server.storage)

    assert asyncio.run(attack()) == (403, 0, 204, ["signed in"])


def test_refused_upload_is_read_to_its_end_for_the_browser(monkeypatch):
    async def attack():
        server = Server(monkeypatch, megabytes=1)
        upload = Upload(server, "file", 2)
        upload.messages.put_nowait({"type": "http.request", "body": b"x", "more_body": True})
        return await upload.end(), upload.received

    assert asyncio.run(attack()) == (503, 2)
