"""How two processes of the program tell each other values: large arrays lie in shared memory and are not copied."""

import mmap
import os
import pickle
import socket
import struct
import weakref
from array import array
from io import BytesIO
from threading import RLock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

# In bytes: smaller arrays go with the message.
LARGE = 2**16
# Of one message; the system passes at most 253 open files at once.
MOST_FILES = 200
_HEADER = struct.Struct("<QI")


class Channel:
    """One end of a Unix socket. Only values of the program's own making pass it: it trusts the other end.

    Large arrays that come in can only be read. They stay where they lie, each with an open file, or with `copies` are
    taken over into memory of this process.
    """

    def __init__(self, connection: socket.socket, *, copies: bool = False) -> None:
        self._connection = connection
        self._copies = copies

    def send(self, value: object) -> None:
        """Send a value. Arrays that nobody can write to are put into shared memory once. Raises OSError at the end."""
        written, files, own = BytesIO(), [], []

        def place_of(found: NDArray[Any]) -> int:
            if not found.flags.writeable:
                files.append(_shared_file(found))
            else:
                own.append(_file_with(found))
                files.append(own[-1])
            return len(files) - 1

        try:
            _Writer(written, place_of, files).dump(value)
            socket.send_fds(self._connection, [_HEADER.pack(written.tell(), len(files))], files)
            self._connection.sendall(written.getbuffer())
        finally:
            for file in own:
                os.close(file)

    def receive(self) -> Any:
        """Wait for a value. Raises EOFError once the other end is closed."""
        header, files = self._received_header()
        length, expected = _HEADER.unpack(header)
        try:
            if len(files) != expected:
                raise EOFError
            message = self._received(length)
            return _Reader(BytesIO(message), files, copies=self._copies).load()
        finally:
            for file in files:
                os.close(file)

    def close(self) -> None:
        """Let go of the socket."""
        self._connection.close()

    def _received_header(self) -> tuple[bytes, list[int]]:
        files = array("i")
        room = socket.CMSG_SPACE(MOST_FILES * files.itemsize)
        header, ancillary, _, _ = self._connection.recvmsg(_HEADER.size, room, socket.MSG_WAITALL)
        for _, _, content in ancillary:
            files.frombytes(content[: len(content) - len(content) % files.itemsize])
        if len(header) < _HEADER.size:
            for file in files:
                os.close(file)
            raise EOFError
        return header, files.tolist()

    def _received(self, length: int) -> bytearray:
        message = bytearray(length)
        rest = memoryview(message)
        while rest:
            count = self._connection.recv_into(rest)
            if not count:
                raise EOFError
            rest = rest[count:]
        return message


class _Writer(pickle.Pickler):
    """Leaves large arrays out: `place_of` says where in the message's files they lie."""

    def __init__(self, written: BytesIO, place_of: Any, files: list[int]) -> None:
        super().__init__(written, protocol=pickle.HIGHEST_PROTOCOL)
        self._place_of, self._files = place_of, files
        self._places: dict[int, int] = {}

    def persistent_id(self, found: object) -> tuple[Any, ...] | None:
        if type(found) is not np.ndarray or found.nbytes < LARGE or found.dtype.hasobject:
            return None
        if id(found) not in self._places:
            if len(self._files) >= MOST_FILES:
                return None
            self._places[id(found)] = self._place_of(found)
        return self._places[id(found)], found.dtype, found.shape, _order(found)


class _Reader(pickle.Unpickler):
    def __init__(self, message: BytesIO, files: list[int], *, copies: bool) -> None:
        super().__init__(message)
        self._files, self._copies = files, copies
        self._places: dict[int, NDArray[Any]] = {}

    def persistent_load(self, place: tuple[Any, ...]) -> NDArray[Any]:
        index, dtype, shape, order = place
        if index not in self._places:
            content = mmap.mmap(self._files[index], 0, prot=mmap.PROT_READ)
            found: NDArray[Any] = np.frombuffer(content, dtype).reshape(shape, order=order)
            self._places[index] = _taken_over(found, order) if self._copies else found
        return self._places[index]


def _taken_over(found: NDArray[Any], order: Literal["C", "F"]) -> NDArray[Any]:
    copy = found.copy(order)
    copy.setflags(write=False)
    return copy


# The files of arrays that nobody writes to, by identity, for as long as the arrays live.
_shared: dict[int, tuple[weakref.ref[NDArray[Any]], int]] = {}
_LOCK = RLock()


def _shared_file(found: NDArray[Any]) -> int:
    key = id(found)

    def let_go(reference: object) -> None:
        with _LOCK:
            if key in _shared and _shared[key][0] is reference:
                os.close(_shared.pop(key)[1])

    with _LOCK:
        if key not in _shared or _shared[key][0]() is not found:
            _shared[key] = weakref.ref(found, let_go), _file_with(found)
        return _shared[key][1]


def _order(found: NDArray[Any]) -> Literal["C", "F"]:
    return "F" if found.flags.f_contiguous and not found.flags.c_contiguous else "C"


def _file_with(found: NDArray[Any]) -> int:
    """Return a new file in memory that holds the elements of an array, as `_order` says."""
    file = os.memfd_create("multiloss")
    rest = memoryview(found.ravel(order=_order(found)).view(np.uint8).data)
    try:
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError:
        os.close(file)
        raise
    return file
