"""Step 3: read the ratings back, and state recall."""

import pandas as pd
import streamlit as st

from multiloss_core import DataError, RatedDocuments
from multiloss_core.audit import Audit, AuditEstimates, AuditReading, StratumFinding, plan_from_json
from multiloss_core.engines import read_rated_source
from multiloss_core.figures import audit_chart
from multiloss_core.formatting import direction, percent, plural, score_name, share
from multiloss_core.generalisation import Interval
from multiloss_core.numerics import effective_size
from multiloss_core.tables import frame_as_csv
from multiloss_core.thresholds import Point
from ui.audit.population import read_upload
from ui.data.rated import rated_uploads
from ui.operating_point.analysis import Analysis
from ui.operating_point.audits import audit_reading, estimates_at, keep_audit, keep_plan, kept_audit
from ui.operating_point.state import current_target
from ui.shared.formatting import COUNT, FINE_PERCENT, HIGH, LOW, WHOLE, as_text, show_numbers, unrated, vocabulary
from ui.shared.page_setup import theme
from ui.shared.widgets import ask_column, ask_positive, offered_columns

MORE = 400
JOINED, OPENED = "alerts-and-audit.csv", "audit_opened"
JOINED_HELP = (
    "Scores, ratings and weights 1/p, without floors: precision, surfaces and paths below the old floors. What they "
    "count there rests on the few ratings of the audit."
)
VERDICTS = {"yes": "reaches the target", "no": "does not reach it", "unknown": "not known"}


def ask_audit(analysis: Analysis) -> None:
    """Ask for the plan and the rated rows, and keep the audit. Raises DataError."""
    plan_place, rows_place = st.columns(2, gap="large")
    with plan_place:
        uploaded = st.file_uploader("Plan (JSON)", type=["json"], key="audit_plan_upload", max_upload_size=1)
        if uploaded is not None:
            keep_plan(analysis, plan_from_json(uploaded.getvalue()))
        plan = kept_audit(analysis).plan
        st.caption("The plan of steps 1 and 2 is used unless you give another one." if plan else "Step 1 makes a plan.")
    with rows_place:
        found = read_upload(
            analysis, "Rated rows of the draw", key="audit_rows", hint="The drawn rows with their ratings."
        )
    if found is None or plan is None:
        return
    frame, name = found
    columns, known = offered_columns(frame), analysis.rated.columns
    label_place, positive_place, key_place = st.columns(3)
    label = ask_column(label_place, "Rating", columns, known.rating, key="audit_label", placeholder="Choose a column")
    if label is None:
        return
    with positive_place:
        positive = ask_positive(
            "Rating that means fraud", frame, label, known.only_positive, name, "rating", key=f"audit_positive_{label}"
        )
    key = key_place.selectbox(
        "Column that identifies rows", columns, index=None, key="audit_rows_key", placeholder="(not checked)"
    )
    if positive is None:
        st.info("Choose the rating that means fraud.", icon=":material/help:")
        return
    meanings = known.known_meanings if label == known.rating and positive == known.only_positive else None
    keep_audit(analysis, Audit.from_frame(frame, plan, label, key=key, positive=positive, meanings=meanings), name)


def show_results(analysis: Analysis, point: Point) -> None:
    """State recall at the operating point, where the positives are, and what to do about it.

    Raises DataError: an audit that does not fit these data, or without ratings in some stratum.
    """
    reading = audit_reading(analysis)
    if reading is None:
        return
    found = estimates_at(analysis, reading, point)
    strata = reading.strata_at(current_target().marginal_precision)
    st.markdown(f"#### {_sentence(analysis, reading, found, point)}")
    _show_picture(analysis, reading, found, strata)
    _show_estimates(reading, found)
    _show_strata(strata)
    _offer_joined(analysis, reading)


def _sentence(analysis: Analysis, reading: AuditReading, found: AuditEstimates, point: Point) -> str:
    """State how much is caught, and the gain of more ratings."""
    stratum, narrower = reading.with_more(MORE, analysis.deployable(point), analysis.settings.rule)
    recall, words = found.recall, vocabulary()
    low, high = (percent(bound).split(".")[0] for bound in (recall.low, recall.high))
    more = (
        f"; {MORE} more ratings in stratum {stratum} would narrow it to {_between(narrower)}"
        if (narrower.high - narrower.low) < 0.95 * (recall.high - recall.low)
        else ""
    )
    return f"Between {low} and {high} % of {words.positive} is caught{more}."


def _between(interval: Interval) -> str:
    return f"{100 * interval.low:.0f}–{100 * interval.high:.0f} %"


def _show_picture(
    analysis: Analysis, reading: AuditReading, found: AuditEstimates, strata: tuple[StratumFinding, ...]
) -> None:
    blocked = sum(one.positives.estimate for one in strata if one.blocked and one.rated)
    unflagged = sum(one.positives.estimate for one in strata if not one.blocked and one.rated)
    kept_back = max(found.missed.estimate - unflagged, 0.0)
    caught = reading.rated.tp - kept_back
    st.plotly_chart(
        audit_chart(caught, kept_back, strata, theme=theme(), vocabulary=vocabulary()),
        theme=None,
        key="audit_chart",
        alt=f"{caught + blocked:,.0f} positives are caught; {kept_back:,.0f} are rated and not flagged, and about "
        f"{unflagged:,.0f} lie below the floors, by stratum.",
    )


