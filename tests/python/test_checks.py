"""Runs scikit-learn's own checks. Some of their tables have only ten rows, so min_cluster is 1."""
import unittest
import warnings

from sklearn.utils.estimator_checks import check_estimator

import federation  # noqa: F401
import coterie
from coterie import _estimators

TINY = {"parties": 2, "policy": {"min_cluster": 1}}


class Checks(unittest.TestCase):
    def passes(self, estimator):
        left_out, passed = {}, 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for instance, check in check_estimator(estimator, generate_only=True):
                name = getattr(check, "func", check).__name__
                try:
                    check(instance)
                    passed += 1
                except unittest.SkipTest as e:
                    left_out[name] = str(e)
        for name, why in left_out.items():
            self.assertIn(name, _estimators.ONE_CLUSTER, why)
            self.assertIn("asks for one cluster", why)
        self.assertGreaterEqual(passed, 28)
        self.assertLessEqual(len(left_out), 5)

    def test_kmeans_of_rows(self):
        self.passes(coterie.KMeans(2, job={"min_cluster": 1}, **TINY))

    def test_kmeans_of_columns(self):
        self.passes(coterie.KMeans(2, split="columns", parties=2))

    def test_spectral_clustering(self):
        self.passes(coterie.SpectralClustering(2, job={"min_cluster": 1, "dims": 7}, **TINY))

    def test_those_left_out_ask_for_one_cluster(self):
        """Each check that is left out fails if it is run, because it asks for one cluster."""
        estimator = coterie.KMeans(2, job={"min_cluster": 1}, **TINY)
        reasons, _estimators.ONE_CLUSTER = _estimators.ONE_CLUSTER, {}
        try:
            checks = [(i, c) for i, c in check_estimator(estimator, generate_only=True)
                      if getattr(c, "func", c).__name__ in reasons]
            self.assertEqual(len(checks), 5)
            for instance, check in checks:
                with self.assertRaises((coterie.InputError, AssertionError)) as e:
                    check(instance)
                text = f"{e.exception} {e.exception.__cause__}"
                self.assertIn("job.clusters is 1, expected a whole number from 2", text)
        finally:
            _estimators.ONE_CLUSTER = reasons


if __name__ == "__main__":
    unittest.main()
