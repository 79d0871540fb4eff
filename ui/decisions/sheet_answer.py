"""Answer of the decision sheet: one sentence, three settings, warnings and next steps."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import Counts, DataError, figures
from multiloss_core.decisions import RecordedTarget, alerts_a_day_words, headline_of, target_of_point
from multiloss_core.formatting import count, percent, plural, reached, score_name, shortened
from multiloss_core.inspection import (
    DailyAlerts,
    compare,
    daily_alerts,
    gain_interval,
    incomplete_from,
    precision_drift,
    weekly_counts,
)
from multiloss_core.numerics import NORMAL_95, Floats, precision_interval, written_number
from multiloss_core.thresholds import SMOOTH, AgeWeights, Point
from multiloss_core.thresholds.targets import manual_point
from ui.data.rated import change_columns, rated_uploads, say_missing_earlier
from ui.decisions.sheet_questions import BALANCED, FACTORS, Affordable, Setting
from ui.operating_point.active_goal import (
    GOAL_KEY,
    MANUAL,
    chosen_goal,
    goal_choices,
    recorded_target,
    set_manual_thresholds,
)
from ui.operating_point.analysis import Analysis
from ui.operating_point.current_thresholds import current_thresholds_of
from ui.operating_point.point_text import unused_scores
from ui.operating_point.sections.over_time import about, dated
from ui.operating_point.sections.save_decision import make_decision
from ui.operating_point.settings import METHOD_KEY
from ui.operating_point.state import IN_URL, percent_of, remember_point, set_target, shown_point, target_of
from ui.shared.choices import UrlParameter, choose, chosen, numbers_parameter, withdraw
from ui.shared.formatting import as_text, vocabulary
from ui.shared.page_setup import theme
from ui.shared.session import SheetPoint, session
from ui.shared.widgets import shown_when_open

FEW_POSITIVES, VERY_FEW, WANTED_MARGIN = 30, 10, 0.05
RECENT_DAYS = 91
# In pixels; what the axes show as a multiple of the largest count.
CURVE_HEIGHT, SPACE = 200, 1.3


def show_cautions(analysis: Analysis, settings: Sequence[Setting], chosen: Setting) -> None:
    """Show below the cards what limits the answer."""
    if chosen.point is None:
        return
    unused = unused_scores(analysis, chosen.point, analysis.deployable(chosen.point))
    if unused is not None:
        st.caption(as_text(" ".join(unused)))
    _say_few_positives(analysis, chosen.point)
    _say_drift(analysis, chosen.point)
    points = [setting.point for setting in settings if setting.point is not None]
    nested = all((before.thresholds >= after.thresholds).all() for before, after in pairwise(points))
    if not nested:
        st.caption(
            "These settings cross: one raises a threshold that another lowers, so that a wider setting does not flag "
            "all that a more cautious one flags. Set the limit by the last alerts for settings within each other."
        )


def no_clear_gain(analysis: Analysis, point: Point, current: Floats, most_alerts: float | None) -> str | None:
    """Describe a gain that may be chance; None if it is clear or a cap demands the change."""
    source, rule = analysis.rated.source, analysis.settings.rule
    target = target_of(point)
    try:
        found = compare(source, current, analysis.deployable(point), rule)
    except DataError:
        return None
    waiting = analysis.undecided_at([current])[0]
    over_cap = most_alerts is not None and found.current.alerts + waiting > most_alerts * (1 + 1e-9)
    same = not found.added.alerts + found.dropped.alerts
    low, high = gain_interval(found, target)
    if over_cap or same or low > 0 or not found.current.complete:
        return None
    return (
        f"Counted at a target of {percent(target)}, the change gains {low:,.0f} to {high:,.0f} frauds with 95 % "
        "confidence."
    )


def _say_few_positives(analysis: Analysis, point: Point) -> None:
    positives = analysis.rated.positives
    if positives >= FEW_POSITIVES:
        return
    totals = analysis.rated.source.totals
    counts = point if point.alerts else totals
    low, high = precision_interval(counts.precision, counts.alerts)
    share = float(np.clip(counts.precision, 0.05, 0.95))
    needed = share * (1 - share) * (NORMAL_95 / WANTED_MARGIN) ** 2
    where = "at this point" if point.alerts else "of all rated alerts"
    between = f"between {percent(low)} and {percent(high)} with 95 % confidence"
    if positives < VERY_FEW:
        words = f"**{plural(positives, 'rated fraud')} can decide little:** the precision {where} lies {between}."
    else:
        words = (
            f"**Only {plural(positives, 'rated fraud')}.** The precision {where} lies {between}; about "
            f"{count(round(needed, -1))} rated {vocabulary().documents} there would bring that to 5 points either way."
        )
    st.warning(words, icon=":material/data_thresholding:")


def _say_drift(analysis: Analysis, point: Point) -> None:
    """Warn of late ratings, else of precision that drifts; offer days to leave out."""
    choice, found = analysis.rated.columns, dated(analysis)
    source = rated_uploads().source(analysis.rated.name)
    limits = [f"since {choice.since}"] if choice.since else []
    limits += [f"before {choice.complete_until}"] if choice.complete_until else []
    if limits:
        words = f"Only rows {' and '.join(limits)} are used."
        _caption(words, "Use all rows", "use_all_rows", source.name, since=None, complete_until=None)
    say_missing_earlier(analysis.rated)
    weighting = analysis.weighting(point)
    if isinstance(weighting, AgeWeights):
        hint = "The newest alerts are predicted better so."
        _caption(f"{weighting.words}.", "Count all alike", "equal_ages", source.name, hint=hint, age_weights=False)
    elif weighting is not None:
        _caption(f"{weighting.words}.", "Leave earlier files out", "no_earlier_files", source.name, earlier=())
    elif not choice.age_weights:
        words = "All alerts count alike."
        _caption(words, "Older ones may count less", "unequal_ages", source.name, age_weights=True)
    if found is None:
        return
    if (late := analysis.rated.late_ratings) is not None:
        st.warning(f"{late.words}.", icon=":material/pending_actions:")
        words = f"Leave out from {late.monday} on, whose ratings may not be in yet"
        _offer_change(words, "leave_out_late", source.name, complete_until=late.monday)
        return
    everything = weekly_counts(*found, found[0].floors, "any")
    weeks = weekly_counts(*found, analysis.deployable(point), analysis.settings.rule)
    drift = precision_drift(weeks, incomplete_from(everything))
    if drift.verdict != "drifts":
        return
    with _line():
        st.warning(
            f"**Precision drifts** from {percent(drift.early)} to {percent(drift.late)}.",
            icon=":material/trending_down:" if drift.late < drift.early else ":material/trending_up:",
            width=420,
        )
        dates = found[1].dates
        if choice.since is None and len(dates) > RECENT_DAYS:
            since = str(dates[-RECENT_DAYS])[:10]
            _offer_change("Last three months only", "use_recent", source.name, hint=f"Since {since}.", since=since)


def _line() -> DeltaGenerator:
    """Return the place for a caution and, beside it, what the user can do about it."""
    return st.container(horizontal=True, vertical_alignment="center")


def _caption(words: str, offered: str, key: str, name: str, *, hint: str | None = None, **changes: Any) -> None:
    """State how alerts are counted, and offer a change of it."""
    with _line():
        st.caption(words, help=hint, width="content")
        _offer_change(offered, key, name, **changes)


def _offer_change(words: str, key: str, name: str, *, hint: str | None = None, **changes: Any) -> None:
    st.button(words, key=key, help=hint, on_click=change_columns, args=(name,), kwargs=changes)


KEY = "setting"
NO_BREAK = "\N{NO-BREAK SPACE}"
TITLES = {"cautious": "Cautious", "balanced": "Balanced", "wide": "Wide"}
IN_ADDRESS: UrlParameter[str] = UrlParameter(KEY, lambda text: text if text in FACTORS else None, str)
OWN_IN_ADDRESS = numbers_parameter("own")


def ask_setting(analysis: Analysis, affordable: Affordable) -> Setting:
    """Show the three settings side by side; return the selected one, initially balanced.

    The selected point is the one of the screen Operating point. Where that was changed there, it is the balanced one.
    """
    settings = affordable.settings()
    asked = IN_ADDRESS.asked(if_gone=BALANCED)
    if asked is not None or chosen(KEY) not in FACTORS:
        choose(KEY, asked or BALANCED)
    name = chosen(KEY)
    IN_ADDRESS.show(None if name == BALANCED else name)
    selected = next(setting for setting in settings if setting.name == name)
    own = _own_setting(analysis, (*affordable.request, name), selected)
    if own is not None:
        selected, settings = own, tuple(own if setting.name == BALANCED else setting for setting in settings)
    with st.container(key="answer"):
        _show_sentence(analysis, selected, affordable)
        _show_curve(analysis, settings, selected)
        for place, setting in zip(st.columns(len(settings)), settings, strict=True):
            with place.container(border=True, height="stretch", key=f"card_{setting.name}"):
                _show_card(analysis, setting, _same_before(analysis, setting, settings), is_taken=setting is selected)
    show_cautions(analysis, settings, selected)
    return selected


def _own_setting(analysis: Analysis, request: tuple[object, ...], chosen: Setting) -> Setting | None:
    """Return the point chosen on Operating point since the sheet opened it, else the sheet's."""
    state, shown, linked = session().point, shown_point(analysis), OWN_IN_ADDRESS.asked()
    led = state.goals.sheet_led_to
    if led is not None and led.request != request:
        shown = None
    if shown is None and led is None and linked is not None and len(linked) == len(analysis.names):
        with suppress(DataError):
            point = manual_point(analysis.rated.source, analysis.path(SMOOTH.name), np.array(linked))
            shown = remember_point(analysis, point, MANUAL)
            set_manual_thresholds([None if np.isinf(value) else value for value in linked])
    known = [led.thresholds] if led is not None else [] if chosen.point is None else [chosen.point.thresholds]
    is_own = shown is not None and not any(np.array_equal(shown.point.thresholds, one) for one in known)
    if shown is not None and is_own:
        OWN_IN_ADDRESS.show(analysis.deployable(shown.point).tolist())
        target = recorded_target(analysis, shown.point) or target_of_point(shown.point)
        return Setting(BALANCED, "as chosen on Operating point", "", target, shown.point)
    OWN_IN_ADDRESS.show(None)
    if chosen.point is not None and chosen.target is not None and (led is None or led.request != request):
        _lead_operating_point(analysis, chosen.point, chosen.target)
        state.goals.sheet_led_to = SheetPoint(request, tuple(chosen.point.thresholds.tolist()))
    return None


