"""Text files of any usual encoding as UTF-8, read in pieces."""

import codecs
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from multiloss_core.errors import DataError

BLOCK = 2**22
KEPT_IN_MEMORY = 2**24
_UTF_8_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x19\x1c-\x1f\x7f]")
_SAVE_AS = "save it as 'CSV UTF-8' or Parquet"


@dataclass(frozen=True, kw_only=True)
class Utf8File:
    """A file of UTF-8 text that begins at byte `start`.

    How many `lines` end in it, whether it `has_quotes`, around which cells may hold anything, and what was noticed.
    """

    file: BinaryIO
    start: int
    lines: int
    has_quotes: bool
    notes: tuple[str, ...] = ()


def as_utf8(file: BinaryIO, name: str, copies: ExitStack) -> Utf8File:
    """Read text in UTF-8 (with a mark or without), UTF-16 with a mark, or else Windows-1252.

    A copy in UTF-8, where one is made, lasts as long as `copies`.

    Raises DataError: binary data, or bytes that are letters in none of these; the sentence names the row.
    """
    file.seek(0)
    mark = file.read(3)
    if mark[:2] in _UTF_16_MARKS:
        return _rewritten(file, name, "utf-16", copies)
    start = 3 if mark == _UTF_8_MARK else 0
    file.seek(start)
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines, has_quotes = 0, False
    for position, block in _blocks(file, start):
        _require_text(block, lines, name, is_first=position == start)
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            return _not_utf_8(file, name, copies, start, lines + block[: max(error.start, 0)].count(b"\n"))
        lines += block.count(b"\n")
        has_quotes = has_quotes or b'"' in block
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _not_utf_8(file, name, copies, start, lines)
    return Utf8File(file=file, start=start, lines=lines, has_quotes=has_quotes)


def _blocks(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    position = start
    while block := file.read(BLOCK):
        yield position, block
        position += len(block)


def _require_text(block: bytes, lines: int, name: str, *, is_first: bool) -> None:
    if b"\0" in block:
        where = _place(lines + block[: block.index(b"\0")].count(b"\n"))
        raise DataError(f"'{name}' is not a table: {where} holds binary data; {_SAVE_AS}.")
    if is_first:
        beginning = block[:65_536]
        if len(_CONTROLS.findall(beginning)) > len(beginning) / 100:
            raise DataError(f"'{name}' is not a table: it holds binary data; {_SAVE_AS}.")


def _not_utf_8(file: BinaryIO, name: str, copies: ExitStack, start: int, line: int) -> Utf8File:
    """Read Windows-1252, as of Western European Excel, unless most bytes are UTF-8."""
    if _is_mostly_utf_8(file, start):
        raise _no_letter(name, line)
    return _rewritten(file, name, "cp1252", copies)


def _is_mostly_utf_8(file: BinaryIO, start: int) -> bool:
    file.seek(start)
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    letters = wrong = 0
    for _, block in _blocks(file, start):
        text = decoder.decode(block)
        wrong += text.count("\ufffd")
        letters += sum(map(len, re.findall(r"[^\x00-\x7f\ufffd]+", text)))
    return letters > wrong


def _rewritten(file: BinaryIO, name: str, encoding: str, copies: ExitStack) -> Utf8File:
    target = copy_in(copies)
    decoder = codecs.getincrementaldecoder(encoding)()
    file.seek(0)
    lines = 0
    block = b"\n"
    while block:
        block = file.read(BLOCK)
        try:
            text = decoder.decode(block, final=not block)
            encoded = text.removeprefix("\ufeff").encode() if not target.tell() else text.encode()
        except UnicodeError as error:
            bad = block[: error.start] if isinstance(error, UnicodeDecodeError) else b""
            raise _no_letter(name, lines + bad.count(b"\n")) from None
        _require_text(encoded, lines, name, is_first=not target.tell())
        lines += encoded.count(b"\n")
        target.write(encoded)
    notes = ("It is no UTF-8 text, so it was read as Windows-1252, as Excel writes it in Western Europe.",)
    return Utf8File(file=target, start=0, lines=lines, has_quotes=True, notes=notes if encoding == "cp1252" else ())


def copy_in(copies: ExitStack) -> BinaryIO:
    """Open a temporary file that lasts as long as `copies`."""
    return copies.enter_context(cast(BinaryIO, SpooledTemporaryFile(KEPT_IN_MEMORY)))


def _no_letter(name: str, line: int) -> DataError:
    return DataError(f"'{name}' is not a UTF-8 text file: {_place(line)} holds a byte that is no letter; {_SAVE_AS}.")


def _place(line: int) -> str:
    return f"row {line:,}" if line else "the header"
