"""Tests coterie.convert: tables, edges, and messages about them."""
import gzip
import json
import os
import shlex
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import bad_input
from converting import Case, library
import coterie
from coterie.convert import convert


class BadInput(Case):
    def test_rows(self):
        Path("t.csv").write_text("who,x\na,1\nb,2\n")
        for name, line, content, *patterns in bad_input.ROWS:
            with self.subTest(name):
                words = shlex.split(line)
                edges = {"--edges", "-e"} & set(words)
                file = words[words.index(edges.pop()) + 1] if edges else words[0]
                if "-i who -e" in line:
                    Path("t.csv").write_text("who,x\na,1\nb,2\n")
                Path(file).write_bytes(content)
                self.refused(line, *patterns)
        self.assertEqual(len(bad_input.ROWS), 107)

    def test_fine(self):
        for at, (name, line, content, pattern) in enumerate(bad_input.FINE):
            with self.subTest(name):
                words = shlex.split(line)
                Path(words[1] if words[0] == "--edges" else words[0]).write_bytes(content)
                status, said = self.run_line(f"{line} --out o{at}")
                self.assertEqual(status, 0, said)
                self.assertRegex(said, pattern)

    def test_places_and_commands(self):
        Path("t.csv").write_text("a,b\n1,2\n")
        os.makedirs("full/mine")
        os.makedirs("p.part")
        for line, *patterns in (
            ("none.csv --out o", r"none\.csv: No such file",
             "expected a file that this user may read"),
            ("t.csv --edges none.csv --out o", r"none\.csv: No such file"),
            ("t.csv", "--out and a file, or --out and --edges, are needed"),
            (". --out o", "the name says nothing", r"ends in \.csv"),
            ("t.csv --out full",
             "full: there is something in it, expected a directory that is empty or not there"),
            ("t.csv --out p",
             r"p\.part is there: another conversion to p is under way, or was killed", "remove it"),
            ("t.csv --out o -S colour=red", '--set is "colour=red"', "one of the keys header, "),
            ("t.csv --out o -p x", r't\.csv: --part is "x", but a \.csv has no parts'),
            ("t.csv --out o --colour red", "unrecognized arguments: --colour red"),
        ):
            with self.subTest(line):
                status, said = self.run_line(line)
                self.assertEqual(status, 4, said)
                for pattern in patterns:
                    self.assertRegex(said, pattern)
                self.assertFalse(Path("o").exists())
        self.assertEqual(sorted(p.name for p in Path(".").iterdir()), ["full", "p.part", "t.csv"])

    def test_a_directory_that_cannot_be_written(self):
        Path("t.csv").write_text("a,b\n1,2\n")
        status, said = self.run_line("t.csv --out t.csv/o")
        self.assertEqual(status, 1, said)

    def test_a_library_that_is_absent(self):
        for name, package in ("h5py", "python3-h5py"), ("openpyxl", "python3-openpyxl"), \
                ("zstandard", "python3-zstandard"), ("scipy.io", "python3-scipy"), \
                ("sqlalchemy", "python3-sqlalchemy"), ("pandas", "python3-pandas"):
            file = {"h5py": "t.h5ad", "openpyxl": "t.xlsx", "zstandard": "t.csv.zst",
                    "scipy.io": "t.mat",
                    "sqlalchemy": "postgresql://nowhere/x", "pandas": "t.parquet"}[name]
            if "://" not in file:
                Path(file).write_bytes(b"x" * 200)
            with self.subTest(name), mock.patch.dict(sys.modules,
                                                     {name: None, "compression": None}):
                self.refused(file, f"is not installed, which reads it: apt install {package}$")


