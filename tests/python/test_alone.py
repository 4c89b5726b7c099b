"""Tests the package without its optional modules, and its results in another process."""
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import coterie  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FRAMES = ("pandas", "scipy", "sklearn")


def without(modules, code, **env):
    """Returns the output of a Python process in which these modules cannot be imported."""
    before = f"import sys\nfor m in {modules!r}: sys.modules[m] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", before + code],
        capture_output=True,
        text=True,
        cwd=tempfile.gettempdir(),
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), **env},
    )
    return done.stdout + done.stderr


def table():
    draw = np.random.default_rng(3)
    return np.vstack([draw.normal(6 * i, 1, (40, 3)) for i in range(3)])


class Alone(unittest.TestCase):
    def test_numpy_alone(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch, "table.csv")
            np.savetxt(path, table(), delimiter=",", header="a,b,c", comments="")
            code = (
                f"import coterie, numpy as np\npath = {str(path)!r}\nX = np.loadtxt(path,"
                " delimiter=',', skiprows=1)\nfor given in path, X, X.tolist():\n    model ="
                " coterie.KMeans(3, parties=3, random_state=1).fit(given)\n   "
                " print(np.bincount(model.labels_).tolist(),"
                " model.cluster_centers_.shape)\nprint(model, (model.predict(X) =="
                " model.labels_).all(), model.run_.rows()[0]['process'])\n"
            )
            self.assertEqual(
                without(FRAMES, code).splitlines(),
                ["[40, 40, 40] (3, 3)"] * 3
                + ["KMeans(n_clusters=3, parties=3, random_state=1) True party-00"],
            )

    def test_what_needs_more_says_so(self):
        run = (
            "import coterie\nmodel = coterie.KMeans(2, parties=2).fit([[0., 0.], [1., 1.], [9.,"
            " 9.], [8., 8.]] * 9)\n"
        )
        self.assertIn(
            (
                "Run.labels as a frame needs pandas, which is not installed: pip install"
                " 'coterie[pandas]'"
            ),
            without(FRAMES, run + "model.run_.labels"),
        )
        self.assertIn(
            "coterie.KMeans needs numpy, which is not installed",
            without((*FRAMES, "numpy"), "import coterie\ncoterie.KMeans"),
        )
        for given, said in (
            ("[['a', 1]]", "not all values are numbers"),
            ("[[float('nan'), 1.], [1., 2.]]", "missing .NaN. or infinite"),
            ("[1., 2.]", "1 dimensions, expected 2"),
            ("[[1., 2.]]", "1 rows and 2 columns"),
        ):
            self.assertRegex(
                without(FRAMES, f"import coterie\ncoterie.KMeans(2).fit({given})"), said
            )
        self.assertIn(
            "has not been fitted", without(FRAMES, "import coterie\ncoterie.KMeans(2).report_")
        )

    def test_no_programs(self):
        said = without(
            (),
            "import coterie\ncoterie.KMeans(2).fit([[0., 0.], [1., 1.]] * 9)",
            COTERIE_BIN="/nowhere",
        )
        self.assertIn("COTERIE_BIN is '/nowhere', and there is no program coterie in it", said)
        code = (
            "import coterie, coterie._program as p, pathlib, shutil\nshutil.which = lambda name:"
            " None\np.__file__ = '/a/b/c/d'\np.OWN ="
            " pathlib.Path('/nowhere')\ncoterie.find('coterie')"
        )
        mac = code.replace("\ncoterie.find", "\nsys.platform = 'darwin'\ncoterie.find")
        self.assertIn("install the wheel that has them", without((), code, COTERIE_BIN=""))
        self.assertIn("the programs run on Linux alone", without((), mac, COTERIE_BIN=""))

    def test_pickle_in_another_process(self):
        model = coterie.KMeans(3, parties=3, random_state=1).fit(table())
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch, "model")
            path.write_bytes(pickle.dumps(model))
            expected = f"{model.labels_.tolist()} {len(model.run_.labels)} {model.run_.status} True"
            del model
            code = (
                f"import pickle\nmodel = pickle.load(open({str(path)!r},"
                " 'rb'))\nprint(model.labels_.tolist(), len(model.run_.labels), model.run_.status,"
                " 'svg' in model.report_.html)"
            )
            self.assertEqual(without((), code).strip(), expected)


if __name__ == "__main__":
    unittest.main()
