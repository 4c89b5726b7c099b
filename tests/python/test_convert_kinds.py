"""Tests coterie.convert on graphs, matrices, databases and typed tables from other programs."""
import contextlib
import datetime
import os
import shlex
import sqlite3
import struct
import unittest
import zlib
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse

from converting import Case, library
import coterie

X = np.array([[1, 0, 2.5], [0, 0, 0], [0, -3, 0]])


class GraphML(Case):
    TEXT = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="age" attr.type="double"><default>7</default></key>
<key id="d1" for="node" attr.name="kind" attr.type="string"/>
<key id="d2" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected">
<node id="n1"><data key="d0">1.5</data><data key="d1">x &amp; y</data></node>
<node id="n0"><data key="d1">z</data></node>
<edge source="n1" target="n0"><data key="d2">
   2.5
  </data></edge>
</graph></graphml>
"""

    def write(self, *changes):
        text = self.TEXT
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        Path("g.graphml").write_text(text)

    def test_nodes_and_edges(self):
        self.write()
        said = self.makes("g.graphml -c kind -S weight=weight", [[1.5, 1, 0], [7, 0, 1]], "n1 n0",
                          edges="n0\tn1\t2.5\n")
        self.assertEqual(coterie.Data("d").columns, ["age", "kind=x & y", "kind=z"])
        self.assertNotIn("directed", said)
        for change in (('"undirected"', '"directed"'),), (('target="n0"',
                                                           'target="n0" directed="true"'),):
            self.write(*change)
            self.assertIn("its edges are directed; they are read as edges of both directions",
                          self.makes("g.graphml --only age", [[1.5], [7]], "n1 n0",
                                     edges="n0\tn1\n"))

    def test_refusals(self):
        self.write()
        self.refused("g.graphml", 'node 1: column "kind" is "x & y", expected a number')
        self.refused("g.graphml -i kind", "expected no other id")
        Path("e.tsv").write_text("n0 n1\n")
        self.refused("g.graphml -c kind -e e.tsv", "e.tsv: the nodes' file has edges itself")
        self.refused("g.graphml -c kind -S weight=w", 'the edge of "n1" and "n0" has no "w"')
        for change, sentence in (
            (("2.5", ""),
             r'g\.graphml:11: the edge of "n1" and "n0" has no "weight", which is to be its'),
            (("2.5", "-1"), "the weight is -1, expected more than 0"),
            (("2.5", "x"), '"x" is not a finite number'),
            (('target="n0"', 'target="n9"'), '"n9" is none of the 2 ids'),
            (("</edge>", ""), r"g\.graphml:[0-9]+: mismatched tag"),
            (("<edge", "<hyperedge"), "a hyperedge, expected nodes and edges"),
            (('<node id="n0">', '<node id="n0"><graph/>'), "a graph, expected nodes and edges"),
            (('key="d1">z', 'key="d9">z'), 'data of key "d9", which no <key> before has'),
            (('id="n0"', 'id="n1"'),
             'node 2: column "node id" is "n1", which is the id of node 1 too'),
            (("<graphml", '<!DOCTYPE g [<!ENTITY a "b">]><graphml'), "declares an entity"),
        ):
            with self.subTest(change[1]):
                text = self.TEXT.replace(*change)
                if "hyper" in change[1]:
                    text = text.replace("</edge>", "</hyperedge>")
                Path("g.graphml").write_text(text)
                self.refused("g.graphml -c kind -S weight=weight", sentence)
        Path("g.graphml").write_text("<graphml/>")
        self.refused("g.graphml", "no nodes in it")


class Gml(Case):
    TEXT = """Creator "by hand"
