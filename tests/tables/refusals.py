import re

import pytest

from multiloss_core import DataError


def refused(step):
    with pytest.raises(DataError) as caught:
        step()
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 330
    assert not re.search(r"Traceback|Error\b|Exception|dtype|ndarray|<class|float64", sentence)
    return sentence
