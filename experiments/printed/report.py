"""Collect all findings on the printed figures, and write them as Markdown."""

from dataclasses import dataclass

from experiments.files import markdown_table
from experiments.printed import LOSS_NAMES, row_title
from experiments.printed.natarajan import (
    BoundCheck,
    Fit,
    bound_checks,
    contradicting_rows,
    contradiction,
    fit_of,
    least_f1_rows,
    questions,
)
from experiments.printed.robles import (
    ANALYTIC_SECONDS,
    CLAIMED,
    CLAIMED_RATIO,
    GRAPH_SECONDS,
    POPULATIONS,
    Claims,
    Gain,
    HeldOut,
    RecoveredCounts,
    WrongF1,
    claims,
    held_out,
    recovered_counts,
    wrong_f1,
)


@dataclass(frozen=True)
class Audit:
    """The findings of both papers' tables; rows are named as `row_title` does."""

    fits: tuple[Fit, ...]
    checks: tuple[BoundCheck, ...]
    contradicting_rows: tuple[str, ...]
    least_f1_rows: tuple[str, ...]
    held_out: tuple[HeldOut, ...]
    counts: tuple[RecoveredCounts, ...]
    wrong_f1: tuple[WrongF1, ...]
    claims: Claims


def audit() -> Audit:
    """Make the whole audit; kept after the first time."""
    return Audit(
        fits=tuple(fit_of(question) for question in questions()),
        checks=bound_checks(),
        contradicting_rows=contradicting_rows("Proposed"),
        least_f1_rows=least_f1_rows("Proposed"),
        held_out=tuple(held_out(name) for name in POPULATIONS),
        counts=recovered_counts(),
        wrong_f1=wrong_f1(),
        claims=claims(),
    )


def audit_markdown(found: Audit) -> str:
    """Write the whole audit as Markdown."""
    parts = [
        "# What the printed figures say of themselves",
        "## Natarajan et al. 2016, Tables 2 and 3: one prediction under four losses (Baseline)",
        markdown_table(["set", "positive class", "test positives", "TP", "FP", *LOSS_NAMES, "largest difference",
                "positives within .0005"],
               map(_fit_cells, found.fits)),
        "Each loss: printed, then that of the counts: of those within .0005 of all four the ones with the most "
        "plausible number of positives, else the nearest. Differences above .0001 cannot be rounding of "
        "one prediction; a mean over draws may have them.",
        "## F1 against Jaccard and G-TP/PR",
        "For one prediction with F1 loss L, the Jaccard loss is 2L / (1 + L) and G-TP/PR at most L; means over classes "
        "have these as upper bounds.",
        "\n".join(f"- {sentence}" for sentence in _sentences(found)),
        f"Rows whose F1 and Jaccard cells of Proposed need different predictions: {len(found.contradicting_rows)} "
        f"({'; '.join(found.contradicting_rows)}). Rows with the least F1 loss at Proposed: "
        f"{len(found.least_f1_rows)}, of which "
        f"{len(set(found.least_f1_rows) & set(found.contradicting_rows))} are among these.",
        "## Robles et al. 2020, Tables 1 and 2",
        markdown_table(["set", "expected", "searched", "held-out positives that fit all recalls"], (
            [one.data_set, f"{one.expected:,.0f}", f"{one.searched[0]:,} to {one.searched[1]:,}",
             f"{one.unique:,}" if one.unique else f"{len(one.solutions):,} solutions"]
            for one in found.held_out
        )),
        markdown_table(["set", "kind", "row", "TP", "FP"], map(_count_cells, found.counts)),
        "\n".join(f"- {_wrong_sentence(one)}" for one in found.wrong_f1),
        *_claim_sentences(found.claims),
    ]  # fmt: skip
    return "\n\n".join(parts)


def _fit_cells(fit: Fit) -> list[str]:
    losses = [f"{printed:.4f} {own:.4f}" for printed, own in zip(fit.printed, fit.losses, strict=True)]
    counts = [f"{count:,}" for count in (fit.positives, fit.tp, fit.fp)]
    close = "none" if fit.close is None else f"{fit.close[0]:,} to {fit.close[1]:,}"
    return [fit.question.data_set, fit.question.positive, *counts, *losses, f"{fit.misfit:.4f}", close]


def _count_cells(counts: RecoveredCounts) -> list[str]:
    fp = f"{counts.fp_least:,}" + ("" if counts.fp_least == counts.fp_most else f" to {counts.fp_most:,}")
    if counts.fp_least > counts.fp_most:
        fp = "no whole number"
    return [counts.printed.data_set, counts.printed.kind, counts.printed.row, f"{counts.tp:,}", fp]


def _sentences(found: Audit) -> list[str]:
    return [
        f"{row_title(check.data_set, check.least)}, {check.method}: "
        f"{contradiction(check.data_set, check.least, check.loss, check.method)}"
        for check in found.checks
        if check.contradicts
    ]


def _wrong_sentence(one: WrongF1) -> str:
    row = one.printed
    printed = "-" if row.f1 is None else f"{row.f1:g}"
    least, most = (f"{value:.4f}" for value in one.follows)
    return (
        f"{row.data_set}, {row.kind}, {row.row}: F1 is printed as {printed}; precision {row.precision:g} and recall "
        f"{row.recall:g} give {least if least == most else f'{least} to {most}'}."
    )


def _claim_sentences(found: Claims) -> list[str]:
    nothing, everything = (
        ", ".join(f"{name} {count}" for name, count in counts.items())
        for counts in (found.flags_nothing, found.flags_everything)
    )
    claimed = " / ".join(f"{100 * value:+.1f}" for value in CLAIMED)
    return [
        f"Pairs (of {found.pairs}) in which nothing is flagged: {nothing}. Everything is flagged: {everything}.",
        f"Precision, recall and F1 against the mean of the two classifiers: stated {claimed} %. The better method of "
        f"each pair gives {_gain_words(found.defined)}; where it flags neither everything nor nothing, "
        f"{_gain_words(found.proper)}.",
        f"Running times: the analytic method is stated to be {CLAIMED_RATIO:g} times faster than the graph, and to "
        f"take {ANALYTIC_SECONDS:g} s where the graph takes {GRAPH_SECONDS:g} s; the two statements "
        "exclude each other.",
    ]


def _gain_words(gain: Gain) -> str:
    differences = " / ".join(f"{100 * value:+.1f}" for value in (gain.precision, gain.recall, gain.f1))
    return f"{differences} points over {gain.pairs} pairs, F1 better in {gain.f1_better}"
