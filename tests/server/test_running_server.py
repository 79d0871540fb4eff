"""A server as attackers and a crowd find it: raw requests and messages, without a browser."""

import asyncio
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.client import Client
from tests.app_server import app_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with app_server(tmp_path_factory.mktemp("server")) as address:
        yield address


def memory_of(server):
    """Megabytes in memory of the process that serves an address."""
    port = f"--server.port={urlsplit(server).port}"
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if port in place.read_text().split("\0"):
                status = place.with_name("status").read_text()
                return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024
    raise AssertionError(f"no process serves {server}")


async def heads_then_bodies(server, count, size):
    """Send the heads of many uploads, then all bodies; return statuses and added memory."""
    async with Client(server) as tab:
        await tab.go(page_name="rated_data")
        await tab.until(lambda: tab.uploader and tab.is_at_rest, "the page Rated data")
        before = memory_of(server)
        places = [(await tab.place_for("any.csv")).upload_url for _ in range(count)]
        form = b'--x\r\nContent-Disposition: form-data; name="f"; filename="any.csv"\r\n\r\n%b\r\n--x--\r\n' % bytes(
            size
        )
        streams = []
        for place in places:
            reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(server).port)
            head = (
                f"PUT {place} HTTP/1.1\r\nHost: {urlsplit(server).netloc}\r\nConnection: close\r\n"
                f"Cookie: _streamlit_xsrf={tab._token}\r\nX-Xsrftoken: {tab._token}\r\n"
                f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {len(form)}\r\n\r\n"
            )
            writer.write(head.encode())
            await writer.drain()
            streams.append((reader, writer))
        # All heads are judged before the first body comes.
        await asyncio.sleep(2)

        async def end(reader, writer):
            for start in range(0, len(form), 2**20):
                writer.write(form[start : start + 2**20])
                await writer.drain()
            status = int((await reader.readline()).split()[1])
            writer.close()
            return status

        statuses = await asyncio.gather(*(end(*stream) for stream in streams))
        return statuses, memory_of(server) - before


def test_uploads_at_once_never_exceed_the_limit(tmp_path):
    with app_server(tmp_path) as server:
        statuses, more = asyncio.run(heads_then_bodies(server, 14, 60 * 2**20))
    assert statuses.count(204) == 7
    assert statuses.count(413) == 7
    # What is held, a copy of the file that comes last, and what a process takes besides.
    assert more < 450 + 60 + 100


def test_no_connection_clears_the_caches_of_others(server):
    async def attack():
        async with Client(server) as tab:
            await tab.go(page_name="rated_data")
            await tab.until(lambda: tab.uploader and tab.is_at_rest, "the page Rated data")
            begun = tab.runs_begun
            for name in ("clear_cache", "set_run_on_save", "load_git_info"):
                message = BackMsg()
                setattr(message, name, True)
                await tab._socket.send(message.SerializeToString())
            # Streamlit would run the page anew after clearing, and the connection stays usable.
            assert (await tab.place_for("any.csv")).upload_url
            await asyncio.sleep(1)
            return tab.runs_begun - begun

    assert asyncio.run(attack()) == 0


def test_server_answers_while_many_sessions_open_pages(tmp_path):
    sessions = 100

    async def crowd(server, times):
        async def one():
            async with Client(server) as tab:
                await tab.go(page_name="rated_data")
                await tab.until(lambda: tab.uploader and tab.is_at_rest, "the page Rated data")

        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(sessions))
        waiting = asyncio.gather(*(one() for _ in range(sessions)))
        code = (
            "import sys, time, urllib.request\n"
            "while True:\n"
            "    begun = time.perf_counter()\n"
            "    urllib.request.urlopen(sys.argv[1], timeout=120).read()\n"
            "    print(time.perf_counter() - begun, flush=True)\n"
            "    time.sleep(0.1)\n"
        )
        # In its own process, which does not wait for that of the sessions.
        asking = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, f"{server}/_stcore/health", stdout=asyncio.subprocess.PIPE
        )
        await waiting
        asking.terminate()
        times += [float(line) for line in (await asking.communicate())[0].split()]

    times = []
    with app_server(tmp_path) as server:
        asyncio.run(crowd(server, times))
    # It answers ten times a second where nothing delays it.
    assert len(times) > 20
