"""The choices that the URL holds."""

import pytest

from tests.pages.steps import opened


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"count": "money", "method": "graph"}, {"count": "money", "method": "graph"}),
        ({"now": "0.8,never", "pin": "0.9,0.7", "against": "now"}, {"now": "0.8,never", "pin": "0.9,0.7"}),
        ({"goal": "manual", "hand": "0.9,never"}, {"goal": "manual", "hand": "0.9,never"}),
        ({"data": "Login alerts", "guaranteed": "80,95"}, {"guaranteed": "80,95"}),
        ({"goal": "precision", "goal_precision": "75"}, {"goal": "precision", "goal_precision": "75"}),
    ],
)
def test_a_link_opens_and_stays_as_it_is(query, shown):
    app = opened(**{"data": "Card alerts"} | query)
    assert not app.error
    assert {name: app.query_params.get(name) for name in shown} == shown
