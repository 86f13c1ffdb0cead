"""Asks the filters in files of Bloomlane: bloomlane.h by ctypes, in Python 3 without packages.

It loads a shared object beside it. Make that once, and again for another bloomlane.h:

    cc -O2 -shared -fPIC -o libbloomlane.so bloomlane.c

    f = bloomlane.Filter(content, key)  # the bytes of the file, and of the key file
    f.query(b"apple")

As a program it prints those of the words that are in a filter:

    python3 bloomlane.py FILE KEYFILE WORD...
"""

import ctypes
import os
import sys

_lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libbloomlane.so"))
_lib.bloomlane_size.restype = ctypes.c_size_t
_lib.bloomlane_message.restype = ctypes.c_char_p
_lib.bloomlane_open.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p)
_lib.bloomlane_query.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
_lib.bloomlane_query_hash.argtypes = (ctypes.c_void_p, ctypes.c_uint64)


class FormatError(ValueError):
    """What is wrong with a file or a key."""


class Filter:
    """The filter in a file. Without its key it can be asked for hashes of its algorithm only."""

    def __init__(self, content, key=None):
        if key is not None:
            key = key.rstrip(b"\r\n").replace(b"\0", b"?")  # a zero ends a text in C
        self._keyed, self._content = key is not None, content  # which C reads in place
        self._filter = ctypes.create_string_buffer(_lib.bloomlane_size())
        error = _lib.bloomlane_open(self._filter, content, len(content), key)
        if error:
            raise FormatError(_lib.bloomlane_message(error).decode())
        self.algorithm = _lib.bloomlane_algorithm(self._filter)  # of blm_key in bloomlane.h

    def query(self, key):
        """Reports whether a key, bytes, is present: a member, or a false positive."""
        if not self._keyed:
            raise FormatError("no hash key")
        return _lib.bloomlane_query(self._filter, key, len(key)) != 0

    def query_hash(self, hash):
        """Reports whether the key of a hash of 64 bits is present."""
        return _lib.bloomlane_query_hash(self._filter, hash) != 0


def main(path, keyfile, *words):
    with open(path, "rb") as file, open(keyfile, "rb") as secret:
        f = Filter(file.read(), secret.read())
    for word in words:
        if f.query(os.fsencode(word)):
            print(word)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError) as error:
        sys.exit("bloomlane.py: %s" % error)
