"""Quotes values in messages, parses numbers, dates and ids, and unpacks compressed files."""
from __future__ import annotations

import datetime
import math
import os
import re
import unicodedata
import zlib
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Tuple

from .._errors import InputError, warn_of

Array = Any  # a numpy array
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[0-9]{1,18}")
EXACT = 2 ** 53  # above this, a double cannot represent all whole numbers
ID_MAX, LABELS_MAX, ROWS_MAX, COLS_MAX, EDGES_MAX = 255, 1 << 20, 1 << 28, 1 << 28, 1 << 31
FILE_MAX = 1 << 36
BLANK = " \t"
WHITESPACE = BLANK + "\r\n\u00a0\u2007\u2009\u202f\u3000"


Advice = Tuple[str, str]  # a key of Reading and a value


def wrong(sentence: str, *advice: Advice) -> InputError:
    """advice: options with which the file may be read."""
    error = InputError(sentence, status=4)
    setattr(error, "advice", list(advice))
    return error


def warn(sentence: str) -> None:
    """Gives a CoterieWarning at the caller of the package."""
    warn_of([("coterie.convert", {"sentence": sentence})])


def size_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


# ---- values in sentences ----


def is_harmful(c: str) -> bool:
    """Control characters, line ends, invisible marks, and bytes that are not UTF-8.

    U+200C and U+200D stay: some scripts need them."""
    if c in "\u200c\u200d":
        return False
    return unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or ord(c) & 0xFFFE == 0xFFFE


def shown(value: Any) -> str:
    """Returns a value for a message: a text in quotes, cut and without harmful characters."""
    if isinstance(value, float):
        return f"{value:.15g}"
    text = "" if value is None else str(value)
    cut = text.encode("utf-8", "surrogateescape")[:40].decode("utf-8", "replace")
    more = ".." if size_of(text) > 40 else ""
    return '"' + "".join("?" if is_harmful(c) or c == "\ufffd" else c for c in cut) + more + '"'


def text_fault(text: str, most: int) -> Optional[str]:
    """Returns the fault of a name or of a category's value; None if it is valid."""
    if size_of(text) > most:
        return "is too long"
    if text[:1] == " " or text[-1:] == " ":
        return "begins or ends with a blank: say that blanks around are cut (trim yes)"
    if text.isascii() and text.isprintable():
        return None
    if any("\udc80" <= c <= "\udcff" for c in text):
        return "is not UTF-8: save the file as UTF-8, or say how it is encoded (encoding)"
    if any(is_harmful(c) for c in text):
        return "has a control character, a line end or a mark that cannot be seen"
    return None


def trimmed(text: str) -> str:
    """Removes blanks and invisible marks at both ends."""
    return text.strip("\u200b\ufeff" + WHITESPACE) if text else text


_PLAIN_ID = re.compile(r'[!"$-~][!-~]{0,254}')


def is_id(text: str) -> bool:
    """1 to 255 bytes of UTF-8 without blanks and harmful characters that do not begin with '#'."""
    if _PLAIN_ID.fullmatch(text):
        return True
    return (0 < size_of(text) <= ID_MAX and text[0] != "#"
            and not any(c.isspace() or is_harmful(c) for c in text))


# ---- numbers and dates ----


def number_of(text: str) -> Optional[float]:
    """Returns a finite number as the programs read it, or None. Also None for a whole number
    that a double would round."""
    if not NUMBER.fullmatch(text):
        return None
    x = float(text)
    if not math.isfinite(x) or (abs(x) >= EXACT and is_rounded(text)):
        return None
    return x


def is_rounded(text: str) -> bool:
    """Returns whether these digits are a whole number that a double cannot represent."""
    return text.lstrip("+-").isdigit() and len(text) < 400 and int(text) != int(float(text))


_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
                   r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?Z?)?")


def days_of(text: str) -> Optional[float]:
    """Parses YYYY-MM-DD, or with Thh:mm[:ss[.f]] and Z, as days since 1970-01-01; None if it is
    not a date."""
    m = _DATE.fullmatch(text)
    if not m:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in m.groups()[:6])
    if hour > 23 or minute > 59 or second > 59:
        return None
    try:
        days = float(datetime.date(year, month, day).toordinal() - 719163)
    except ValueError:
        return None
    seconds, unit = float(second), 1.0
    for digit in m[7] or "":
        unit /= 10
        seconds += unit * int(digit)
    return days if m[4] is None else days + (hour * 3600.0 + minute * 60.0 + seconds) / 86400


# ---- bytes of a file ----


def memory_max() -> int:
    """Returns the limit of a file's unpacked size: half of this host's memory, at most
    FILE_MAX."""
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return min(half, FILE_MAX)


def check_room(where: str, what: str, size: float) -> None:
    if size > memory_max():
        raise wrong(f"{where}: {what} takes {size / 2**30:.1f} GiB of memory, half of this host's "
                    f"is {memory_max() / 2**30:.1f} GiB: bring less data")


def plain_name(path: str) -> str:
    """Returns the name without .gz or .zst."""
    return path[:path.rindex(".")] if path.endswith((".gz", ".zst")) else path


def read_bytes(path: str) -> bytes:
    """Returns the bytes of a file, unpacked if its name ends in .gz or .zst."""
    size = os.stat(path).st_size
    if size > FILE_MAX:
        raise wrong(f"{path}: {size} bytes, at most {FILE_MAX} are read")
    data = Path(path).read_bytes()
    if path == plain_name(path):
        return data
    if not data:
        raise wrong(f"{path}: the file is empty")
    frames = _gzip_frames(path) if path.endswith(".gz") else _zstd_frames(path)
    parts: List[bytes] = []
    total = 0
    for part in frames(data):
        parts.append(part)
        total += len(part)
        if total > memory_max():
            raise wrong(f"{path}: more than {memory_max()} bytes once unpacked, which is more "
                        "than this host has room for")
    return b"".join(parts)


_Frames = Callable[[bytes], Iterator[bytes]]


def _frames(path: str, begin: Callable[[], Any], faults: Any, step: int) -> _Frames:
    """Unpacks frames one after the other. begin() makes an object as zlib.decompressobj() does.
    step: packed bytes per call; they may unpack to some thousand times as many."""
    def run(data: bytes) -> Iterator[bytes]:
        at = 0
        while at < len(data):
            unpack = begin()
            while not unpack.eof:
                if at == len(data):
                    raise wrong(f"{path}: ends early, after {len(data)} bytes")
                piece = data[at:at + step]
                try:
                    yield unpack.decompress(piece)
                except faults as e:
                    raise wrong(f"{path}: is damaged, or has something behind its end, at byte "
                                f"{at}: {e}") from None
                at += len(piece)
            at -= len(unpack.unused_data)
    return run


def _gzip_frames(path: str) -> _Frames:
    return _frames(path, lambda: zlib.decompressobj(31), zlib.error, 1 << 16)


def _zstd_frames(path: str) -> _Frames:
    try:
        from compression import zstd  # type: ignore  # Python 3.14
        return _frames(path, zstd.ZstdDecompressor, zstd.ZstdError, 1 << 10)
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        raise needs("zstandard", "python3-zstandard", path) from None
    return _frames(path, lambda: zstandard.ZstdDecompressor().decompressobj(),
                   zstandard.ZstdError, 1 << 10)


def needs(module: str, package: str, path: str) -> InputError:
    """Returns the message for a library that is not installed. package: in Debian, "" if none."""
    how = f"apt install {package}" if package else f"pip install {module}"
    return wrong(f"{path}: {module} is not installed, which reads it: {how}")