class Tables(Case):
    def test_all_roles(self):
        Path("t.csv").write_text('who,age,sex,joined,class,note\n'
                                 'b,30,f,1970-01-02,yes,"a, b"\nc,,m,,no,\n'
                                 'a,50,f,1970-01-04,yes,"two\nlines"\n')
        said = self.makes("t.csv -i who -l class -c 'sex=f|m|x' --date joined --ignore note "
                          "-m mean -S unit=age=years",
                          [[30, 1, 0, 0, 1], [40, 0, 1, 0, 2], [50, 1, 0, 0, 3]], "b c a",
                          [1, 0, 1])
        self.assertIn('column "age": 1 of 3 values are missing; the mean of the others is there',
                      said)
        made = coterie.Data("d")
        self.assertEqual(made.columns, ["age", "sex=f", "sex=m", "sex=x", "joined"])
        self.assertEqual(made._json("columns.json")["columns"][0],
                         {"name": "age", "type": "number", "unit": "years"})
        record = made.imported
        self.assertEqual(record["rows"], {"read": 3, "dropped": 0})
        self.assertEqual(record["heading"], {"taken": True, "why": "as columns are named"})
        self.assertEqual(record["columns"][1], {"name": "age", "type": "number", "missing": 1,
                                                "min": 30, "max": 50,
                                                "filled": "mean", "with": 40})
        self.assertEqual(record["columns"][4]["values"], ["no", "yes"])
        self.assertEqual(record["file"]["bytes"], Path("t.csv").stat().st_size)
        self.assertEqual(record["made"], {"rows": 3, "features": 5, "ids": True, "labels": True})

    def test_median_and_indicator(self):
        Path("t.csv").write_text("a,b\n1,1\n2,NA\n9,2\n,3\n")
        self.makes("t.csv -m median -m b=indicator", [[1, 1, 0], [2, 2, 1], [9, 2, 0], [2, 3, 0]])

    def test_rows_of_more_than_one_chunk(self):
        rows = 20000
        lines = [f"n{i},{i / 8},{'ab'[i % 2]}\n" for i in range(rows)]
        Path("t.csv").write_text("who,x,kind\n" + "".join(lines))
        self.makes("t.csv -i who -c kind", [[i / 8, 1 - i % 2, i % 2] for i in range(rows)],
                   " ".join(f"n{i}" for i in range(rows)))
        with open("t.csv", "a") as f:
            f.write("n20000,x,a\nn3,1,a\n")
        self.refused("t.csv -i who -c kind", 't.csv:20002: column "x" is "x", expected a number')
        self.refused("t.csv -i who -c kind --ignore x",
                     't.csv:20003: column "who" is "n3", which is the id of line 5 too')

    def test_a_faulty_cell_comes_before_a_later_line(self):
        Path("t.csv").write_text("a,b\n1,2\n3,x\ny,4\n5\n")
        self.refused("t.csv", 't.csv:3: column "b" is "x"')

    def test_all_faulty_columns_at_once_with_options(self):
        signs = {"income": "$1,234.50", "euro": "12 \u20ac", "share": "12%", "born": "31.12.1999",
                 "balance": "(1234)", "swiss": "1'234", "space": "1\u00a0234", "mark": "'12"}
        words = {"region": ("north", "south"), "joined": ("2024-01-31", "2024-02-01"),
                 "age": ("", "7"), "note": ("said a", "said b"), "dash": ("-", "3")}
        head = [*signs, *words]
        rows = [[f'"{v}"' for v in signs.values()] +
                [v[i % 2] if name != "note" else f"said {i}" for name, v in words.items()]
                for i in range(9)]
        for row in rows[2:]:
            row[-1] = "4"
        Path("t.csv").write_text("\n".join(map(",".join, [head, *rows])) + "\n")
        self.refused("t.csv", "currency", "per cent", "parentheses", "apostrophes between",
                     "blanks within", "marks a text", r'born" is "31\.12\.1999", expected a date',
                     "to paste, where it is right: "
                     + "".join(f"--set number={n} " if n != "born" else "--date born=D.M.Y "
                               for n in signs) +
                     "--category region --date joined --missing age=median --ignore note "
                     "--set na=- --missing dash=median\n")
        said = self.run_line("t.csv --out o")[1]
        # Each column is named once, and "dash" again: with na "-" it has missing values.
        self.assertEqual(said.count('column "'), len(head) + 1)
        for name in signs:
            self.assertNotRegex(said, f'column "{name}" .*\\(category\\)')

    def test_currencies(self):
        for form in ("${}", "US$ {}", "R${}", "CHF {}", "{} EUR", "Fr. {}", "-\u20ac{}",
                     "\u20ac-{}"):
            x = [form.format(t) for t in ("3", "5.50", "1,200")]
            Path("t.csv").write_text("kind,x\n" + "".join(f'{i},"{t}"\n' for i, t in enumerate(x)))
            sign = -1 if "-" in form else 1
            self.makes("t.csv -S number=x", [[0, 3 * sign], [1, 5.5 * sign], [2, 1200 * sign]])

    def test_a_column_of_ids_is_proposed(self):
        for form in ("C{:05}", "ABC{:05}", "K-{:05}", "CUS{}", "{}A", "v{}"):
            rows = [f"{form.format(i + 10)},{i % 3}" for i in range(9)]
            Path("t.csv").write_text("\n".join(["customer,kind", *rows]) + "\n")
            self.refused("t.csv", "to paste, where it is right: --id customer\n")
        Path("t.csv").write_text("age,customer_no\n" + "".join(f"{i % 3},{70 + i}\n"
                                                              for i in range(9)))
        self.refused("t.csv", "another in each row", "where it is right: --id customer_no\n")

    def test_options_of_a_name_that_looks_like_one(self):
        Path("t.csv").write_text("-id,x\na1,1\na2,3\na3,5\n")
        self.refused("t.csv", "to paste, where it is right: --id=-id\n")
        self.makes("t.csv --id=-id", [[1], [3], [5]], "a1 a2 a3")

    def test_what_is_often_a_mistake_is_said(self):
        rows = [f"c{i},{20 + i},{i % 3},{i}.5,W{i},m" for i in range(10)]
        rows[3] = rows[3].replace(",23,", ",-999,")
        rows[4] = rows[4].replace(",m", ",M")
        total = f"Total,{sum(20 + i for i in range(10)) - 1022},9,49.5,W10,m"
        Path("t.csv").write_text("\n".join(["id,age,Sum a,sum_a,code,sex", *rows, total]) + "\n")
        line = "t.csv -i id -c code -c sex"
        status, said = self.run_line(f"{line} --out o")
        self.assertEqual(status, 0, said)
        for pattern in ('"Sum a" and "sum_a" differ by case',
                        '"M" and "m" differ|"m" and "M" differ',
                        'column "code" has another value in each of its 11 rows',
                        "last row has the sum of all others"):
            self.assertRegex(said, pattern)
        Path("t.csv").write_text("\n".join(["id,age,x,y,code,sex", *rows]) + "\n")
        said = self.run_line("t.csv -i id --ignore code -c sex --out o2")[1]
        self.assertRegex(said, 'column "age": 1 values are -999, all others from 20 to 29')
        self.assertNotIn("last row", said)
        Path("t.csv").write_text("x\n1.23E+15\n2\n")
        self.assertIn("1 numbers are written as 1.23E+15", self.run_line("t.csv --out o3")[1])

    def test_numbers_are_the_nearest_doubles_and_whole_ones_are_not_rounded(self):
        Path("t.csv").write_text("a,b\n.1,1e-3\n 5 ,+2.\n-0.30000000000000004,9007199254740992\n")
        self.makes("t.csv", [[.1, .001], [5, 2], [-0.30000000000000004, 2.0 ** 53]])
        Path("t.csv").write_text("a,b\n1,9007199254740993\n")
        self.refused("t.csv",
                     't.csv:2: column "b" is "9007199254740993", expected a whole number of at '
                     "most 2\\^53")

    def test_a_line_that_names_the_separator(self):
        Path("t.csv").write_text("sep=;\nid;x\n1;2\n2;3,5\n")
        said = self.makes("t.csv -i id -S decimal=,", [[2], [3.5]], "1 2")
        self.assertIn('the first line says that ";" separates fields', said)
        self.refused("t.csv -i id", 't.csv:4: column "x" is "3,5"')

    def test_data_and_blanks(self):
        Path("iris.data").write_text("5.1,3.5,setosa\n4.9,3.0,virginica\n")
        self.makes("iris.data --header no -l '#3'", [[5.1, 3.5], [4.9, 3]], labels=[0, 1])
        Path("glass.data").write_text("  1.5   2 a\n10\t3.5  b  \n")
        self.makes("glass.data --header no --separator blank -l '#3'", [[1.5, 2], [10, 3.5]],
                   labels=[0, 1])
        Path("q.data").write_text('1 2\n"1 2" 3\n')
        self.refused("q.data --header no --separator blank", r"q\.data:2: a quote, expected none")

    def test_ids_that_a_spreadsheet_has_shortened(self):
        Path("t.csv").write_text("id,x\n1.23457E+11,2\n1.23458E+11,3\nx,4\n")
        said = self.makes("t.csv -i id", [[2], [3], [4]], "1.23457E+11 1.23458E+11 x")
        self.assertIn('warning: t.csv: 2 of 3 ids are written as "1.23457E+11": a spreadsheet',
                      said)

    def test_marks_that_cannot_be_seen(self):
        for mark in "\u200b\u00a0\ufeff\u00ad\u2028":
            Path("t.csv").write_text(f"id,x\nJos\u00e9{mark},1\n", encoding="utf-8")
            self.refused("t.csv -i id",
                         't.csv:2: column "id" is .*, expected an id: .* without blanks and '
                         "invisible marks")
        Path("t.csv").write_text("id,x\nJos\u00e9,1\n", encoding="utf-8")
        self.makes("t.csv -i id", [[1]], "Jos\u00e9")
        Path("t.csv").write_text("id,x\n1,no\u200brth\n", encoding="utf-8")
        self.refused("t.csv -c x",
                     r'column "x" is "no\?rth", which has .* a mark that cannot be seen')

    def test_packed(self):
        text = b"who\tx\nb\t1.5\na\t2\n"
        packed = gzip.compress(text)
        Path("t.tsv.gz").write_bytes(packed)
        self.makes("t.tsv.gz -i who", [[1.5], [2]], "b a")
        Path("t.tsv.gz").write_bytes(packed + gzip.compress(b"c\t3\n"))
        self.makes("t.tsv.gz -i who", [[1.5], [2], [3]], "b a c")
        Path("t.tsv.gz").write_bytes(packed[:20])
        self.refused("t.tsv.gz", r"t\.tsv\.gz: ends early, after 20 bytes")
        Path("t.tsv.gz").write_bytes(packed + b"more")
        self.refused("t.tsv.gz", "is damaged, or has something behind its end")
        Path("t.tsv.gz").write_bytes(gzip.compress(b"0" * 10 ** 6))
        with mock.patch("coterie.convert._text.memory_max", lambda: 10 ** 5):
            self.refused("t.tsv.gz", "more than 100000 bytes once unpacked")
        Path("t.npz.gz").write_bytes(packed)
        self.refused("t.npz.gz", r"a packed \.npz, expected it unpacked")

    @unittest.skipUnless(library("zstandard") or sys.version_info >= (3, 14),
                         "zstandard is not installed")
    def test_zstd(self):
        # a frame of raw bytes: magic, header, block (RFC 8878)
        frame = b"\x28\xb5\x2f\xfd\x20\x07\x39\x00\x00x,y\n1,2"
        Path("t.csv.zst").write_bytes(frame)
        self.makes("t.csv.zst", [[1, 2]])
        Path("t.csv.zst").write_bytes(frame[:12])
        self.refused("t.csv.zst", r"t\.csv\.zst: ends early, after 12 bytes")
        Path("t.csv.zst").write_bytes(frame + b"more")
        self.refused("t.csv.zst", "is damaged, or has something behind its end")


