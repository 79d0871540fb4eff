"""On the pages, a hostile file is a sentence, and what was loaded before is still there."""

import pyarrow as pa
import pytest

from tests.hostile import files
from tests.pages.rated_data.steps import GOOD, csv_of, only_error, rated_frame, upload
from tests.pages.steps import opened, run

FOREIGN = {b"pandas": b'{"index_columns": ["gone"], "columns": 3}'}


@pytest.mark.slow
def test_what_was_loaded_is_still_there_after_each():
    app = opened("rated_data")
    upload(app, csv_of(rated_frame()), GOOD)
    assert not app.error
    for name in ("two words of a megabyte in 20,000 rows", "50,000 columns of text", "a cell far away"):
        upload(app, files.BOMBS[name](), "bad.parquet")
        assert "'bad" in only_error(app) or "Column 'word'" in only_error(app)
        assert app.selectbox(key="data").value == GOOD
    table = pa.Table.from_pandas(rated_frame()).replace_schema_metadata(FOREIGN)
    upload(app, files.parquet_of(table), "foreign.parquet")
    assert not app.error
    assert app.selectbox(key="data").value == "foreign.parquet"
    run(app.selectbox(key="data").select(GOOD))
    assert not app.error