def _lead_operating_point(analysis: Analysis, point: Point, target: RecordedTarget) -> None:
    """Set the goals of the screen Operating point to those of a setting."""
    for key, value in _goal_choices_of(point, target).items():
        # Only boxes of numbers take their values from the session.
        if key == GOAL_KEY:
            choose(key, value)
        with suppress(ValueError):
            choose(key, written_number(value))
    remember_point(analysis, point, chosen_goal())


def _goal_choices_of(point: Point, target: RecordedTarget) -> dict[str, str]:
    """Choose path and target of a setting; return its goal as choices in the URL."""
    choose(METHOD_KEY, SMOOTH.name)
    withdraw("goal", "goal_")
    set_target(percent_of(point))
    return goal_choices(target, same_data=True)


def _same_before(analysis: Analysis, setting: Setting, settings: Sequence[Setting]) -> Setting | None:
    """Find an earlier setting with the same thresholds, or None."""
    if setting.point is None:
        return None
    thresholds = analysis.deployable(setting.point)
    before = settings[: settings.index(setting)]
    return next(
        (one for one in before if one.point is not None and np.array_equal(analysis.deployable(one.point), thresholds)),
        None,
    )


def _show_card(analysis: Analysis, setting: Setting, same: Setting | None, *, is_taken: bool) -> None:
    st.markdown(f"**{TITLES[setting.name]}**")
    if setting.point is None:
        st.caption(as_text(setting.refused))
        return
    point, names = setting.point, analysis.names
    st.caption(as_text(setting.asked))
    caught, false_alerts = st.columns(2, gap="small")
    caught.metric("Frauds", count(point.tp))
    false_alerts.metric("False alerts", count(point.fp))
    details, days = [f"precision {percent(point.precision)}"], _days(analysis, point)
    if days is not None:
        st.markdown(f"{alerts_a_day_words(days.mean)} a day")
        details.insert(0, f"mostly {' to '.join(map(about, days.most_days))}")
    if waiting := analysis.undecided_at([point.thresholds])[0]:
        details.append(f"{count(waiting)} undecided")
    if setting.worth:
        st.markdown(f"**{as_text(setting.worth)}**")
    words = map(partial(reached, alert_rules=analysis.alert_rules), names, analysis.deployable(point).tolist())
    thresholds = (
        f"{as_text(shortened(score_name(name)))} **{word.replace(' ', NO_BREAK)}**"
        for name, word in zip(names, words, strict=True)
    )
    st.caption("  \n".join([", ".join(details), *thresholds]))
    if same is not None:
        st.caption(f"The same thresholds as {TITLES[same.name].lower()}: the rated alerts allow no others between.")
    st.button(
        "Selected" if is_taken else "Select",
        key=f"take_{setting.name}",
        type="primary" if is_taken else "secondary",
        on_click=_select,
        args=(setting.name,),
        width="stretch",
    )