class Edges(Case):
    def test_a_table_of_edges(self):
        Path("t.csv").write_text("who,x\nb,3\nc,4\na,5\n")
        Path("e.csv").write_text('# a comment\n"dst","w","src","since"\na,2,b,1999\n"c",.5,b,2000\n'
                                 "b,2,a,1999\nc,1,c,2001\n")
        self.makes("t.csv -i who -e e.csv -S from=src -S to=dst -S weight=w", [[3], [4], [5]],
                   "b c a",
                   edges="a\tb\t2\nb\tc\t0.5\n")
        self.assertEqual(coterie.Data("d").imported["edges"],
                         {"kept": 2, "self_loops_dropped": 1, "repeated_dropped": 1})
        self.makes("--edges e.csv -S from=src -S to=dst", None, "a b c", edges="a\tb\nb\tc\n")

    def test_row_numbers(self):
        Path("t.csv").write_text("x\n3.5\n4\n5\n")
        Path("e.tsv").write_text("# ends\n2 0\n1\t2\r\n\n0 2\n")
        self.makes("t.csv -e e.tsv", [[3.5], [4], [5]], edges="0\t2\n1\t2\n")
        Path("e.tsv").write_text("0 3\n")
        self.refused("t.csv -e e.tsv",
                     'e.tsv:1: the node is "3", expected a whole number from 0 to 2')

    def test_weights(self):
        Path("e.tsv").write_text("a b 2\nb c\t\n")
        self.refused("--edges e.tsv",
                     'e.tsv:2: the edge of "b" and "c" has no weight, but that on line 1 has one')
        Path("e.tsv").write_text("a b 2\nc b 1\nb a 3\n")
        self.refused("--edges e.tsv",
                     "e.tsv:3: the edge is given with weight 3, but with 2 on line 1")
        Path("e.tsv").write_text("a b nan\n")
        self.refused("--edges e.tsv", 'e.tsv:1: "nan" is not a finite number')


