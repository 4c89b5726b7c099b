"""62 small tables with typical flaws, for test_messy.py.

Each row of TABLES has a name, the file name, its bytes, the grade, the rows of features that are
read (or None), the ids, and a pattern in the output of the first command, or "".

Grades: A, read correctly at once, with a warning if needed; B, refused with options that make it
right; C, refused, and a user must edit the file. No file is read wrongly.
"""
from typing import List, NamedTuple, Optional


class Messy(NamedTuple):
    name: str
    file: str
    content: bytes
    grade: str
    features: Optional[List[List[float]]]
    ids: Optional[str] = None
    says: str = ""


IDS = "a1 a2 a3 a4 a5"


def text(*lines: str, end: str = "\n") -> bytes:
    return (end.join(lines) + end).encode()


def column(*cells: str) -> bytes:
    """Returns a table with the heading id,x and the ids of IDS, with these cells in quotes."""
    return text("id,x", *(f'{i},"{c}"' for i, c in zip(IDS.split(), cells)))


def of(*x: float) -> List[List[float]]:
    return [[v] for v in x]


TABLES = [
    # separators, lines, encodings
    Messy("semicolons", "t.csv", text("id;x;y", "a1;1;2", "a2;3;4", "a3;5;7"), "B",
          [[1, 2], [3, 4], [5, 7]], "a1 a2 a3"),
    Messy("tabs in .csv", "t.csv", text("x\ty", "1\t2", "3\t4", "5\t7"), "B",
          [[1, 2], [3, 4], [5, 7]]),
    Messy("sep=; of a spreadsheet", "t.csv", text("sep=;", "x;y", "1;2", "3;4", end="\r\n"), "A",
          [[1, 2], [3, 4]]),
    Messy("CRLF", "t.csv", text("x,y", "1,2", "3,4", end="\r\n"), "A", [[1, 2], [3, 4]]),
    Messy("a byte order mark", "t.csv", b"\xef\xbb\xbf" + text("x,y", "1,2", "3,4"), "A",
          [[1, 2], [3, 4]]),
    Messy("UTF-16 of a spreadsheet", "t.txt", "\ufeffx\ty\r\n1\t2\r\n3\t4\r\n".encode("utf-16-le"),
          "A", [[1, 2], [3, 4]]),
    Messy("Latin-1 words", "t.csv",
          "ort,x\nK\u00f6ln,1\nM\u00fcnchen,2\nK\u00f6ln,3\nM\u00fcnchen,4\n".encode("latin-1"),
          "B", [[1, 0, 1], [0, 1, 2], [1, 0, 3], [0, 1, 4]]),
    Messy("a delimiter at each end", "t.csv", text("x,y,", "1,2,", "3,4,"), "B", [[1, 2], [3, 4]]),
    Messy("quotes and line ends in fields", "t.csv",
          b'id,note,x\na1,"says ""no"",\nthen yes",1\na2,"a, b",2\na3,c,4\na4,"d",5\n', "B",
          of(1, 2, 4, 5), "a1 a2 a3 a4"),
    # headings, and lines that are not rows
    Messy("no heading, numbers", "t.csv", text("1.5,2", "3,4", "5,7"), "A",
          [[1.5, 2], [3, 4], [5, 7]]),
    Messy("no heading, words", "t.csv", text("a1,north,3.5", "a2,south,4", "a3,north,5",
                                             "a4,south,6"), "B",
          [[1, 0, 3.5], [0, 1, 4], [1, 0, 5], [0, 1, 6]], "a1 a2 a3 a4"),
    Messy("years as headings", "t.csv", text("id,2019,2020", "a1,3,4", "a2,5,7", "a3,6,9"), "B",
          [[3, 4], [5, 7], [6, 9]], "a1 a2 a3"),
    Messy("pandas' index", "t.csv", text(",x,y", "0,1,2", "1,3,4", "2,5,7"), "B",
          [[1, 2], [3, 4], [5, 7]], "0 1 2"),
    Messy("R's row names", "t.csv", text('"x","y"', '"r1",1,2', '"r2",3,4', '"r3",5,7'), "B",
          [[1, 2], [3, 4], [5, 7]], "r1 r2 r3"),
    Messy("two columns of one name", "t.csv", text("x,y,x", "1,2,1", "3,4,3", "5,7,5"), "B",
          [[1, 2], [3, 4], [5, 7]]),
    Messy("blanks around names", "t.csv", text("x, y", "1, 2", "3, 4", "5, 7"), "B",
          [[1, 2], [3, 4], [5, 7]]),
    Messy("a title and a blank line", "t.csv",
          text("Report of May", "", "x,y", "1,2", "3,4", "5,7"), "B", [[1, 2], [3, 4], [5, 7]]),
    Messy("comments", "t.csv", text("# of the lab", "# in May", "x,y", "1,2", "3,4"), "B",
          [[1, 2], [3, 4]]),
    Messy("units below the heading", "t.csv", text("weight,size", "kg,cm", "71,180", "80,175",
                                                   "62,169"), "B",
          [[71, 180], [80, 175], [62, 169]]),
    Messy("the heading once more", "t.csv", text("x,y", "1,2", "3,4", "x,y", "5,7", "8,9"), "B",
          [[1, 2], [3, 4], [5, 7], [8, 9]]),
    Messy("blank lines within", "t.csv", text("x,y", "1,2", "", "3,4", "", "5,7"), "B",
          [[1, 2], [3, 4], [5, 7]]),
    Messy("a source at the end", "t.csv", text("x,y", "1,2", "3,4", "5,7", "Source: the lab"), "B",
          [[1, 2], [3, 4], [5, 7]]),
    Messy("a row of totals", "t.csv", text("id,x,y", "a1,1,2", "a2,3,4", "a3,5,7", "Total,9,13"),
          "B", [[1, 2], [3, 4], [5, 7]], "a1 a2 a3"),
    Messy("a row too short", "t.csv", text("x,y,z", *["1,2,3", "3,4,5", "7,8,8"] * 4, "5,6"), "B",
          [[1, 2, 3], [3, 4, 5], [7, 8, 8]] * 4, None, "14: 2 fields, expected 3"),
    Messy("a comma without quotes", "t.csv",
          text("name,x", *[f"p{i},{i % 4}" for i in range(12)], "Doe, Jane,5"), "B",
          of(*[i % 4 for i in range(12)]), " ".join(f"p{i}" for i in range(12)),
          "has to be in quotes"),
    Messy("a quote within a field", "t.csv", text("part,x", '3" pipe,1', "rod,2", "bar,3"), "C",
          None, None, "quote in its middle"),
    # numbers
    Messy("German decimals", "t.csv", text("id;x;y", "a1;1,5;1.234,5", "a2;2,25;12,5",
                                           "a3;3;1.000.000,75"), "B",
          [[1.5, 1234.5], [2.25, 12.5], [3, 1000000.75]], "a1 a2 a3"),
    Messy("French decimals", "t.csv",
          text("id;prix", "a1;1\u202f234,50", "a2;12,5", "a3;1\u00a0000,25"), "B",
          of(1234.5, 12.5, 1000.25), "a1 a2 a3"),
    Messy("German thousands", "t.csv", text("id;x", "a1;1.234", "a2;12.500", "a3;980", "a4;3.100"),
          "B", of(1234, 12500, 980, 3100), "a1 a2 a3 a4"),
    Messy("Swiss apostrophes", "t.csv", column("1'234.50", "950", "12\u2019000", "1", "2"), "B",
          of(1234.5, 950, 12000, 1, 2), IDS),
    Messy("dollars", "t.csv", column("$1,234.50", "-$12.00", "$3", "$950", "$1"), "B",
          of(1234.5, -12, 3, 950, 1), IDS),
    Messy("euros", "t.csv", column("1.234,50 \u20ac", "12,00 \u20ac", "3,5 \u20ac", "7 \u20ac",
                                   "1 \u20ac"), "B", of(1234.5, 12, 3.5, 7, 1), IDS),
    Messy("per cent", "t.csv", column("12%", "3.5 %", "100%", "0%", "7%"), "B",
          of(12, 3.5, 100, 0, 7), IDS),
    Messy("parentheses of accounts", "t.csv", column("(1,234.50)", "12", "(3)", "4", "5"), "B",
          of(-1234.5, 12, -3, 4, 5), IDS),
    Messy("thousands", "t.csv", column("1,234", "950", "12,000", "1,234,567", "3"), "B",
          of(1234, 950, 12000, 1234567, 3), IDS),
    Messy("units in cells", "t.csv", column("12 kg", "7.5 kg", "80 kg", "1 kg", "3 kg"), "B",
          of(12, 7.5, 80, 1, 3), IDS),
    Messy("two units in cells", "t.csv", column("12 kg", "800 g", "80 kg", "1 kg", "3 kg"), "C",
          None, None, '"12 kg"'),
    Messy("minus signs", "t.csv", column("\u22125", "3", "\u22121.5", "2-", "4"), "B",
          of(-5, 3, -1.5, -2, 4), IDS),
    Messy("1.23E+15", "t.csv", column("1.23E+15", "1.24E+15", "1.5E+15", "2E+3", "7"), "B",
          of(1.23e15, 1.24e15, 1.5e15, 2000, 7), IDS),
    Messy("both decimals", "t.csv", column("1.5", "1,5", "2.25", "3,75", "4"), "C", None, None,
          '"1,5"'),
    # missing values
    Messy("an empty field", "t.csv", text("x,y", "1,2", ",4", "5,8", "7,9"), "B",
          [[1, 2], [5, 4], [5, 8], [7, 9]]),
    Messy("several spellings of nothing", "t.csv", column("n/a", "NA", "3", "-", "7"), "B",
          of(5, 5, 3, 5, 7), IDS),
    Messy("errors of a spreadsheet", "t.csv", column("#DIV/0!", "1", "#REF!", "5", "3"), "B",
          of(3, 1, 3, 5, 3), IDS),
    Messy("inf and nan", "t.csv", column("inf", "1", "nan", "-inf", "3"), "B",
          of(2, 1, 2, 2, 3), IDS),
    Messy("a sentinel", "t.csv", text("x,y", *[f"{20 + i},{i % 3}" for i in range(9)], "-999,1"),
          "A", [[20 + i, i % 3] for i in range(9)] + [[-999, 1]], None,
          r"1 values are -999, .*na=-999"),
    Messy("a column without values", "t.csv", text("x,fax,y", "1,,2", "3,,4", "5,,7"), "B",
          [[1, 2], [3, 4], [5, 7]]),
    Messy("a constant column", "t.csv", text("x,y", *[f"{i},7" for i in range(9)]), "A",
          [[i, 7] for i in range(9)], None, 'column "y" is 7 in all'),
    # ids, words and dates
    Messy("ids with zeros in front", "t.csv", text("account,x", "00123,1", "00456,2", "00789,4"),
          "B", of(1, 2, 4), "00123 00456 00789"),
    Messy("ids of twenty digits", "t.csv",
          text("iban,x", "12345678901234567890,1", "12345678901234567891,2",
               "12345678901234567893,4"), "B", of(1, 2, 4),
          "12345678901234567890 12345678901234567891 12345678901234567893"),
    Messy("ids of digits", "t.csv", text("customer_id,x", "1001,1", "1002,2", "1003,4"), "B",
          of(1, 2, 4), "1001 1002 1003"),
    Messy("ids in hexadecimal", "t.csv", text("device,x", "0x1F,1", "0x2A,2", "0x3B,4"), "B",
          of(1, 2, 4), "0x1F 0x2A 0x3B"),
    Messy("an id that comes twice", "t.csv",
          text("id,x", *[f"a{i},{i}" for i in range(10)], "a3,3"), "B", of(*range(10)),
          " ".join(f"a{i}" for i in range(10)), ""),
    Messy("words of several cases", "t.csv",
          text("region,x", "North,1", "north,2", "South,3", "North,4", "South,5", "north,6"), "B",
          [[1, 0, 0, 1], [0, 0, 1, 2], [0, 1, 0, 3], [1, 0, 0, 4], [0, 1, 0, 5], [0, 0, 1, 6]]),
    Messy("true and false", "t.csv", text("vip,x", "TRUE,1", "FALSE,2", "TRUE,3", "FALSE,4"), "B",
          [[0, 1, 1], [1, 0, 2], [0, 1, 3], [1, 0, 4]]),
    Messy("dates", "t.csv", text("joined,x", "1970-01-02,1", "1970-01-05,2", "1970-02-01,4"), "B",
          [[1, 1], [4, 2], [31, 4]]),
    Messy("dates with dots", "t.csv", column("02.01.1970", "5.1.1970", "01.02.1970", "03.01.1970",
                                             "1.1.1970"), "B", of(1, 4, 31, 2, 0), IDS),
    Messy("dates of the United States", "t.csv",
          column("1/2/1970", "1/31/1970", "2/1/1970", "1/1/1970", "1/4/1970"), "B",
          of(1, 30, 31, 0, 3), IDS),
    Messy("03/04/05", "t.csv", column("03/04/05", "01/02/03", "04/05/06", "01/01/01", "02/02/02"),
          "C", None, None, "D/M/y"),
    Messy("dates of two forms", "t.csv",
          column("02.01.1970", "1970-01-05", "01.02.1970", "2.2.1970", "1.1.1970"), "C", None, None,
          "expected a date"),
    Messy("numbers of phones", "t.csv",
          text("x,phone", "1,+49 170 1234567", "2,030 123 456", "4,+49 30 11", "5,0170/555"), "B",
          of(1, 2, 4, 5)),
    Messy("codes of post", "t.csv", text("x,plz", "1,01067", "2,80331", "4,01067", "5,80331"), "B",
          [[1, 1, 0], [2, 0, 1], [4, 1, 0], [5, 0, 1]]),
    Messy("times", "t.csv", column("06:00", "12:00", "18:00", "00:00", "03:00"), "B",
          of(.25, .5, .75, 0, .125), IDS),
]
