"""Fields between separators (RFC 4180): records of a text, and a table of them."""
from __future__ import annotations

import itertools
import logging
import re
from typing import AbstractSet, Iterator, List, NamedTuple, Optional, Tuple

from .._errors import InputError
from ._remedies import header_of
from ._reading import Reading
from ._table import Chunk, Table, chunks_of
from ._text import BLANK, Advice, days_of, number_of, shown, wrong

log = logging.getLogger("coterie.convert")
FIELDS_MAX = 1 << 20
TITLES_MAX = 16  # maximum number of lines that are searched for a title above the heading
OTHERS = {";": ";", "\t": "tab", ",": ",", "|": "|"}  # separators, as options name them


class Record(NamedTuple):
    line: int
    fields: List[str]
    blank: bool
    quoted: bool  # a field is in quotes


def open_text(data: bytes, where: str, encoding: Optional[str] = None) -> Tuple[str, bool]:
    """Returns the text of a file, and whether it began with a byte order mark. Recognises UTF-16
    by its byte order mark."""
    mark = data[:3] == b"\xef\xbb\xbf"
    data = data[3:] if mark else data
    if not data:
        raise wrong(f"{where}: the file is empty, expected a heading and rows")
    if encoding is None and data[:2] in (b"\xff\xfe", b"\xfe\xff") and not len(data) % 2:
        encoding, mark = "utf-16", True
    if encoding is None:
        if b"\0" in data[:64]:
            raise wrong(f"{where}: expected text in UTF-8, not UTF-16 or a file of another kind: "
                        "save it as CSV in UTF-8")
        return data.decode("utf-8", "surrogateescape"), mark
    try:
        text = data.decode(encoding)
    except UnicodeError as e:
        raise wrong(f"{where}: byte {getattr(e, 'start', 0)} is none of {encoding}: say how the "
                    "file is encoded (encoding), or save it as UTF-8") from None
    log.info("%s: encoded in %s", where, encoding)
    return text, mark


def with_line_ends(text: str, where: str) -> str:
    """Converts line ends if lines end in a carriage return alone, as on old Macs."""
    if "\n" in text or "\r" not in text[:-1]:
        return text
    log.info("%s: lines end in carriage returns", where)
    return text.replace("\r", "\n")


class Records:
    """Iterates over the records of a text. comments, omitted: numbers of lines skipped."""

    def __init__(self, text: str, where: str, separator: str, comment: Optional[str],
                 begin: int = 0, line: int = 1, omit: AbstractSet[int] = frozenset()):
        self.text, self.where, self.separator, self.comment = text, where, separator, comment
        self.at, self.line, self.comments, self.omit, self.omitted = begin, line, 0, omit, 0
        self._plain = re.compile(f'[^{re.escape(separator)}\n"\r]*')
        self._quoted = re.compile(r'"([^"]*(?:""[^"]*)*)"')

    def __iter__(self) -> Iterator[Record]:
        text = self.text
        while self.at < len(text):
            end = text.find("\n", self.at)
            row = text[self.at:end if end >= 0 else len(text)]
            is_comment = self.comment and row.startswith(self.comment)
            if is_comment or self.line in self.omit:
                self.comments += bool(is_comment)
                self.omitted += not is_comment
                self.at, self.line = self.at + len(row) + 1, self.line + 1
                continue
            if end >= 0 and row.endswith("\r"):
                row = row[:-1]
            if '"' in row or "\r" in row:
                yield self._slow()
                continue
            line = self.line
            self.at, self.line = end + 1 if end >= 0 else len(text), line + 1
            fields = row.split(self.separator)
            if len(fields) > FIELDS_MAX:
                raise wrong(f"{self.where}:{line}: more than {FIELDS_MAX} fields")
            yield Record(line, fields, len(fields) == 1 and not row.strip(BLANK), False)

    def _slow(self) -> Record:
        """Parses a record that contains quotes or carriage returns."""
        first, fields, quoted = self.line, [], False
        text, last = self.text, False
        while not last:
            if text[self.at:self.at + 1] == '"':
                m = self._quoted.match(text, self.at)
                if not m:
                    raise self._wrong("a quote is opened here and never closed")
                self.line += m[1].count("\n")
                fields.append(m[1].replace('""', '"'))
                quoted = True
            else:
                m = self._plain.match(text, self.at)
                assert m
                fields.append(m[0])
            self.at = m.end()
            if text[self.at:self.at + 2] == "\r\n":
                self.at += 1
            c = text[self.at:self.at + 1]
            if c and c != self.separator and c != "\n":
                raise self._misplaced(c, len(fields))
            last = c != self.separator
            self.line += last
            self.at += 1
        return Record(first, fields, False, quoted)

    def _misplaced(self, c: str, number: int) -> Exception:
        if c == "\r":
            return self._wrong(f"field {number} has a carriage return that ends no line, expected "
                               "lines that end in LF or CRLF")
        if c == '"':
            return self._wrong(f"field {number} has a quote in its middle, expected the whole "
                               "field in quotes and each quote in it twice")
        if c in OTHERS and number == 1:
            return self._wrong(f"field 1 ends, and {shown(c)} follows: if that separates fields "
                               "say so (separator)", ("separator", OTHERS[c]))
        return self._wrong(f"field {number} goes on behind its closing quote, expected each quote "
                           "in it twice")

    def _wrong(self, sentence: str, *advice: Advice) -> Exception:
        return wrong(f"{self.where}:{self.line}: {sentence}", *advice)


