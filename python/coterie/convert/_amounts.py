"""Parses numbers with signs, and dates in other formats, in columns for which an option requests
it."""
from __future__ import annotations

import datetime
import math
import re
from typing import Dict, Iterable, List, NamedTuple, Optional

from ._text import is_rounded

_SPACES = " \u00a0\u2007\u2009\u202f"
_MINUS = "[-\u2212]"
_CODES = ("EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|"
          "ILS|ZAR|BRL|MXN|ARS|KRW|SGD|HKD|THB|IDR|MYR|PHP|VND|AED|SAR|EGP|NGN|KES")
_CURRENCY = rf"(?:{_CODES}|Fr\.?|(?:[A-Z]{{1,2}}|Fr\.?)?[$\u00a3\u00a5\u20a0-\u20bf]|)"
_UNIT = r"[^\s\d.,+()'\u2019\u2212-][^\s\d+()\u2212-]{0,14}[23]?"


def _pattern(point: str, thousands: str) -> "re.Pattern[str]":
    s, g = f"[{_SPACES}]?", f"[{re.escape(thousands)}'\u2019{_SPACES}]"
    return re.compile(
        rf"{s}(?P<open>\()?(?P<first>{_MINUS}|\+)?{s}(?P<before>{_CURRENCY}){s}"
        rf"(?P<second>{_MINUS}|\+)?(?P<whole>[0-9]{{1,3}}(?P<g>{g})[0-9]{{3}}(?:(?P=g)[0-9]{{3}})*"
        rf"|[0-9]*)(?:{re.escape(point)}(?:[-\u2013\u2014]{{1,2}}|(?P<part>[0-9]*)))?"
        rf"(?P<exponent>[eE][+-]?[0-9]+)?{s}(?P<after>{_UNIT})?{s}(?P<last>{_MINUS})?"
        rf"(?P<close>\))?{s}")


_PATTERNS: Dict[str, "re.Pattern[str]"] = {".": _pattern(".", ","), ",": _pattern(",", ".")}


class Amount(NamedTuple):
    x: float
    sign: str  # sign of the currency, or the unit; "": none


def amount_of(text: str, decimal: str) -> Optional[Amount]:
    """Parses a number in a form that people write. None if it is not a number, or if it has two
    possible values."""
    if text[:1] in ("'", "\u2019"):
        text = text[1:-1] if len(text) > 2 and text[-1:] == text[0] else text[1:]
    m = _PATTERNS[decimal].fullmatch(text)
    if not m or not (m["whole"] or m["part"]) or (m["before"] and m["after"]):
        return None
    minus = [s for s in (m["open"], m["first"], m["second"], m["last"]) if s]
    if len(minus) > 1 or bool(m["open"]) != bool(m["close"]):
        return None
    whole = re.sub("[^0-9]", "", m["whole"]) or "0"
    x = float(f"{whole}.{m['part'] or '0'}{m['exponent'] or ''}")
    code = m["before"].isalpha() and len(whole) > 1 and whole[0] == "0"  # such as ABC00012
    if not math.isfinite(x) or is_rounded(whole) or code:
        return None
    return Amount(-x if minus and minus != ["+"] else x, m["before"] or m["after"] or "")


def may_lack(sign: str) -> bool:
    """Returns whether a number without the sign means the same as one with it, as for money."""
    return not sign or re.fullmatch(_CURRENCY, sign) is not None


def are_amounts(texts: Iterable[str], decimal: str) -> bool:
    """Returns whether all texts can be read with a single sign."""
    found = [amount_of(t, decimal) for t in texts]
    signs = {a.sign for a in found if a}
    bare = "" in signs
    signs.discard("")
    return (None not in found and len(signs) <= 1
            and (not bare or all(map(may_lack, signs))))


# ---- dates ----

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_PARTS = {"Y": "(?P<Y>[0-9]{4})", "y": "(?P<y>[0-9]{2})", "M": "(?P<M>[0-9]{1,2})",
          "D": "(?P<D>[0-9]{1,2})", "h": "(?P<h>[0-9]{1,2})", "m": "(?P<m>[0-9]{2})",
          "s": r"(?P<s>[0-9]{2}(?:\.[0-9]+)?)", "Mon": "(?P<Mon>[A-Za-z]{3})"}
_TOKEN = re.compile("Mon|[YyMDhms]|[-./:, T]")
_DATES = ("D.M.Y", "D.M.y", "Y/M/D", "Y.M.D", "D-Mon-Y", "D-Mon-y", "D Mon Y", "Mon D, Y")
_EITHER = ("D/M/Y", "M/D/Y", "D/M/y", "M/D/y", "D-M-Y", "M-D-Y")
_TIMES = ("", " h:m", " h:m:s")


class Form:
    """A format of dates such as D.M.Y, or of times such as h:m. ValueError if the text is not a
    format."""

    def __init__(self, text: str):
        tokens = _TOKEN.findall(text)
        parts = [t for t in tokens if t in _PARTS]
        time = "".join(t for t in parts if t in "hms")
        day = sorted({"y": "Y", "Mon": "M"}.get(t, t) for t in parts if t not in "hms")
        if "".join(tokens) != text or not parts or time not in ("", "hm", "hms") or \
                "".join(day) not in ("", "DMY"):
            raise ValueError(text)
        self.text, self._has_day = text, bool(day)
        self._pattern = re.compile("".join(_PARTS.get(t, re.escape(t)) for t in tokens))

    def days_of(self, text: str) -> Optional[float]:
        """Returns days since 1970-01-01, or for a time the days since midnight. None if the text
        does not have this format."""
        m = self._pattern.fullmatch(text)
        if not m:
            return None
        of = m.groupdict()
        h, minute, s = int(of.get("h") or 0), int(of.get("m") or 0), float(of.get("s") or 0)
        if h > 23 or minute > 59 or s >= 60:
            return None
        days = 0.0
        if self._has_day:
            year = int(of["Y"]) if of.get("Y") else 1969 + (int(of["y"]) - 69) % 100
            name = (of.get("Mon") or "").lower()
            if name and name not in _MONTHS:
                return None
            month = _MONTHS.index(name) + 1 if name else int(of["M"])
            try:
                days = float(datetime.date(year, month, int(of["D"])).toordinal() - 719163)
            except ValueError:
                return None
        return days + (h * 3600 + minute * 60 + s) / 86400


def forms_of(texts: Iterable[str]) -> List[str]:
    """Returns the formats in which all texts are dates or times."""
    some = list(texts)
    forms = [d + t for d in (*_DATES, *_EITHER) for t in _TIMES] + ["h:m", "h:m:s"]
    return [f for f in forms if None not in map(Form(f).days_of, some)]
