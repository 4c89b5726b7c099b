"""Describes texts that are not numbers, for messages."""
from __future__ import annotations

import re
from typing import Any, Optional

from ._amounts import forms_of
from ._text import BLANK, NUMBER, days_of, is_rounded, shown

_SIGNED = "where all have it say so (number), or the column is to be ignored (ignore)"
_SIGNS = (
    (r".*[$\u00a3\u00a5\u20a0-\u20bf].*|(EUR|USD|GBP|CHF) ?[0-9].*|.*[0-9] ?(EUR|USD|GBP|CHF)",
     f"without a currency sign: {_SIGNED}"),
    (r".*[%\u2030]", f"without a per cent sign: {_SIGNED}"),
    (r"\(.*\)", f"without parentheses, which stand for a minus in accounts: {_SIGNED}"),
    (r"['\u2019].*", f"without the apostrophe that marks a text in a spreadsheet: {_SIGNED}"),
    (r".*['\u2019].*", f"without apostrophes between thousands: {_SIGNED}"),
    (r".*[0-9][ \u00a0\u2007\u2009\u202f][0-9].*|[\u00a0\u202f].*|.*[\u00a0\u202f]",
     f"without blanks within it, of which some cannot be seen: {_SIGNED}"),
    ("\u2212.*|.*[0-9]-", f"whose minus is '-' in front: {_SIGNED}"),
    (r"-?[0-9.,]+ ?[^\W\d_][^\s\d]{0,7}", f"without a unit: {_SIGNED}"),
)
_NUMBER = re.compile(r"[^0-9A-Za-z]*([A-Z]{3} ?)?[0-9][0-9.,'\u2019 \u00a0\u2007\u2009\u202f]*"
                     r"( ?[A-Z]{3}| [a-z]{1,3})?[^0-9A-Za-z]*")
DATE = re.compile(r"[0-9]{1,2}([./-])([0-9]{1,2}|[A-Za-z]{3})\1[0-9]{2,4}(?:[ T].*)?"
                   r"|[0-9]{4}[./][0-9]{1,2}[./].*|[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3}){2,}|[+-]?[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*"
                        r"|[+-]?[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]*|[+-]?[0-9]{1,3}(?:\.[0-9]{3}){2,}")
_TOTAL = re.compile(r"(?:grand |sub)?totals?:?|sum:?|summe:?|gesamt|insgesamt|average|mean|all"
                    r"|source:.*|quelle:.*", re.IGNORECASE)
_ID_NAME = re.compile(r"(?:.*[^a-z]|.*[a-z](?=I))?(?:ids?|[ug]?uid|nr|nummer|key)"
                      r"|.*[^a-z]no\.?", re.IGNORECASE)
OFFSET = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ].*[+-][0-9]{2}:?[0-9]{2}")
_ZEROS = re.compile(r"0[0-9]+")


def is_total(text: str) -> bool:
    return _TOTAL.fullmatch(text.strip()) is not None


def is_name_of_ids(name: str) -> bool:
    return _ID_NAME.fullmatch(name) is not None


def has_zeros(text: str) -> bool:
    """Returns whether the text is a whole number with leading zeros, as in ids and codes."""
    return _ZEROS.fullmatch(text) is not None


def expected(text: str, decimal: str) -> Optional[str]:
    """Returns the text after "expected a " for a date, a code or a number with signs; None for
    other texts."""
    if DATE.fullmatch(text):
        forms = forms_of([text])
        said = f'say its form (date "COLUMN={forms[0]}"' if forms else "say its form (date"
        if len(forms) > 1:
            said += f' or "COLUMN={forms[1]}"'
        return f"date as 2024-12-31: {said}), or it is to be ignored (ignore)"
    if has_zeros(text):
        return ("number without zeros in front: say that it is an id (id), a code (category), or "
                "a number all the same (number)")
    if _THOUSANDS.fullmatch(text):
        if "." in text and text.rfind(",") > text.rfind(".") and decimal == ".":
            return ("number with a decimal point and without separators of thousands: say that a "
                    "comma is the decimal point (decimal), and which columns have such (number)")
        return f"number without separators of thousands: {_SIGNED}"
    if _NUMBER.fullmatch(text):
        for pattern, rest in _SIGNS:
            if re.fullmatch(pattern, text):
                return f"number {rest}"
    return None


def no_number(text: str, cell: Any, decimal: str) -> str:
    """Returns the message for a cell that is not a number. text: the cell as number_of()
    got it."""
    is_ = f"is {shown(cell)}, expected a "
    sign = expected(str(cell).strip(BLANK), decimal)
    if sign:
        return is_ + sign
    if days_of(text) is not None:
        return is_ + "number: say that it is a date (date), or is to be ignored (ignore)"
    if OFFSET.fullmatch(text):
        return is_ + "date in UTC, as 2024-12-31T23:59:59Z, or without a place's difference to it"
    if NUMBER.fullmatch(text) and is_rounded(text):
        return is_ + ("whole number of at most 2^53, which is not rounded: if it is an id say "
                      "so (id)")
    if decimal == "." and re.fullmatch("[+-]?([0-9.]*,[0-9,.]*|[0-9]*[.][0-9]*[.][0-9.]*)", text):
        return is_ + ("number with a decimal point and without separators of thousands: say so "
                      "where a comma is the decimal point (decimal), or separates thousands "
                      "(number)")
    if re.fullmatch("[+0-9eE.-]*[0-9][+0-9eE.-]*", text) and not re.match("[0-9]+-", text) or \
            re.match("[-+]?inf", text, re.IGNORECASE):
        return is_ + "finite number; if it stands for no value say so (na)"
    return is_ + ("number: say that it is a column of words (category), or is to be ignored "
                  "(ignore), or that it stands for no value (na)")
