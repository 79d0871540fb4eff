"""Write an export with the separators, encodings and title lines of real systems."""

import io
import zipfile
from dataclasses import dataclass
from xml.sax.saxutils import escape

import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Dialect:
    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    above: str = ""
    quoted: bool = False
    euros: bool = False


DIALECTS = {
    "plain": Dialect(),
    "german Excel": Dialect(separator=";", decimal=",", encoding="cp1252"),
    "german Excel, UTF-8": Dialect(separator=";", decimal=",", encoding="utf-8-sig"),
    "named separator": Dialect(separator=";", decimal=",", above="sep=;\n"),
    "tabs": Dialect(separator="\t"),
    "bars": Dialect(separator="|"),
    "UTF-16": Dialect(separator="\t", decimal=",", encoding="utf-16"),
    "quoted decimals": Dialect(decimal=",", quoted=True),
    "titled": Dialect(above="Alerts of the quarter\nMade by the export of the case system\n\n"),
    "money with its sign": Dialect(euros=True),
    "xlsx": None,
}


def written(frame, dialect):
    """The bytes of a file."""
    if dialect is None:
        return _xlsx(frame)
    lines = [dialect.separator.join(_quoted(str(name), dialect) for name in frame.columns)]
    columns = [[_cell(value, name, dialect) for value in frame[name].tolist()] for name in frame.columns]
    lines += [dialect.separator.join(cells) for cells in zip(*columns, strict=True)]
    return (dialect.above + "\n".join(lines) + "\n").encode(dialect.encoding, "replace")


def _cell(value, name, dialect):
    if pd.isna(value):
        return ""
    if isinstance(value, float):
        sign = "€" if dialect.euros and "amount" in str(name).lower() else ""
        return _quoted(sign + repr(value).replace(".", dialect.decimal), dialect)
    return _quoted(str(value), dialect)


def _quoted(text, dialect):
    return f'"{text}"' if dialect.quoted or dialect.separator in text else text


def _xlsx(frame):
    def cell(value):
        if pd.isna(value):
            return "<c/>"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return f"<c><v>{value}</v></c>"
        return f'<c t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'

    rows = [frame.columns.tolist(), *zip(*(frame[name].tolist() for name in frame.columns), strict=True)]
    sheet = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="Alerts" sheetId="1" '
        'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>',
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return stream.getvalue()
