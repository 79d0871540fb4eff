"""Run functions in worker processes with limits on time and memory, on any operating system.

A worker is a fresh process: where the system forks one from a server with the library loaded, it runs one function and
ends; where it starts one from nothing (`spawn`), it runs sixteen. One that dies is replaced.
"""

import atexit
import ctypes
import gc
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache
from itertools import count
from multiprocessing import connection, parent_process, process, resource_tracker, spawn
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Event, Lock, Thread, Timer
from time import monotonic
from typing import Any, Generic, TypeVar

from pebble import CONSTS, ProcessExpired, ProcessFuture, ProcessPool
from threadpoolctl import threadpool_limits

from multiloss_core.scratch import make_scratch, remove_scratch

if sys.platform == "linux":
    import resource
if sys.platform != "win32":
    from multiprocessing import forkserver

T = TypeVar("T")

# Names another start method than the system's, such as `spawn`.
VARIABLE = "MULTILOSS_START_METHOD"
# Forking takes milliseconds, starting from nothing the seconds in which the library loads.
TASKS_OF_A_WORKER = {"forkserver": 1, "spawn": 16}
# Modules loaded once, before workers are forked; an application adds its own to `WorkerPool.preloaded`.
PRELOADED = (
    "multiloss_core.engines.read_source",
    "multiloss_core.generalisation.bootstrap",
    "multiloss_core.generalisation.certificate",
    "multiloss_core.generalisation.cross_fitting",
    "multiloss_core.tables.sandbox",
    "multiloss_core.thresholds.paths.methods",
)
SETTINGS = {
    # A memory limit counts reserved memory, and other pools reserve much more than they use.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONWARNINGS": "ignore",
}
# Options of mallopt(3), and the size in bytes of arrays that get their own mapping: freed, they return to the system.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, MAPPED_BYTES = -1, -3, 2**17
# The process that answers browsers comes first.
NICENESS = 15
SECONDS_BETWEEN_PARTIAL_RESULTS = 0.1
LOST = "The process that calculated this ended early, perhaps because the server ran out of memory; try again."
# The server of workers is killed that does not fork, or report the end of a worker, for this long; it loads the library
# before it forks for the first time.
SECONDS_TO_START, SECONDS_TO_STOP = 120, 5
# In seconds: between two polls of workers that ended, were cancelled or are late, and until a worker is killed that
# does not end when it is asked to.
CONSTS.sleep_unit, CONSTS.term_timeout = 0.02, 0.1


class WorkerLostError(RuntimeError):
    """Report that a worker ended before its function did."""


class Call(Generic[T]):
    """Run a function in a worker; a generator's last value is the result, others `latest`."""

    def __init__(self, future: "ProcessFuture[bytes]", mailbox: Path) -> None:
        self.future = future
        self._mailbox = mailbox

    @property
    def latest(self) -> T | None:
        """Return the last value that the generator yielded a moment ago; None before the first."""
        with suppress(OSError):
            found: T = pickle.loads(self._mailbox.read_bytes())
            return found
        return None

    def result(self) -> T:
        """Wait for the result.

        Raises
        ------
        WorkerLostError : the worker died.
        TimeoutError : it took longer than its limit, and was ended.
        CancelledError : it was cancelled.
        """
        try:
            value, error = pickle.loads(self.future.result())
        except (ProcessExpired, BrokenProcessPool) as lost:
            raise WorkerLostError(LOST) from lost
        if error is not None:
            raise error
        found: T = value
        return found

    def cancel(self) -> None:
        """End the worker at once."""
        self.future.cancel()  # type: ignore[no-untyped-call]


