"""Settings of the operating point, and presentation mode."""

from dataclasses import replace
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from multiloss_core import CountSurfaces, RatedCounts, Unit
from multiloss_core.datasets import RatedDataset
from multiloss_core.decisions import RecordedSettings, recorded_thresholds
from multiloss_core.figures import METHOD_LOOKS
from multiloss_core.formatting import count, plural, score_name, score_threshold
from multiloss_core.thresholds import RESOLUTIONS, AgeWeights, Point, Rule, Spacing
from ui.data.rated import change_columns, say_missing_earlier
from ui.operating_point.analysis import Analysis
from ui.operating_point.current_thresholds import current_for
from ui.operating_point.path_tasks import Settings
from ui.operating_point.state import ViewState
from ui.records import thresholds_words
from ui.shared.choices import ask_choice, choose, chosen, in_url
from ui.shared.formatting import as_text, vocabulary
from ui.shared.page_setup import write_style

PRESENT_KEY = "present"
# Hidden, not left out: what is not drawn forgets its choice. An open popover is drawn outside of its container.
HIDDEN = (
    ".st-key-bar",
    ".st-key-point_controls",
    ".st-key-details",
    "header[data-testid=stHeader]",
    "[data-testid=stPopoverBody]",
)


def apply_presentation() -> None:
    """Hide every control but the slider, if the user wants that, and offer the way back."""
    rules = f"{', '.join(HIDDEN)} {{display: none}} .stMainBlockContainer:has(.st-key-bar) {{padding-top: 2.6rem}}"
    write_style(rules if chosen(PRESENT_KEY) else "")


def offer_leaving() -> None:
    """Draw the way out of the presentation, above everything else."""
    if chosen(PRESENT_KEY):
        with st.container(key="presentation_left"):
            st.button(
                "Leave the presentation",
                icon=":material/close_fullscreen:",
                type="tertiary",
                on_click=choose,
                args=(PRESENT_KEY, False),
            )


METHOD_KEY, RULE_KEY, SPACING_KEY, UNIT_KEY, PLAIN_KEY = "method", "rule", "nodes", "count", "plain"
NEW_DATA_KEY, STAY_KEY = "new_data", "stay"
RULES = {"any": "any score", "all": "every score"}
SPACINGS = {"positives": "at rated positives", "quantile": "at equal shares of documents", "uniform": "at equal steps"}


def show_origin(dataset: RatedDataset) -> None:
    """One line on what the numbers come from."""
    source, rated = dataset.source, f"rated {vocabulary().document}"
    if isinstance(source, RatedCounts):
        funnel = source.funnel
        words = f"{plural(funnel.at_or_above_floor, rated)} · {count(funnel.positives)} positive"
    elif isinstance(source, CountSurfaces):
        words = f"table of {plural(source.tp.size, 'node')}"
    else:
        words = f"{plural(len(source.labels), rated)} · {count(source.labels.sum())} positive"
    floors = list(map(score_threshold, source.names, source.floors))[: source.score_count]
    beside = f" · {plural(source.alert_rules, 'alert rule')}" if source.alert_rules else ""
    st.caption(f"{words} · floors {' / '.join(floors)}{beside}")


def ask_settings(dataset: RatedDataset, unit_box: DeltaGenerator, settings_box: DeltaGenerator) -> Settings:
    """Ask for the unit in one place, and for rule, grid and plain widgets in another."""
    source = dataset.source
    table = source if isinstance(source, CountSurfaces) else None
    label = "Flagged when its threshold is reached by"
    unit = Unit.DOCUMENTS
    if dataset.amounts is not None:
        with unit_box:
            unit = _ask_unit()
    with settings_box:
        if table is not None and not isinstance(table, RatedCounts):
            st.text_input(label, RULES[table.rule], disabled=True, help="Given by the table of counts.")
        elif source.score_count > 1 and not source.alert_rules:
            ask_choice(st.segmented_control, label, RULES, key=RULE_KEY, required=True)
        if table is None:
            _ask_grid(source.score_count)
        settings = replace(current_settings(dataset), unit=unit if table is None else Unit.DOCUMENTS)
        settings = replace(settings, current=_ask_to_stay(current_for(dataset.key, settings.rule, source.names)))
        if dataset.times is not None:
            _ask_age_weights(dataset)
        ask_plain()
        st.toggle("Presentation: only slider, numbers and charts", **in_url(PRESENT_KEY))
    return settings


