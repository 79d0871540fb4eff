"""Step 3: read the ratings back, and state recall."""

import hashlib
import math
from collections.abc import Hashable

import numpy as np
import pandas as pd
import streamlit as st

from multiloss_core import Counts, DataError, RatedDocuments
from multiloss_core.audit import (
    DRAW,
    MAX_MISSING,
    PLAN,
    Audit,
    AuditEstimates,
    AuditPlan,
    AuditReading,
    StratumFinding,
    answer_meanings,
    plan_from_json,
    plan_of,
)
from multiloss_core.engines import read_rated_source
from multiloss_core.figures import hundred_positives
from multiloss_core.formatting import direction, plural, score_name, share
from multiloss_core.generalisation import Interval
from multiloss_core.numerics import effective_size
from multiloss_core.tables import frame_as_csv, rating_values, without_formulas
from multiloss_core.thresholds import Point
from ui.audit.population import Upload, read_upload
from ui.data.rated import rated_uploads
from ui.operating_point.analysis import Analysis
from ui.operating_point.audits import audit_of, audit_reading, caught_at, keep_audit, kept_audit
from ui.operating_point.state import target_of
from ui.server.file_store import StoredFile, file_store, new_key
from ui.shared.choices import choose, chosen, withdraw
from ui.shared.formatting import COUNT, FINE_PERCENT, HIGH, LOW, WHOLE, as_text, show_numbers, unrated, vocabulary
from ui.shared.page_setup import theme
from ui.shared.session import StoredRatings
from ui.shared.widgets import ask_column, offered_columns
from ui.sign_in.user import current_user

MORE, MAX_WORDS = 400, 200
JOINED, OPENED, _REFUTED_FIRST = "alerts-and-audit.csv", "audit_opened", "audit_refuted_first"
JOINED_HELP = (
    "Scores, ratings and weights 1/p, without floors: precision, surfaces and paths below the old floors. What they "
    "count there rests on the few ratings of the audit."
)

VERDICTS = {"yes": "reaches the target", "no": "does not reach it", "unknown": "not known"}


def ask_audit(analysis: Analysis) -> None:
    """Ask for the rated rows, and keep the audit. Raises DataError."""
    tag = analysis.rated.key[:12]
    found = read_upload(
        analysis, "Rated rows of the draw", key=f"audit_rows_{tag}", hint="The drawn rows with their ratings."
    )
    with st.expander("The plan is in a file of its own", icon=":material/more_horiz:"):
        uploaded = st.file_uploader("Plan (JSON)", type=["json"], key=f"audit_plan_{tag}", max_upload_size=1)
        st.caption("Rows that were drawn by SQL do not hold their plan.")
    if uploaded is not None:
        keep_audit(analysis, plan=plan_from_json(uploaded.getvalue()))
    if found is not None:
        plan = (None if uploaded is not None else plan_of(found.frame)) or kept_audit(analysis).plan
        if plan is None:
            raise DataError("These rows do not hold the plan that they were drawn by; give its file as well.")
        _read(analysis, plan, found, (None if uploaded is None else uploaded.file_id,))
    known = kept_audit(analysis)
    if known.audit is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Recall rests on the audit *{as_text(known.name)}*.")
            st.button(
                "Remove it",
                key="audit_remove",
                icon=":material/delete:",
                type="tertiary",
                on_click=keep_audit,
                args=(analysis,),
                kwargs={"audit": None, "name": ""},
            )


