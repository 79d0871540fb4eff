"""Keep the background tasks of a session: each is begun once for its kind and key."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

MAX_TASKS = 8

# A task, or several for one purpose: with `cancelled`, whether it must be begun again, and `cancel()`.
T = TypeVar("T")


@dataclass(eq=False)
class SessionTasks:
    """The running and finished tasks of one session by kind and key, the oldest first."""

    kinds: dict[str, dict[Hashable, Any]] = field(default_factory=dict)

    def ask(self, kind: str, key: Hashable, begin: Callable[[], T], *, retry: bool = False, most: int = MAX_TASKS) -> T:
        """Return the task of a kind and key, begun at the first call and after it was cancelled.

        With `retry` it is also begun again after it failed. One task of a kind runs at a time: a new one cancels the
        others. At most `most` are kept.
        """
        tasks = self.kinds.setdefault(kind, {})
        old = tasks.get(key)
        if old is None or old.cancelled or (retry and old.failure is not None):
            begun = begin()
            self.forget(kind, key)
            for other in tasks.values():
                other.cancel()
            while len(tasks) >= most:
                del tasks[next(iter(tasks))]
            tasks[key] = begun
        found: T = tasks[key]
        return found

    def forget(self, kind: str, *keys: Hashable) -> None:
        """Cancel and remove tasks of a kind: those of the keys, or all."""
        tasks = self.kinds.get(kind, {})
        for key in keys or [*tasks]:
            if key in tasks:
                tasks.pop(key).cancel()
