"""Excel workbooks for tests, written by hand: cells by their types, and archives that lie."""

import io
import zipfile
from datetime import datetime
from xml.sax.saxutils import escape

TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
EXCEL_EPOCH = datetime(1899, 12, 30)


def workbook(sheets, *, hidden=(), compression=zipfile.ZIP_DEFLATED):
    """The bytes of a workbook, given rows of cells by the names of its sheets."""
    return archive({name: sheet(rows) for name, rows in sheets.items()}, hidden=hidden, compression=compression)


def archive(sheets, *, hidden=(), compression=zipfile.ZIP_DEFLATED):
    """The bytes of a workbook, given the XML of its sheets by their names."""
    numbers, hides = range(1, len(sheets) + 1), ' state="hidden"'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{TYPES}.styles+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{TYPES}.worksheet+xml"/>' for n in numbers
        )
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
        + "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="s{n}"{hides if name in hidden else ""}/>'
            for n, name in zip(numbers, sheets, strict=True)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="s{n}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
        )
        + f'<Relationship Id="styles" Type="{RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/>'
        '<xf numFmtId="22"/></cellXfs></styleSheet>',
    } | {f"xl/worksheets/sheet{n}.xml": xml for n, xml in zip(numbers, sheets.values(), strict=True)}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as file:
        for name, xml in parts.items():
            file.writestr(name, xml)
    return stream.getvalue()


def sheet(rows):
    """The XML of a sheet."""
    lines = []
    for number, cells in enumerate(rows, 1):
        written = "".join(_cell(f"{_letters(place)}{number}", value) for place, value in enumerate(cells))
        lines.append(f'<row r="{number}">{written}</row>')
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(place, value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    if isinstance(value, datetime):
        return f'<c r="{place}" s="1"><v>{(value - EXCEL_EPOCH).total_seconds() / 86_400!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def _letters(place):
    letters = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, 26)
        letters = chr(65 + digit) + letters
    return letters
