"""What a text that is no number has in it, and which option reads its column."""
from __future__ import annotations

import re
from typing import Iterable, List, Optional, Tuple

from ._text import days_of, is_rounded, number_of

Advice = Tuple[str, str]  # a key of Reading and a value
_AGAIN = ("format the column as plain numbers, and save it again, or it is to be ignored "
          "(ignore)")
_SIGNS = (
    (r".*[$\u00a3\u00a5\u20a0-\u20bf].*|(EUR|USD|GBP|CHF) ?[0-9].*|.*[0-9] ?(EUR|USD|GBP|CHF)",
     f"without a currency sign: {_AGAIN}"),
    (r".*[%\u2030]", f"without a per cent sign: {_AGAIN}"),
    (r"\(.*\)", "without parentheses, which stand for a minus in accounts: " + _AGAIN),
    (r"['\u2019].*", f"without the apostrophe that marks a text in a spreadsheet: {_AGAIN}"),
    (r".*['\u2019].*", f"without apostrophes between thousands: {_AGAIN}"),
    (r".*[0-9][ \u00a0\u2007\u2009\u202f][0-9].*|[\u00a0\u202f].*|.*[\u00a0\u202f]",
     f"without blanks within it, of which some cannot be seen: {_AGAIN}"),
    ("\u2212.*", f"whose minus is '-': {_AGAIN}"),
)
_NUMBER = re.compile(r"[^0-9A-Za-z]*([A-Z]{3} ?)?[0-9][0-9.,'\u2019 \u00a0\u2007\u2009\u202f]*"
                     r"( ?[A-Z]{3})?[^0-9A-Za-z]*")
_DATE = re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{2,4}(?:[ T].*)?"
                   r"|[0-9]{4}[./][0-9]{1,2}[./].*")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3}){2,}|[+-]?[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*"
                        r"|[+-]?[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]*")


def expected(text: str, decimal: str) -> Optional[str]:
    """What stands behind "expected a " for a number with a sign; None: there is none."""
    if _DATE.fullmatch(text):
        return ("date as 2024-12-31: format the column so, save it again, and say that it is a "
                "date (date); or it is to be ignored (ignore)")
    if _THOUSANDS.fullmatch(text):
        if "." in text and text.rfind(",") > text.rfind(".") and decimal == ".":
            return f"number with a decimal point and without separators of thousands: {_AGAIN}"
        return f"number without separators of thousands: {_AGAIN}"
    if _NUMBER.fullmatch(text):
        for pattern, rest in _SIGNS:
            if re.fullmatch(pattern, text):
                return f"number {rest}"
    return None


def advice(name: str, texts: Iterable[str], most: int) -> Optional[Advice]:
    """By the texts of a column that is not of numbers; None: it has to be corrected."""
    words: List[str] = [t for t in texts if t]
    no_number = [t for t in words if number_of(t) is None]
    if not words:
        return "ignore", name
    if any(expected(t, ".") for t in no_number):
        return None
    if all(days_of(t) is not None for t in words):
        return "date", name
    if all(re.fullmatch("[+-]?[0-9]*,?[0-9]+", t) for t in words) and "," in "".join(words):
        return "decimal", ","
    if any(t.isdigit() and is_rounded(t) for t in no_number):
        return "id", name
    if len(set(no_number)) == 1 and 2 * len(no_number) < len(words):
        return "na", no_number[0]
    several = len(set(words))
    is_category = 1 < several <= min(most, max(2, len(words) // 2))
    return ("category" if is_category else "ignore"), name