class FromPython(Case):
    def test_convert_and_prepare(self):
        Path("t.csv").write_text("who,x,kind\na,1,u\nb,,v\n")
        with self.assertWarnsRegex(coterie.CoterieWarning, "1 of 2 values are missing"):
            record = convert("t.csv", "d", id="who", category=["kind"], missing="mean")
        self.assertEqual(record, json.loads(Path("d/import.json").read_text()))
        self.assertEqual(record["read"], {"header": "auto", "decimal": ".", "id": "who",
                                          "category": ["kind"],
                                          "missing": ["mean"], "most": 64})
        data = coterie.prepare("t.csv", id="who", ignore="kind", missing="x=median")
        np.testing.assert_array_equal(data.features, [[1], [1]])
        with self.assertRaisesRegex(coterie.InputError, "a file, edges, or both are needed"):
            convert(None, "o")
        for key, value, expected in (("most", 1, "expected a whole number from 2 to 65536"),
                                     ("colour", "x", "is none of the keys"),
                                     ("unit", "x", "expected a column and its unit"),
                                     ("comment", "##", "a character as")):
            with self.assertRaisesRegex(coterie.InputError, expected):
                convert("t.csv", "o", settings={key: value})

    def test_the_converter_needs_numpy_alone(self):
        Path("t.csv").write_text("a,b\n1,2\n")
        code = ("import sys\n"
                "for name in 'pandas', 'scipy', 'sklearn', 'h5py': sys.modules[name] = None\n"
                "from coterie.convert import convert\nconvert('t.csv', 'd')")
        path = str(Path(coterie.__file__).parents[1])
        subprocess.run([sys.executable, "-c", code], check=True,
                       env={**os.environ, "PYTHONPATH": path})
        self.makes("t.csv", [[1, 2]])


if __name__ == "__main__":
    unittest.main()
