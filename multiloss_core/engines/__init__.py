"""Count rated documents in their engine; only cells and counts are fetched.

A query is one SELECT (`write_queries`) in the dialect of an engine (`sql_dialects`), answered by DuckDB in this
process, by a Spark cluster or by a PostgreSQL database (`backends`), and checked by `run_queries`. `load_sample`
decides whether rows are fetched or counted, `read_rated_source` does so for a file, `count_documents` counts them;
from the cells on, everything is as for documents in memory. `count_along` counts all points of a path by day, segment
or part of groups, for look-ups.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
