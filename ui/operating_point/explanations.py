"""Explain the numbers of an operating point, by their labels."""

from multiloss_core import Unit
from ui.operating_point.point_text import OF_THEM_UNDECIDED, REACHABLE, WORDS, beside
from ui.shared.formatting import vocabulary


def explanations(unit: Unit, *, undecided: bool) -> dict[str, str]:
    """Explain the numbers of a point counted in `unit`, by label or its first words.

    `undecided`: some alerts are undecided.
    """
    # {label} stands for the value shown under that label.
    found = _explain_thresholds() | _explain_path(unit) | _explain_other_unit(unit.other)
    return found | _explain_undecided(unit) if undecided else found


def _explain_thresholds() -> dict[str, str]:
    called = vocabulary()
    a_document, documents = called.a_document.capitalize(), called.documents
    return {
        "Threshold of": f"{a_document} is flagged when this score reaches this threshold (with *every score*: when all "
        f'scores do). The shortest number that flags the same {documents}. "never": this score alone never flags.',
        "Rules on": "Alert rules that raise alerts here, whatever the scores. A rule is on where the alerts that it "
        "alone raises hold at least the target's share of fraud.",
        REACHABLE: f"{documents.capitalize()} were rated because one score reached its floor. If another score is "
        "below its floor, no thresholds can flag it with *every score*; *any score* keeps all.",
    }


def _explain_undecided(unit: Unit) -> dict[str, str]:
    """Explain the counts of alerts of which some are undecided, for a path in `unit`."""
    documents = WORDS[Unit.DOCUMENTS]
    caught, false = documents.caught, documents.false
    if unit is Unit.MONEY:
        caught, false = beside(caught), beside(false)
    return {
        documents.alerts: f"All alerts to review: {{{caught}}} caught, {{{false}}} false and "
        f"{{{OF_THEM_UNDECIDED}}} undecided.",
        OF_THEM_UNDECIDED: f"{{{OF_THEM_UNDECIDED}}} alerts are undecided. They need a review like all others, but "
        "count neither as caught nor as false, and precision excludes them.",
    }


def _explain_path(unit: Unit) -> dict[str, str]:
    words, documents = WORDS[unit], vocabulary().documents
    tp, fp, alerts, precision, per_catch, kept = (
        f"{{{label}}}"
        for label in (words.caught, words.false, words.alerts, words.precision, words.false_per_catch, words.kept)
    )
    if unit is Unit.DOCUMENTS:
        counts = {
            words.caught: f"True positives: {tp} of the {alerts} {documents} flagged were rated fraud.",
            words.false: f"False positives: {fp} of the {alerts} {documents} flagged were rated no fraud.",
            words.alerts: f"TP + FP = {tp} + {fp} = {alerts}: all alerts to review.",
            words.precision: f"TP / (TP + FP) = {tp} / ({tp} + {fp}) = {precision}: the share of fraud among all "
            "decided alerts. The slider sets that of the last ones only.",
            words.false_per_catch: f"FP / TP = {fp} / {tp} = {per_catch}: the mean price; the last catches cost more.",
            words.kept: f"TP over all rated positives: {tp} is {kept}. Not recall, which only an audit estimates.",
        }
    else:
        counts = {
            words.caught: f"True positives in money: the amounts of all flagged {documents} rated fraud add up to "
            f"{tp}, of {alerts} flagged.",
            words.false: f"False positives in money: the amounts of all flagged {documents} rated no fraud add up "
            f"to {fp}: money of honest customers that is held up.",
            words.alerts: f"TP + FP = {tp} + {fp} = {alerts}: the amounts of all {documents} flagged and decided.",
            words.precision: f"TP / (TP + FP) = {tp} / {alerts} = {precision}: the share of fraud in all the money "
            "flagged. The slider sets that of the last money only.",
            words.false_per_catch: f"FP / TP = {fp} / {tp} = {per_catch}: the mean price; the last money caught "
            "costs more.",
            words.kept: f"TP over the amounts of all rated fraud: {tp} is {kept}. Not recall, which only an "
            "audit estimates.",
        }
    return counts | {
        "Fraud in the last": "Marginal precision of the last step down to this point; as an estimate, of the targets "
        "between which the smooth path takes it. It is at least the target.",
        "Fraud in the next": "Marginal precision of the next step down; as an estimate, of the targets between which "
        "the smooth path takes it. It is below the target, so the path stops here.",
    }


def _explain_other_unit(unit: Unit) -> dict[str, str]:
    """Explain the numbers in the other unit than that of the path."""
    words, documents = WORDS[unit], vocabulary().documents
    caught, false = beside(words.caught), beside(words.false)
    tp, fp, alerts, precision, kept = (
        f"{{{label}}}" for label in (caught, false, words.alerts, words.precision, words.kept)
    )
    if unit is Unit.DOCUMENTS:
        return {
            caught: f"{documents.capitalize()}: {tp} of the {alerts} flagged were rated fraud.",
            false: f"{documents.capitalize()}: {fp} of the {alerts} flagged were rated no fraud.",
            words.alerts: f"{tp} + {fp} = {alerts} {documents}: all alerts to review.",
            words.precision: f"{tp} / ({tp} + {fp}) = {precision}: the share of fraud among the {documents} flagged "
            "and decided. The slider refers to money.",
            words.kept: f"{tp} {documents} are {kept} rated positives. Not recall, which only an audit estimates.",
        }
    return {
        caught: f"The amounts of all flagged {documents} rated fraud add up to {tp}, of {alerts} flagged.",
        false: f"The amounts of all flagged {documents} rated no fraud add up to {fp}: money of honest customers that "
        "is held up.",
        words.alerts: f"{tp} + {fp} = {alerts}: the amounts of all {documents} flagged and decided.",
        words.precision: f"{tp} / {alerts} = {precision}: the share of fraud in the money flagged. The slider refers "
        f"to {documents}.",
        words.kept: f"{tp} is {kept}, the amounts of all rated fraud. Not recall, which only an audit estimates.",
    }