def _show_curve(analysis: Analysis, settings: Sequence[Setting], chosen: Setting) -> None:
    """Draw the settings on the curve of the default path."""
    titles: dict[tuple[float, float], str] = {}
    for setting in settings:
        if setting.point is not None:
            place = setting.point.fp, setting.point.tp
            titles[place] = f"{titles[place]}, {setting.name}" if place in titles else TITLES[setting.name]
    if not titles:
        return
    fp, tp = zip(*titles, strict=True)
    is_chosen = [chosen.point is not None and place == (chosen.point.fp, chosen.point.tp) for place in titles]
    figure = figures.plane_backdrop(
        [analysis.path(SMOOTH.name)], theme=theme(), legend=False, vocabulary=vocabulary()
    ).update_layout(height=CURVE_HEIGHT, margin={"t": 32})
    figure.add_scatter(
        x=fp,
        y=tp,
        text=[*titles.values()],
        mode="markers+text",
        # Names of settings that lie close together stand above and below the curve.
        textposition=[("bottom right", "top right")[place % 2] for place in range(len(fp))],
        marker={
            "opacity": 1,
            "color": figures.look_of(SMOOTH.name).colour,
            "symbol": ["star" if it_is else "circle" for it_is in is_chosen],
            "size": [18 if it_is else 10 for it_is in is_chosen],
            "line": {"color": figures.theme.ink(theme()), "width": 1},
        },
        hoverinfo="skip",
        showlegend=False,
    )
    figure.update_xaxes(range=[0, SPACE * max(fp) or 1])
    figure.update_yaxes(title="TP (alerts)", range=[0, SPACE * max(tp) or 1])
    alt = "; ".join(f"{title}: TP {tp:g}, FP {fp:g}" for (fp, tp), title in titles.items())
    st.plotly_chart(figure, theme=None, key="sheet_plane", config={"displayModeBar": False}, alt=f"{alt}.")


