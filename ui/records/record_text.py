"""Decisions in the words of the screen. Records come from anybody's files: their texts are shown as text."""

from datetime import datetime

from decision_log import LogEntry
from multiloss_core import DecisionRecord
from multiloss_core.decisions import markdown_summary
from multiloss_core.formatting import count, money, reached, score_name, share, shortened
from ui.shared.formatting import LONG_NAME, vocabulary, without_links


def moment(time: datetime) -> str:
    """Write a moment in UTC, to the minute."""
    return f"{time:%Y-%m-%d %H:%M}"


def author_of(record: DecisionRecord) -> str:
    """Name who decided, as far as it is known."""
    return shortened(record.author, LONG_NAME) or "no author"


def label_of(entry: LogEntry) -> str:
    """Write an entry of the log in one line."""
    record = entry.record
    return f"{entry.id} · {shortened(record.data.name, LONG_NAME)} · {moment(record.created)} · {author_of(record)}"


def target_words(record: DecisionRecord) -> str:
    """Write the target marginal precision, or that there is none."""
    target = record.target
    if target.by_hand or target.marginal_precision is None:
        return "set by hand" if target.by_hand else "none"
    return f"{100 * target.marginal_precision:.4g}\N{NO-BREAK SPACE}%"


def thresholds_words(names: tuple[str, ...], thresholds: tuple[float | None, ...]) -> str:
    """Write thresholds with the names of their classifiers."""
    pairs = zip(names, thresholds, strict=True)
    return ", ".join(f"{score_name(name)} {reached(name, value)}" for name, value in pairs)


def precision_words(record: DecisionRecord) -> str:
    """Write the precision on the data of the record."""
    return share_words(record, record.expected.precision, record.expected.alerts)


def share_words(record: DecisionRecord, precision: float | None, alerts: float) -> str:
    """Write a share of alerts, which are counted as in the record."""
    # Of how many documents money is, no record tells: one decimal.
    return share(precision, alerts if record.settings.amount is None else 1_000)


def counted_words(record: DecisionRecord, value: float) -> str:
    """Write a count of a record; one of money says so."""
    return count(value) if record.settings.amount is None else f"{money(value)} (money)"


def deployment_words(entry: LogEntry) -> str:
    """Say whether an entry is or was in production, or that it never was and is withdrawn."""
    if not entry.deployments:
        return "" if entry.withdrawn is None else "withdrawn"
    last = entry.deployments[-1]
    if last.retired_at is None:
        return f"since {moment(last.deployed_at)} by {shortened(last.deployed_by, LONG_NAME)}"
    return f"until {moment(last.retired_at)}"


def summary_on_page(record: DecisionRecord) -> str:
    """Write the Markdown summary without its title, its headings below those of the page."""
    _, _, body = markdown_summary(record, vocabulary()).partition("\n\n")
    return without_links(f"\n\n{body}".replace("\n\n## ", "\n\n#### "))
