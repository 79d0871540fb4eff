"""How two processes of the program tell each other values: large arrays lie in shared memory and are not copied."""

import mmap
import os
import pickle
import socket
import struct
import weakref
from array import array
from io import BytesIO
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

# In bytes: smaller arrays go with the message.
LARGE = 2**16
# Of one message; the system passes at most 253 open files at once.
MOST_FILES = 200
_HEADER = struct.Struct("<QI")


class Channel:
    """One end of a Unix socket. Only values of the program's own making pass it: it trusts the other end."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._shared: dict[int, tuple[weakref.ref[NDArray[Any]], int]] = {}

    def send(self, value: object) -> None:
        """Send a value. Arrays that nobody can write to are put into shared memory once. Raises OSError at the end."""
        written, files, own = BytesIO(), [], []

        def place_of(found: NDArray[Any]) -> int:
            if not found.flags.writeable:
                files.append(self._shared_file(found))
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
        """Wait for a value; its large arrays can only be read. Raises EOFError once the other end is closed."""
        header, files = self._received_header()
        length, expected = _HEADER.unpack(header)
        try:
            if len(files) != expected:
                raise EOFError
            message = self._received(length)
            return _Reader(BytesIO(message), files).load()
        finally:
            for file in files:
                os.close(file)

    def close(self) -> None:
        """Let go of the socket and of what was shared."""
        self._connection.close()
        for _, file in self._shared.values():
            os.close(file)
        self._shared.clear()

    def _shared_file(self, found: NDArray[Any]) -> int:
        """Return the file of an array, which is let go with it."""
        key = id(found)
        if key not in self._shared:
            file = _file_with(found)

            def let_go(_: object) -> None:
                if key in self._shared:
                    os.close(self._shared.pop(key)[1])

            self._shared[key] = weakref.ref(found, let_go), file
        return self._shared[key][1]

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
    def __init__(self, message: BytesIO, files: list[int]) -> None:
        super().__init__(message)
        self._files = files

    def persistent_load(self, place: tuple[Any, ...]) -> NDArray[Any]:
        index, dtype, shape, order = place
        content = mmap.mmap(self._files[index], 0, prot=mmap.PROT_READ)
        found: NDArray[Any] = np.frombuffer(content, dtype).reshape(shape, order=order)
        return found


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
