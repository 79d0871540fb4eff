"""`python -m decision_log check | trail | backup FILE | restore FILE`: commands for auditors and operators."""

import argparse
import json
import logging
import sys
from pathlib import Path

from decision_log.address import ADDRESS, log_address
from decision_log.backup import back_up, restore
from decision_log.store import DecisionLog
from multiloss_core import DataError


def main() -> int:
    """Do what is asked; 0 where all is well, 1 where a check found faults, 2 where the log cannot be used."""
    asked = _arguments()
    # Complaints are printed once, as sentences.
    logging.getLogger("decision_log").addHandler(logging.NullHandler())
    try:
        if asked.command == "backup":
            back_up(asked.log or log_address(), asked.file)
            print(f"The log was copied to {asked.file}.")
            return 0
        if asked.command == "restore":
            restore(asked.log or log_address(), asked.file)
            print(f"The log was restored from {asked.file}.")
        with DecisionLog(asked.log or log_address()) as log:
            return _trail(log) if asked.command == "trail" else _check(log, asked.head)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2


def _check(log: DecisionLog, head: str | None) -> int:
    found = log.audit(head)
    for sentence in (*found.faults, *found.notices):
        print(sentence)
    if found.faults:
        print(f"The decision log is NOT as the program wrote it: {len(found.faults)} of the sentences above say where.")
        return 1
    print(f"{found.entries:,} entries and {found.events:,} events are as the program wrote them.")
    print(f"Head of the chain, to be noted elsewhere for the next check: {found.head}")
    return 0


def _trail(log: DecisionLog) -> int:
    for event in log.trail():
        line = vars(event) | {"made": event.made.isoformat()}
        print(json.dumps(line))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m decision_log", description=__doc__)
    parser.add_argument("--log", help=f"address of the log; else that of {ADDRESS}, else this user's own")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="compare every row with its seal; exit code 1 where one does not fit")
    commands.add_parser("trail", help="print who did what to which entry and when, a JSON object a line")
    backup = commands.add_parser("backup", help="copy an SQLite log to a new file, also while it is in use")
    backup.add_argument("file", type=Path)
    back = commands.add_parser("restore", help="put a copy in the place of an SQLite log that is not in use; check it")
    back.add_argument("file", type=Path)
    for command in (check, back):
        command.add_argument("--head", help="head of the chain as an earlier check printed it")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
