"""Generate hostile files, each with a name of its defect."""

import io
import json
import struct
import zipfile
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from tests.tables.reading.workbooks import MAIN, archive, workbook

MUTATIONS = 70
CONTROLS = [chr(code) for code in (*range(1, 32), 127, 0x85, 0xA0, 0x200B, 0x200E, 0x202E, 0x2028, 0xFEFF, 0xFFFD)]

NUMBERS = ("nan", "NaN", "inf", "-inf", "1e400", "-1e400", "1e-400", "9" * 400, "0x10", "1_0", "١٢", "½", "1e", "--")


def frame(rows=60):
    """A table as they are usually uploaded."""
    generator = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "case": [f"{number:08d}" for number in range(rows)],
            "score": generator.random(rows).round(4),
            "amount": (1000 * generator.random(rows)).round(2),
            "created": pd.date_range("2026-03-14", periods=rows, freq="h").astype(str),
            "country": generator.choice(["NA", "GB", "DE"], rows),
            "rating": generator.choice(["fraud", "ok", "pending"], rows),
        }
    )


def parquet_of(table, **options):
    stream = io.BytesIO()
    parquet.write_table(table, stream, **options)
    return stream.getvalue()


def csv_of(rows=60, **options):
    return frame(rows).to_csv(index=False, **options).encode()


def xlsx_of(rows=60):
    table = frame(rows)
    return workbook({"Alerts": [list(table.columns), *table.to_numpy().tolist()]})


def mutated() -> Iterator[tuple[str, bytes]]:
    """Usual files of each kind, with bytes changed, left out, doubled or moved."""
    originals = {
        "csv": csv_of(),
        "german": csv_of(sep=";", decimal=","),
        "parquet": parquet_of(pa.Table.from_pandas(frame())),
        "parquet pages": parquet_of(pa.Table.from_pandas(frame(400)), data_page_size=256, data_page_version="2.0"),
        "xlsx": xlsx_of(),
    }
    for kind, data in originals.items():
        for seed in range(MUTATIONS):
            generator = np.random.default_rng([seed, len(data)])
            changed = bytearray(data)
            for _ in range(int(generator.integers(1, 6))):
                place, length = int(generator.integers(len(changed))), int(generator.integers(1, 40))
                match int(generator.integers(5)):
                    case 0:
                        changed[place] = int(generator.integers(256))
                    case 1:
                        del changed[place : place + length]
                    case 2:
                        changed[place:place] = changed[place : place + length]
                    case 3:
                        changed[place : place + length] = generator.bytes(min(length, len(changed) - place))
                    case 4:
                        changed[place:place] = generator.choice([b'"', b"\n", b";", b",", b"\0", b"\xff", b"\r"])
            yield f"{kind}, changed by seed {seed}", bytes(changed)
        for part in (1, 5, 50, 99):
            yield f"{kind}, the first {part} %", data[: len(data) * part // 100]


def odd_texts() -> Iterator[tuple[str, bytes]]:
    """Text files of strange cells, headers and encodings."""
    for letter in CONTROLS:
        yield f"cells with {letter!r}", f"score,rating\n0.5,a{letter}b\n{letter}0.25,ok\n".encode()
        yield f"names with {letter!r}", f"sc{letter}ore,{letter}\n0.5,a\n0.25,ok\n".encode()
    for number in NUMBERS:
        rows, usual = f"{number},fraud\n", "0.5,fraud\n0.25,ok\n"
        yield f"nothing but {number[:12]}", f"score,rating\n{50 * rows}".encode()
        yield f"a {number[:12]} among numbers", f"score,rating\n{50 * usual}{rows}".encode()
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "cp1252", "cp437", "shift_jis", "gb18030"):
        yield encoding, "Größe,score,rating\nä,0.5,fraud\nö,0.25,ok\n".encode(encoding, "replace")
    yield "half characters", b"a,b\n\xed\xa0\x80,1\n\xed\xb0\x80,2\n"
    yield "quotes only", b'"' * 5000
    yield "one quote", b'score,rating\n"0.5,fraud\n' + b"0.25,ok\n" * 2000
    yield "separators of all kinds", b"a,b;c\td|e\n" * 100
    yield "only separators", b",\n" * 1000
    yield "line ends", b"\r\n" * 1000
    yield "a line end in a name", b'"a\nb",c\n1,2\n'
    yield "sep alone", b"sep=;\n"
    yield "sep twice", b"sep=;\nsep=,\na;b\n1;2\n"
    yield "titles alone", b"Report\n\nMarch\n" * 30
    yield "names of numbers", b"1,2,3\n0.1,0.2,x\n"
    yield "the same name 400 times", b",".join([b"a"] * 400) + b"\n" + b",".join([b"1"] * 400)
    yield "JSON", json.dumps([{"score": 0.5, "rating": "ok"}] * 40).encode()
    yield "JSON lines", b'{"score": 0.5, "rating": "ok"}\n' * 40
    yield "deep JSON", b"[" * 100_000
    yield "HTML", b"<html><table>" + b"<tr><td>1</td></tr>" * 50
    yield "formulas", b'score,rating\n0.5,"=HYPERLINK(""http://x"")"\n0.25,@SUM(A1)\n' * 5
    yield "counts of nothing", b"T1,TP,FP\n0,0,0\n1,0,0\n"
    yield "counts without order", b"T1,TP,FP\n0,1e308,1e308\n1,1e308,nan\n"


