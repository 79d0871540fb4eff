"""Share hypothesis profiles, markers and the folder of real rated files among all tests."""

import gc
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.engines.spark_cluster import spark_cluster  # noqa: F401
from tests.postgres import postgres_database, postgres_server  # noqa: F401

# Each core has a worker: several threads of BLAS in each would wait for one another. NumPy reads it when imported.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

TESTS = Path(__file__).resolve().parent
# Folders and files whose tests run pages, servers, engines or long simulations.
SLOW = (
    *("pages", "hostile", "tables/exports", "command_line", "engines", "experiments", "deployment"),
    *(
        "decisions/test_audit.py",
        "decisions/test_kills.py",
        "decisions/test_log_files.py",
        "combined/test_forms.py",
        "decisions/test_stored_decisions.py",
    ),
    *(
        "decisions/test_table_code.py",
        "tables/test_sandbox.py",
        "server/test_queue.py",
        "server/test_workers.py",
        "server/test_running_server.py",
    ),
)
SLOW_FOLDERS = tuple(f"{place}/" for place in SLOW)
# Tests that ask one Spark cluster have the word in their names or parameters, but for this file's.
SPARK = "spark"
SPARK_FILE = "tests/browser/test_connected_sources.py"
APART = ("tests/test_benchmarks.py", "tests/test_notebooks.py")

# The same examples in every run; `--hypothesis-profile=explore` looks for new ones, for example at night.
settings.register_profile(
    "multiloss", deadline=None, derandomize=True, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("multiloss"), derandomize=False, max_examples=1000)
settings.register_profile("fast", settings.get_profile("multiloss"), max_examples=5)
settings.load_profile("multiloss")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files whose tests are all deselected, as importing them is slow."""
    place = collection_path.relative_to(TESTS.parent).as_posix().removeprefix("tests/")
    left_out = (("not slow", SLOW), ("not browser", ("browser",)))
    is_left_out = any(words in config.option.markexpr and place in folders for words, folders in left_out)
    return True if is_left_out else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run one process more than there are cores, as journeys often wait for a browser."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Assign tests that need Spark to one process with one cluster, some tests one by one."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if _asks_spark(nodeid):
                return SPARK
            file = super()._split_scope(nodeid)
            # Long tests that share nothing are dealt out one by one.
            return nodeid if file in APART else file

    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Mark tests that run pages or samples, drive a browser or need a server.

    What asks the Spark cluster comes after all other journeys, which would have to share two cores with it.
    """
    items.sort(key=lambda item: "tests/engines/" if _asks_spark(item.nodeid) else _file(item))
    for item in items:
        place = f"{_file(item).removeprefix('tests/')}/"
        if place.startswith("browser/"):
            item.add_marker(pytest.mark.browser)
        if place.startswith(SLOW_FOLDERS):
            item.add_marker(pytest.mark.slow)
        given = item.callspec.params.values() if hasattr(item, "callspec") else ()
        # Other parameters, such as tables, cannot be compared with a word.
        engines = {value for value in given if isinstance(value, str)}
        if "postgres_database" in item.fixturenames or "postgresql" in engines:
            item.add_marker(pytest.mark.database)
        if "spark_cluster" in item.fixturenames or SPARK in engines:
            item.add_marker(pytest.mark.spark)
            assert _asks_spark(item.nodeid), f"{item.nodeid} needs a name with '{SPARK}'."


def _asks_spark(nodeid: str) -> bool:
    return SPARK in nodeid or nodeid.startswith(SPARK_FILE)


def _file(item: pytest.Function) -> str:
    return item.path.relative_to(TESTS.parent).as_posix()


def pytest_collection_finish() -> None:
    """Freeze imported objects, as Streamlit collects garbage after each run of a page."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A test that is skipped on a user's machine must run in CI."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def rated_folder() -> Path:
    folder = TESTS.parents[1] / "shared/data/rated"
    if not folder.is_dir():
        pytest.skip("The folder shared/data/rated with the public rated files is not beside the checkout.")
    return folder


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("No Node.js was found, so the browser's modules were not tried: apt-get install nodejs (Debian).")
    return found
