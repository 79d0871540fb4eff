"""Test sheets, lines, repeated rows, names with commas and encodings on the command line."""

import gzip
import json

import pytest

from tests.command_line.conftest import chosen, complaint, rated_month, run
from tests.tables.reading.workbooks import workbook

TARGET = ("--marginal-precision", ".2")


@pytest.fixture
def decided(tmp_path):
    """Give a function that chooses thresholds for a source and returns the record."""

    def decide(source, *options):
        result = run("choose", source, *TARGET, *options, "--output", tmp_path / "out")
        assert result.exit_code == 0, result.output
        path, content = chosen(tmp_path / "out")
        path.unlink()
        return content

    return decide


def small(rows=600):
    return rated_month().iloc[:rows].drop(columns="created_at").assign(case=[f"K{row}" for row in range(rows)])


def rows_of(frame):
    return [list(frame.columns), *frame.to_numpy().tolist()]


def test_sheet_of_a_workbook_is_the_table(tmp_path, decided):
    frame, other = small(), small().iloc[:400]
    path = tmp_path / "months.xlsx"
    path.write_bytes(workbook({"May": rows_of(frame), "June": rows_of(other)}))
    assert decided(path)["data"]["funnel"]["read"] == 600
    june = decided(path, "--table", "June")
    assert june["data"]["funnel"]["read"] == 400
    assert june["data"]["fingerprint"] != decided(path)["data"]["fingerprint"]
    assert "'July'" in complaint(run("choose", path, *TARGET, "--table", "July"))


def test_lines_and_repeats_are_left_out(tmp_path, decided):
    frame = small()
    path = tmp_path / "alerts.csv"
    text = frame.to_csv(index=False) + frame.iloc[:50].to_csv(index=False, header=False)
    path.write_text("a,b,c,d\n1,2,3,4\n" + text + "made by,robot,1,2,3,4,5\n")
    lines = ("--header-line", "3", "--skip-last", "1")
    plain = decided(path, *lines)
    assert plain["data"]["funnel"]["read"] == 650
    once = decided(path, *lines, "--leave-out-repeats")
    assert once["data"]["funnel"]["read"] == 600
    assert once["data"]["fingerprint"] != plain["data"]["fingerprint"]


def test_watch_reads_the_named_sheet(tmp_path, decided):
    path = tmp_path / "months.xlsx"
    path.write_bytes(workbook({"About": [["a", "b"], [1, 2]], "May": rows_of(small())}))
    run("choose", path, *TARGET, "--table", "May", "--output", tmp_path / "kept")
    record, _ = chosen(tmp_path / "kept")
    assert run("watch", record, path, "--table", "May").exit_code == 0
    assert run("watch", record, path).exit_code == 2


@pytest.mark.parametrize(
    "given",
    [["--scores", "a, raw", "--scores", "b, raw"], ["--scores", "b, raw, a, raw"]],
)
def test_names_with_commas_are_scores(tmp_path, decided, given):
    names = {"model a": "a, raw", "model b": "b, raw"}
    small().rename(columns=names).to_csv(path := tmp_path / "alerts.csv", index=False)
    assert set(decided(path, *given)["columns"]["scores"]) == set(names.values())