# ---- the heading ----


def _may_be_counts(fields: List[str]) -> bool:
    """Returns whether the numbers are 0, 1, .. or 1, 2, 3, .., which pandas writes as a heading."""
    numbers = [x for x in map(number_of, (f.strip(BLANK) for f in fields)) if x is not None]
    first = numbers[0]
    counts = first in (0, 1) and numbers == [first + i for i in range(len(numbers))]
    many = 2 if first == 0 else 3
    return counts and (len(numbers) >= many or (len(fields) == 1 and fields[0][:1] == "0"))


def heading(where: str, how: Reading, named: bool, fields: List[str],
            first_line: str) -> Tuple[bool, str]:
    """Returns whether the first record is the heading, and the reason. where: the file's name
    with the record's line or row."""
    words = numbers = gaps = 0
    for text in (f.strip(BLANK) for f in fields):
        if number_of(text) is not None:
            numbers += 1
        elif text and (how.is_na(text) or days_of(text) is not None):
            gaps += 1
        elif text:
            words += 1
    if how.header != "auto":
        return how.header == "yes", "as header says"
    if named:
        return True, "as columns are named"
    if words and not numbers and not gaps:
        return True, "as no field in it is a number"
    if numbers and not words and not _may_be_counts(fields):
        return False, "as it has numbers and no word"
    raise wrong(f"{where}: the first line, {shown(first_line)}, may be a heading or a row: say "
                "which (header yes or no)")


def names_columns(how: Reading) -> bool:
    """Returns whether an option names a column by its heading."""
    one = [how.id, how.label, *how.category, *how.date, *how.number, *how.ignore, *how.only,
           *how.unit, *(m for m in how.missing if "=" in m)]
    return any(name is not None and not name.startswith("#") for name in one)


# ---- a table ----


def _check_separator(where: str, r: Record, how: Reading, separator: str, line: str) -> None:
    """Refuses a single field that contains another separator."""
    if len(r.fields) != 1 or how.separator or r.quoted:
        return
    for other, name in ((";", "';'"), ("\t", "a tab"), (",", "a comma"), ("|", "'|'")):
        n = r.fields[0].count(other)
        if n and other != separator:
            raise wrong(f"{where}:{r.line}: no {'tab' if separator == chr(9) else 'comma'} in "
                        f"{shown(line)}, but {n} times {name}: say what separates fields "
                        "(separator)", ("separator", OTHERS[other]))


def _check_title(where: str, first: Record, how: Reading, separator: str,
                 records: Records) -> None:
    """Refuses a first line without text, titles and comments above the heading, which have one
    field, and blanks as separators."""
    texts = sum(bool(f.strip(BLANK)) for f in first.fields)
    if texts == 0:
        raise wrong(f"{where}:{first.line}: the first line has no text; leave it out (omit)",
                    ("omit", str(first.line)))
    if texts != 1 or first.quoted:
        return
    width = len(first.fields)
    above: List[Record] = []
    for r in itertools.islice(records, TITLES_MAX):
        if r.quoted:
            return
        if (len(r.fields) > 1) if width == 1 else all(f.strip(BLANK) for f in r.fields):
            raise wrong(f"{where}:{r.line}: {len(r.fields)} fields, expected {texts} as on the "
                        "first line: is that a title or a comment, take it out (omit), or say how "
                        "comments begin (comment)", _above(above, r.line))
        _check_separator(where, r, how, separator, "".join(r.fields))
        above.append(r)
    if width == 1 and not how.separator and len(above) > 1:
        _check_blanks(where, [r.fields[0] for r in above if not r.blank], first.line)


def _check_blanks(where: str, lines: List[str], line: int) -> None:
    """Refuses lines that all have the same number of words, some of them numbers."""
    if len({len(text.split()) for text in lines}) != 1 or len(lines[0].split()) < 2 or \
            not any(number_of(word) is not None for word in lines[-1].split()):
        return
    raise wrong(f"{where}:{line}: no comma in {shown(lines[0])}, but blanks, as in those below: "
                "say so if they separate fields (separator blank)", ("separator", "blank"))


def _above(above: List[Record], line: int) -> Advice:
    """Returns advice to omit the lines above this one, or to take them as comments."""
    marks = {r.fields[0][:1] for r in above}
    mark = marks.pop()
    return ("comment", mark) if not marks and mark in ("#", "%", "!") and mark else \
        ("omit", f"{above[0].line}-{line - 1}")