def _read(analysis: Analysis, plan: AuditPlan, upload: Upload, answers: tuple[Hashable, ...]) -> None:
    """Ask what the columns of rated rows mean, and keep the audit once for each answer."""
    frame, known = upload.frame, analysis.rated.columns
    columns = [name for name in offered_columns(frame) if name != PLAN]
    # The mark of a draw ends with the name of its key.
    drawn_by = "" if DRAW not in frame or frame.empty else str(frame[DRAW].iloc[0]).split(" ", 2)[-1]
    is_clear = (
        known.rating in columns
        and None not in answer_meanings(frame[known.rating], None, known.known_meanings).values()
    )
    with st.expander("What its columns mean", expanded=not is_clear, icon=":material/table_chart:"):
        label_place, positive_place, key_place = st.columns(3)
        label = ask_column(
            label_place, "Rating", columns, known.rating, key="audit_label", placeholder="Choose a column"
        )
        key = key_place.selectbox(
            "Column that identifies rows",
            columns,
            index=columns.index(drawn_by) if drawn_by in columns else None,
            key="audit_rows_key",
            placeholder="(not checked)",
        )
        if label is None:
            return
        meanings, positive = (known.known_meanings, None) if label == known.rating else (None, known.only_positive)
        if meanings is None or None in answer_meanings(frame[label], None, meanings).values():
            meanings, positive = None, positive or known.only_positive
            words = list(dict.fromkeys([*filter(None, [positive]), *rating_values(frame[label])[1][:MAX_WORDS]]))
            positive = positive_place.selectbox(
                "Rating that means fraud",
                words,
                index=words.index(positive) if positive in words else None,
                key=f"audit_positive_{label}_{upload.file_id}",
                placeholder="Choose a rating",
            )
    if meanings is None and positive is None:
        st.info("Choose the rating that means fraud.", icon=":material/help:")
        return
    about = (*answers, upload.file_id, label, positive, key)
    if about == kept_audit(analysis).answers:
        return
    stored = StoredRatings(file=new_key(), name=upload.name, label=label, positive=positive, identifier=key)
    audit = audit_of(analysis, frame, plan, stored)
    if (
        audit.missing > MAX_MISSING
        and (audit.rated > 0).all()
        and not st.checkbox(
            f"{plural(audit.missing, 'drawn row', 'are')} missing at random", key=f"audit_missing_{upload.file_id}"
        )
    ):
        st.warning(
            f"{_notes(audit)} Give all rows, or confirm that these are missing at random.", icon=":material/help:"
        )
        return
    digest, owner = hashlib.sha256(upload.data).hexdigest(), current_user().identity
    file_store().put(stored.file, upload.data, StoredFile(kind="audit", name=upload.name, digest=digest, owner=owner))
    keep_audit(analysis, audit=audit, name=upload.name, answers=about, stored=stored, refuted=())


def _notes(audit: Audit) -> str:
    return as_text("".join(f"{note}. " for note in audit.notes).rstrip())


def show_results(analysis: Analysis, point: Point) -> None:
    """State recall at the operating point, where the positives are, and what to do about it.

    Raises DataError: an audit that does not fit these data, or without ratings in some stratum.
    """
    reading = audit_reading(analysis)
    if reading is None:
        return
    flagged, target = caught_at(analysis, reading, point), target_of(point)
    picture, figures = st.columns([2, 3], gap="large")
    reading = _ask_second_ratings(analysis, reading)
    found, strata = reading.of(flagged), reading.strata_at(target)
    with picture:
        if not (math.isnan(found.recall.low) or math.isnan(found.recall.high)):
            _show_picture(*_whole_percents(found.recall))
    with figures:
        st.markdown(f"#### {_sentence(reading, found, flagged)}")
        _show_estimates(analysis, reading, found)
    _show_strata(strata, target)
    _offer_joined(analysis, reading)


def show_unknown(analysis: Analysis) -> None:
    """Show that without an audit recall is not known."""
    if audit_reading(analysis) is None:
        _show_picture(0, 100)


def _sentence(reading: AuditReading, found: AuditEstimates, flagged: Counts[float]) -> str:
    """State how much is caught, and the gain of more ratings."""
    better, recall = reading.with_more(MORE, flagged), found.recall
    more = ""
    if better is not None and (better[1].high - better[1].low) < 0.95 * (recall.high - recall.low):
        more = f"; {MORE} more ratings in stratum {better[0]} would narrow it to {_between(better[1], '–')}"
    return f"Between {_between(recall, ' and ')} of {vocabulary().positive} is caught{more}."


def _whole_percents(interval: Interval) -> tuple[int, int]:
    """Return whole percentages that hold an interval."""
    return math.floor(100 * interval.low), math.ceil(100 * interval.high)


def _between(interval: Interval, joint: str) -> str:
    low, high = _whole_percents(interval)
    return f"{low}{joint}{high} %"


def _show_picture(caught: int, most: int) -> None:
    st.plotly_chart(
        hundred_positives(caught, most, theme=theme(), vocabulary=vocabulary()),
        width="content",
        theme=None,
        key="audit_chart",
        config={"displayModeBar": False},
        alt=f"Of {plural(100, vocabulary().positive)} {caught} are caught and "
        f"{100 - most} missed; the others are not known.",
    )


