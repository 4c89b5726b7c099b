"""Common code of the tests of coterie.convert. Each test runs in its own temporary directory. The
command runs in the process of the tests."""
import contextlib
import io
import os
import shlex
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np
import scipy.sparse

import federation  # noqa: F401  adds the package to the path
import coterie
from coterie.convert import __main__ as program


def library(name):
    """Returns the module, or None if it is not installed."""
    try:
        return __import__(name)
    except ImportError:
        return None


class Case(unittest.TestCase):
    """Runs each test in its own temporary directory."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(scratch.name)

    def run_line(self, line):
        """Runs coterie.convert in this process; returns its status and all its output."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            try:
                status = program.main(shlex.split(line))
            except SystemExit as e:
                status = e.code
        return status, said.getvalue()

    def makes(self, line, features=None, ids=None, labels=None, edges=None):
        """Converts into d, and checks that d has exactly the given files."""
        for old in Path(".").glob("d/*"):
            old.unlink()
        status, said = self.run_line(f"{line} --out d")
        self.assertEqual(status, 0, said)
        made = coterie.Data("d")
        got = made.features
        if features is None:
            self.assertIsNone(got)
        else:
            self.assertEqual(got.shape, np.shape(features))
            np.testing.assert_array_equal(got.toarray() if scipy.sparse.issparse(got) else got,
                                          features)
        self.assertEqual(made.ids, None if ids is None else ids.split())
        self.assertEqual(None if made.labels is None else made.labels.tolist(), labels)
        text = Path("d/edges.tsv").read_text() if Path("d/edges.tsv").exists() else None
        self.assertEqual(text, edges)
        return said

    def refused(self, line, *patterns):
        status, said = self.run_line(f"{line} --out o")
        if status == 0:
            shutil.rmtree("o")
        self.assertEqual(status, 4, f"{line}: {said}")
        for pattern in patterns:
            self.assertRegex(said, pattern)
        self.assertFalse(Path("o").exists() or Path("o.part").exists(), "left something behind")
