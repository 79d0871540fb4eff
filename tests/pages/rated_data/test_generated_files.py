"""Draw Rated data over generated files of scores, rules, reasons and floors."""

import numpy as np
import pandas as pd
import pytest

from tests.pages.rated_data.steps import confirm, csv_of, funnel, say_no_other_alerts, switch, upload

FLAGS = {"none": None, "numbers": (1, 0), "booleans": (True, False), "words": ("HIT", ""), "letters": ("Y", "N")}
REASONS = {"none": None, "lists": ", ".join, "line ends": "\n".join}


def alerts(scores, flags, reasons, floors):
    """Alerts of some scores and perhaps a rule; `floors`: certain, or with strays below them."""
    generator = np.random.default_rng([scores, len(flags), len(reasons), len(floors)])
    rows = 12_000
    fraud = generator.random(rows) < 0.03
    table = generator.normal(size=(rows, scores)) + 2.0 * fraud[:, np.newaxis]
    rule = generator.random(rows) < np.where(fraud, 0.2, 0.01)
    raised = (table >= 1.7).any(axis=1)
    kept = raised | (rule if floors == "rules" else False) | (generator.random(rows) < 0.004 * (floors == "strays"))
    frame = pd.DataFrame(table[kept].round(4), columns=["model A", "model B", "model C"][:scores])
    frame.insert(0, "alert_id", [f"A{row:05d}" for row in range(len(frame))])
    if FLAGS[flags] is not None:
        yes, no = FLAGS[flags]
        frame["velocity_rule"] = [yes if one else no for one in rule[kept]]
        frame["is_premium"] = generator.integers(0, 2, len(frame))
    if REASONS[reasons] is not None:
        named = zip(raised[kept], rule[kept], strict=True)
        words = [[*(["model"] if one else []), *(["velocity"] if two else [])] or ["call"] for one, two in named]
        frame["rule_reason"] = [REASONS[reasons](row) for row in words]
    return frame.assign(rating=np.where(fraud[kept], "fraud", "ok"))


FLOORS = ("certain", "rules", "strays")
# Each pair of a kind of rule, of reasons and of floors once.
CASES = [
    (1 + place % 3, flags, reasons, FLOORS[(place + row) % 3])
    for place, flags in enumerate(FLAGS)
    for row, reasons in enumerate(REASONS)
]


@pytest.mark.parametrize(("scores", "flags", "reasons", "floors"), CASES)
def test_rated_data_is_drawn_and_leads_to_a_point(app, scores, flags, reasons, floors):
    frame = alerts(scores, flags, reasons, floors)
    app = confirm(say_no_other_alerts(confirm(upload(app, csv_of(frame), "generated.csv"))))
    assert not app.error
    steps = funnel(app)
    assert steps[0] == len(frame)
    assert steps[-1] == (frame["rating"] == "fraud").sum()
    assert not switch(app, "pages/operating_point.py").error
