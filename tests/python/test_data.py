"""Tests prepare(), which passes DataFrames, arrays, edges and graphs to the programs, and its
errors."""
import os
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse

import federation  # noqa: F401  adds the package to the path
import coterie
from coterie import _data, _program


def customers():
    return pd.DataFrame({
        "customer": ["a1", "b2", "c3", "d4"],
        "age": [30, None, 41.5, 28],
        "region": pd.Categorical(["north", "south", "north", "north"],
                                 categories=["north", "south", "west"]),
        "joined": pd.to_datetime(["2024-12-31T00:00", "2020-01-01T12:00", "1970-01-02T00:00",
                                  "2000-02-29T00:00"]),
        "active": [True, False, True, True],
        "note": ['a, "quoted"\nnote', "", "x", "ü"],
        "churned": ["no", "yes", "no", "yes"],
    })


class Advice(unittest.TestCase):
    """If an error of prepare() proposes options, prepare() reads the table with these options."""

    def test_arguments(self):
        df = pd.DataFrame({"who": ["a1", "a2", "a3", "a4"], "kind": ["u", "v", "u", "v"],
                           "age": [1.0, None, 3, 5], "price": ["$1", "$2", "$3", "$1,200"],
                           "cost": ["3", "n/a", "4", "5"]})
        with self.assertRaises(coterie.InputError) as e:
            coterie.prepare(df)
        last = e.exception.what.splitlines()[-1]
        self.assertEqual(last, "to add, where it is right: id='who', category='kind', "
                               "missing=['age=median', 'cost=median'], "
                               "settings={'number': 'price', 'na': 'n/a'}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = eval(f"coterie.prepare(df, {last.split(': ', 1)[1]})")
        self.assertEqual(data.columns, ["kind=u", "kind=v", "age", "price", "cost"])
        self.assertEqual(data.features[:, 3].tolist(), [1, 2, 3, 1200])
        with self.assertRaisesRegex(coterie.InputError, r"id='who', missing=\['age=median', 'cost"):
            coterie.prepare(df, category="kind", missing="kind=mean")


class Prepare(unittest.TestCase):
    def test_a_table(self):
        data = coterie.prepare(customers(), id="customer", label="churned", ignore="note",
                               missing="age=mean")
        self.assertEqual(data.columns,
                         ["age", "region=north", "region=south", "region=west", "joined", "active"])
        self.assertEqual(data.ids, ["a1", "b2", "c3", "d4"])
        np.testing.assert_array_equal(data.labels, [0, 1, 0, 1])
        mean = (30 + 41.5 + 28) / 3
        np.testing.assert_allclose(data.features,
                                   [[30, 1, 0, 0, 20088, 1], [mean, 0, 1, 0, 18262.5, 0],
                                    [41.5, 1, 0, 0, 1, 1], [28, 1, 0, 0, 11016, 1]])
        self.assertEqual(data.imported["rows"], {"read": 4, "dropped": 0})

    def test_times_are_utc(self):
        joined = pd.to_datetime(["2024-12-31T01:00:00.5", None]).tz_localize("Asia/Tokyo")
        data = coterie.prepare(pd.DataFrame({"joined": joined}), missing="indicator")
        np.testing.assert_allclose(data.features[0], [20087 + (16 * 3600 + 0.5) / 86400, 0],
                                   rtol=1e-15)
        self.assertEqual(data.columns, ["joined", "joined is missing"])

    def test_numbers_come_to_the_digit(self):
        X = np.random.RandomState(0).standard_normal((50, 3)) * 10.0 ** np.arange(-8, 1, 4)
        data = coterie.prepare(pd.DataFrame(X, columns=list("abc")))
        np.testing.assert_array_equal(data.features, X)

    def test_edges_between_ids(self):
        edges = pd.DataFrame({"src": ["a1", "b2", "a1"], "dst": ["b2", "c3", "b2"],
                              "w": [1.0, 2.5, 1.0]})
        data = coterie.prepare(customers()[["customer", "active"]], id="customer", edges=edges)
        self.assertEqual((data.path / "edges.tsv").read_text(), "a1\tb2\t1\nb2\tc3\t2.5\n")
        self.assertEqual(data.imported["edges"],
                         {"kept": 2, "self_loops_dropped": 0, "repeated_dropped": 1})

    def test_edges_in_other_forms_are_the_same(self):
        A = scipy.sparse.csr_matrix((np.ones(4), ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
        for edges in ([[0, 1], [1, 2]], np.array([[0.0, 1.0], [1.0, 2.0]]), A,
                      pd.DataFrame({"a": [0, 1], "b": [1, 2]})):
            data = coterie.prepare(edges=edges)
            self.assertEqual((data.path / "edges.tsv").read_text(), "0\t1\n1\t2\n")

    def test_a_place_of_its_own(self):
        with tempfile.TemporaryDirectory() as scratch:
            data = coterie.prepare(customers(), id="customer", only=["active"],
                                   out=scratch + "/bank")
            self.assertEqual(data.path, Path(scratch).resolve() / "bank")
            with self.assertRaisesRegex(coterie.InputError, "there is something in it"):
                coterie.prepare(customers(), id="customer", only=["active"], out=scratch + "/bank")
            self.assertEqual(coterie.Data(scratch + "/bank").columns, ["active"])

    def test_without_a_place_it_goes_with_the_result(self):
        data = coterie.prepare(customers(), only=["active"])
        path = data.path
        self.assertTrue(path.exists())
        del data
        self.assertFalse(path.parent.exists())

    def refused(self, sentence, *args, **kwargs):
        with self.assertRaises(coterie.InputError) as e:
            coterie.prepare(*args, **kwargs)
        self.assertRegex(str(e.exception), sentence)
        self.assertIsInstance(e.exception, ValueError)
        self.assertNotIn(tempfile.gettempdir(), str(e.exception))

    def test_refusals(self):
        df = customers()
        plain = df[["customer", "age"]]
        self.refused('^DataFrame, row 1: column "age" has no value', plain, id="customer")
        self.refused('^DataFrame, row 2: column "customer" is "c3", expected a number.*category',
                     plain.iloc[[0, 0, 2]]
                     .assign(customer=["1", "2", "c3"], age=1.0))
        # an id occurs twice
        self.refused('^DataFrame, row 1: .*"a1"', plain.assign(customer="a1", age=1), id="customer")
        self.refused('column .*"custmer"|custmer', plain, id="custmer")
        self.refused('column "region" is "east"|"east"',
                     pd.DataFrame({"region": ["north", "east"], "x": [1, 2]}),
                     category="region=north|south")
        self.refused("two columns are called 'x'", pd.DataFrame([[1, 2]], columns=["x", "x"]))
        self.refused("several levels",
                     pd.DataFrame([[1, 2]],
                                  columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])))
        self.refused("a table, edges, or both")
        self.refused("not a list", [1, 2])
        self.refused("not symmetric",
                     edges=scipy.sparse.csr_matrix(([1.0], ([0], [1])), shape=(3, 3)))
        self.refused("expected two columns", edges=np.zeros((3, 4)))
        self.refused("no whole number", edges=[[0.5, 1]])
        self.refused(r"is not there", "nowhere.parquet")

    def test_infinity_is_no_number(self):
        self.refused("row 1: .*inf", pd.DataFrame({"x": [1.0, np.inf]}))

    def test_parquet(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        path = Path(scratch.name) / "t.parquet"
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            path.touch()
            with self.assertRaisesRegex(coterie.InputError, "pyarrow is not installed"):
                coterie.prepare(path)
            self.skipTest(
                "pyarrow is not installed: Parquet was refused with a sentence, and not read")
        customers().to_parquet(path)
        self.assertEqual(coterie.prepare(path, id="customer", label="churned", ignore="note",
                                         missing="mean").columns[0], "age")

    def test_tables_that_pandas_can_make(self):
        class Arrow:  # has the interface of pyarrow.Table
            def to_pandas(self):
                return customers()

        self.assertEqual(coterie.prepare(Arrow(), only=["active"]).columns, ["active"])


class Graphs(unittest.TestCase):
    def test_tu_files(self):
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch) / "s"
            ring = scipy.sparse.csr_matrix((np.ones(6), ([0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2])),
                                           shape=(3, 3))
            _data.write_graphs([ring, (2, [[0, 1]]), (1, [])], place)
            self.assertEqual((place / "set_graph_indicator.txt").read_text().split(),
                             list("111223"))
            lines = (place / "set_A.txt").read_text().split("\n")[:-1]
            self.assertEqual(len(lines), 8)
            self.assertIn("4, 5", lines)

    def test_refusals(self):
        with tempfile.TemporaryDirectory() as scratch:
            with self.assertRaisesRegex(coterie.InputError,
                                        "graph 1: an edge has node 2, and there are 2"):
                _data.write_graphs([(2, [[0, 1]]), (2, [[0, 2]])], Path(scratch) / "s")
            with self.assertRaisesRegex(coterie.InputError, "graph 0: a str"):
                _data.write_graphs(["x"], Path(scratch) / "s")


class Finding(unittest.TestCase):
    def setUp(self):
        self._environment = dict(os.environ)

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self._environment)

    def test_where_it_was_said(self):
        os.environ["COTERIE_BIN"] = "/nowhere"
        with self.assertRaisesRegex(coterie.ProgramMissing,
                                    "COTERIE_BIN is '/nowhere', and there is no program coterie"):
            coterie.find()

    def test_on_path_then_beside_the_sources(self):
        os.environ.pop("COTERIE_BIN", None)
        with tempfile.TemporaryDirectory() as scratch:
            for name in ("bin", "tree/python/coterie"):
                os.makedirs(f"{scratch}/{name}")
            program = Path(scratch) / "bin/coterie"
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
            os.environ["PATH"] = f"{scratch}/bin"
            self.assertEqual(coterie.find(), str(program))
            os.environ["PATH"] = "/nowhere"
            built = federation.ROOT / "build/bin/coterie"
            if built.exists():
                self.assertEqual(coterie.find(), str(built))
            with self.assertRaisesRegex(
                coterie.ProgramMissing,
                "not found, in this package, on PATH, or in COTERIE_BIN: install the wheel"):
                coterie.find("coterie-that-is-not")

    def test_programs_of_another_system(self):
        """Reports another processor, a missing C library, or a C library that is too old."""
        with tempfile.TemporaryDirectory() as scratch:
            os.environ["COTERIE_BIN"] = scratch
            program = Path(scratch) / "coterie"
            for content, why in (
                (b"\x7fELF" + bytes(60), "Exec format error"),
                (b"#!/nowhere/ld-musl-x86_64.so.1\n", "No such file"),
                (
                    b"#!/bin/sh\necho libc.so.6: version GLIBC_2.99 not found >&2; exit 1\n",
                    "GLIBC_2.99 not found",
                ),
            ):
                program.write_bytes(content)
                program.chmod(0o755)
                with self.assertRaisesRegex(
                    coterie.ProgramMissing,
                    f"does not run on this system .*{why}.*another processor or.*install the wheel",
                ):
                    _program.call("coterie", ["--version"])


if __name__ == "__main__":
    unittest.main()
