"""Options of a table, and their defaults."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Set

from .._errors import InputError

#: Texts that stand for a missing value unless `na` gives others. An empty field always does.
NA = ("NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
MISSING = ("error", "mean", "median", "indicator")
LINES_MAX = 1 << 20
HEADER = ("auto", "yes", "no")

#: Keys that may be repeated. Each other key has one value.
LISTS = ("category", "date", "number", "ignore", "only", "missing", "na", "unit", "omit")
#: All keys, in the order in which import.json has them.
KEYS = ("header", "separator", "decimal", "comment", "encoding", "omit", "trim", "id", "label",
        "category", "date", "number", "ignore", "only", "missing", "na", "unit", "most", "from",
        "to", "weight")
#: Keys that a table of edges uses.
OF_EDGES = ("header", "separator", "comment", "encoding", "from", "to", "weight")
#: Keys that only files with lines of text use.
OF_LINES = ("encoding", "omit")


@dataclass
class Reading:
    """Values of the keys. `of` checks them."""

    header: str = "auto"
    separator: Optional[str] = None
    decimal: str = "."
    comment: Optional[str] = None
    encoding: Optional[str] = None
    omit: List[str] = field(default_factory=list)
    trim: str = "no"
    id: Optional[str] = None
    label: Optional[str] = None
    category: List[str] = field(default_factory=list)
    date: List[str] = field(default_factory=list)
    number: List[str] = field(default_factory=list)
    ignore: List[str] = field(default_factory=list)
    only: List[str] = field(default_factory=list)
    missing: List[str] = field(default_factory=list)
    na: List[str] = field(default_factory=list)
    unit: List[str] = field(default_factory=list)
    most: int = 64
    ends: Dict[str, str] = field(default_factory=dict)  # from, to, weight
    decimal_said: bool = False

    def get(self, key: str) -> Any:
        return self.ends.get(key) if key in ("from", "to", "weight") else getattr(self, key)

    def is_na(self, text: str) -> bool:
        return not text or text in (self.na or NA)

    def omitted(self) -> Set[int]:
        """Returns the numbers of the lines to omit."""
        lines: Set[int] = set()
        for said in self.omit:
            first, _, last = said.partition("-")
            lines.update(range(int(first), int(last or first) + 1))
        return lines

    def separator_of(self, name: str) -> str:
        """name: the file's name, without .gz and .zst."""
        if self.separator:
            return "\t" if self.separator in ("tab", "blank") else self.separator
        return "\t" if name.lower().endswith((".tsv", ".txt")) else ","

    def record(self) -> Dict[str, Any]:
        """Returns the keys that have a value, for import.json. Omits trim if it is "no"."""
        return {key: self.get(key) for key in KEYS
                if self.get(key) not in (None, []) and (key, self.get(key)) != ("trim", "no")}

    def given(self, ignored: Any = ()) -> bool:
        """Returns whether a key other than these differs from its default."""
        default = Reading()
        return any(self.get(key) != default.get(key) for key in KEYS if key not in ignored)


def _policy(text: str) -> bool:
    column, equals, policy = text.rpartition("=")
    return policy in MISSING and (not equals or bool(column))


def _unit(text: str) -> bool:
    column, _, unit = text.rpartition("=")
    return bool(column and unit)


def _separator(text: str) -> bool:
    return text in ("tab", "blank") or (len(text) == 1 and text.isascii()
                                        and text not in '"\r\n.-+0123456789')


def _comment(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text not in '"\r\n'


def _encoding(text: str) -> bool:
    try:
        return "".encode(text) is not None
    except (LookupError, ValueError):
        return False


def _lines(text: str) -> bool:
    m = re.fullmatch("([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    return bool(m) and 1 <= int(m[1]) <= int(m[2] or m[1]) < int(m[1]) + LINES_MAX  # type: ignore


_CHECKS: Dict[str, Callable[[str], bool]] = {
    "header": HEADER.__contains__, "separator": _separator, "decimal": (".", ",").__contains__,
    "comment": _comment, "missing": _policy, "unit": _unit, "encoding": _encoding, "omit": _lines,
    "trim": ("yes", "no").__contains__,
}
_EXPECTED = {
    "header": 'one of "auto", "yes", "no"',
    "separator": 'one character as ",", ";" or "|", "tab" or "blank"',
    "decimal": '"." or ","',
    "comment": 'a character as "#" or "%"',
    "missing": '"error", "mean", "median" or "indicator", or one of them for a column: '
               '"age=median"',
    "unit": 'a column and its unit: "age=years"',
    "encoding": 'the name of one, as "windows-1252", "utf-8" or "utf-16"',
    "omit": f'the number of a line, or of a first and a last, as "1-3", at most {LINES_MAX} lines',
    "trim": '"yes" or "no"',
}


def _check(key: str, value: str) -> str:
    check = _CHECKS.get(key)
    if check and not check(value):
        raise InputError(f'{key} is "{value}", expected {_EXPECTED[key]}', status=4)
    if not check and not 1 <= len(value.encode(errors="surrogateescape")) <= 65536:
        raise InputError(f"{key}: expected a text of 1 to 65536 bytes", status=4)
    return value


def _most(value: Any) -> int:
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 2 <= int(text) <= 65536):
        raise InputError(f'most is "{text}", expected a whole number from 2 to 65536', status=4)
    return int(text)


def of(said: Dict[str, Any]) -> Reading:
    """said: for each key a text, or several texts for keys in LISTS. InputError names a wrong
    key or value."""
    how = Reading()
    for key, value in said.items():
        if key not in KEYS:
            raise InputError(f'"{key}" is none of the keys {", ".join(KEYS)}', status=4)
        if value is None:
            continue
        if key == "most":
            how.most = _most(value)
        elif key in LISTS:
            several = [value] if isinstance(value, str) else list(value)
            setattr(how, key, [_check(key, str(one)) for one in several])
        elif key in ("from", "to", "weight"):
            how.ends[key] = _check(key, str(value))
        else:
            setattr(how, key, _check(key, str(value)))
            how.decimal_said = how.decimal_said or key == "decimal"
    return how
