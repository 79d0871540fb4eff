"""Draw the documents of an audit with a seed: the same ones in SQL and in Python."""

import json
from collections.abc import Iterable
from hashlib import md5
from typing import Any

import numpy as np
import pandas as pd

from multiloss_core.audit.expected_shares import ExpectedShares
from multiloss_core.audit.plan import AuditPlan
from multiloss_core.audit.strata import AuditStrata, audit_scores, checked_sample, checked_sizes
from multiloss_core.errors import DataError
from multiloss_core.sql_dialects import Dialect, SqlDialect, dialect_of
from multiloss_core.thresholds.data.document_checks import first_row

# Columns that the draw adds.
STRATUM, PROBABILITY, SIZE, DRAW = "audit_stratum", "audit_probability", "audit_size", "audit_draw"
# A column whose first cell holds the plan, so that one file goes to the raters and comes back.
PLAN = "audit_plan"
MAX_PLAN_BYTES = 2**20


def draw_sql(
    plan: AuditPlan, table: str, key: str, *, seed: int = 0, dialect: SqlDialect | Dialect = "postgresql"
) -> str:
    """Write the statement that draws a plan's documents from a table.

    In each stratum the documents with the smallest MD5 sums of seed and `key` are drawn, a column of whole numbers or
    text without repetition. The three dialects and `drawn_frame` draw the same documents, in an order that mixes the
    strata. The result has the columns of the table, the stratum, its documents found now, which may differ from the
    planned sizes, the inclusion probability, and the mark of the draw: a digest of its keys, the seed and `key`.
    `table` is inserted as it is.

    Raises DataError: a dialect that is not known, or see `AuditStrata.sql`.

    Examples
    --------
    >>> import numpy as np
    >>> from multiloss_core.audit import ExpectedShares, draw_sql, plan_audit, score_strata
    >>> strata = score_strata([0.1, 0.2, 0.3, 0.9], [0.5], names=["model"], count=1)
    >>> plan = plan_audit(strata, [3], ExpectedShares(np.array([0.1]), np.array([0.2])), caught=1, budget=3)
    >>> print(draw_sql(plan, "documents", "id").partition("WHERE audit_place")[2][:40])
     <= CASE audit_stratum WHEN 0 THEN 3 END
    """
    sql = dialect_of(dialect)
    name, prefix = sql.name(key), f"{int(seed)}:"
    stratum = f"SELECT s.*, {plan.strata.sql(sql)} AS {STRATUM} FROM {table} s"
    places = f"row_number() OVER (PARTITION BY {STRATUM} ORDER BY md5(concat('{prefix}', {name})))"
    ranked = (
        f"SELECT t.*, {places} AS audit_place, count(*) OVER (PARTITION BY {STRATUM}) AS {SIZE} "
        f"FROM ({stratum}) t WHERE {STRATUM} IS NOT NULL"
    )
    wanted = " ".join(f"WHEN {i} THEN {n}" for i, n in enumerate(plan.allocation))
    ratings = f"CASE {STRATUM} {wanted} END"
    # A number with an exponent is exact enough in every engine; a decimal would be cut.
    share = f"least({ratings}, {SIZE}) * 1e0 / {SIZE}"
    # Mixed, so that an unfinished file is short of all strata alike.
    order = f"audit_place * 1e0 / least({ratings}, {SIZE}), {STRATUM}"
    drawn = f"SELECT d.*, {share} AS {PROBABILITY} FROM ({ranked}) d WHERE audit_place <= {ratings}"
    # No window function takes an order in all engines.
    each = f"md5(concat('{prefix}', {name}))"
    mark = f"concat((SELECT md5({sql.sorted_and_joined(each)}) FROM drawn), {sql.word(f' {int(seed)} {key}')})"
    marked = f"WITH drawn AS ({drawn}) SELECT e.*, {mark} AS {DRAW} FROM drawn e"
    # Connections answer statements that begin with SELECT.
    return f"SELECT * FROM ({marked}) f ORDER BY {order}"


def drawn_frame(plan: AuditPlan, frame: pd.DataFrame, key: str, *, seed: int = 0) -> pd.DataFrame:
    """Return the documents that `draw_sql` draws, with the same added columns. Time O(n log n).

    Raises DataError: the key or a score is missing, or a key is blank, repeated or neither a whole number nor text.
    """
    if key not in frame:
        raise DataError(f"The table has no column '{key}'; name the column that identifies documents.")
    column = frame[key]
    if column.isna().any():
        raise DataError(f"The key '{key}' is blank in row {first_row(column.isna().to_numpy())}; fill it in.")
    if not (pd.api.types.is_integer_dtype(column) or column.map(lambda value: isinstance(value, str | int)).all()):
        raise DataError(f"The key '{key}' must hold whole numbers or text, as other values differ between engines.")
    if column.duplicated().any():
        row = first_row(column.duplicated().to_numpy())
        raise DataError(f"The key '{key}' is repeated in row {row}; keep one row for each document.")
    strata = plan.strata.assign(audit_scores(frame, plan.strata.names, plan.strata.alert_rules))
    (rows,) = np.nonzero(strata >= 0)
    sums = _sums(column.iloc[rows], seed)
    rows = rows[np.argsort(np.array(sums, dtype=str), kind="stable")]
    drawn, sizes = strata[rows], np.bincount(strata[rows], minlength=plan.strata.count)
    ratings, places = np.minimum(plan.allocation, sizes), pd.Series(drawn).groupby(drawn).cumcount().to_numpy() + 1
    (kept,) = np.nonzero(places <= ratings[drawn])
    kept = kept[np.lexsort((drawn[kept], places[kept] / ratings[drawn[kept]]))]
    rows, drawn = rows[kept], drawn[kept]
    mark = draw_mark(column.iloc[rows], key, seed)
    added: dict[str, Any] = {STRATUM: drawn, SIZE: sizes[drawn], PROBABILITY: ratings[drawn] / sizes[drawn], DRAW: mark}
    return frame.iloc[rows].assign(**added)