# a comment
graph
[
  directed 0
  node [ id 1 label "x &amp; y" value 2 ]
  node [
    id 0
    label "z"
    value -1.5
    graphics [ x 1 y 2 ]
  ]
  edge [ source 1 target 0 weight 2.5 ]
  edge [ source 0 target 1 weight 2.5 ]
]
"""

    def test_nodes_and_edges(self):
        Path("g.gml").write_text(self.TEXT)
        said = self.makes("g.gml -c label -S weight=weight", [[1, 0, 2], [0, 1, -1.5]], "1 0",
                          edges="0\t1\t2.5\n")
        self.assertEqual(coterie.Data("d").columns, ["label=x & y", "label=z", "value"])
        self.assertRegex(said, "dropped 0 self-loops and 1 lines that repeat an edge")
        Path("g.gml").write_text(self.TEXT.replace("directed 0", "directed 1"))
        self.assertIn("edges of both directions",
                      self.makes("g.gml --ignore label", [[2], [-1.5]], "1 0", edges="0\t1\n"))

    def test_refusals(self):
        for old, new, sentence in (
            ('"z"', '"z', r"g\.gml:9: a quoted text that does not end"),
            ("id 0\n", "\n", r"g\.gml:7: a node without id"),
            ("target 0 weight", "weight", r"g\.gml:13: an edge without source or target"),
            ("id 0", "id 1", r'g\.gml:7: .*"1", which is the id of line 6 too'),
            ("value 2 ]", "value 2 value 3 ]", 'two values of "value"'),
            ("value 2 ]", "value ]", 'the key "value" has no value'),
            ("target 0 weight 2.5 ]\n  edge", "target 7 ]\n  edge", '"7" is none of the 2 ids'),
            ("graph\n", "tree\n", "0 graphs in it, expected one"),
            ("x 1", "x " + "[ x " * 20, "more than 16 deep"),
        ):
            self.assertIn(old, self.TEXT)
            Path("g.gml").write_text(self.TEXT.replace(old, new, 1))
            self.refused("g.gml --ignore label", sentence)
        Path("g.gml").write_text(self.TEXT.rstrip()[:-1])
        self.refused("g.gml --ignore label", "the file ends within a list")
        Path("g.gml").write_text(self.TEXT)
        self.refused("g.gml", '"x & y"')
        self.refused("g.gml --ignore label -i value", "expected no other id")


def rows_of(X):
    """Returns the arrays of a matrix as scipy.sparse.save_npz writes them."""
    s = scipy.sparse.csr_matrix(X)
    return dict(indptr=s.indptr, indices=s.indices, data=s.data, shape=np.array(s.shape))


class Matrices(Case):
    def test_npy(self):
        for name, a in (("c", X), ("f", np.asfortranarray(X)), ("f4", X.astype("f4")),
                        ("i8", X.astype(int))):
            np.save(f"{name}.npy", a)
            self.makes(f"{name}.npy", a)
        self.refused("c.npy -l 1", "options that say how a table is read")
        data = Path("c.npy").read_bytes()
        for change, sentence in (
            (lambda d: d[:-8],
             "the header promises 3 x 3 elements of 8 bytes, but 64 bytes follow it"),
            (lambda d: d.replace(b"(3, 3)", b"(3, 9)"), "the header promises"),
            (lambda d: d.replace(b"<f8", b">f8"), "is none of f4 f8"),
            (lambda d: d.replace(b"<f8", b"|O8"), "is none of f4 f8|cannot be read"),
            (lambda d: d.replace(b"'shape'", b"'shope'"), "its header cannot be read"),
        ):
            Path("b.npy").write_bytes(change(data))
            self.refused("b.npy", sentence)
        np.save("n.npy", np.array([[1, np.nan]]))
        self.refused("n.npy", r"row 0, column 1 \(from 0\) is nan, expected a finite number")
        np.save("h.npy", np.array([2 ** 53 + 1]))
        self.refused("h.npy", "is 9007199254740993, expected a whole number of at most 2")

    def test_npz(self):
        np.savez("one.npz", X)
        np.savez_compressed("two.npz", X=X, y=np.array([1, 0, 1]))
        np.savez("csr.npz", format=b"csr", **rows_of(X))
        np.savez("csc.npz", format=np.array("csc"), **{**rows_of(X.T), "shape": X.shape})
        r, c = np.nonzero(X)
        np.savez("coo.npz", row=r, col=c, format=b"coo", shape=X.shape, data=X[r, c])
        scipy.sparse.save_npz("scipy.npz", scipy.sparse.csr_matrix(X))
        self.makes("one.npz", X)
        self.makes("two.npz -p X -l y", X, labels=[1, 0, 1])
        for name in "csr", "csc", "coo", "scipy":
            self.makes(f"{name}.npz", X)
            self.assertEqual(Path("d/features.mtx").read_text(),
                             "%%MatrixMarket matrix coordinate real general\n"
                             "3 3 3\n1 1 1\n1 3 2.5\n3 2 -3\n")
        self.refused("two.npz", r"2 arrays: X, y: say which is meant \(--part\)")
        self.refused("two.npz -p Z", 'no array "Z" in it, expected one of X, y')
        self.refused("two.npz -p X -l Z", 'no array "Z" in it, which is to have the labels')

        def bad(sentence, layout=b"csr", **change):
            np.savez("bad.npz", format=layout, **{**rows_of(X), **change})
            self.refused("bad.npz", sentence)

        bad('format "bsr", expected csr, csc or coo', b"bsr", data=np.ones((2, 2, 2)))
        bad("index 1 is 3, expected a whole number from 0 to 2", indices=np.array([0, 3, 1]))
        bad("starts 1 and 2 are 3 and 2, expected whole numbers that rise",
            indptr=np.array([0, 3, 2, 3]))
        bad(r"entry \(0, 0\), from 0, is there twice", indices=np.array([0, 0, 1]))
        bad(r"shape is 1e\+12 x 3, expected", shape=(10 ** 12, 3))
        bad("3 indices and 1 values", data=np.array([1.]))
        bad("nan", data=np.array([1., np.nan, 2]))
        whole = Path("csr.npz").read_bytes()
        Path("cut.npz").write_bytes(whole[:200])
        self.refused("cut.npz", r"cut\.npz: Not a zip archive, expected what numpy\.savez\(\)")
        at = whole.index(struct.pack("<d", 2.5))
        Path("crc.npz").write_bytes(whole[:at] + b"\1" + whole[at + 1:])
        self.refused("crc.npz", r"data\.npy is damaged: Bad CRC-32")

    def test_matrix_market(self):
        for text, features in (
            ("coordinate real general\n% c\n3 3 3\n1 1 1\n\n1 3 2.5\n3 2 -3\n", X),
            ("array real general\n2 2\n1\n2\n3\n4.5\n", [[1, 3], [2, 4.5]]),
            ("array real symmetric\n2 2\n1\n2\n3\n", [[1, 2], [2, 3]]),
            ("coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", [[1, 1], [1, 0]]),
        ):
            Path("m.mtx").write_text("%%MatrixMarket matrix " + text)
            self.makes("m.mtx", features)
        for text, sentence in (
            ("coordinate integer general\n2 2 2\n1 1 9007199254740993\n2 2 1\n",
             r'm\.mtx:3: "9007199254740993" is a whole number beyond 2\^53, which is not rounded'),
            ("coordinate real general\n2 2 2\n1 1 1\n1 1 2\n",
             r"m\.mtx:4: entry \(1, 1\) is given twice, first on line 3"),
            ("coordinate real general\n2 2 1\n1 3 1\n",
             r'm\.mtx:3: the column is "3", expected a whole number from 1 to 2'),
            ("coordinate real general\n2 2 2\n1 1 1\n",
             r"m\.mtx:4: the file ends after 1 of 2 entries"),
            ("coordinate real general\n2 2 1\n1 1 1\n1 2 1\n",
             "more than the 1 values of the header"),
            ("coordinate real general\n9999999 9999999 1\n1 1 1\n",
             "promises 9999999 rows and 9999999 columns"),
            ("coordinate real general\n9 9 99\n1 1 1\n", "promises 99 values, but the file has"),
            ("coordinate complex general\n1 1 1\n1 1 1 1\n",
             'the field is "complex", expected real'),
            ("coordinate real symmetric\n2 2 1\n1 2 1\n", "lies above the diagonal"),
            ("array real general\n1 2\n1\nx\n", '"x" is not a finite number'),
        ):
            Path("m.mtx").write_text("%%MatrixMarket matrix " + text)
            self.refused("m.mtx", sentence)
        Path("m.mtx").write_text("1 1 1\n")
        self.refused("m.mtx", "it does not begin with %%MatrixMarket")


class Adjacency(Case):
    """Reads edges from the entries of a square matrix."""

    A = np.array([[0, 1, 0], [1, 0, 2.5], [0, 2.5, 0]])
    EDGES = "0\t1\t1\n1\t2\t2.5\n"

    def test_every_kind_of_matrix(self):
        A = self.A
        np.save("X.npy", X)
        np.save("a.npy", A)
        scipy.io.savemat("a.mat", {"fea": X, "gnd": np.array([-1, 1, -1]), "W": A})
        scipy.sparse.save_npz("a.npz", scipy.sparse.coo_matrix(A))
        scipy.io.mmwrite("a.mtx", scipy.sparse.csr_matrix(A), symmetry="symmetric")
        for edges in "a.npy", "a.npz", "a.mtx", "a.mat --edges-part W":
            self.makes(f"X.npy --edges {edges}", X, edges=self.EDGES)
        said = self.makes("a.mat -p fea -l gnd --edges a.mat --edges-part W", X, labels=[0, 1, 0],
                          edges=self.EDGES)
        self.assertRegex(said, "labels below 0, so the 2 classes get the numbers 0 to 1")

    def test_arrays_with_a_prefix(self):
        for mark in "_.":
            np.savez("g.npz", labels=np.array([1, 0, 1]), **{
                f"{part}{mark}{key}": value for part, M in (("adj", self.A), ("attr", X))
                for key, value in rows_of(M).items()})
            self.makes("g.npz -p attr -l labels --edges g.npz --edges-part adj", X,
                       labels=[1, 0, 1], edges=self.EDGES)

    def test_ids_loops_and_directions(self):
        Path("t.csv").write_text("id,x\nc,1\nb,2\na,3\n")
        np.save("a.npy", self.A + np.diag([1, 0, 0]))
        said = self.makes("t.csv -i id --edges a.npy", [[1], [2], [3]], "c b a",
                          edges="a\tb\t2.5\nb\tc\t1\n")
        self.assertRegex(said, "dropped 1 self-loops")
        np.save("u.npy", np.triu(self.A))  # the upper half of a symmetric matrix
        self.assertNotIn("warning", self.makes("t.csv -i id --edges u.npy", [[1], [2], [3]],
                                               "c b a", edges="a\tb\t2.5\nb\tc\t1\n"))
        np.save("d.npy", np.array([[0, 1, 0], [0, 0, 0], [0, 2.5, 0]]))
        self.assertRegex(self.makes("t.csv -i id --edges d.npy", [[1], [2], [3]], "c b a",
                                    edges="a\tb\t2.5\nb\tc\t1\n"),
                         "2 entries have no counterpart across the diagonal")
        np.save("e.npy", np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
        self.makes("--edges e.npy", ids="0 1 2", edges="0\t1\n")  # the third node has no edges

    def test_refusals(self):
        np.save("X.npy", X)
        for name, A, sentence in (
            ("wide", np.ones((2, 3)), "2 x 3, expected an adjacency matrix of 3 x 3"),
            ("few", np.ones((2, 2)), "2 x 2, expected an adjacency matrix of 3 x 3"),
            ("minus", -self.A, r"entry \(0, 1\) is -1, expected a weight above 0"),
            ("clash", self.A * [[1, 1, 1], [2, 1, 1], [1, 1, 1]],
             r"entry \(1, 0\) is 2, but \(0, 1\) is 1: edges have no direction"),
        ):
            np.save(f"{name}.npy", A)
            self.refused(f"X.npy --edges {name}.npy", sentence)
        self.refused("X.npy --edges X.npy --edges-part a", "but a .npy has no parts")
        self.refused("X.npy --edges-part a", "but no --edges is given")
        Path("x.graph").write_text("0 1\n")
        self.refused("X.npy --edges x.graph", "or an adjacency matrix in one that ends in .npz")


class Matlab(Case):
    def test_matrices(self):
        scipy.io.savemat("a.mat", {"fea": X, "gnd": np.array([[2], [1], [1]], np.uint8)})
        scipy.io.savemat("s.mat", {"fea": scipy.sparse.csc_matrix(X)}, do_compression=True)
        scipy.io.savemat("n.mat", {"fea": np.array([[1., np.nan]])})
        scipy.io.savemat("w.mat", {"fea": X.astype(np.int64)})
        scipy.io.savemat("c.mat", {"fea": X * 1j, "t": "text"})
        self.makes("a.mat -l gnd", X, labels=[2, 1, 1])
        self.makes("s.mat", X)
        self.makes("w.mat", X.astype(np.int64))
        self.refused("a.mat", r"2 matrices: fea, gnd: say which is meant \(--part\)")
        self.refused("a.mat -p nope", 'no variable "nope" in it that can be read')
        self.refused("n.mat", r"fea\(1, 2\) is nan, expected a finite number")
        self.refused("c.mat -p fea", "fea is no matrix of real numbers")
        self.refused("c.mat -p t", "t is no matrix of real numbers")

    def test_damaged(self):
        A = np.arange(1, 7.).reshape(2, 3)

        def saved(name, A=A, **how):
            scipy.io.savemat(name, {"fea": A}, **how)
            return Path(name).read_bytes()

        b = saved("dense.mat")
        s = saved("csc.mat", scipy.sparse.csc_matrix(A))
        z = saved("packed.mat", do_compression=True)
        short = zlib.compress(zlib.decompress(z[136:])[:-20])
        bad = {"cut": b[:-20], "head": b[:100], "sparse": s[:-20], "packed": z[:-20],
               "old": saved("old.mat", format="4")[:-20],
               "bits": z[:-12] + bytes([z[-12] ^ 255]) + z[-11:],
               "short": z[:128] + struct.pack("<ii", 15, len(short)) + short}
        for name, old, new in (("most", (2, 3), (1 << 28, 1 << 27)), ("less", (2, 3), (-2, 3)),
                               ("more", (2, 3), (2, 4)),
                               ("numbers", (9, 48), (9, 40)), ("outer", (14, 96), (14, 104))):
            bad[name] = b.replace(struct.pack("<ii", *old), struct.pack("<ii", *new), 1)
            self.assertNotEqual(bad[name], b)
        for name in "dense", "packed", "old", "csc":
            scipy.io.savemat("old.mat", {"fea": A}, format="4")
            self.makes(f"{name}.mat", A)
        for name, data in bad.items():
            with self.subTest(name):
                Path("bad.mat").write_bytes(data)
                cut = name in ("cut", "sparse", "packed", "outer")
                self.refused("bad.mat", "variable at byte 128 goes on behind the end of the file, "
                             "at byte [0-9]+: it was cut short" if cut else
                             r"bad\.mat: .*(the file is damaged|that can be read)")


@unittest.skipUnless(library("h5py"), "h5py is not installed")
class HDF5(Case):
    def adata(self, name, obs=("c2", "c1", "c3"), **how):
        import h5py

        text = h5py.string_dtype()
        with h5py.File(name, "w") as h:
            for table, names in ("obs", obs), ("var", ("g1", "g2", "g3")):
                g = h.create_group(table)
                g.attrs["_index"] = "names"
                g.create_dataset("names", data=list(names), dtype=text)
            kind = h["obs"].create_group("kind")
            kind.create_dataset("codes", data=np.array([1, 0, 1], np.int8))
            kind.create_dataset("categories", data=["a", "b"], dtype=text)
            layout = how.pop("sparse", None)
            if layout is None:
                h.create_dataset("X", data=X, **how).attrs["encoding-type"] = "array"
                return
            g = h.create_group("X")
            g.attrs["encoding-type"] = layout
            s = scipy.sparse.csr_matrix(X) if layout == "csr_matrix" else scipy.sparse.csc_matrix(X)
            for part in "data", "indices", "indptr":
                g.create_dataset(part, data=getattr(s, part))

    def test_anndata(self):
        for name, how in (("dense", {}), ("lzf", {"compression": "lzf"}),
                          ("gzip", {"compression": "gzip"}), ("csr", {"sparse": "csr_matrix"}),
                          ("csc", {"sparse": "csc_matrix"})):
            self.adata(f"{name}.h5ad", **how)
            self.makes(f"{name}.h5ad -l kind", X, "c2 c1 c3", [1, 0, 1])
            self.assertEqual(coterie.Data("d").columns, ["g1", "g2", "g3"])
        self.adata("short.h5ad", ("c1", "c2"))
        self.refused("short.h5ad", "X is 3 x 3, expected 2 x 3 by obs and var")
        self.adata("twice.h5ad", ("c1", "c2", "c1"))
        self.refused("twice.h5ad", 'row 3: column "obs" is "c1", which is the id of row 1 too')
        Path("cut.h5ad").write_bytes(Path("dense.h5ad").read_bytes()[:2000])
        self.refused("cut.h5ad", r"cut\.h5ad: cannot be opened as HDF5")
        import h5py
        with h5py.File("gap.h5ad", "w") as new, h5py.File("dense.h5ad") as old:
            for name in old:
                old.copy(name, new)
            new["obs/kind/codes"][1] = -1
        self.refused("gap.h5ad -l kind", "label 2 is missing, expected a category for each row")
        self.refused("dense.h5ad -l nope", "no obs/nope in it")
        self.refused("dense.h5ad -i names", "options that say how a table is read")

    def test_values_that_nobody_wrote(self):
        import h5py

        self.adata("big.h5ad")
        with h5py.File("big.h5ad", "a") as h:
            del h["X"]
            h.create_dataset("X", shape=(3, 1 << 27), dtype="f8", chunks=(1, 1 << 10))
        self.refused("big.h5ad",
                     "X is of 3 x 134217728 values, but 0 bytes of it are in the file|"
                     "than this host has room")

    def test_matlab_73(self):
        import h5py

        with h5py.File("v.mat", "w", userblock_size=512) as h:
            h.create_dataset("fea", data=X.T).attrs["MATLAB_class"] = np.bytes_("double")
            g = h.create_group("s")
            g.attrs["MATLAB_class"] = np.bytes_("double")
            g.attrs["MATLAB_sparse"] = np.uint64(3)
            s = scipy.sparse.csc_matrix(X)
            for name, part in ("data", s.data), ("ir", s.indices), ("jc", s.indptr):
                g.create_dataset(name, data=part)
            text = h.create_dataset("t", data=np.zeros((1, 3), np.uint16))
            text.attrs["MATLAB_class"] = np.bytes_("char")
        data = Path("v.mat").read_bytes()
        Path("v.mat").write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM" + data[128:])
        self.makes("v.mat -p fea", X)
        self.makes("v.mat -p s", X)
        self.refused("v.mat", "2 matrices: fea, s: say which is meant")
        self.refused("v.mat -p t", "t is no matrix of real numbers")

    def test_a_library_that_breaks_or_does_not_end(self):
        self.adata("d.h5ad")
        for action, sentence in (
            (lambda *_: os.kill(os.getpid(), 11),
             r"the library that reads it broke \(Segmentation fault\)"),
            (lambda *_: os._exit(3), "the process that reads it ended with exit status 3"),
            (lambda *_: bytearray(1 << 45), "larger than this host has room for"),
            (lambda *_: exec("while True: pass"),
             "the library that reads it does not come to an end"),
        ):
            with self.subTest(sentence), mock.patch("coterie.convert._made.read_h5ad", action), \
                    mock.patch("coterie.convert._isolated.SECONDS", 1):
                self.refused("d.h5ad", sentence)


class SQLite(Case):
    def database(self, name="t.sqlite", wal=False):
        db = sqlite3.connect(name)
        if wal:
            db.execute("pragma journal_mode = wal")
        db.execute('create table "t ""1"(who text, age real, big integer, note text)')
        db.executemany('insert into "t ""1" values(?,?,?,?)',
                       [("b", 1.5, 9007199254740993, None), ("a", .1, 7, b"x")])
        db.commit()
        return db

    def test_tables_and_queries(self):
        self.database().close()
        before = Path("t.sqlite").read_bytes()
        self.makes("t.sqlite -i who --only age", [[1.5], [.1]], "b a")
        self.makes("t.sqlite -i big --only age", [[1.5], [.1]], "9007199254740993 7")
        query = 'SELECT who, 2 * age AS age FROM "t ""1" ORDER BY who'
        self.makes(f"t.sqlite -i who -p {shlex.quote(query)}", [[.2], [3]], "a b")
        self.refused("t.sqlite -i who --ignore note",
                     r'row 1: column "big" is "9007199254740993", expected a whole number')
        self.refused("t.sqlite -i who --ignore big", r'row 1: column "note" has no value \(NULL\)')
        self.refused("t.sqlite -i who --ignore big -m mean",
                     r'row 2: column "note" has bytes \(a BLOB\)')
        self.refused("t.sqlite -p 'SELECT 1; DROP TABLE x'", "not one statement")
        self.refused("t.sqlite -p nope", "no such table: nope")
        self.refused("t.sqlite -p 'WITH x AS (SELECT 1) DELETE FROM \"t \"\"1\"'",
                     "not authorized|prohibited")
        self.assertEqual(Path("t.sqlite").read_bytes(), before)
        self.assertEqual(sorted(p.name for p in Path(".").iterdir()), ["d", "t.sqlite"])

    def test_views_are_not_run(self):
        db = self.database()
        db.execute('create view v as select age from "t ""1"')
        db.commit()
        db.close()
        self.refused("t.sqlite -p v", "access to .* is prohibited|not authorized")

    def test_a_log_leaves_nothing_beside_the_database(self):
        self.database(wal=True).close()
        self.makes("t.sqlite -i who --only age", [[1.5], [.1]], "b a")
        self.assertEqual(sorted(p.name for p in Path(".").iterdir()), ["d", "t.sqlite"])
        db = self.database("open.db", wal=True)
        self.addCleanup(db.close)
        self.makes("open.db -i who --only age", [[1.5], [.1]], "b a")
        for end in "", "-wal":
            Path(f"copy.db{end}").write_bytes(Path(f"open.db{end}").read_bytes())
        self.makes("copy.db -i who --only age", [[1.5], [.1]], "b a")
        self.assertEqual(sorted(p.name for p in Path(".").glob("copy*")),
                         ["copy.db", "copy.db-wal"])

    def test_refusals(self):
        Path("t.db").write_text("not a database, but long enough to be one")
        self.refused("t.db", "file is not a database")
        db = sqlite3.connect("two.db")
        db.execute("create table a(x)")
        db.execute("create table b(x)")
        db.commit()
        db.close()
        self.refused("two.db", r"2 tables: a, b: say which is meant \(--part\), or a SELECT")


class Typed(Case):
    def test_parquet(self):
        frame = pd.DataFrame({"who": ["a", "b"], "x": [1.5, None],
                              "kind": pd.Categorical(["u", "v"], ["u", "v", "w"])})
        if library("pyarrow") or library("fastparquet"):
            frame.to_parquet("t.parquet")
            read = contextlib.nullcontext()
        else:
            Path("t.parquet").write_bytes(b"PAR1")
            self.refused("t.parquet",
                         "pyarrow is not installed, which reads it: pip install pyarrow")
            read = mock.patch("pandas.read_parquet", lambda path: frame)
        with read:
            self.makes("t.parquet -i who -m mean", [[1.5, 1, 0, 0], [1.5, 0, 1, 0]], "a b")
            self.refused("t.parquet -i who", r't\.parquet: row 2: column "x" has no value')

    @unittest.skipUnless(library("openpyxl"), "openpyxl is not installed")
    def test_excel(self):
        import openpyxl

        book = openpyxl.Workbook()
        sheet = book.active
        for row in ("who", "x", "born", "kind"), ("a", 1, datetime.datetime(1970, 1, 2), True), \
                ("b", 2.5, datetime.datetime(1970, 1, 3, 12), False), (None, None, None, None):
            sheet.append(row)
        book.save("t.xlsx")
        self.makes("t.xlsx -i who --date born", [[1, 1, 1], [2.5, 2.5, 0]], "a b")
        self.refused("t.xlsx -i who",
                     r't\.xlsx: row 2: column "born" is "1970-01-02T00:00:00", expected a number')
        sheet["B2"] = "#N/A"
        book.create_sheet("more").append([1, 2])
        book.save("t.xlsx")
        self.refused("t.xlsx", r"2 sheets: Sheet, more: say which is meant \(--part\)")
        self.refused("t.xlsx -p Sheet -i who --date born",
                     r'row 2: column "x" has no value \("#N/A"\)')
        self.makes("t.xlsx -p more --header no", [[1, 2]])
        sheet.append(["c", 1, None, 3])
        book.save("t.xlsx")
        self.refused("t.xlsx -p Sheet -i who --date born -m mean",
                     r"t\.xlsx: row 4 is blank; take it out")
        Path("t.xlsx").write_bytes(b"PK\3\4")
        self.refused("t.xlsx", r"t\.xlsx: it cannot be read .*: expected a workbook")

    @unittest.skipUnless(library("sqlalchemy"), "SQLAlchemy is not installed")
    def test_addresses_of_databases(self):
        self.refused("postgresql://me:secret@nowhere/x",
                     "has a password in it, .* put it into ~/.pgpass")
        if library("psycopg2") or library("psycopg"):
            self.refused("postgresql:///x?host=/nowhere", "the query: x: .*nowhere")

    @unittest.skipUnless(os.environ.get("COTERIE_TEST_POSTGRESQL"),
                         "COTERIE_TEST_POSTGRESQL names no empty database")
    def test_postgresql(self):
        import sqlalchemy

        address = os.environ["COTERIE_TEST_POSTGRESQL"]
        engine = sqlalchemy.create_engine(address)
        with engine.begin() as db:
            db.execute(sqlalchemy.text("create sequence s"))
            db.execute(sqlalchemy.text('create table "T"(who bigint, x numeric, born timestamptz, '
                                       "ok boolean, j json)"))
            db.execute(sqlalchemy.text(
                "insert into \"T\" values(9007199254740993, 1.25, '1970-01-02 02:00+02', true, "
                "'{}'), (7, null, '1970-01-03 00:00+00', false, '{}')"))
        engine.dispose()
        self.makes(f"{address} -i who --date born --ignore j -m mean",
                   [[1.25, 1, 1], [1.25, 2, 0]], "9007199254740993 7")
        self.makes(f"{address} -p \"SELECT 7 % 4 AS x\"", [[3]])
        self.refused(f"{address} -i who --date born -m mean",
                     'row 1: column "j" has a dict, expected a number or text')
        self.refused(f"{address} -p nope", 'relation "nope" does not exist')
        self.refused(f"{address} -p \"SELECT nextval('s') AS x\"",
                     "cannot execute nextval.* in a read-only transaction")


if __name__ == "__main__":
    unittest.main()
