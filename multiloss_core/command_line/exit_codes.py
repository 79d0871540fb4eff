"""End a command with a code, and with one sentence where something cannot be done."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

AS_DECIDED, DIFFERS, WRONG_INPUT, FAILED = range(4)
CODES_HELP = (
    "Ends with 0 when it is done, with 1 only where a comparison differs, with 2 where input or an option is wrong, "
    "and with 3 where something else failed, such as a full disk, a database or a missing package."
)


@contextmanager
def one_sentence() -> Iterator[None]:
    """End the program with one sentence and a code where something cannot be done."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        code, complaint = _ending(error)
        # The reader may have gone.
        with suppress(OSError):
            print(" ".join(complaint.split()), file=sys.stderr, flush=True)
        raise SystemExit(code) from None


def _ending(error: BaseException) -> tuple[int, str]:
    if isinstance(error, KeyboardInterrupt):
        return FAILED, "The command was interrupted."
    if isinstance(error, ModuleNotFoundError):
        return FAILED, f'This needs {error.name}, which is not installed; run: pip install "multiloss-core[cli]".'
    if isinstance(error, OSError):
        # Such a path was given; else the system failed.
        is_input = isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError | PermissionError)
        name = f"'{error.filename}'" if error.filename else "The output"
        code = WRONG_INPUT if is_input else FAILED
        return code, f"{name} cannot be read or written: {error.strerror or error}."
    # --help starts without the library.
    from multiloss_core.engines.engine import Cancelled, UnavailableError
    from multiloss_core.errors import DataError
    from multiloss_core.thresholds import UncertainFloorsError
    from multiloss_core.workers import WorkerLostError

    if isinstance(error, Cancelled):
        return FAILED, "The query was cancelled before it was answered; run the command again."
    options = " (Options: --floor-method corner, --floor-method jump, --floor NAME=VALUE.)"
    if isinstance(error, DataError | WorkerLostError):
        code = FAILED if isinstance(error, UnavailableError | WorkerLostError) else WRONG_INPUT
        return code, f"{error}{options if isinstance(error, UncertainFloorsError) else ''}"
    return FAILED, f"The command failed unexpectedly ({type(error).__name__}: {str(error)[:200]})."
