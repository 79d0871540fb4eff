import re

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from multiloss_core.datasets import RATED_SAMPLES, RatedDataset
from tests.pages.steps import APP, run
from ui.landing import EXAMPLE


def opened():
    return run(AppTest.from_file(APP, default_timeout=180))


def numbers_of(app):
    """TP and FP as the chart's description gives them, and the sentence of the example."""
    words = app.get("plotly_chart")[0].proto.alt.removesuffix(".").split()
    return (
        float(words[-3].rstrip(",")),
        float(words[-1]),
        next(one.value for one in app.markdown if "give up" in one.value),
    )


def test_example_follows_the_slider():
    app = opened()
    tp, fp, sentence = numbers_of(app)
    app = run(app.slider(key="landing_m").set_value(60.0))
    stricter_tp, stricter_fp, other = numbers_of(app)
    assert 0 < stricter_tp < tp
    assert stricter_fp < fp
    assert other != sentence


def test_example_counts_what_is_given_up_with_undecided_alerts():
    app = opened()
    tp, fp, sentence = numbers_of(app)
    source = RATED_SAMPLES[EXAMPLE](EXAMPLE)
    dataset = RatedDataset.of(source, source.first_choice)
    totals, waiting = dataset.source.totals, dataset.undecided_weight
    fewer, of_alerts, lost, of_frauds = (
        int(word.replace(",", "")) for word in re.findall(r"[\d,]+(?= of | alerts| frauds)", sentence)
    )
    assert (lost, of_frauds, of_alerts) == (totals.tp - tp, totals.tp, totals.alerts + waiting)
    # Undecided alerts above the thresholds stay.
    assert 0 <= totals.alerts + waiting - (tp + fp) - fewer <= waiting


def test_landing_page_links_every_page():
    app = opened()
    assert {link.proto.page for link in app.get("page_link")} >= {
        "rated_data", "decision_sheet", "operating_point", "audit", "decisions", "optimal_cut", "top_k", "papers",
    }  # fmt: skip


def test_a_file_leads_to_its_sheet_or_to_what_must_be_asked():
    for frame, page in ((RATED_SAMPLES[EXAMPLE](EXAMPLE).frame, "Decision sheet"), (ambiguous(), "Rated data")):
        app = opened()
        app.file_uploader(key="upload").upload("own.csv", frame.to_csv(index=False).encode(), "text/csv")
        assert run(app).title[0].value == page


def ambiguous():
    rows = np.arange(200)
    return pd.DataFrame({"a": rows / 7, "b": rows[::-1] / 9, "x": np.where(rows % 3, "p", "q")})