def _wrong_count(table: Table, where: str, r: Record) -> Exception:
    n, expected = len(r.fields), len(table.columns)
    at = f"{where}:{r.line}: "
    leave = ("omit", str(r.line))
    if r.blank:
        return wrong(f"{at}the line is blank, expected {expected} fields; take it out", leave)
    return wrong(f"{at}{n} fields, expected {expected} as on the first line; a field with a "
                 "separator in it has to be in quotes; or leave the line out (omit)", leave)


def _rows(table: Table, where: str, records: Iterator[Record]) -> Iterator[Tuple[int, List[str]]]:
    """Yields the rows below the heading. Omits blank lines only at the end."""
    rows = 0
    blanks: List[Record] = []
    for r in records:
        if r.blank:
            blanks.append(r)
            continue
        for b in blanks:  # in a table of one column, a blank line is also a field
            if len(table.columns) != 1:
                raise _wrong_count(table, where, b)
            rows += 1
            yield b.line, b.fields
        blanks = []
        if len(r.fields) != len(table.columns):
            raise _wrong_count(table, where, r)
        rows += 1
        yield r.line, r.fields
    table.said["blank"] = len(blanks)


def _separator_line(text: str, where: str, how: Reading) -> Tuple[Optional[str], int]:
    """Reads a first line "sep=;", which spreadsheets write. Returns the separator and the start
    of the next line."""
    m = re.match(r"sep=([^\r\n])\r?\n", text)
    if not m or how.separator:
        return None, 0
    log.info("%s: the first line says that %s separates fields", where, shown(m[1]))
    return m[1], m.end()


def _between_blanks(text: str, where: str) -> str:
    """Converts fields separated by runs of blanks and tabs to fields separated by tabs."""
    at = text.find('"')
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        raise wrong(f"{where}:{line}: a quote, expected none where blanks separate fields")
    return re.sub(r"[ \t]+", "\t", re.sub(r"(?m)^[ \t]+|[ \t]+(?=\r?$)", "", text))


def read_table(data: bytes, where: str, name: str, how: Reading) -> Table:
    """name: the file's name, without .gz and .zst."""
    text, mark = open_text(data, where, how.encoding)
    text = with_line_ends(text, where)
    if how.separator == "blank":
        text = _between_blanks(text, where)
    separator, begin = _separator_line(text, where, how)
    separator = separator or how.separator_of(name)
    table, records = _begun(text, where, separator, begin, how)
    table.take_all(_chunks(table, where, records))
    table.said.update(comments=records.comments, omitted=records.omitted)
    _tell(table, where, mark)
    return table


def _begun(text: str, where: str, separator: str, begin: int,
           how: Reading) -> Tuple[Table, Records]:
    """The table with its columns, and the records of its rows."""
    def records() -> Records:
        return Records(text, where, separator, how.comment, begin, 2 if begin else 1,
                       how.omitted())

    below = records()
    first, second = next(iter(below), None), _peeked(text, below)
    if first is None:
        raise wrong(f"{where}: the file has comments alone")
    if first.blank:
        raise wrong(f"{where}:{first.line}: the first line is blank; take it out",
                    ("omit", str(first.line)))
    line = text[begin:].split("\n", first.line)[first.line - (2 if begin else 1)].rstrip("\r")
    _check_separator(where, first, how, separator, line)
    _check_title(where, first, how, separator, records())
    fields = first.fields
    try:
        taken, why = heading(f"{where}:{first.line}", how, names_columns(how), fields, line)
    except InputError as e:
        setattr(e, "advice", [("header", header_of(fields, second))])
        raise
    if separator == how.decimal and not taken:
        raise wrong(f"{where}: '{separator}' is the separator and the decimal point, which needs a "
                    "heading: expected two characters")
    if taken and second and len(second) == len(fields) + 1:
        log.info("%s: the first line has one name less than the next line has fields: the first "
                 "column is of row names", where)
        fields = ["", *fields]
    table = Table(how, where, fields if taken else None, len(fields),
                  lambda at: f"{where}:{at}", "line")
    table.said.update(heading=taken, why=why, separator=separator)
    return table, below if taken else records()


def _peeked(text: str, records: Records) -> Optional[List[str]]:
    """Returns the fields of the next record, None at the end."""
    ahead = Records(text, records.where, records.separator, records.comment, records.at,
                    records.line, records.omit)
    try:
        found = next(iter(ahead), None)
    except InputError:
        return None
    return None if found is None else found.fields


def _chunks(table: Table, where: str, records: Records) -> Iterator[Chunk]:
    return chunks_of(_rows(table, where, iter(records)), len(table.columns))


def _tell(table: Table, where: str, mark: bool) -> None:
    said = table.said
    if mark:
        log.info("%s: begins with a byte order mark, which the first name does not include", where)
    log.info("%s: the first line is %s heading, %s: %d columns, %d of them left out", where,
             "the" if said["heading"] else "a row and no", said["why"], len(table.columns),
             sum(c.role == "ignore" for c in table.columns))
    if said["blank"] or said["comments"]:
        log.info("%s: left out %d blank lines at the end and %d lines of comment", where,
                 said["blank"], said["comments"])
    if said["omitted"]:
        log.info("%s: left out %d lines, as omit says", where, said["omitted"])
