"""Read rated documents from a file or a table with guessed columns."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import TypeAdapter, ValidationError

from multiloss_core.datasets.rated import RatedDataset
from multiloss_core.errors import DataError
from multiloss_core.formatting import shortened
from multiloss_core.tables import ColumnMeanings, as_frame, guess_columns, guess_meanings, values_and_blanks
from multiloss_core.thresholds.data.document_checks import require_score_names

FIELDS = {entry.name for entry in fields(ColumnMeanings)} - {"is_counts", "rule", "earlier"}
_ADAPTER = TypeAdapter(ColumnMeanings)
LISTS = {"scores", "floors", "alert_rules", "meanings", "decimal_signs"}
# Asked about even where a guess has found them.
ROLES = ("rating", "scores", "alert_rules", "weight", "group", "amount", "time", "segment", "repeats")


def read_rated(source: str | PathLike[str] | bytes | Any, *, name: str = "table", **columns: Any) -> RatedDataset:
    r"""Read rated documents; meanings of columns that are not given are guessed as on the screen.

    `source`: the path or the bytes of a CSV, Excel or Parquet file (also gzip), a DataFrame of pandas, or a table that
    can be read through Arrow: of Polars, PyArrow or DuckDB. `columns`: fields of `ColumnMeanings`; None stands for no
    such column; `meanings` and `floors` may be mappings.

    Time O(rows columns); files need the extra `files`.

    Raises
    ------
    DataError : a role that is uncertain and not given, a column that is missing or cannot be used, no table.

    Examples
    --------
    >>> from multiloss_core import read_rated
    >>> read_rated(b"model,verdict\n0.9,fraud\n0.7,ok\n0.6,fraud\n", floors=(0.5,)).documents
    RatedDocuments(3 documents, 2 positive; rated where model >= 0.5)
    """
    columns = {field: value.isoformat()[:10] if isinstance(value, date) else value for field, value in columns.items()}
    if unknown := sorted(set(columns) - FIELDS):
        raise DataError(f"'{unknown[0]}' is no meaning of columns; give some of {', '.join(sorted(FIELDS))}.")
    frame, ambiguous, fingerprint = _table(source, name)
    if isinstance(source, str | PathLike):
        name = Path(source).name
    guess = guess_columns(frame, ambiguous)
    for role in ROLES:
        if role in guess.unsure and role not in columns:
            reason = f" ({guess.reasons[role]})" if role in guess.reasons else ""
            which = f"Which column of '{shortened(name)}' holds the {role.replace('_', ' ')}"
            raise DataError(f"{which} is not certain{reason}; give {role}.")
    given = {field: _as_field(field, value) for field, value in columns.items()}
    if isinstance(columns.get("floors"), Mapping):
        # By name: they are ordered once the scores are known.
        given["floors"] = ()
    _require_types(given)
    if "rating" in given and "meanings" not in given and given["rating"] in frame.columns:
        found = guess_meanings(values_and_blanks(frame[given["rating"]])[1], given["rating"])
        given["meanings"] = tuple(found.items())
    elif "meanings" in guess.unsure and "meanings" not in given:
        given["meanings"] = tuple((word, None) for word, _ in guess.meanings)
    if "scores" in given:
        given.setdefault("floors", ())
    meanings = replace(guess.columns, **given)
    if not meanings.scores:
        raise DataError("No score column is given; give one at least.")
    if isinstance(floors := columns.get("floors"), Mapping):
        require_score_names(floors, meanings.scores)
        by_place = tuple(floors.get(score) for score in meanings.scores)
        _require_types({"floors": by_place})
        meanings = replace(meanings, floors=by_place)
    return RatedDataset.from_frame(frame, meanings, name=name, fingerprint=fingerprint)


def _table(source: Any, name: str) -> tuple[pd.DataFrame, tuple[str, ...], str]:
    """Read a table with the names of ambiguous columns, and the SHA-256 of a file."""
    if not isinstance(source, str | PathLike | bytes):
        return as_frame(source), (), ""
    from multiloss_core.tables import read_file  # noqa: PLC0415

    data = source if isinstance(source, bytes) else Path(source).read_bytes()
    file = read_file(data, name if isinstance(source, bytes) else Path(source).name)
    return file.frame, file.ambiguous, hashlib.sha256(data).hexdigest()


def _require_types(given: dict[str, Any]) -> None:
    """Raise DataError for a field of another type than `ColumnMeanings` has."""
    try:
        _ADAPTER.validate_python({"scores": (), **given})
        for field in ("since", "complete_until"):
            np.datetime64(given.get(field) or "NaT")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise DataError(
            f"{first['loc'][0]} cannot be used: {first['msg'].lower()}, not {shortened(repr(first['input']))}."
        ) from None
    except ValueError:
        raise DataError(f"{field} takes a date, such as 2026-01-31, not {shortened(given[field])}.") from None


def _as_field(field: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(value.items())
    if field in LISTS and (isinstance(value, str) or not isinstance(value, Iterable)):
        # One entry without a list.
        return () if value is None else (value,)
    return tuple(value) if field in LISTS else value