def odd_parquets() -> Iterator[tuple[str, bytes]]:
    """Parquet files with foreign notes, names, types and values."""
    table = pa.table({"score": [0.5, 0.25, 0.75], "rating": ["fraud", "ok", "fraud"]})
    good = json.loads(pa.Table.from_pandas(frame(3)).schema.metadata[b"pandas"])
    notes = [b"", b"{", b"[]", b"null", b"3", b'"x"', b"\xff\xfe", b"{}", b'{"columns": null}', b"[" * 5000]
    for key in good:
        for value in (None, 3, "x", [], {}, [{}], [None], ["gone"], [{"kind": "range"}]):
            notes.append(json.dumps(good | {key: value}).encode())
    for place, note in enumerate(notes):
        yield f"note {place} for pandas", parquet_of(table.replace_schema_metadata({b"pandas": note}))
    for names in (("0", "1"), ("0.5", "1.5"), ("('a', 1)", "('b', 2)"), ("__index_level_0__", "__index_level_1__")):
        yield f"names {names}", parquet_of(table.rename_columns(list(names)))
    columns = {
        "binary": pa.array([b"\xff" * 99, b"", None]),
        "fixed": pa.array([b"ab", b"cd", None], pa.binary(2)),
        "years": pa.array([200_000_000, -200_000_000, None], pa.date32()),
        "seconds": pa.array([2**62, -(2**62), None], pa.timestamp("ms")),
        "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
        "decimals": pa.array([None, None, None], pa.decimal256(70, 10)),
        "floods": pa.array([float("nan"), float("inf"), None]),
        "lists": pa.array([[1], [], None]),
        "deep": pa.array([[[[[1]]]], None, []]),
        "records": pa.array([{"a": 1}, None, {"a": None}]),
        "maps": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
        "nulls": pa.nulls(3),
        "durations": pa.array([1, 2, None], pa.duration("s")),
        "views": pa.array(["a", None, "c"], pa.string_view()),
        "words": pa.array(["a", None, "\0"]).dictionary_encode(),
    }
    for name, column in columns.items():
        yield f"a column of {name}", parquet_of(table.append_column(name, column))
        yield f"nothing but {name}", parquet_of(pa.table({name: column}))
    yield "a name of nothing", parquet_of(pa.table({"": [0.5], " ": ["x"]}))
    yield "a name with a point", parquet_of(pa.table({"a": [{"b": 1}], "a.b": [0.5], "c": ["x"]}))
    yield "no columns", parquet_of(pa.table({}))
    yield "no rows", parquet_of(table.slice(0, 0))
    data = parquet_of(table)
    for length in (0, 1, 2**31 - 1, 2**32 - 1):
        yield f"a footer of {length}", data[:-8] + struct.pack("<I", length) + b"PAR1"