def _ask_to_stay(current: tuple[float, ...] | None) -> tuple[float, ...] | None:
    """Ask whether the path stays beside the current thresholds (k,), and return them if so."""
    stays = st.checkbox(
        "Stay at the current thresholds",
        **in_url(STAY_KEY),
        disabled=current is None,
        help="The default path keeps to them wherever your data show nothing clearly better; useful with few "
        "positives. Enter them under *Compare with the current thresholds*.",
    )
    return current if stays else None


def _ask_age_weights(dataset: RatedDataset) -> None:
    """Ask whether older alerts may count less; the choice stays with the file."""
    chosen = st.checkbox(
        "Older alerts may count less",
        dataset.columns.age_weights,
        key=f"age_weights_{dataset.key[:12]}",
        help="The default path lets alerts count less the older they are, where the newest fifth of them is clearly "
        "better predicted so. Counts of alerts stay as they are.",
    )
    if chosen != dataset.columns.age_weights:
        change_columns(dataset.name, age_weights=chosen)
        # This is a fragment of the page, which has the data as they were.
        st.rerun()


def show_weighting(analysis: Analysis, point: Point) -> None:
    """Say how older alerts or files count, where they do not count alike."""
    say_missing_earlier(analysis.rated)
    if (found := analysis.weighting(point)) is not None:
        counts = "Counts are of all alerts." if isinstance(found, AgeWeights) else "Counts are of this file alone."
        st.caption(f"{found.words}. {counts}")


def current_settings(dataset: RatedDataset) -> Settings:
    """Return how surfaces are counted and paths searched, as chosen before; counts of documents."""
    source = dataset.source
    if isinstance(source, CountSurfaces) and not isinstance(source, RatedCounts):
        return Settings(source.rule, "uniform", 0)
    asked = chosen(RULE_KEY)
    rule: Rule = asked if asked in RULES and source.score_count > 1 and not source.alert_rules else "any"
    if isinstance(source, CountSurfaces):
        return Settings(rule, "uniform", 0)
    spacing, choices = chosen(SPACING_KEY), RESOLUTIONS[source.score_count]
    resolution = chosen(_resolution_key(source.score_count))
    return Settings(
        rule,
        cast("Spacing", spacing) if spacing in SPACINGS else "positives",
        resolution if resolution in choices else choices[1],
    )


def _ask_unit() -> Unit:
    hint = (
        f"Money: {vocabulary().a_document} counts as much as its amount, so that the slider asks how much of the last "
        "money flagged must be fraud."
    )
    units = {unit.value: vocabulary().counted(unit) for unit in Unit}
    return Unit(ask_choice(st.segmented_control, "Count", units, key=UNIT_KEY, required=True, help=hint))


def show_unit(analysis: Analysis) -> None:
    """Explain the numbers on the page when money is counted."""
    counted, rated = analysis.dataset.source.documents, analysis.rated.source.documents
    if counted is rated or counted is None or rated is None:
        return
    column, weight = analysis.dataset.columns.amount, analysis.dataset.columns.weight
    summed = f"'{column}' times '{weight}'" if weight else f"'{column}'"
    noticed = [note for note in counted.notes if note not in rated.notes]
    st.caption(
        f"TP and FP are money: sums of {as_text(summed)}. The "
        f"comparison, *Rules and scores*, lists, days and segments count {vocabulary().documents}. "
        f"{as_text(' '.join(noticed))}"
    )


