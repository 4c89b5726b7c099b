"""Tests pictures by t-SNE: `Run.report(tsne=True)`."""
import re
import unittest

import numpy as np

try:
    from sklearn.datasets import make_blobs
except ImportError:
    raise unittest.SkipTest("scikit-learn is not installed") from None

import federation  # noqa: F401 (adds the package to the path)
import coterie
from coterie._run import _tsne


def places(report):
    """Returns x and y of each point of the picture, and the cluster of its colour."""
    point = r'<circle class="pt k(\d+)" cx="([-.\d]+)" cy="([-.\d]+)"'
    marks = re.findall(point, report.html)
    return np.array([(float(x), float(y))
                     for _, x, y in marks]), np.array([int(k) for k, _, _ in marks])


class ByTsne(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        X, _ = make_blobs(150, n_features=6, centers=5, cluster_std=0.5, random_state=3)
        cls.run_ = coterie.KMeans(5, split="rows", parties=2, random_state=1).fit(X).run_

    def test_neighbours_stay_together(self):
        report = self.run_.report("party-01", tsne=True)
        self.assertIn("Laid out by t-SNE outside of this program", report.html)
        self.assertNotIn("principal components", report.html)
        xy, cluster = places(report)
        self.assertEqual(len(xy), 75)
        self.assertEqual(len(set(cluster)), 5)
        distance = np.linalg.norm(xy[:, None] - xy[None],
                                  axis=2) + np.diag(np.full(len(xy), np.inf))
        self.assertGreater((cluster[distance.argmin(axis=1)] == cluster).mean(), 0.95)
        by_pca, _ = places(self.run_.report("party-01"))
        self.assertGreater(np.abs(xy - by_pca).max(), 300)

    def test_same_points_same_picture(self):
        first, second = (self.run_.report("party-00", tsne=True).html for _ in range(2))
        self.assertEqual(first, second)

    def test_no_points(self):
        with self.assertRaisesRegex(coterie.InputError,
                                    "only a party, in its own directory, has points"):
            self.run_.report("coordinator", tsne=True)

    def test_odd_points(self):
        for points in np.ones((1, 3)), np.full((9, 2), 0.1), np.zeros((3, 1)), np.full((2, 1), 4.0):
            plane = _tsne(points)
            self.assertEqual(plane.shape, (len(points), 2))
            np.testing.assert_array_equal(plane, 0)
        for points in (np.arange(5.0).reshape(-1, 1), np.arange(8.0).reshape(4, 2) * 1e300,
                       np.repeat(np.eye(3), 4, axis=0)):
            plane = _tsne(points)
            self.assertEqual(plane.shape, (len(points), 2))
            self.assertTrue(np.isfinite(plane).all())


if __name__ == "__main__":
    unittest.main()
