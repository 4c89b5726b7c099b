"""Tests coterie.convert on small tables with typical flaws: messy.TABLES, each with a grade."""
import collections
import shlex
import shutil
import unittest
from pathlib import Path

import numpy as np

from converting import Case
from messy import TABLES
import coterie

PASTE = "coterie.convert: to paste, where it is right: "


class Graded(Case):
    def right(self, t):
        made = coterie.Data("o")
        shape = np.shape(made.features), made.ids
        if shape != (np.shape(t.features), None if t.ids is None else t.ids.split()):
            return False
        return np.allclose(made.features, t.features, rtol=1e-12)

    def grade(self, t):
        """Returns the grade, A to C, or D for a wrong result or a missing message; and the
        output."""
        Path(t.file).write_bytes(t.content)
        status, said = self.run_line(f"{t.file} --out o")
        if status == 0:
            return "A" if self.right(t) else "D", said
        if status != 4:
            return "D", said
        pasted = [line[len(PASTE):] for line in said.splitlines() if line.startswith(PASTE)]
        if not pasted:
            return "C", said
        status, then = self.run_line(f"{t.file} --out o {pasted[0]}")
        if status == 4:
            return "C", said + then
        return "B" if status == 0 and self.right(t) else "D", said + then

    def test_tables(self):
        found = collections.Counter()
        for t in TABLES:
            with self.subTest(t.name):
                shutil.rmtree("o", ignore_errors=True)
                grade, said = self.grade(t)
                self.assertEqual(grade, t.grade, said)
                self.assertRegex(said, t.says or ".")
                self.assertNotIn("Traceback", said)
                found[grade] += 1
        self.assertEqual(len(TABLES), 62)
        self.assertEqual(found["D"], 0)
        self.assertLessEqual(found["C"], 5)


if __name__ == "__main__":
    unittest.main()
