"""Take the documents that scores raised, without alert rules."""

from multiloss_core.errors import DataError
from multiloss_core.thresholds.data.rated_counts import RatedCounts
from multiloss_core.thresholds.data.rated_documents import RatedDocuments


def without_alert_rules(source: RatedDocuments | RatedCounts) -> RatedDocuments | RatedCounts:
    """Keep the documents at or above the floor of some score, and their scores alone.

    They may be of one class.

    Raises DataError: there are none, or a score is the same in all of them.
    """
    if isinstance(source, RatedCounts):
        return source.without_alert_rules
    documents, scored = source, source.score_count
    kept = (documents.scores[:, :scored] >= documents.floors[:scored]).any(axis=1)
    if not kept.any():
        raise DataError("No document reaches the floor of a score: rules raised all of them; lower a floor.")
    return RatedDocuments(
        documents.scores[kept, :scored],
        documents.labels[kept],
        documents.weights[kept],
        documents.names[:scored],
        documents.floors[:scored].tolist(),
        groups=None if documents.groups is None else documents.groups[kept],
        rows=documents.rows[kept],
        one_class=True,
    )