class WorkerPool:
    """Keep workers ready and hand them functions in the order in which these come."""

    def __init__(self, size: int, method: str | None = None) -> None:
        self.size = size
        self.preloaded = list(PRELOADED)
        self.method = method or os.environ.get(VARIABLE) or ("forkserver" if sys.platform == "linux" else "spawn")
        self._lock = Lock()
        self._numbers = count()
        self._calls: dict[str, Call[Any]] = {}
        self._closing = Event()
        self._pool: ProcessPool | None = None
        self._folder: Path | None = None

    def submit(
        self, function: Callable[..., Iterator[T] | T], *arguments: Any, seconds: float | None = None
    ) -> Call[T]:
        """Run an importable function in a worker, for a limited number of seconds.

        Raises what pickling raises where the arguments cannot be sent, and WorkerLostError where no worker starts.
        """
        sent = pickle.dumps((function, arguments), protocol=pickle.HIGHEST_PROTOCOL)
        with self._lock:
            pool, folder = self._started()
            # A worker may write once more after its call was cancelled.
            for left in folder.glob("[0-9]*"):
                if left.stem not in self._calls:
                    left.unlink(missing_ok=True)
            mailbox = folder / str(next(self._numbers))
            call: Call[T] = Call(pool.schedule(_run, (sent, str(mailbox)), timeout=seconds), mailbox)
            self._calls[mailbox.name] = call
        call.future.add_done_callback(lambda _: self._calls.pop(mailbox.name, None))
        if (calls := calls_of_this_thread.get()) is not None:
            calls.append(call)
        return call

    def start(self) -> None:
        """Start the workers, so that the first function need not wait for them."""
        with self._lock:
            self._started()

    def close(self) -> None:
        """Cancel all calls and end all workers, within seconds."""
        self._closing.set()
        # Killing the server ends a start that another thread waits for.
        with called_if_late(SECONDS_TO_STOP, _kill_server), self._lock:
            self._stop()
            self._closing.clear()

    def _started(self) -> tuple[ProcessPool, Path]:
        if self._pool is not None and not self._pool.active:
            # A worker that was killed in the wrong moment breaks the pool.
            self._stop()
        if self._pool is None or self._folder is None:
            self._folder = make_scratch("work")
            context: Any = _Context(self.method, self._closing)
            self._pool = ProcessPool(self.size, TASKS_OF_A_WORKER[self.method], _initialise, context=context)
            try:
                context.prepare(self.preloaded)
                # `active` starts it.
                if not self._pool.active:
                    self._pool.schedule(int)
            except (BrokenProcessPool, RuntimeError) as error:
                self._stop()
                raise WorkerLostError(LOST) from error
        return self._pool, self._folder

    def _stop(self) -> None:
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()
            self._pool = None
        for call in list(self._calls.values()):
            call.cancel()
        if self._folder is not None:
            remove_scratch(self._folder)
            self._folder = None


@lru_cache(maxsize=1)
def shared_pool() -> WorkerPool:
    """Return the pool of this program; `size` and `preloaded` can be changed until it starts."""
    pool = WorkerPool(2)
    # Before the handlers of the libraries, which wait for workers without a limit.
    atexit.register(pool.close)
    return pool


@contextmanager
def memory_limited(memory: int) -> Iterator[None]:
    """Limit this process to `memory` further bytes; only on Linux."""
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as pages:
            now = int(pages.read().split()[5]) * resource.getpagesize()
        # Freed memory must not count. In calculations this takes a quarter of the time, so it is set here alone.
        for option in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
            call_c_library("mallopt", option, MAPPED_BYTES)
        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (now + memory, most))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    else:
        yield


