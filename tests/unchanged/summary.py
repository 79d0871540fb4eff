"""Summaries of figures: a few values of each section, and sums that change with every value."""

import itertools
import math
import operator
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

Figures = dict[str, Any]
DIGITS = 11
MAX_LEAVES = 300
SHOWN = 4
# A change of a number by this share of it changes the sum of its section by the same amount.
RELATIVE_ABOVE = 1e-6


def plain(value: Any) -> Any:
    """Turn values of NumPy and Python into values of JSON."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist()) if value.dtype.kind != "M" else plain(value.astype(str).tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def of(thing: Any, *names: str) -> Figures:
    """Collect some attributes of an object."""
    return {name: plain(getattr(thing, name)) for name in names}


def thinned(values: Any) -> Figures:
    """Replace a long array (n, ...) by its length, its sum and 25 of its rows."""
    array = np.asarray(values)
    some = np.unique(np.linspace(0, max(len(array) - 1, 0), 25).astype(int))[: len(array)]
    numbers = array[np.isfinite(array)] if array.dtype.kind == "f" else array
    found = {"length": len(array), "some": plain(array[some])}
    return found | ({} if array.dtype.kind in "MOU" else {"sum": plain(numbers.sum())})


def leaves(value: Any) -> Iterator[Any]:
    """List all values that hold no others, in their order."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if parts is None:
        yield value
    else:
        for part in parts:
            yield from leaves(part)


def summarised(value: Any) -> Any:
    """Replace each section of up to 300 values, or each list, by its summary."""
    if isinstance(value, dict) and sum(1 for _ in leaves(value)) > MAX_LEAVES:
        return {key: summarised(part) for key, part in value.items()}
    return summary(list(leaves(value)))


def summary(values: list[Any]) -> Figures:
    """Summarise values: their number, some of them, and a weighted sum."""
    numbers = np.array([float(value) for value in values if is_number(value)])
    others = Counter(str(value) for value in values if not is_number(value))
    scaled = np.arcsinh(numbers / RELATIVE_ABOVE)
    # No two weights are equal: values that change places are found.
    weights = 1 + np.modf(np.arange(len(numbers)) * (math.sqrt(5) - 1) / 2)[0]
    found: Figures = {"numbers": len(numbers), "sum": rounded(numbers.sum()), "scaled": rounded(scaled @ weights)}
    if numbers.size:
        shown = np.unique(np.linspace(0, len(numbers) - 1, SHOWN).astype(int))
        found["some"] = [rounded(number) for number in numbers[shown]]
    if len(others) > 2 * SHOWN:
        return found | {"letters": sum(map(operator.mul, map(ord, "\n".join(others)), itertools.count(1)))}
    return found | {"others": dict(sorted(others.items()))}


def rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