def _select(name: str) -> None:
    session().point.goals.sheet_led_to = session().point.goals.shown = None
    choose(KEY, name)


def _show_sentence(analysis: Analysis, setting: Setting, affordable: Affordable) -> None:
    """State the change in one sentence, or the advice to keep the current thresholds."""
    point = setting.point
    if point is None:
        st.error(as_text(setting.refused), icon=":material/block:")
        return
    rule, present = analysis.settings.rule, current_thresholds_of(analysis)
    days = _days(analysis, point)
    sentence = headline_of(
        analysis.names,
        None if present is None else present.tolist(),
        analysis.deployable(point).tolist(),
        _difference(analysis, point, present),
        None if days is None else days.mean,
        rule=rule,
        vocabulary=vocabulary(),
        alert_rules=analysis.alert_rules,
    )
    kept = None if present is None else no_clear_gain(analysis, point, present, affordable.most_alerts)
    if kept is not None:
        st.markdown("## Keep the current thresholds: no clear gain.")
        st.markdown(f"{kept} The nearest change: {as_text(sentence[0].lower() + sentence[1:])}.")
        return
    st.markdown(f"## {as_text(sentence)}.")


def _difference(analysis: Analysis, point: Point, present: Floats | None) -> Counts[float] | None:
    """Count the changes, in alerts including undecided ones."""
    try:
        sides = [_alerts(analysis, thresholds) for thresholds in (point.thresholds, present) if thresholds is not None]
    except DataError:
        return None
    after, before = sides[0], sides[1] if len(sides) > 1 else Counts(0.0, 0.0)
    return Counts(after.tp - before.tp, after.fp - before.fp)


def _alerts(analysis: Analysis, thresholds: Floats) -> Counts[float]:
    counts = analysis.rated.source.counts_at(thresholds, analysis.settings.rule)
    return Counts(counts.tp, counts.fp + analysis.undecided_at([thresholds])[0])


def offer_operating_point(analysis: Analysis, setting: Setting) -> None:
    """Offer to open the operating point with this setting."""
    if setting.target is None or setting.point is None:
        return
    if st.button("See the trade-off", icon=":material/tune:", key="why"):
        choices = _goal_choices_of(setting.point, setting.target)
        choices |= rated_uploads().in_address(analysis.dataset.name) | {
            IN_URL.name: IN_URL.write(session().point.goals.percent)
        }
        st.switch_page("pages/operating_point.py", query_params=choices)


def save_answer(analysis: Analysis, setting: Setting) -> None:
    """Keep the decision, with who made it and why."""
    if setting.point is not None and setting.target is not None:
        _save(analysis, setting.point, setting.target)


@shown_when_open("Save this decision", icon=":material/bookmark_add:", key="save_sheet")
def _save(analysis: Analysis, point: Point, target: RecordedTarget) -> None:
    make_decision(analysis, point, target)


def _days(analysis: Analysis, point: Point) -> DailyAlerts | None:
    found = dated(analysis)
    if found is None:
        return None
    return daily_alerts(*found, analysis.deployable(point), analysis.settings.rule)