def call_c_library(function: str, *numbers: int) -> None:
    """Call a function of Linux's C library; do nothing on other systems."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), function)(*numbers)


# Calls of functions that this thread runs, for its owner to cancel.
calls_of_this_thread: ContextVar[list[Call[Any]] | None] = ContextVar("calls_of_this_thread", default=None)


class _Context:
    """A multiprocessing context whose processes do not run the main script of this one again."""

    def __init__(self, method: str, closing: Event) -> None:
        self._method, self._closing = method, closing
        self._context: Any = multiprocessing.get_context(method)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, *arguments: Any, **options: Any) -> BaseProcess:  # noqa: N802 (name of the standard library)
        """Return a process to start."""
        if self._closing.is_set():
            raise OSError("The pool is being closed.")
        worker = _Process(*arguments, **options)
        worker._start_method = self._method
        return worker

    def prepare(self, preloaded: list[str]) -> None:
        """Start the server that forks workers, with settings for new processes only."""
        if sys.platform != "win32" and self._method == "forkserver":
            self._context.set_forkserver_preload(preloaded)
            before = dict(os.environ)
            path = os.pathsep.join(path or os.getcwd() for path in sys.path)
            try:
                os.environ.update(SETTINGS | {"PYTHONPATH": path})
                with _main_hidden():
                    forkserver.ensure_running()
            finally:
                for name in (*SETTINGS, "PYTHONPATH"):
                    os.environ.pop(name)
                    if name in before:
                        os.environ[name] = before[name]


class _Process(BaseProcess):
    _start_method: str
    _seen_ended = 0.0

    def start(self) -> None:
        super().start()
        # The end of the program would wait for it; instead it ends with the program.
        process._children.discard(self)  # type: ignore[attr-defined]

    def is_alive(self) -> bool:
        alive = super().is_alive()
        if alive and self._start_method == "forkserver" and _has_ended(self.pid):
            self._seen_ended = self._seen_ended or monotonic()
            if monotonic() > self._seen_ended + SECONDS_TO_STOP:
                # It does not report the end, so no other worker would come.
                _kill_server()
        return alive

    def join(self, timeout: float | None = None) -> None:
        super().join(SECONDS_TO_STOP if timeout is None else timeout)
        if timeout is None and self.is_alive():
            # It was killed, but the server does not say so.
            self._popen.returncode = -signal.SIGTERM  # type: ignore[attr-defined]

    def __getstate__(self) -> dict[str, Any]:
        # Made again in this order: if the program ends meanwhile, the others need not be made.
        return {"_silence": _Silence(), **self.__dict__}

    @staticmethod
    def _Popen(process: "_Process") -> Any:  # noqa: N802 (name of the standard library)
        with called_if_late(SECONDS_TO_START, _kill_server), _main_hidden():
            context: Any = multiprocessing.get_context(process._start_method)
            return context.Process._Popen(process)


class _Silence:
    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return _silence, ()


def _silence() -> None:
    """Drop messages of libraries in a worker, which are of no use to an operator."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


@contextmanager
def called_if_late(seconds: float, call: Callable[..., object], *arguments: object) -> Iterator[None]:
    """Call a function, in another thread, where the work inside takes longer."""
    timer = Timer(seconds, call, arguments)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _has_ended(process: int | None) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return Path("/proc/self/stat").exists()


def _kill_server() -> None:
    if sys.platform != "win32":
        server: int | None = getattr(forkserver._forkserver, "_forkserver_pid", None)
        if server is not None:
            with suppress(OSError):
                os.kill(server, signal.SIGKILL)


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Hide the main module from new children, which would run the script or page again.

    An interrupt from a terminal goes to all its processes: only this one answers it.
    """
    token = _hides_main.set(True)
    if sys.platform != "win32":
        # Started below, it would allow interrupts again.
        resource_tracker.ensure_running()
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        _hides_main.reset(token)


def _preparation(name: str, whole: Callable[[str], dict[str, Any]] = spawn.get_preparation_data) -> dict[str, Any]:
    """Prepare a child as Python does, in threads that hide the main module without it."""
    data = whole(name)
    return {key: value for key, value in data.items() if not (_hides_main.get() and key.startswith("init_main_"))}


# Python has no option for it, and `sys.modules` is no place: Streamlit's threads put their pages there at any moment.
_hides_main: ContextVar[bool] = ContextVar("_hides_main", default=False)
spawn.get_preparation_data = _preparation


def _initialise() -> None:
    """Prepare a worker."""
    Thread(target=_end_with_program, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    if os.environ.get("OMP_NUM_THREADS") != "1":
        threadpool_limits(1)
    # Loaded modules need no search for garbage; their memory stays shared.
    gc.freeze()


def _end_with_program() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _run(sent: bytes, mailbox: str) -> bytes:
    """Run a function in this worker; result and error are bytes, lest they break the pipe."""
    try:
        function, arguments = pickle.loads(sent)
        found = function(*arguments)
        if isinstance(found, Iterator):
            found = _last(found, Path(mailbox))
        return pickle.dumps((found, None), protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return pickle.dumps((None, _sendable(error)))


def _last(steps: Iterator[Any], mailbox: Path) -> Any:
    """Return the last value; leave one that is new in the mailbox from time to time."""
    found, due = None, 0.0
    for found in steps:
        if monotonic() >= due:
            written = mailbox.with_suffix(".new")
            # On Windows a file that is being read cannot be replaced: the next value can.
            with suppress(PermissionError):
                written.write_bytes(pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))
                written.replace(mailbox)
            due = monotonic() + SECONDS_BETWEEN_PARTIAL_RESULTS
    return found


def _sendable(error: Exception) -> Exception:
    """Return the error, or its words where it cannot be made again in another process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
