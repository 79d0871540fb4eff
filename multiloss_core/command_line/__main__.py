"""Run the command `multiloss`, whatever is installed."""

import os
import signal
import sys
import warnings

from multiloss_core.command_line.exit_codes import FAILED, one_sentence


def main() -> None:
    """Run the command and end the program with its code."""
    # A scheduler's request to end is answered as an interrupt is: workers and temporary files go first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # PySpark warns of other packages, which users of the command cannot change.
    warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
    try:
        with one_sentence():
            from multiloss_core.command_line.app import app  # noqa: PLC0415 - it needs what may not be installed

            app()
    finally:
        try:
            sys.stdout.flush()
        except OSError:
            # Python would try to write it again, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(FAILED)


if __name__ == "__main__":
    main()
