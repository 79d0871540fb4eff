"""Whether anything that the screen acknowledged is lost when the server is killed while decisions are saved.

Starts the application on a log in SQLite, and on one in PostgreSQL where the address of an empty database is given.
In each round two visitors save one decision after another; at a random moment the server is killed (SIGKILL), and
the log is looked at. Then the server is started anew on the same log. Run:
python -m benchmarks.kills [--seconds 180] [--seed 1] [--log postgresql+psycopg://user:password@host/database]
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.kills.killing import Kills, check, kill_and_look
from benchmarks.shared.reporting import print_setup, print_table


def main() -> None:
    asked = _asked()
    print_setup("Kills while decisions are saved", ("streamlit", "sqlalchemy", "psycopg"), f", {os.cpu_count()} cores")
    rows, faults = [], []
    with tempfile.TemporaryDirectory() as folder:
        logs = {"SQLite": f"sqlite:///{Path(folder) / 'decisions.db'}"}
        if asked.log:
            logs["PostgreSQL"] = asked.log
        for name, log in logs.items():
            random, kills = np.random.default_rng(asked.seed), Kills()
            end = time.monotonic() + asked.seconds / len(logs)
            while time.monotonic() < end:
                kill_and_look(Path(folder), log, random, kills)
            told, unheard = len(kills.acknowledged), len(kills.asked) - len(kills.acknowledged)
            kept_unheard = kills.kept - told + kills.lost
            rows.append((name, kills.kills, told, kills.lost, unheard, kept_unheard))
            faults.extend([*kills.faults, *filter(None, [check(log)])])
    header = ("log", "kills", "acknowledged", "of these lost", "cut off before", "of these in the log, whole")
    print_table("Decisions", header, rows)
    print(f"Faults: {len(faults)}.")
    for fault in faults:
        print(f"- {fault}")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.kills", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=180.0, help="about how long it takes")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--log", help="a log of its own in PostgreSQL, empty; without it, SQLite alone is tried")
    return parser.parse_args()


if __name__ == "__main__":
    main()
