"""Check, list, back up or restore the decision log: commands for auditors and operators."""

import argparse
import json
import logging
import sys
from pathlib import Path

from decision_log.backup import back_up, restore
from decision_log.connection import ADDRESS, log_address
from decision_log.store import DecisionLog
from multiloss_core import DataError


def main() -> int:
    """Run the command; return 0, or 1 for faults found by a check, or 2 for an unusable log."""
    arguments = _arguments()
    # Errors are printed once, as sentences.
    logging.getLogger("decision_log").addHandler(logging.NullHandler())
    try:
        if arguments.command == "backup":
            back_up(arguments.log or log_address(), arguments.file)
            print(f"The log was copied to {arguments.file}.")
            return 0
        if arguments.command == "restore":
            kept = restore(arguments.log or log_address(), arguments.file, head=arguments.head, older=arguments.older)
            print(f"The log was restored from {arguments.file}.")
            if kept is not None:
                print(f"The log before is kept in {kept}.")
        with DecisionLog(arguments.log or log_address()) as log:
            return _trail(log) if arguments.command == "trail" else _check(log, arguments.head)
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
    parser.add_argument("--log", help=f"address of the log; default: {ADDRESS}, else the user's own log")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="compare every row with its seal; exit code 1 if one differs")
    commands.add_parser("trail", help="print all events, one JSON object per line")
    backup = commands.add_parser("backup", help="copy an SQLite log to a new file, also while the server runs")
    backup.add_argument("file", type=Path)
    back = commands.add_parser("restore", help="check a copy and replace an SQLite log by it; stop the server first")
    back.add_argument("file", type=Path)
    back.add_argument("--older", action="store_true", help="accept a copy that is a former state of the log")
    for command in (check, back):
        command.add_argument("--head", help="head of the chain that an earlier check printed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