@pytest.mark.parametrize("kind", ["csv", "xlsx", "folder"])
def test_numbers_that_can_be_read_in_two_ways_are_asked_about(tmp_path, decided, kind):
    frame = small()[["case", "model a", "verdict"]]
    frame["model a"] = [f"{1_000 + int(8_000 * score):,}" for score in frame["model a"]]
    path = tmp_path / "alerts"
    if kind == "folder":
        path.mkdir()
        frame.to_csv(path / "may.csv", index=False)
    else:
        path = path.with_suffix(f".{kind}")
        path.write_bytes(workbook({"a": rows_of(frame)}) if kind == "xlsx" else frame.to_csv(index=False).encode())
    sentence = complaint(run("choose", path, *TARGET))
    assert "'model a'" in sentence
    assert "--decimal" in sentence
    assert decided(path, "--decimal", ".", "--floor-method", "corner")["data"]["funnel"]["read"] == 600


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_folder_is_read_as_its_file(tmp_path, decided, encoding):
    frame = small()
    frame["verdict"] = frame["verdict"].replace("genuine", "kein Betrüger")
    lines = frame.to_csv(index=False, sep=";").splitlines()
    lines[8] = lines[8].rpartition(";")[0]
    total = f"{frame['model a'].sum():.4f};{frame['model b'].sum():.4f};;Total"
    (tmp_path / "alerts").mkdir()
    path = tmp_path / "alerts" / "may.csv"
    path.write_bytes("\n".join([*lines, total]).encode(encoding))
    words = ("--positive", "fraud", "--negative", "kein Betrüger")
    of_file, of_folder = decided(path, *words), decided(path.parent, *words)
    for part in ("thresholds", "expected", "columns"):
        assert of_folder[part] == of_file[part]
    assert of_folder["data"]["funnel"] == of_file["data"]["funnel"]


def test_packed_text_is_read(tmp_path, decided):
    frame = small()
    frame.to_csv(tmp_path / "alerts.csv", index=False)
    frame.to_csv(tmp_path / "alerts.csv.gz", index=False)
    frame.to_csv(tmp_path / "alerts.tsv.gz", index=False, sep="\t")
    plain = decided(tmp_path / "alerts.csv")
    for name in ("alerts.csv.gz", "alerts.tsv.gz"):
        assert decided(tmp_path / name)["expected"] == plain["expected"]


def test_packed_folder_is_read_as_its_file(tmp_path, decided):
    frame, folder = small(), tmp_path / "alerts"
    folder.mkdir()
    frame.to_csv(tmp_path / "alerts.csv", index=False)
    frame[:300].to_csv(folder / "1.csv.gz", index=False)
    frame[300:].to_csv(folder / "2.csv.gz", index=False)
    assert decided(folder)["expected"] == decided(tmp_path / "alerts.csv")["expected"]


@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8b damaged", gzip.compress(gzip.compress(b"a,b\n1,2\n")), gzip.compress(b"")],
    ids=["damaged", "twice", "empty"],
)
def test_packed_file_that_is_no_table_is_refused(tmp_path, content):
    path = tmp_path / "alerts.csv.gz"
    path.write_bytes(content)
    assert "alerts.csv.gz" in complaint(run("choose", path, "--marginal-precision", ".2", "--output", tmp_path / "out"))


def test_other_kind_in_a_folder_is_not_ignored(tmp_path):
    folder = tmp_path / "alerts"
    (folder / "mixed").mkdir(parents=True)
    frame = small()
    frame.to_parquet(folder / "old.parquet")
    frame.to_csv(folder / "new.csv", index=False)
    frame.to_parquet(folder / "mixed" / "1.parquet")
    frame.to_csv(folder / "mixed" / "2.csv", index=False)
    given = ["choose", folder, "--marginal-precision", ".2", "--output", tmp_path / "out"]
    assert "'new.csv', 'old.parquet', 'mixed'" in complaint(run(*given))
    assert "holds CSV and Parquet files" in complaint(run(*given, "--table", "mixed"))


def test_written_files_are_no_tables(tmp_path, decided):
    folder = tmp_path / "alerts"
    folder.mkdir()
    small().to_csv(folder / "new.csv", index=False)
    given = ["choose", folder, "--marginal-precision", ".2", "--floor-method", "corner", "--output"]
    for output in (folder, folder / "decided"):
        assert run(*given, output).exit_code == 0
    assert run(*given, tmp_path / "again").exit_code == 0


def test_json_goes_to_the_output(tmp_path):
    small().to_csv(tmp_path / "alerts.csv", index=False)
    assert run("choose", tmp_path / "alerts.csv", *TARGET, "--output", tmp_path / "out").exit_code == 0
    record, _ = chosen(tmp_path / "out")
    result = run("watch", record, tmp_path / "alerts.csv", "--json", "-")
    assert json.loads(result.stdout)["data"]["source"] == "alerts.csv"
    assert "now observed" in result.stderr
