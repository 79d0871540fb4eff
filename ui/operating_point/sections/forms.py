"""Section: would another form of rule catch more among as many alerts?"""

import pandas as pd
import streamlit as st

from multiloss_core import DataError, RatedDocuments, figures, flagged
from multiloss_core.combined import FormOfRule, FormsCompared, compare_forms
from multiloss_core.figures import FORM_NAMES
from multiloss_core.formatting import count, plural, score_name, shortened, signed
from multiloss_core.generalisation import Interval
from multiloss_core.numerics import Floats
from ui.data.rated import change_columns
from ui.operating_point.analysis import Analysis
from ui.operating_point.calculations import SECONDS_OF_FORMS
from ui.operating_point.settings import RULE_KEY
from ui.operating_point.state import PointContext
from ui.shared.choices import choose, chosen
from ui.shared.formatting import as_text, vocabulary
from ui.shared.long_work import ask_task, wait_for
from ui.shared.page_setup import theme
from ui.shared.widgets import show_chart, shown_when_open

FORM_KEY = "form"


@shown_when_open("Would another form of rule do better?", icon=":material/join:", key="forms")
def show_forms(context: PointContext) -> None:
    """Compare single score, union, intersection and combined score at the alerts of the point."""
    analysis = context.analysis.in_documents
    dataset = analysis.rated
    if (formula := dataset.columns.combined) is not None:
        names = " and ".join(f"*{as_text(shortened(score_name(name)))}*" for name in formula.names)
        st.markdown(f"Documents are flagged by the combined score of {names}.")
        if st.button(
            "Use the scores themselves again",
            key="use_scores",
            icon=":material/undo:",
            on_click=change_columns,
            args=(dataset.name,),
            kwargs={"combined": None},
        ):
            # This is a fragment of the page, which has the data as they were.
            st.rerun()
        return
    documents, thresholds = dataset.source.documents, analysis.deployable(context.point)
    if documents is None:
        st.info("Forms of rule are compared on documents, and only counts of these are known.")
        return
    try:
        found = _compared(analysis, documents, thresholds)
    except DataError as error:
        st.info(as_text(str(error)), icon=":material/info:")
        return
    st.markdown(_answer(found))
    table, chart = st.columns(2, gap="large")
    with table:
        _show_rows(found, documents)
        _ask_use(analysis, documents, found)
    if documents.score_count == 2:
        drawn = figures.forms_in_space(
            documents, thresholds[:2], found.present, found.formula, found.level, theme=theme()
        )
        alt = f"Rated {vocabulary().documents} by both scores, with the corner of the thresholds and the curve of the "
        show_chart(drawn, key="forms_chart", alt=f"{alt}combined score.", place=chart)
    st.caption(
        "Counted on documents that did not choose the form, fold by fold, each form at the same number of alerts. The "
        "combined score estimates P(fraud | scores); it is 0 where no score reaches its rating floor.",
        width=860,
    )


def _compared(analysis: Analysis, documents: RatedDocuments, thresholds: Floats) -> FormsCompared:
    """Compare the forms at what the scores of the point flag. Raises DataError."""
    rule, scores = analysis.settings.rule, slice(documents.score_count)
    alerts = float(documents.weights[flagged(documents.scores[:, scores], thresholds[scores], rule)].sum())
    key, work = (analysis.rated.key, alerts, rule), (documents, alerts, rule)
    task = ask_task("forms", key, compare_forms, *work, retry=True, seconds=SECONDS_OF_FORMS)
    wait_for([task], "Fitting each form on four fifths, counting on the rest …")
    if task.latest is None:
        raise DataError("The forms were not compared, because this page was closed for a while; open this part again.")
    return task.latest


def _answer(found: FormsCompared) -> str:
    better, alerts = found.better, plural(found.alerts, "alert")
    if better is None:
        return f"**No other form certainly catches more** among {alerts} than {FORM_NAMES[found.present]}."
    more, form = better.difference, FORM_NAMES[better.form].capitalize()
    return (
        f"**{form} catches {plural(round(more.estimate), 'more fraud')}** among {alerts} of new data (95 % interval "
        f"{_range(more)})."
    )


def _range(interval: Interval) -> str:
    return " to ".join(signed(0, count(round(end))) for end in (interval.low, interval.high))


def _show_rows(found: FormsCompared, documents: RatedDocuments) -> None:
    rows = [
        {
            "Form": FORM_NAMES[one.form] + (" (present)" if one.form == found.present else ""),
            "Frauds caught": f"{count(round(one.caught.estimate))} ({_range(one.caught)})",
            "Difference": ""
            if one.form == found.present
            else f"{signed(one.difference.estimate, count(round(one.difference.estimate)))} ({_range(one.difference)})",
            "To deploy": _needs(one, documents),
        }
        for one in found.forms
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Each form of rule with the frauds that it catches.")


def _needs(one: FormOfRule, documents: RatedDocuments) -> str:
    if one.form == "combined":
        return "a formula"
    return f"one threshold: {score_name(one.score)}" if one.score else plural(documents.score_count, "threshold")


def _ask_use(analysis: Analysis, documents: RatedDocuments, found: FormsCompared) -> None:
    """Offer to use another form; the target and the goals stay."""
    forms = {one.form: FORM_NAMES[one.form] for one in found.forms if one.form != found.present}
    better = found.better
    st.segmented_control(
        "Another form",
        list(forms),
        default=better.form if better else "combined",
        required=True,
        format_func=lambda form: forms.get(form, form),
        key=FORM_KEY,
        persist_state="session",
    )
    if st.button("Use this form", key="use_form", on_click=_use_form, args=(analysis.rated.name, documents, found)):
        st.rerun()


def _use_form(name: str, documents: RatedDocuments, found: FormsCompared) -> None:
    form = chosen(FORM_KEY)
    if form == "combined":
        change_columns(name, combined=found.formula)
    elif form == "single":
        score = found.form("single").score
        floor = float(documents.floors[documents.names.index(str(score))])
        change_columns(name, scores=(score,), floors=(floor,))
    else:
        choose(RULE_KEY, form)
