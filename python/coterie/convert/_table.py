"""Converts named columns to features, ids and labels, one chunk of rows after the other.

Each column is a column of numbers unless an option gives it another role; no cell is guessed. A
category becomes a column of 0 and 1 for each of its values, in the order of their bytes.

A cell is a text, a float (NaN: missing) or None (missing); a column of a chunk is a sequence of
cells, or an array of float64. Any other object in a cell is refused.
"""
from __future__ import annotations

import itertools
import math
import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from .._errors import InputError
from . import _remedies, _signs, _suspect
from ._amounts import Form, amount_of, may_lack
from ._column import Column
from ._reading import Reading
from ._text import (BLANK, COLS_MAX, EXACT, ID_MAX, LABELS_MAX, ROWS_MAX, WHOLE, Advice,
                    check_room, days_of, is_id, number_of, shown, size_of, text_fault,
                    trimmed, warn, wrong)

Chunk = Tuple[Sequence[int], Sequence[Any]]  # numbers of lines or rows, and columns
CHUNK = 8192
COLUMNS_MAX, NAME_MAX, COLUMN_NAME_MAX, FAULTS_SHOWN = 1 << 20, 200, 255, 20
_LONG = re.compile(r"[0-9](?:\.[0-9]+)?E\+[0-9]{2,}")
_ZEROS = re.compile(r"^0[0-9]", re.MULTILINE)


def chunks_of(rows: Iterable[Tuple[int, Sequence[Any]]], columns: int) -> Iterator[Chunk]:
    """Yields rows as columns of CHUNK rows. Rows before a faulty row are handled before its
    error."""
    source, fault = iter(rows), None
    while fault is None:
        some: List[Tuple[int, Sequence[Any]]] = []
        try:
            for row in itertools.islice(source, CHUNK):
                some.append(row)
        except InputError as e:
            fault = e
        if some:
            yield [at for at, _ in some], list(zip(*(cells for _, cells in some)))
        if len(some) < CHUNK:
            break
    if fault:
        raise fault


class _Fault(Exception):
    """An error: cell `at` of a chunk, and the message after the column's name."""

    def __init__(self, at: int, sentence: str):
        super().__init__(at, sentence)
        self.at, self.sentence = at, sentence


def _text_of(cell: Any) -> str:
    """Converts a cell to a text. A whole number below 10^15 stored as a float becomes "1", not
    "1.0"."""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    return str(cell)