def _show_estimates(analysis: Analysis, reading: AuditReading, found: AuditEstimates) -> None:
    words = vocabulary()
    shares = {"Recall": found.recall, "F1": found.f1, "Prevalence": found.prevalence}
    counts = {f"Missed {words.positive}": found.missed, "False blocks": found.false_blocks}
    show_numbers(
        [
            {"": name, "Estimate": 100 * one.estimate, LOW: 100 * one.low, HIGH: 100 * one.high}
            for name, one in shares.items()
        ],
        dict.fromkeys(("Estimate", LOW, HIGH), FINE_PERCENT),
        alt="Recall, F1 and prevalence with their 95 % intervals.",
    )
    show_numbers(
        [{"": name, "Estimate": one.estimate, LOW: one.low, HIGH: one.high} for name, one in counts.items()],
        dict.fromkeys(("Estimate", LOW, HIGH), WHOLE),
        alt="Missed positives and false blocks with their 95 % intervals.",
    )
    rated, open_rows = int(reading.audit.rated.sum()), reading.audit.unrated
    left_out = f"; {plural(open_rows, 'drawn row')} without a rating left out" if open_rows else ""
    st.caption(
        f"From {plural(rated, 'rating')} at random, {plural(int(reading.audit.positives.sum()), 'positive')} among "
        f"them{left_out}. {_notes(reading.audit)} Recall counts all {unrated()} of the period of the data."
    )
    waiting = analysis.rated.undecided_weight
    if waiting:
        st.warning(
            f"{plural(waiting, 'alert', 'are')} undecided and in none of these figures: "
            f"each that turns out to be {words.positive} and is flagged raises recall.",
            icon=":material/hourglass_top:",
        )


def _ask_second_ratings(analysis: Analysis, reading: AuditReading) -> AuditReading:
    """Ask which positives a second rating refutes; return the audit without those."""
    kept = kept_audit(analysis)
    if kept.audit is None or not (listed := kept.audit.positives_below()):
        return reading
    key = f"audit_second_{hash(kept.answers)}"
    if chosen(key) is None:
        choose(_REFUTED_FIRST, kept.refuted)
    refuted, sentence = f"Not {vocabulary().positive}", st.empty()
    rows = {
        "Key": [one.key for one in listed],
        "Stratum": [one.stratum for one in listed],
        "Stands for": [round(kept.audit.weights[one.stratum]) for one in listed],
        # As first shown: where rows change, the browser discards its edits and sends that late, which undoes a click on
        # another page meanwhile.
        refuted: [one.key in chosen(_REFUTED_FIRST) for one in listed],
    }
    typed = st.data_editor(
        without_formulas(pd.DataFrame(rows)),
        key=key,
        hide_index=True,
        disabled=["Key", "Stratum", "Stands for"],
        alt="Positives to rate a second time.",
    )
    keys = tuple(one.key for one, is_refuted in zip(listed, typed[refuted], strict=True) if is_refuted)
    if keys != kept.refuted:
        keep_audit(analysis, refuted=keys)
        reading = audit_reading(analysis) or reading
    sentence.markdown(
        f"{reading.weight_of_positives()} Ask for a second, independent rating of each, and select those that are not "
        f"{vocabulary().positive}."
    )
    return reading


def _show_strata(strata: tuple[StratumFinding, ...], target: float) -> None:
    """Compare each stratum with the target, for the floors and the block threshold."""
    words = vocabulary()
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
    below = [(place, one) for place, one in enumerate(strata) if not one.blocked and one.documents]
    reaching = next((number for number, (_, one) in enumerate(below) if one.worth != "yes"), len(below))
    nearest, first = below[0]
    if reaching:
        advice = f"Lower the floors by {plural(reaching, 'stratum')}: at least {wanted} there is {words.positive}."
    elif first.worth == "unknown":
        advice = (
            f"Whether {wanted} of stratum {nearest} is {words.positive} is unclear: rate more of it before "
            "lowering a floor."
        )
    else:
        advice = f"The floors are low enough: less than {wanted} of stratum {nearest} is {words.positive}."
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
    choose(OPENED, rated_uploads().take(lambda: read_rated_source(data, JOINED)) or OPENED)


def follow_opened() -> None:
    """Go to the operating point of the joined file that was just opened, or show why it was not."""
    found = chosen(OPENED)
    withdraw(OPENED)
    if found == OPENED:
        st.switch_page("pages/operating_point.py", query_params=rated_uploads().in_address(JOINED))
    if found is not None:
        st.error(as_text(found), icon=":material/error:")


def joined_frame(documents: RatedDocuments) -> pd.DataFrame:
    """Return scores on the scales of their columns, the rating 0 or 1, and the weight."""
    scores = {
        score_name(name): np.where(np.isneginf(column), np.nan, direction(name) * column)
        for name, column in zip(documents.names, documents.scores.T, strict=True)
    }
    return pd.DataFrame(scores | {"rating": documents.labels.astype(int), "weight": documents.weights})