def draw_mark(keys: Iterable[Any], key: str, seed: int) -> str:
    """Write the mark of a draw: a digest of its keys, the seed and the name of their column."""
    return f"{_md5(''.join(sorted(_sums(keys, seed))))} {int(seed)} {key}"


def _sums(keys: Iterable[Any], seed: int) -> list[str]:
    return [_md5(f"{int(seed)}:{value}") for value in keys]


def _md5(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def plan_json(plan: AuditPlan) -> str:
    """Write the file of a plan: strata, sizes, ratings, inclusion probabilities, expectations."""
    content = {
        "scores": list(plan.strata.names),
        "alert_rules": plan.strata.alert_rules,
        "floors": plan.strata.floors.tolist(),
        "edges": plan.strata.edges.tolist(),
        "blocks": [None if np.isinf(block) else float(block) for block in plan.strata.blocks],
        "caught": plan.caught,
        "known_missed": plan.known_missed,
        "expected_width": plan.width,
        "pessimistic_width": plan.pessimistic_width,
        "strata": [
            {
                STRATUM: number,
                "condition": plan.strata.labels[number],
                "documents": int(plan.sizes[number]),
                "ratings": int(plan.allocation[number]),
                PROBABILITY: float(plan.probabilities[number]),
                "expected_share": float(plan.expected.shares[number]),
                "pessimistic_share": float(plan.expected.pessimistic[number]),
            }
            for number in range(plan.strata.count)
        ],
        **({"draw": plan.draw} if plan.draw else {}),
        **({"counted_from": plan.counted_from} if plan.counted_from is not None else {}),
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def plan_from_json(text: str | bytes) -> AuditPlan:
    """Read the file of a plan; `plan_json` wrote it.

    Raises DataError: a file of more than 1 MB, that is no plan, or whose parts do not fit.
    """
    if len(text) > MAX_PLAN_BYTES:
        raise DataError("The file is too large for the plan of an audit; choose the one that was saved with the draw.")
    try:
        content = _loaded(text)
        scores, rows = content["scores"], content["strata"]
        blocks = [np.inf if block is None else float(block) for block in content["blocks"]]
        strata = AuditStrata(
            tuple(scores),
            np.array(content["floors"], dtype=np.float64),
            np.array(content["edges"], dtype=np.float64).reshape(-1, len(scores)),
            np.array(blocks),
            int(content["alert_rules"]),
        )
        each = {name: np.array([float(row[name]) for row in rows]) for name in ("documents", "ratings")}
        shares = [np.array([float(row[f"{kind}_share"]) for row in rows]) for kind in ("expected", "pessimistic")]
        numbers = [float(content[name]) for name in ("caught", "known_missed", "expected_width", "pessimistic_width")]
        sample = float(content["counted_from"]) if "counted_from" in content else None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError("The file is no plan of an audit; choose the one that was saved with the draw.") from None
    sizes, ratings = checked_sizes(strata, each["documents"]), checked_sizes(strata, each["ratings"])
    if (ratings > sizes).any() or len(shares[0]) != strata.count:
        raise DataError("The plan of the audit has more ratings than documents in a stratum; make the plan again.")
    plan = AuditPlan(
        strata=strata,
        sizes=sizes,
        expected=ExpectedShares(*shares),
        allocation=ratings,
        caught=numbers[0],
        known_missed=numbers[1],
        width=numbers[2],
        pessimistic_width=numbers[3],
        draw=str(content.get("draw", "")),
        counted_from=checked_sample(sizes, sample),
    )
    if not (min(numbers) >= 0 and max(numbers[2:]) <= 1):
        raise DataError("The counts and widths of the plan cannot be negative, nor its widths above 1; make it again.")
    # As text, in which "40", true and 40 differ.
    if json.dumps(content, sort_keys=True) != json.dumps(_loaded(plan_json(plan)), sort_keys=True):
        raise DataError(
            "The plan of the audit was changed after it was made: its parts do not fit; choose the file that was saved "
            "with the draw."
        )
    return plan


def with_plan(rows: pd.DataFrame, plan: AuditPlan) -> pd.DataFrame:
    """Return drawn rows with their plan in a further column."""
    compact = json.dumps(json.loads(plan_json(plan)), separators=(",", ":"), ensure_ascii=False)
    return rows.assign(**{PLAN: [compact, *[""] * (len(rows) - 1)][: len(rows)]})


def plan_of(frame: pd.DataFrame) -> AuditPlan | None:
    """Read the plan in a column of drawn rows, None without it. Raises DataError."""
    cells = frame[PLAN].dropna().astype(str).str.strip() if PLAN in frame else pd.Series(dtype=str)
    found = cells[cells != ""].unique()
    if len(found) > 1:
        raise DataError(f"'{PLAN}' holds {len(found)} plans; give the rows of one draw.")
    return plan_from_json(found[0].removeprefix("'")) if len(found) else None


def _loaded(text: str | bytes) -> Any:
    """Parse JSON with all numbers as floats. Raises ValueError: a name twice, NaN or infinity."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a name stands twice")
        return found

    def finite(word: str) -> float:
        value = float(word)
        if not np.isfinite(value):
            raise ValueError("a number is not finite")
        return value

    return json.loads(text, parse_int=finite, parse_float=finite, parse_constant=finite, object_pairs_hook=unique)