def odd_workbooks() -> Iterator[tuple[str, bytes]]:
    """Workbooks that are damaged, empty or refer to nothing."""
    start = f'<worksheet xmlns="{MAIN}"><sheetData>'
    name = '<row r="1"><c r="A1" t="str"><v>a</v></c></row>'
    bodies = {
        "nothing": "",
        "no end": '<row r="1"><c r="A1"><v>1',
        "wrong numbers": '<row r="x"><c r="1A"><v>1</v></c></row>',
        "row zero": '<row r="0"><c r="A0"><v>1</v></c></row>',
        "strings that are not there": '<row r="1"><c r="A1" t="s"><v>99</v></c></row><row r="2"/>',
        "styles that are not there": '<row r="1"><c r="A1" s="99"><v>1</v></c></row>',
        "backwards": '<row r="9"><c r="B9"><v>1</v></c></row><row r="1"><c r="A1"><v>2</v></c></row>',
        "entities": "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "errors": '<row r="1"><c r="A1" t="e"><v>#N/A</v></c><c r="B1" t="str"><v>b</v></c></row>' * 2,
        "large numbers": f'{name}<row r="2"><c r="A2"><v>1e999</v></c></row>',
        "dates before time": f'{name}<row r="2"><c r="A2" s="1"><v>-9e9</v></c></row>',
    }
    for name, body in bodies.items():
        yield f"a sheet of {name}", archive({"a": f"{start}{body}</sheetData></worksheet>"})
    yield "no sheets", archive({})
    yield "a sheet of no XML", archive({"a": "\0\1\2"})
    yield "stored", workbook({"a": [["a", "b"], [0.5, 1]]}, compression=zipfile.ZIP_STORED)
    yield "packed in another way", workbook({"a": [["a", "b"], [0.5, 1]]}, compression=zipfile.ZIP_LZMA)


def _repeated(words, rows):
    codes = pa.array(np.arange(rows) % len(words), pa.int32())
    return {"score": pa.array(np.linspace(0, 1, rows)), "word": pa.DictionaryArray.from_arrays(codes, words)}


def _two_words(rows, kind):
    return parquet_of(pa.table(_repeated(pa.array(["a" * 2**20, "b" * 2**20]).cast(kind), rows)))


def _eight_words():
    return parquet_of(pa.table(_repeated(pa.array([letter * 32_000 for letter in "abcdefgh"]), 400_000)))


def _long_texts():
    texts = pa.array([chr(97 + place % 26) * 2**20 for place in range(700)])
    return parquet_of(pa.table({"word": texts}), compression="zstd", use_dictionary=False)


def _wide_text():
    names = b",".join(b"c%d" % place for place in range(50_000))
    return names + b"\n" + b"1," * 49_999 + b"1\n"


def _sheet(content):
    return archive({"a": f'<worksheet xmlns="{MAIN}"><sheetData>{content}</sheetData></worksheet>'})


# Small files that ask for much memory or time.
BOMBS = {
    "two words of a megabyte in 2,500 rows": lambda: _two_words(2_500, pa.string()),
    "two words of a megabyte in 20,000 rows": lambda: _two_words(20_000, pa.string()),
    "two blobs of a megabyte in 20,000 rows": lambda: _two_words(20_000, pa.binary()),
    "eight words of 32,000 letters in 400,000 rows": _eight_words,
    "700 texts of a megabyte": _long_texts,
    "50,000 columns": lambda: parquet_of(pa.table({f"c{place}": [0.5] for place in range(50_000)})),
    "50,000 columns of text": _wide_text,
    "40 MB of commas": lambda: b"," * (40 * 2**20),
    "a cell of 40 MB": lambda: b"score,rating\n0.5," + b"x" * (40 * 2**20) + b"\n",
    "5,000,001 rows": lambda: parquet_of(pa.table({"a": pa.array(np.zeros(5_000_001, np.int8))})),
    "400 MB of blanks in a workbook": lambda: _sheet(" " * (400 * 2**20)),
    "a cell far away": lambda: _sheet(
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    ),
}