def show_held(analysis: Analysis, view: ViewState) -> None:
    """Show the thresholds of classifiers that the charts do not draw."""
    names, values = analysis.names, recorded_thresholds(analysis.deployable(view.chosen_point))
    held = [j for j in range(len(names)) if j not in view.pair]
    if held and len(analysis.surfaces.names) > 1 and view.chosen_point.status != "unreachable":
        stay = thresholds_words(tuple(names[j] for j in held), tuple(values[j] for j in held), analysis.alert_rules)
        across, up = (score_name(names[j]) for j in view.pair)
        words = f"Threshold space and surfaces draw {across} and {up}; fixed in them, as at the chosen point: {stay}."
        st.caption(as_text(words))


def _ask_grid(classifiers: int) -> None:
    hint = (
        "TP changes only at the scores of rated positives, so nodes there lose nothing. Equal steps are the paper's "
        "choice."
    )
    spacings = SPACINGS | {"quantile": f"at equal shares of {vocabulary().documents}"}
    ask_choice(st.selectbox, "Where the nodes of each axis lie", spacings, key=SPACING_KEY, help=hint)
    label, choices = "Nodes for each classifier, at most", RESOLUTIONS[classifiers]
    st.selectbox(label, choices, index=1, **in_url(_resolution_key(classifiers)))


def settings_choices(settings: RecordedSettings, classifiers: int, *, documents: bool, amounts: bool) -> dict[str, str]:
    """Return the settings of a record that are offered for its data, as the URL holds them.

    `documents`: the data are documents, no table of counts; `amounts`: they have amounts.
    """
    choices = {METHOD_KEY: settings.method}
    if documents:
        choices[SPACING_KEY] = settings.spacing
        if classifiers > 1:
            choices[RULE_KEY] = settings.rule
        if amounts:
            choices[UNIT_KEY] = recorded_unit(settings).value
        if settings.resolution in RESOLUTIONS[classifiers]:
            choices[_resolution_key(classifiers)] = str(settings.resolution)
    return choices


def recorded_unit(settings: RecordedSettings) -> Unit:
    """Return the unit that the counts of a record are in."""
    return Unit.DOCUMENTS if settings.amount is None else Unit.MONEY


def ask_new_data() -> bool:
    """Ask whether to show expectations for new data."""
    return st.toggle(
        "What new data will show",
        **in_url(NEW_DATA_KEY),
        help="Intervals by resampling, held-out counts of every method, the spread of the thresholds. Takes some "
        "seconds in the background; the slider stays free.",
    )


def _resolution_key(classifiers: int) -> str:
    return f"resolution_{classifiers}"


def ask_plain() -> None:
    """Ask whether to use plain widgets; the explorer turns them on if it cannot draw."""
    st.toggle(
        "Plain controls and charts",
        **in_url(PLAIN_KEY),
        help="The same numbers without the live explorer: for browsers and screen readers that it does not suit.",
    )


def ask_method(analysis: Analysis) -> str:
    """Which path the chosen point lies on."""
    names = analysis.offered_methods
    picked = st.selectbox("Path", names, **in_url(METHOD_KEY), help=_method_help())
    return picked if picked in analysis.methods else names[0]


def _method_help() -> str:
    return "\n".join(
        [
            "How the way through threshold space was found.",
            "",
            *(f"- **{look.name}**: {look.help}" for look in METHOD_LOOKS),
        ]
    )


def ask_pair(analysis: Analysis) -> tuple[int, int]:
    """For three classifiers and more, the two whose thresholds are drawn."""
    names = [*map(score_name, analysis.surfaces.names)]
    if len(names) <= 2:
        return (0, 1)
    left, right = st.columns(2)
    others = "Charts show the thresholds of two classifiers; the others stay at the chosen point."
    labels = {str(place): name for place, name in enumerate(names, start=1)}
    first = ask_choice(left.selectbox, "Charts: across", labels, key="across", help=others)
    rest = {place: name for place, name in labels.items() if place != first}
    second = ask_choice(right.selectbox, "Charts: up", rest, key="up")
    return int(first) - 1, int(second) - 1
