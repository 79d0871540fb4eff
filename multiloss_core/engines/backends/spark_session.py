"""Hold a session of a Spark Connect server, with timeouts and error messages.

The one module that imports PySpark, which is optional; only `spark_engine` imports it, when a question is asked.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import unquote
from uuid import uuid4
from weakref import finalize

import grpc
import pyarrow as arrow
from pyspark.errors import PySparkException
from pyspark.sql.connect.client import DefaultChannelBuilder
from pyspark.sql.connect.client.retries import DefaultPolicy, RetryPolicyState
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo

from multiloss_core.engines.engine import Cancelled, EngineError, Question, UnavailableError, first_sentence

# A server that does not answer is asked again after 0.05, 0.2, 0.8, 2 and 2 s, and then no more.
RETRIES = 5
MAX_PAUSE = 2_000
CHANNEL_OPTIONS = [
    # Until a connection stands: a server that accepts and stays silent would take 20 s each time.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    # Between two attempts: a server that came back is found before the last retry.
    ("grpc.initial_reconnect_backoff_ms", 500),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # A server that went away without a word is noticed; one that is asked more often than each 5 minutes hangs up.
    ("grpc.keepalive_time_ms", 360_000),
    ("grpc.keepalive_timeout_ms", 20_000),
]
UNREACHABLE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
REFUSED = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    # Adaptive plans start jobs in threads of their own, which run on if a question is withdrawn while it is planned.
    "spark.sql.adaptive.enabled": "false",
}
FORGOTTEN = ("INVALID_HANDLE", "RESPONSE_ALREADY_RECEIVED", "NO_ACTIVE_SESSION")
MISSING = {"TABLE_OR_VIEW_NOT_FOUND": "relationName", "PATH_NOT_FOUND": "path", "SCHEMA_NOT_FOUND": "schemaName"}


class SessionLost(EngineError):  # noqa: N818 - shown only where a new one is lost at once
    """The server does not know the session any more."""


class Session:
    """Open a private session on a Spark Connect server: shared ones share tags and settings.

    Raises
    ------
    EngineError : the server cannot be reached, refuses, or its address is none.
    Cancelled : the question that it was opened for was withdrawn.
    """

    def __init__(self, remote: str, question: Question) -> None:
        self.is_usable = True
        self.progress: float | None = None
        self._secrets = _secrets(remote)
        try:
            self._channel = _Channel(remote, CHANNEL_OPTIONS)
        except (PySparkException, ValueError):
            raise EngineError(
                "The address of the cluster is not one of Spark Connect (sc://host:15002); check where the source is "
                "set up."
            ) from None
        # The builder would make this the session of all code in this process.
        self._session = SparkSession(connection=self._channel)
        self._session.client.set_retry_policies([_Patience()])
        self._session.registerProgressHandler(_Progress(self))
        # A program that ends with an open stream would wait without end.
        self._cut = finalize(self, self._channel.opened.close)
        question.abandon = self.abandon
        with self._errors_in_words():
            for name, value in SETTINGS.items():
                self._session.conf.set(name, value)

    def answer(self, sql: str, question: Question) -> arrow.Table:
        """Answer one statement. Raises SessionLost, EngineError."""
        tag = f"multiloss-{uuid4().hex}"
        question.stop, question.abandon = partial(self._session.interruptTag, tag), self.abandon
        self.progress = None
        self._session.addTag(tag)
        try:
            with self._errors_in_words():
                found = self._session.sql(sql)
                if question.is_withdrawn:
                    raise Cancelled
                return found.toArrow()
        finally:
            self._session.removeTag(tag)
            self.progress = None

    def abandon(self) -> None:
        """Disconnect from a server that does not answer: its question fails at once."""
        self.is_usable = False
        self._cut()

    def close(self) -> None:
        """End the session on the server as well."""
        if self.is_usable:
            self.is_usable = False
            self._session.stop()
            self._cut()

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        try:
            yield
        except (PySparkException, grpc.RpcError) as error:
            raise self._in_words(error) from None

    def _in_words(self, error: Any) -> EngineError:
        condition = (error.getCondition() if isinstance(error, PySparkException) else None) or ""
        if condition.startswith(FORGOTTEN):
            self.abandon()
            return SessionLost("The cluster forgot the session again and again; check that only one server answers.")
        code = error.code() if isinstance(error, grpc.RpcError) else getattr(error, "_grpc_status_code", None)
        if not condition and code in UNREACHABLE:
            self.abandon()
            return UnavailableError(
                "The cluster cannot be reached; check that its Spark Connect server runs, then try again."
            )
        if not condition and code in REFUSED:
            return EngineError("The cluster refuses this program; check the token where the source is set up.")
        if condition in MISSING:
            named = (error.getMessageParameters() or {}).get(MISSING[condition], "that is asked for")
            return EngineError(
                f"The cluster has no table {self._without_secrets(named)}, or may not show it; check where the source "
                "is set up."
            )
        reason = re.sub(r"^\[[A-Z_.0-9]+\] ?| SQLSTATE: .*", "", str(error).strip(), flags=re.DOTALL)
        return EngineError(f"The cluster cannot answer: {first_sentence(self._without_secrets(reason))}")

    def _without_secrets(self, text: str) -> str:
        # Before the text is shortened: a part of a secret is not found any more.
        return self._secrets.sub("…", text)


class _Channel(DefaultChannelBuilder):
    """The connection to a server, which can be cut."""

    opened: grpc.Channel

    def toChannel(self) -> grpc.Channel:  # noqa: N802 - PySpark's name
        self.opened = super().toChannel()
        return self.opened


class _Patience(DefaultPolicy):
    """Replace PySpark's policy, which retries for ten minutes and then warns."""

    def __init__(self) -> None:
        super().__init__(max_backoff=MAX_PAUSE, max_server_retry_delay=MAX_PAUSE)

    def to_state(self) -> RetryPolicyState:
        return _Attempts(self)


class _Attempts(RetryPolicyState):
    def can_retry(self, exception: BaseException) -> bool:
        return self._attempt < RETRIES and super().can_retry(exception)


class _Progress(ProgressHandler):
    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(
        self, stages: Iterable[StageInfo] | None, inflight_tasks: int, operation_id: str | None, done: bool
    ) -> None:
        known = list(stages or ())
        tasks = sum(stage.num_tasks for stage in known)
        if tasks:
            self._session.progress = sum(stage.num_completed_tasks for stage in known) / tasks


def _secrets(remote: str) -> re.Pattern[str]:
    """Find the address, its host and the values of its parameters."""
    address, *parameters = remote.removeprefix("sc://").split(";")
    place = address.rstrip("/")
    values = [parameter.partition("=")[2] for parameter in parameters if not parameter.startswith("use_ssl")]
    texts = {remote, place, place.rpartition(":")[0], *values, *map(unquote, values)} - {""}
    longest_first = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(rf"(?<![\w.]){re.escape(text)}(?![\w])" for text in longest_first) or "(?!)")