def _show_estimates(reading: AuditReading, found: AuditEstimates) -> None:
    words = vocabulary()
    shares = {"Recall": found.recall, "F1": found.f1, "Prevalence": found.prevalence}
    counts = {f"Missed {words.positive}": found.missed, "False blocks": found.false_blocks}
    left, right = st.columns(2)
    with left:
        show_numbers(
            [
                {"": name, "Estimate": 100 * one.estimate, LOW: 100 * one.low, HIGH: 100 * one.high}
                for name, one in shares.items()
            ],
            dict.fromkeys(("Estimate", LOW, HIGH), FINE_PERCENT),
            alt="Recall, F1 and prevalence with their 95 % intervals.",
        )
    with right:
        show_numbers(
            [{"": name, "Estimate": one.estimate, LOW: one.low, HIGH: one.high} for name, one in counts.items()],
            dict.fromkeys(("Estimate", LOW, HIGH), WHOLE),
            alt="Missed positives and false blocks with their 95 % intervals.",
        )
    rated, open_rows = int(reading.audit.rated.sum()), reading.audit.unrated
    left_out = f"; {plural(open_rows, 'drawn row')} without a rating left out" if open_rows else ""
    st.caption(
        f"From {plural(rated, 'rating')} at random, {plural(int(reading.audit.positives.sum()), 'positive')} among "
        f"them{left_out}. Recall counts all "
        f"{unrated()} of the period of the data."
    )


def _show_strata(strata: tuple[StratumFinding, ...]) -> None:
    """Compare each stratum with the target, for the floors and the block threshold."""
    target, words = current_target().marginal_precision, vocabulary()
    st.markdown(f"**{_advice(strata, target)}**")
    show_numbers(
        [
            {
                "Stratum": f"{place}{' (blocked)' if one.blocked else ''}",
                "Scores": one.label,
                unrated().capitalize(): one.documents,
                "Ratings": one.rated,
                words.positive.capitalize(): 100 * one.share.estimate,
                LOW: 100 * one.share.low,
                HIGH: 100 * one.share.high,
                f"Target {share(target, 1_000)}": VERDICTS[one.worth],
            }
            for place, one in enumerate(strata)
        ],
        {unrated().capitalize(): COUNT, "Ratings": COUNT}
        | dict.fromkeys((words.positive.capitalize(), LOW, HIGH), FINE_PERCENT),
        alt="Each stratum with its share of positives, the 95 % interval, and whether it reaches the target.",
    )


def _advice(strata: tuple[StratumFinding, ...], target: float) -> str:
    words, wanted = vocabulary(), share(target, 1_000)
    below = [one for one in strata if not one.blocked]
    reaching = next((place for place, one in enumerate(below) if one.worth != "yes"), len(below))
    if reaching:
        advice = (
            f"Lower the floors by {plural(reaching, 'stratum', 'strata')}: at least {wanted} there is {words.positive}."
        )
    elif below[0].worth == "unknown":
        advice = (
            f"Whether {wanted} of stratum 0 is {words.positive} is not known yet: rate more of it before lowering a "
            "floor."
        )
    else:
        advice = f"The floors are low enough: less than {wanted} of stratum 0 is {words.positive}."
    for one in strata:
        if one.blocked and one.worth == "no":
            advice += f" Raise the block threshold: less than {wanted} of what it blocks is {words.positive}."
    return advice


def _offer_joined(analysis: Analysis, reading: AuditReading) -> None:
    """Offer the rated documents with those of the audit as one file."""
    source = analysis.rated.source
    if not isinstance(source, RatedDocuments) or reading.audit.scores is None:
        return
    try:
        joined = reading.audit.joined(source)
    except DataError as error:
        st.caption(as_text(f"The audit cannot be joined to the file: {error}"))
        return
    with st.container(horizontal=True):
        st.button(
            "Open both as one file",
            key="audit_open",
            icon=":material/open_in_new:",
            help=JOINED_HELP,
            on_click=_open,
            args=(joined,),
        )
        st.download_button(
            "Download it (CSV)",
            lambda: frame_as_csv(joined_frame(joined)),
            JOINED,
            "text/csv",
            key="audit_joined",
            icon=":material/download:",
            on_click="ignore",
        )
    st.caption(
        f"Together {plural(len(joined.labels), vocabulary().document)} stand for {joined.totals.alerts:,.0f}; with "
        f"these weights they count as {effective_size(joined.weights):,.0f}."
    )


def _open(joined: RatedDocuments) -> None:
    data = frame_as_csv(joined_frame(joined)).encode()
    st.session_state[OPENED] = rated_uploads().take(lambda: read_rated_source(data, JOINED)) or OPENED


def follow_opened() -> None:
    """Go to the operating point of the joined file that was just opened, or show why it was not."""
    found = st.session_state.pop(OPENED, None)
    if found == OPENED:
        st.switch_page("pages/operating_point.py", query_params=rated_uploads().in_address(JOINED))
    if found is not None:
        st.error(as_text(found), icon=":material/error:")


def joined_frame(documents: RatedDocuments) -> pd.DataFrame:
    """Return scores on the scales of their columns, the rating 0 or 1, and the weight."""
    scores = {
        score_name(name): direction(name) * column
        for name, column in zip(documents.names, documents.scores.T, strict=True)
    }
    return pd.DataFrame(scores | {"rating": documents.labels.astype(int), "weight": documents.weights})
