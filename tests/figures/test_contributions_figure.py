import numpy as np
import pytest

from multiloss_core import RatedDocuments
from multiloss_core.figures import contributions_chart
from multiloss_core.figures import theme as style
from multiloss_core.inspection import contributions

NAMES = ("first model", "second model", "a model with a very long name indeed")


def found(rule, names=NAMES):
    generator = np.random.default_rng(7)
    scores = generator.random((200, len(names)))
    labels = generator.random(200) < 0.4
    documents = RatedDocuments(scores, labels, generator.uniform(0.5, 2, 200), names, [0.0] * len(names))
    return contributions(documents, [0.6] * len(names), rule)


def bars(figure):
    return {bar.name: bar for bar in figure.data if bar.type == "bar"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("rule", ["any", "all"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_bars_and_dots_are_the_contributions(theme, rule, count):
    names = NAMES[:count]
    parts = found(rule, names)
    figure = contributions_chart(parts, names, theme=theme)
    shown = bars(figure)
    np.testing.assert_allclose(shown["true positives (TP)"].x, [part.documents.tp for part in parts])
    np.testing.assert_allclose(shown["false alerts (FP)"].x, [part.documents.fp for part in parts])
    assert figure.layout.barmode == "stack"
    assert shown["true positives (TP)"].marker.color == style.TRUE_POSITIVE
    assert shown["false alerts (FP)"].marker.color == style.FALSE_POSITIVE

    (dots,) = [trace for trace in figure.data if trace.name == "reached"]
    dark = {(x, y) for x, y, c in zip(dots.x, dots.y, dots.marker.color, strict=True) if c == style.ink(theme)}
    assert dark == {(j, row) for row, part in enumerate(parts) for j in part.classifiers}
    assert len(dots.x) == len(parts) * count
    for row, line in enumerate(trace for trace in figure.data if trace.type == "scatter" and trace.mode == "lines"):
        assert (tuple(line.x), set(line.y)) == ((parts[row].classifiers[0], parts[row].classifiers[-1]), {row})
