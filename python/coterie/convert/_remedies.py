"""Finds options with which a refused table can be read, from the cells of its columns."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from ._amounts import amount_of, are_amounts, forms_of
from ._reading import NA
from ._signs import DATE, OFFSET, has_zeros, is_name_of_ids, is_total
from ._text import BLANK, Advice, days_of, is_id, is_rounded, number_of

if TYPE_CHECKING:
    from ._column import Column
    from ._table import Table

_CODE = re.compile("[0-9]+[A-Z]")  # 12A is more likely a code than 12 amperes
LINES_LEFT_OUT = 8  # maximum number of omitted lines that are advised
_NOTHING = re.compile(
    r"n/?a|n\.\s?a\.?|k\.\s?a\.?|nan|null|nil|none|\(null\)|<na>|#n/?[av]!?|#(div/0|ref|value|num"
    r"|name|null)[!?]?|[-+]?inf(inity)?|[-\u2013\u2014.?*_]{1,3}|missing|unknown|not available"
    r"|unbekannt|keine angabe|k/a", re.IGNORECASE)


def of_text(fault: str) -> List[Advice]:
    """Returns options for a fault of a name or word."""
    if "(trim yes)" in fault:
        return [("trim", "yes")]
    return [("encoding", "windows-1252")] if "(encoding)" in fault else []


# ---- a column ----


class Cells(NamedTuple):
    """Some cells of a column, of which one is not a number, and facts about the table."""
    name: str
    texts: Sequence[str]  # "" for a missing value
    decimal: str
    separator: Optional[str]
    most: int
    may_be_ids: bool  # it is the first column or has a name of ids, and no other column has ids


def _with_commas(c: Cells, words: List[str]) -> Optional[List[Advice]]:
    """Returns options for decimal commas or amounts."""
    if any(map(_CODE.fullmatch, words)):
        return None
    if are_amounts(words, c.decimal) and not any(map(has_zeros, words)):
        only_groups = all(re.fullmatch("[+-]?[0-9]{1,3}(,[0-9]{3})?", t) for t in words)
        if c.decimal == "," or c.separator in (",", None) or not only_groups:
            return [("number", c.name)]
    if c.decimal == "." and any("," in t for t in words) and are_amounts(words, ","):
        plain = all(re.fullmatch("[+-]?[0-9]*,?[0-9]+([eE][+-]?[0-9]+)?", t) for t in words)
        return [("decimal", ",")] + ([] if plain else [("number", c.name)])
    return None


def _gaps(c: Cells, words: List[str], bad: List[str]) -> Optional[List[Advice]]:
    """Returns options for texts that seem to mean a missing value. bad: the words that are no
    numbers."""
    spellings = list(dict.fromkeys(bad))
    one = len(spellings) == 1 < len(bad) < len(words) / 2 and spellings[0].isalpha()
    if not one and not (len(bad) < len(words) and all(map(_NOTHING.fullmatch, spellings))):
        return None
    return [("na", s) for s in spellings]


def _words(c: Cells, words: List[str]) -> List[Advice]:
    several = len(set(words))
    if 1 < several <= min(c.most, max(2, len(words) // 2)):
        return [("category", c.name)]
    ids = 10 * several >= 9 * len(words) and len(words) > 2 and all(map(is_id, words))
    return [("id" if ids and c.may_be_ids else "ignore", c.name)]


def advice(c: Cells) -> List[Advice]:
    """Returns options that read the column. If there are none, the user must correct the file."""
    words: List[str] = [t for t in c.texts if t]
    if not words:
        return [("ignore", c.name)]
    if any("\udc80" <= mark <= "\udcff" for t in words for mark in t):
        return [("encoding", "windows-1252")]
    bad = [t for t in words if number_of(t.replace(",", ".") if c.decimal == "," else t) is None
           or (c.decimal == "," and "." in t) or has_zeros(t)]
    if all(days_of(t) is not None for t in words):
        return [("date", c.name)]
    if all(DATE.fullmatch(t) or days_of(t) is not None for t in words):
        forms = forms_of(words)
        return [("date", f"{c.name}={forms[0]}")] if len(forms) == 1 else []
    found = _with_commas(c, words) or _gaps(c, words, bad)
    if found:
        return found
    if any(map(has_zeros, bad)) or any(t.isdigit() and is_rounded(t) for t in bad):
        return _words(c, words)
    numbers = [t for t in words if not _CODE.fullmatch(t) and (
        amount_of(t, ".") or amount_of(t, ",") or OFFSET.fullmatch(t))]
    return _words(c, words) if 2 * len(numbers) <= len(words) else []


def defaults_of(texts: Sequence[str]) -> List[Advice]:
    """Returns texts of a column that mean a missing value by default, but no longer if `na` is
    given."""
    return [("na", t) for t in dict.fromkeys(texts) if t in NA]


def header_of(first: Sequence[str], second: Optional[Sequence[str]]) -> str:
    """Returns yes or no for `header`, from the types of fields in two lines."""
    numbers = [number_of(t.strip()) for t in first]
    there = [x for x in numbers if x is not None]
    if second is None or len(second) != len(first):
        return "yes"
    counts = len(there) > 1 and all(b - a == 1 for a, b in zip(there, there[1:]))
    same = all((x is None) == (number_of(t.strip()) is None) for x, t in zip(numbers, second))
    named = any(is_name_of_ids(t) for t in first)
    return "no" if same and there and not counts and not named else "yes"


def lines_of(faulty: Sequence[int], columns: Sequence[Tuple[str, Any]],
             is_gap: Any) -> List[int]:
    """Returns the rows that are not data: units, a repeated heading, totals. columns: name and
    cells of each column that is read as numbers."""
    some = [(name, cells) for name, cells in columns if 2 * sum(
        isinstance(v, float) or number_of(str(v).strip()) is not None for v in cells) >= len(cells)]
    found = []
    for i in faulty:
        words = [(name, str(cells[i]).strip()) for name, cells in some if not is_gap(cells[i])]
        no_numbers = [w for w in words if number_of(w[1]) is None]
        if no_numbers and (all(name == t for name, t in words) or is_total(no_numbers[0][1]) or (
                i == 0 and len(no_numbers) == len(words) > 1
                and not any(_NOTHING.fullmatch(t) for _, t in words))):
            found.append(i)
    return found if len(found) == len(faulty) else []


# ---- a table ----


def of_column(t: Table, c: Column, columns: Sequence[Any], at: Sequence[int]) -> List[Advice]:
    """columns: cells of some rows, one of which is faulty in column c. at: the lines of the
    rows."""
    cells = columns[t.columns.index(c)]
    if of_text(c.fault):
        return of_text(c.fault)
    if c.fault.startswith("has no value"):
        if all(map(t.is_gap, cells)):
            return [("ignore", c.name)]
        return [("missing", f"{c.name}={'median' if c.role == 'number' else 'indicator'}")]
    if c.fault.startswith("has more than"):
        return [("ignore", c.name)]
    if c.role == "id":
        return _of_ids(t, c, cells, at)
    if c.role != "number" or isinstance(cells, np.ndarray):
        return []
    texts = ["" if t.is_gap(v) else str(v).strip(BLANK) for v in cells]
    lines = _no_rows(t, texts, columns, at)
    if lines:
        return lines
    may_be_ids = t.how.id is None and (c is t.columns[0] or is_name_of_ids(c.name))
    found = advice(Cells(c.name, texts, t.how.decimal, t.said.get("separator"), t.how.most,
                         may_be_ids))
    if found and found[0][0] == "na" and not t.how.na:
        found += defaults_of([str(v).strip(BLANK) for v in cells])
    return found


def _no_rows(t: Table, texts: Sequence[str], columns: Sequence[Any],
             at: Sequence[int]) -> List[Advice]:
    """Returns lines to omit, if they are the only faults of the column."""
    faulty = [i for i, text in enumerate(texts) if text and number_of(text) is None]
    if t.unit != "line" or len(faulty) > LINES_LEFT_OUT or t.how.decimal == ",":
        return []
    read = [(c.name, cells) for c, cells in zip(t.columns, columns)
            if c.role == "number" and not isinstance(cells, np.ndarray)]
    return [("omit", str(at[i])) for i in lines_of(faulty, read, t.is_gap)]


def _of_ids(t: Table, c: Column, cells: Any, at: Sequence[int]) -> List[Advice]:
    """Returns lines that repeat an id, if there are few."""
    seen: Set[str] = set()
    again = []
    for line, cell in zip(at, cells):
        if cell in seen:
            again.append(line)
        seen.add(cell)
    if not again or t.unit != "line" or len(again) > min(LINES_LEFT_OUT, len(at) // 4):
        return [("ignore", c.name)]
    return [("omit", str(line)) for line in again]