class Table:
    """X, ids, labels and made, after take_all().

    names: the heading, or None; place: the text before a sentence about line or row `at`, which
    counts in `unit`.
    """

    def __init__(self, how: Reading, where: str, names: Optional[Sequence[str]], n: int,
                 place: Callable[[int], str], unit: str):
        self.how, self.where, self.place, self.unit = how, where, place, unit
        self.said: Dict[str, Any] = {"heading": True, "why": "", "blank": 0, "comments": 0}
        if not 1 <= n <= COLUMNS_MAX:
            raise wrong(f"{where}: {n} columns, expected 1 to {COLUMNS_MAX}")
        self.columns = [self._named(i, names[i] if names is not None else None) for i in range(n)]
        self._at_name: Dict[str, Column] = {}
        for i, c in enumerate(self.columns):
            if f"#{i + 1}" in how.ignore and names is not None:
                continue  # an unnamed column, or one whose name another column has
            if c.name in self._at_name:
                first = self.columns.index(self._at_name[c.name])
                raise wrong(f"{where}: columns {first + 1} and {i + 1} are both called "
                            f"{shown(c.name)}; give one another name, or say that one is to be "
                            f'ignored (ignore "#{i + 1}")', ("ignore", f"#{i + 1}"))
            self._at_name[c.name] = c
        # Options that look_at_table() suggests, although the table can be read without them.
        self.advice: List[Advice] = []
        self._give_roles()
        self.rows = self.last = 0  # last: line of the last row
        self._ids: Dict[str, int] = {}  # ids and their lines
        self.ids: Optional[List[str]] = None
        self.labels: Optional[Any] = None
        self.X: Any = None
        self.made: List[Dict[str, str]] = []
        # the first fault of each faulty column, in the order of rows, with advice
        self._faults: List[Tuple[str, List[Advice]]] = []

    def _named(self, i: int, name: Optional[str]) -> Column:
        if name and self.how.trim == "yes":
            name = trimmed(name)
        fault = text_fault(name, NAME_MAX) if name else None
        if fault:
            raise wrong(f"{self.where}: the name of column {i + 1}, {shown(name)}, {fault}",
                        *_remedies.of_text(fault))
        return Column(name or f"#{i + 1}", name == "")

    # ---- roles ----

    def _find(self, name: str) -> Optional[Column]:
        if name in self._at_name:
            return self._at_name[name]
        m = re.fullmatch("#([0-9]{1,9})", name)
        at = int(m[1]) if m else 0
        return self.columns[at - 1] if 1 <= at <= len(self.columns) else None

    def _no_column(self, option: str, said: str) -> InputError:
        names = ", ".join(f'"{c.name[:60]}"' for c in self.columns[:200])
        if len(names) > 400 or len(self.columns) > 200:
            names = names[:360].rsplit(", ", 1)[0] + ", .."
        return wrong(f'{self.where}: {option} is "{said[:100]}", which is none of the '
                     f"{len(self.columns)} columns: {names}")

    def _give(self, c: Column, role: str) -> None:
        if c.said:
            raise wrong(f'{self.where}: column "{c.name}" is said to be {c.role} and {role}, '
                        "expected one of them")
        c.role, c.said, c.is_amount = role, True, role == "number"

    def _find_said(self, said: str) -> Tuple[Optional[Column], Optional[str]]:
        """Finds the column of NAME or NAME=VALUE; the name may contain '='."""
        parts = said.split("=")
        for n in [len(parts), *range(1, len(parts))]:
            c = self._find("=".join(parts[:n]))
            if c:
                return c, "=".join(parts[n:]) if n < len(parts) else None
        return None, None

    def _give_roles(self) -> None:
        how = self.how
        for role, name in (("id", how.id), ("label", how.label)):
            if name is not None:
                c = self._find(name)
                if not c:
                    raise self._no_column(role, name)
                self._give(c, role)
        for role, said in [(r, s) for r in ("category", "date", "number", "ignore")
                           for s in how.get(r)]:
            c, value = self._find_said(said)
            if not c or (value is not None and role not in ("category", "date")):
                raise self._no_column(role, said)
            self._give(c, role)
            if value is not None and role == "category":
                self._take_values(c, value)
            elif value is not None:
                self._take_form(c, value)
        self._keep_only()
        self._give_policies()
        for i, c in enumerate(self.columns):
            if c.unnamed and c.role not in ("id", "ignore"):
                raise wrong(f"{self.where}: column {i + 1} has no name: say that it has the ids "
                            f'(id "#{i + 1}"), or is to be ignored (ignore "#{i + 1}"), or give '
                            "it a name",
                            ("ignore" if i or how.id is not None else "id", f"#{i + 1}"))
            if c.role == "label":
                c.missing = "error"

    def _keep_only(self) -> None:
        """If `only` names columns, ignores columns that no option names."""
        kept = set()
        for name in self.how.only:
            c = self._find(name)
            if not c:
                raise self._no_column("only", name)
            kept.add(c)
        for c in self.columns if kept else []:
            if c not in kept and not c.said:
                c.role = "ignore"

    def _take_form(self, c: Column, form: str) -> None:
        try:
            c.form = Form(form)
        except ValueError:
            raise wrong(f'{self.where}: date "{c.name[:60]}={form[:100]}" has no form of a date, '
                        "expected one such as D.M.Y, M/D/y, D-Mon-Y, Y-M-D h:m:s or h:m") from None

    def _take_values(self, c: Column, given: str) -> None:
        most = COLUMN_NAME_MAX - 1 - size_of(c.name)
        c.codes_given = True
        for value in given.split("|"):
            said = f'{self.where}: category "{c.name[:60]}={given[:100]}" has'
            if not 1 <= size_of(value) <= most:
                raise wrong(f"{said} a value of {size_of(value)} bytes, expected 1 to {most}")
            if value in c.codes:
                raise wrong(f'{said} "{value}" twice')
            c.codes[value] = len(c.codes)

    def _give_policies(self) -> None:
        for policy in (m for m in self.how.missing if "=" not in m):
            for column in self.columns:
                column.missing = policy
        for option, said in [("missing", m) for m in self.how.missing if "=" in m] + \
                            [("unit", u) for u in self.how.unit]:
            name, _, value = said.rpartition("=")
            c = self._find(name)
            if not c:
                raise self._no_column(option, said)
            if option == "unit":
                c.unit = value
            else:
                c.missing, c.missing_said = value, True

    # ---- rows ----

    def take_all(self, chunks: Iterable[Chunk]) -> None:
        try:
            for at, columns in chunks:
                self._take(at, columns)
        except InputError:
            if not self._faults:  # otherwise faults of earlier rows are known
                raise
        if self._faults:
            raise self._all_faults()
        self._end()

    def _all_faults(self) -> InputError:
        """Returns an error with a message for each faulty column. Its `advice` has the options
        that read them."""
        sentences = [sentence for sentence, _ in self._faults]
        more = len(sentences) - FAULTS_SHOWN
        if more > 0:
            sentences[FAULTS_SHOWN:] = [f"and {more} more columns"]
        return wrong("\n".join(sentences), *(a for _, some in self._faults for a in some))

    def _take(self, at: Sequence[int], columns: Sequence[Any]) -> None:
        """Takes a chunk of rows. Notes the first faulty cell of each column, in the order of
        rows."""
        if self.rows + len(at) > ROWS_MAX:
            raise wrong(f"{self.where}: more than {ROWS_MAX} rows")
        take = {"number": self._numbers, "date": self._dates, "category": self._codes,
                "label": self._codes}
        faults: List[Tuple[int, Column, str]] = []
        for c, cells in zip(self.columns, columns):
            try:
                if c.role == "id":
                    self._take_ids(c, cells, at)
                elif c.role != "ignore" and not c.fault:
                    c.parts.append(take[c.role](c, cells))
            except _Fault as f:
                faults.append((f.at, c, f.sentence))
                c.fault = f.sentence
        for i, c, sentence in sorted(faults, key=lambda f: f[0]):
            self._faults.append((f'{self.place(at[i])}: column "{c.name}" {sentence}',
                                 _remedies.of_column(self, c, columns, at)))
            if c.role == "id":  # without ids, rows cannot be distinguished
                raise self._all_faults()
        self.rows, self.last = self.rows + len(at), at[-1]

    def is_gap(self, cell: Any) -> bool:
        if isinstance(cell, str):
            return self.how.is_na(cell.strip(BLANK))
        return cell is None or (isinstance(cell, float) and math.isnan(cell))

    def _gap(self, c: Column, i: int, cell: Any) -> None:
        if c.missing == "error":
            raise _Fault(i, f"has no value ({'NULL' if cell is None else shown(cell)}): say what "
                            "becomes of it (missing): mean, median or indicator, or that the "
                            "column is to be ignored")
        c.gaps += 1

    def _numbers(self, c: Column, cells: Any) -> Any:
        if isinstance(cells, np.ndarray):
            x = cells.astype(np.float64)
            for i in np.flatnonzero(~np.isfinite(x)):
                self._number(c, int(i), float(x[i]))
            return x
        try:
            # If the texts have only the characters listed below, float() accepts exactly those
            # that NUMBER matches, also with line breaks around them.
            joined = "\n".join(cells)
            if "E+" in joined:
                c.shortened += sum(bool(_LONG.fullmatch(cell)) for cell in cells)
            plain = self.how.decimal == "." and not (c.is_amount or _ZEROS.search(joined))
            c.look_at_points(joined)
            if plain and not joined.encode("utf-8", "replace").translate(None,
                                                                         b"0123456789+-.eE\n"):
                x = np.fromiter(map(float, cells), np.float64, len(cells))
                if (np.abs(x) < EXACT).all():
                    return x
        except (TypeError, ValueError):
            pass  # a cell is not a text or not a number
        return np.fromiter((self._number(c, i, v) for i, v in enumerate(cells)), np.float64,
                           len(cells))

    def _number(self, c: Column, i: int, cell: Any) -> float:
        if self.is_gap(cell):
            self._gap(c, i, cell)
            return math.nan
        if isinstance(cell, float) and math.isfinite(cell):
            return cell
        text = self._cell_text(i, cell).strip(BLANK)
        if c.is_amount:
            return self._amount(c, i, text)
        if self.how.decimal == ",":
            text = "" if "." in text else text.replace(",", ".")
        x = number_of(text)
        if x is None or _signs.has_zeros(text):
            raise _Fault(i, _signs.no_number(text, _text_of(cell), self.how.decimal))
        return x

    def _amount(self, c: Column, i: int, text: str) -> float:
        """Parses a number with signs. If one number has a unit or a percent sign, all must have
        it."""
        amount = amount_of(text, self.how.decimal)
        if not amount:
            raise _Fault(i, f"is {shown(text)}, expected a number, also with signs of currency, "
                            "thousands or a unit, whose decimal point is "
                            f"'{self.how.decimal}' (decimal); if it stands for no value say so "
                            "(na)")
        c.bare = c.bare or not amount.sign
        c.sign = c.sign or amount.sign
        if (amount.sign and amount.sign != c.sign) or (c.bare and not may_lack(c.sign)):
            raise _Fault(i, f"is {shown(text)}, expected all with one unit or currency, or all "
                            f"without: another cell has {shown(c.sign)}")
        return amount.x

    def _cell_text(self, i: int, cell: Any) -> str:
        if isinstance(cell, (bytes, bytearray, memoryview)):
            raise _Fault(i, "has bytes (a BLOB), expected a number or text")
        if not isinstance(cell, (str, float)):
            raise _Fault(i, f"has a {type(cell).__name__}, expected a number or text")
        return _text_of(cell)

    def _word(self, i: int, cell: Any) -> str:
        text = self._cell_text(i, cell)
        return trimmed(text) if self.how.trim == "yes" else text

    def _texts(self, cells: Any) -> Any:
        """Handles the cells of a column that does not have numbers."""
        if isinstance(cells, np.ndarray):
            return [None if math.isnan(x) else repr(x) for x in cells.tolist()]
        return cells

    def _dates(self, c: Column, cells: Any) -> Any:
        days = np.empty(len(cells))
        for i, cell in enumerate(self._texts(cells)):
            if self.is_gap(cell):
                self._gap(c, i, cell)
                days[i] = math.nan
                continue
            text = self._cell_text(i, cell).strip(BLANK)
            x = c.form.days_of(text) if c.form else days_of(text)
            if x is None:
                forms = c.form.text if c.form else "2024-12-31 or 2024-12-31T23:59:59"
                raise _Fault(i, f"is {shown(cell)}, expected a date as {forms}")
            days[i] = x
        return days

    def _codes(self, c: Column, cells: Any) -> Any:
        codes = np.empty(len(cells), np.int32)
        for i, cell in enumerate(self._texts(cells)):
            code = c.seen.get(cell) if isinstance(cell, str) else None
            codes[i] = self._code(c, i, cell) if code is None else code
        return codes

    def _code(self, c: Column, i: int, cell: Any) -> int:
        if self.is_gap(cell):
            self._gap(c, i, cell)
            return -1
        text = self._word(i, cell)
        fault = text_fault(text, COLUMN_NAME_MAX - 1 - size_of(c.name))
        if fault:
            raise _Fault(i, f"is {shown(cell)}, which {fault}")
        if text not in c.codes and c.codes_given:
            raise _Fault(i, f"is {shown(cell)}, which is none of the {len(c.codes)} values that "
                            "were given (category)")
        most = LABELS_MAX if c.role == "label" else self.how.most
        if text not in c.codes and len(c.codes) == most:
            raise _Fault(i, f"has more than {most} values, {shown(cell)} is one more: say that it "
                            "is to be ignored (ignore), or the most that it may have (most)")
        c.seen[text] = c.codes.setdefault(text, len(c.codes))
        return c.seen[text]

    def _take_ids(self, c: Column, cells: Any, at: Sequence[int]) -> None:
        for i, cell in enumerate(self._texts(cells)):
            if self.is_gap(cell):
                raise _Fault(i, f"has no id ({shown(cell)}): give the row one, or take it out of "
                                "the file")
            text = self._word(i, cell)
            if not is_id(text):
                raise _Fault(i, f"is {shown(cell)}, expected an id: 1 to {ID_MAX} bytes of UTF-8 "
                                "without blanks and invisible marks that do not begin with '#'")
            if text in self._ids:
                raise _Fault(i, f"is {shown(cell)}, which is the id of {self.unit} "
                                f"{self._ids[text]} too; take one of the rows out, or give it an "
                                "id of its own")
            self._ids[text] = at[i]

    # ---- the end ----

    def _end(self) -> None:
        if not self.rows:
            raise wrong(f"{self.where}: no rows below the heading")
        if any(c.role == "id" for c in self.columns):
            self.ids = list(self._ids)
            _suspect.look_at_all_ids(self.where, self.ids)
        for c in self.columns:
            if c.role in ("category", "label"):
                c.sorted = sorted(c.codes)
            if c.role in ("number", "date"):
                c.unit = c.unit or c.sign or None
                self._measure(c)
        for c in self.columns:
            if c.role == "label":
                self.labels = self._label_numbers(c)
            if c.role not in ("id", "ignore"):
                self.made += c.made()
                _suspect.look_at_gaps(self.where, c, self.rows)
        self.advice += _suspect.look_at_table(self)
        if not self.made and self.ids is None and self.labels is None:
            raise wrong(f"{self.where}: no column is left that becomes a feature, and none has ids")
        self._spread()

    def _measure(self, c: Column) -> None:
        """Sets the range of a column of numbers, and the value that replaces missing ones."""
        x = c.array()
        x = x[~np.isnan(x)]
        if not len(x):
            raise wrong(f'{self.where}: column "{c.name}" has no value in any of the {self.rows} '
                        "rows: say that it is to be ignored (ignore)")
        c.min, c.max = float(x.min()), float(x.max())
        if c.gaps and c.missing == "median":
            x = np.sort(x)
            n = len(x)
            c.fill = float(x[n // 2] if n % 2 else x[n // 2 - 1] / 2 + x[n // 2] / 2)
        elif c.gaps:
            c.fill = float(np.cumsum(x / len(x))[-1])

    def _label_numbers(self, c: Column) -> Any:
        """Keeps whole numbers. Converts words to their positions in sorted order."""
        whole = all(WHOLE.fullmatch(v) and int(v) < LABELS_MAX for v in c.codes)
        number = {v: int(v) if whole else at for at, v in enumerate(c.sorted)}
        return np.array([number[v] for v in c.codes], np.int64)[c.array()]

    def _spread(self) -> None:
        """Makes X from all columns: numbers, and a column of 0 and 1 for each value of a
        category."""
        names = [m["name"] for m in self.made]
        if len(names) > COLS_MAX:
            raise wrong(f"{self.where}: {len(names)} columns, once categories are spread; at most "
                        f"{COLS_MAX} are read")
        seen = set()
        for name in names:
            if name in seen:
                raise wrong(f'{self.where}: two columns are called "{name}"')
            seen.add(name)
        check_room(self.where, "its matrix, with a column for each category,",
                   8.0 * self.rows * len(names))
        self.X = np.zeros((self.rows, len(names)))
        to = 0
        for c in self.columns:
            width = len(c.made()) if c.role in ("number", "date", "category") else 0
            if c.role == "category":
                at = {v: i for i, v in enumerate(c.sorted)}
                place = np.array([at[v] for v in c.codes] + [width - 1], np.int64)
                self.X[np.arange(self.rows), to + place[c.array()]] = 1
            elif width:
                x = c.array()
                self.X[:, to] = np.where(np.isnan(x), c.fill, x)
                if c.has_indicator:
                    self.X[:, to + 1] = np.isnan(x)
            c.parts = []
            to += width
