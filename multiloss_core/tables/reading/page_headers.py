"""How much the pages of a Parquet file unpack to, told by their own headers.

The file's footer says so as well, but nothing in the file depends on what it says there. A page whose header promises
too little cannot be unpacked.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

# From the definition of the format: Thrift's compact protocol, `PageHeader` in parquet.thrift.
_UNPACKED, _PACKED = 2, 3
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
_DEEPEST = 8
_WINDOWS = (256, 2**16, 2**24)


class BrokenPageError(ValueError):
    """A header that cannot be read."""


def unpacked_sizes(file: BinaryIO, start: int, size: int) -> Iterator[int]:
    """Give the unpacked size of each page in the `size` bytes of a column chunk that begins at `start`.

    Raises
    ------
    BrokenPageError : something there is no header of a page.
    """
    position = start
    while position < start + size:
        header = _header(file, position)
        if not 0 <= header.packed <= size or header.unpacked < 0:
            raise BrokenPageError
        yield header.unpacked
        position += header.length + header.packed


@dataclass(frozen=True, kw_only=True)
class _Header:
    unpacked: int
    packed: int
    length: int


def _header(file: BinaryIO, position: int) -> _Header:
    """Read one header: most are short, but they may hold the least and the largest text of the page."""
    for window in _WINDOWS:
        file.seek(position)
        reader = _Reader(file.read(window))
        try:
            fields = reader.integers()
        except IndexError:
            continue
        if _UNPACKED in fields and _PACKED in fields:
            return _Header(unpacked=fields[_UNPACKED], packed=fields[_PACKED], length=reader.position)
        break
    raise BrokenPageError


class _Reader:
    """Reads one struct from the beginning of some bytes; IndexError where they end too early."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def integers(self) -> dict[int, int]:
        """Read the integers among the fields of a struct by their numbers; all others are passed over."""
        found: dict[int, int] = {}
        for number, kind in self._fields():
            if kind in _INTEGERS:
                value = self._varint()
                found[number] = value >> 1 ^ -(value & 1)
            else:
                self._pass_over(kind, 0)
        return found

    def _fields(self) -> Iterator[tuple[int, int]]:
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            if step:
                number += step
            else:
                value = self._varint()
                number = value >> 1 ^ -(value & 1)
            yield number, kind

    def _pass_over(self, kind: int, depth: int, *, in_list: bool = False) -> None:
        if depth > _DEEPEST:
            raise BrokenPageError
        if kind in (_TRUE, _FALSE):
            self.position += in_list
        elif kind == _BYTE:
            self.position += 1
        elif kind in _INTEGERS:
            self._varint()
        elif kind == _DOUBLE:
            self.position += 8
        elif kind == _BINARY:
            length = self._varint()
            self.position += length
        elif kind in (_LIST, _SET):
            head = self._byte()
            count = self._varint() if head >> 4 == 15 else head >> 4
            self._pass_over_all([head & 15], count, depth)
        elif kind == _MAP:
            count = self._varint()
            head = self._byte() if count else 0
            self._pass_over_all([head >> 4, head & 15], count, depth)
        elif kind == _STRUCT:
            for _, inner in self._fields():
                self._pass_over(inner, depth + 1)
        else:
            raise BrokenPageError

    def _pass_over_all(self, kinds: list[int], count: int, depth: int) -> None:
        for _ in range(count):
            if self.position > len(self.data):
                raise IndexError
            for kind in kinds:
                self._pass_over(kind, depth + 1, in_list=True)

    def _byte(self) -> int:
        value = self.data[self.position]
        self.position += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while True:
            part = self._byte()
            value |= (part & 0x7F) << shift
            shift += 7
            if part < 0x80:
                return value
            if shift > 70:
                raise BrokenPageError
