"""Tests estimators on simulated federations: the results of each kind of job, and their
attributes."""
import contextlib
import copy
import io
import pickle
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import federation
import coterie


def blobs():
    return make_blobs(120, n_features=4, centers=3, cluster_std=0.6, random_state=1)


def graph():
    """Returns 200 nodes in three planted clusters: features, edges, classes."""
    with tempfile.TemporaryDirectory() as scratch:
        federation.tool("synth", "--nodes", 200, "--features", 40, "--clusters", 3, "--signal", 0.8,
                        "--homophily", 0.9,
                        "--out", scratch + "/g")
        data = coterie.Data(scratch + "/g")
        edges = pd.read_csv(scratch + "/g/edges.tsv", sep="\t", header=None, names=["u", "v"])
        return data.features, edges, data.labels


class Tables(unittest.TestCase):
    def test_what_scikit_learn_has_too(self):
        X, _ = blobs()
        model = coterie.KMeans(3, parties=3, random_state=4).fit(X)
        np.testing.assert_array_equal(model.transform(X).argmin(axis=1), model.labels_)
        self.assertAlmostEqual(-model.score(X),
                               ((X - model.cluster_centers_[model.labels_]) ** 2).sum())
        self.assertEqual(model.n_iter_, model.run_.facts["lloyd_rounds"])
        self.assertIsNone(model.inertia_)
        # transform() would give distances in the units of standardized columns
        self.assertFalse(hasattr(coterie.KMeans(3, standardize="joint"), "transform"))
        columns = coterie.KMeans(3, split="columns", parties=3, random_state=4).fit(X)
        self.assertFalse(hasattr(columns, "score"))
        self.assertGreater(columns.n_iter_, 0)

    def test_programs_log(self):
        X, _ = blobs()
        with self.assertLogs("coterie", "INFO") as logs:
            coterie.KMeans(3, parties=3).fit(X)
        self.assertIn("kmeans", [r.coterie.get("phase") for r in logs.records])
        self.assertTrue(all(m.startswith("INFO:coterie:run: ") for m in logs.output[:3]),
                        logs.output[:3])

    def test_range_of_clusters(self):
        X, y = blobs()
        for k in (2, 6), {"from": np.int64(2), "to": 6}:
            model = coterie.KMeans(k, parties=3, random_state=4).fit(X)
            self.assertEqual(model.run_.facts["selection_k"], 3)
            self.assertEqual(adjusted_rand_score(y, model.labels_), 1)
            self.assertEqual(len(model.cluster_centers_), 3)
        with self.assertRaisesRegex(coterie.InputError, "clusters"):
            coterie.KMeans((6, 2), parties=3).fit(X)

    def test_range_of_clusters_by_columns(self):
        X, y = blobs()
        model = coterie.KMeans((2, 6), split="columns", parties=2, job={"exchange": "gram"}).fit(X)
        self.assertEqual(model.run_.facts["selection_k"], 3)
        self.assertEqual(len(model.run_.facts["selection_stability"]), 5)
        self.assertEqual(adjusted_rand_score(y, model.labels_), 1)
        with self.assertRaisesRegex(coterie.InputError, 'exchange "gram" chooses k from a range'):
            coterie.KMeans((2, 6), split="columns", parties=2).fit(X)

    def test_profile_over_all_parties(self):
        X, _ = blobs()
        model = coterie.KMeans(3, parties=3, random_state=4, job={"profile": True},
                               policy={"profile": True}).fit(X)
        found = model.run_.joint_profile
        for line in found.itertuples():
            own = X[model.labels_ == line.cluster][:, int(line.column)]
            np.testing.assert_allclose(line.mean, own.mean(), atol=0.5)
        self.assertEqual(sorted(set(found["cluster"])), [0, 1, 2])
        with self.assertRaisesRegex(coterie.CoterieError, "policy.profile"):
            coterie.KMeans(3, parties=3, job={"profile": True}).fit(X)

    def test_kmeans_of_rows(self):
        X, y = blobs()
        model = coterie.KMeans(3, parties=3, random_state=4).fit(X)
        self.assertEqual(adjusted_rand_score(y, model.labels_), 1)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        np.testing.assert_allclose(model.cluster_centers_,
                                   [X[model.labels_ == k].mean(axis=0) for k in range(3)],
                                   atol=1e-3)
        self.assertEqual(model.run_.job["seed"], 4)
        self.assertEqual(len(model.run_.record["parties"]), 3)
        self.assertIn("differential privacy: none; sums alone do not give it", model.leaks_)
        self.assertFalse(list((model.run_.path / "work").rglob("*.key")))

    def test_kmeans_of_columns_with_names(self):
        X, y = blobs()
        df = pd.DataFrame(X, columns=["age", "income", "visits", "days"])
        model = coterie.KMeans(3, split="columns", parties=2).fit(df)
        self.assertEqual(adjusted_rand_score(y, model.labels_), 1)
        self.assertEqual(set(model.run_.profile["column"]), set(df.columns))
        self.assertEqual(list(model.feature_names_in_), list(df.columns))
        self.assertAlmostEqual(model.inertia_, model.run_.facts["inertia"])
        # The coordinator records the confidence of each row. predict() runs daemons over TLS with
        # the stored models of the parties.
        confidence = coterie.Run(model.run_.path / "coordinator").labels["confidence"]
        self.assertAlmostEqual(confidence.mean(), model.run_.facts["silhouette"], 4)
        np.testing.assert_array_equal(model.predict(df), model.labels_)
        np.testing.assert_array_equal(model.predict(df[:1]), model.labels_[:1])
        with self.assertRaises(coterie.CoterieError):
            model.predict(df[["age", "income", "visits"]])
        self.assertFalse(hasattr(coterie.KMeans(3, split="columns"), "predict"))

    def test_sparse(self):
        X, y = blobs()
        model = coterie.KMeans(3, parties=2).fit(scipy.sparse.csr_matrix(X))
        self.assertEqual(adjusted_rand_score(y, model.labels_), 1)
        np.testing.assert_array_equal(model.predict(scipy.sparse.csr_matrix(X)), model.labels_)

    def test_prepared_data_with_ids(self):
        X, y = blobs()
        ids = [f"c{i:03d}" for i in np.random.RandomState(0).permutation(len(X))]
        data = coterie.prepare(pd.DataFrame(X, columns=list("abcd")).assign(who=ids), id="who")
        model = coterie.KMeans(3, parties=3).fit(data)
        self.assertEqual(adjusted_rand_score(y, model.labels_), 1)
        found = model.run_.labels.set_index("id")["label"]
        np.testing.assert_array_equal(found.loc[ids], model.labels_)
        self.assertEqual(sorted(set(model.run_.labels["process"])),
                         ["party-00", "party-01", "party-02"])

    def test_standardised(self):
        X, y = blobs()
        X = X * [1, 1, 1, 1] + np.outer(np.random.RandomState(0).standard_normal(len(X)) * 9000,
                                        [0, 0, 0, 1])
        plain = coterie.KMeans(3, parties=3).fit(X)
        joint = coterie.KMeans(3, parties=3, standardize="joint").fit(X)
        self.assertLess(adjusted_rand_score(y, plain.labels_), 0.2)
        self.assertGreater(adjusted_rand_score(y, joint.labels_), 0.9)
        np.testing.assert_array_equal(joint.predict(X), joint.labels_)
        local = coterie.KMeans(3, parties=3, standardize="local").fit(X)
        with self.assertRaisesRegex(coterie.InputError,
                                    "each of 3 parties brings rows to units of its own"):
            local.predict(X)

    def test_spectral_clustering_of_rows(self):
        X, y = blobs()
        model = coterie.SpectralClustering(3, parties=3).fit(X[:100])
        self.assertEqual(adjusted_rand_score(y[:100], model.labels_), 1)
        np.testing.assert_array_equal(model.predict(X[:100]), model.labels_)
        self.assertEqual(adjusted_rand_score(y, model.predict(X)), 1)
        confidence = model.run_.labels["confidence"]
        self.assertTrue(confidence.between(0, 1).all() and confidence.mean() > 0.5)
        with self.assertRaisesRegex(coterie.InputError,
                                    "the rows have 3 columns, those of the run had 4"):
            data = coterie.prepare(pd.DataFrame(X[:, :3], columns=list("abc")))
            model.predict(data)
        self.assertFalse(hasattr(coterie.SpectralClustering(3, variant="dense"), "predict"))

    def test_skew_goes_by_class(self):
        X, y = blobs()
        data = coterie.prepare(pd.DataFrame(X, columns=list("abcd")).assign(y=y), label="y")
        model = coterie.KMeans(3, parties=3, cut={"skew": 1.0}).fit(data)
        labels = model.run_.labels
        self.assertTrue((labels.groupby("process")["label"].nunique() == 1).all())

    def test_a_place_for_the_run(self):
        X, _ = blobs()
        with tempfile.TemporaryDirectory() as scratch:
            model = coterie.KMeans(3, parties=2, out=scratch + "/run").fit(X)
            # The run removes the directory work, which had keys and copies of the data.
            self.assertFalse(Path(scratch, "run/work").exists())
            again = coterie.Run(scratch + "/run")
            pd.testing.assert_frame_equal(again.labels, model.run_.labels)
            with self.assertRaisesRegex(coterie.InputError, "run"):
                clone(model).fit(X)  # the directory has an earlier run


class Graphs(unittest.TestCase):
    def test_attributed(self):
        X, edges, y = graph()
        model = coterie.AttributedGraphClustering(3, order=3, parties=3).fit(X, edges=edges)
        self.assertGreater(adjusted_rand_score(y, model.labels_), 0.9)
        # predict() runs daemons over TLS with the stored models of the parties; then it gets new
        # nodes.
        np.testing.assert_array_equal(model.predict(X, edges=edges), model.labels_)
        old = 150
        inside = edges[(edges < old).all(axis=1)]
        model = coterie.AttributedGraphClustering(3, order=3, parties=3).fit(X[:old], edges=inside)
        new = model.predict(X, edges=edges)
        self.assertEqual(len(new), 200)
        self.assertGreater(adjusted_rand_score(y[old:], new[old:]), 0.8)

    def test_landmark_tells_its_order(self):
        X, edges, y = graph()
        model = coterie.AttributedGraphClustering(3, method="landmark",
                                                  parties=4).fit(X, edges=edges)
        self.assertGreater(adjusted_rand_score(y, model.labels_), 0.9)
        np.testing.assert_array_equal(model.predict(X, edges=edges), model.labels_)
        model = coterie.AttributedGraphClustering(3, method="gcc", parties=2).fit(X, edges=edges)
        with self.assertRaises(coterie.CoterieError):
            model.predict(X, edges=edges)  # the party reports that the model has no centres

    def test_rows_that_are_not_placed(self):
        X, edges, y = graph()
        model = coterie.AttributedGraphClustering(3, order=3, parties=2, cut={"keep": 0.9},
                                                  job={"align": "intersect"})
        model.fit(X, edges=edges)
        placed = model.labels_ >= 0
        self.assertEqual(placed.sum(), model.run_.facts["common_rows"])
        self.assertLess(placed.sum(), 200)
        self.assertGreater(adjusted_rand_score(y[placed], model.labels_[placed]), 0.8)

    def test_spectral_clustering_of_edges(self):
        X, edges, y = graph()
        A = scipy.sparse.coo_matrix((np.ones(len(edges)), (edges.u, edges.v)), shape=(200, 200))
        model = coterie.SpectralClustering(3, affinity="precomputed", parties=3,
                                           allow=["fedspectral.exact"]).fit(A + A.T)
        self.assertEqual(model.ids_, [str(i) for i in range(200)])
        self.assertGreater(adjusted_rand_score(y, model.labels_), 0.75)
        with self.assertRaises(coterie.CoterieError) as e:
            coterie.SpectralClustering(3, affinity="precomputed", parties=3).fit(A + A.T)
        self.assertRegex(e.exception.what, 'the job needs allow=\["fedspectral.exact"\]')

    def test_embeddings(self):
        _, edges, y = graph()
        model = coterie.NodeEmbedding(parties=3, job={"walks": 40, "length": 20, "window": 5})
        embedding = model.fit_transform(edges)
        self.assertEqual(embedding.shape, (len(model.ids_), 128))
        y = y[np.array(model.ids_, dtype=int)]
        means = np.array([embedding[y == k].mean(axis=0) for k in range(3)])
        near = np.argmin(((embedding[:, None] - means) ** 2).sum(axis=2), axis=1)
        self.assertGreater((near == y).mean(), 0.7)

    def test_whole_graphs(self):
        rng = np.random.RandomState(0)
        graphs = []
        for i in range(40):
            A = np.triu(rng.random_sample((12, 12)) < (0.5 if i % 2 else 0.15), 1)
            graphs.append((12, np.argwhere(A)))
        model = coterie.GraphClustering(2, parties=2,
                                        job={"rounds": 2, "epochs": 2,
                                             "baselines": "off"}).fit(graphs)
        self.assertEqual(adjusted_rand_score(np.arange(40) % 2, model.labels_), 1)
        np.testing.assert_array_equal(model.predict(graphs), model.labels_)


class Errors(unittest.TestCase):
    def test_the_cause(self):
        X, _ = blobs()
        with self.assertRaises(coterie.CoterieError) as e:
            coterie.KMeans(200, parties=3).fit(X)
        self.assertEqual(e.exception.what, "job.clusters is 200, of 120 rows of all parties")
        self.assertEqual((e.exception.who, e.exception.status), ("coordinator", 1))
        self.assertEqual(str(e.exception),
                         "coordinator: job.clusters is 200, of 120 rows of all parties "
                                           "(coterie run ended with 1: the job failed)")
        self.assertTrue(e.exception.run.endswith("/run"))

    def test_a_party_that_declines(self):
        X, _ = blobs()
        with self.assertRaises(coterie.CoterieError) as e:
            coterie.SpectralClustering(3, parties=3, variant="paper").fit(X)
        self.assertRegex(e.exception.what,
                         '^the job needs allow=\["fedsc.paper"\]: parties disclose more in it')
        self.assertEqual(e.exception.status, 4)

    def test_a_parameter(self):
        X, _ = blobs()
        with self.assertRaises(coterie.InputError) as e:
            coterie.KMeans(3, parties=3, job={"iterationz": 3}).fit(X)
        self.assertEqual(e.exception.status, 4)
        self.assertRegex(str(e.exception), "^job.iterationz|iterationz")
        self.assertNotIn(tempfile.gettempdir(), str(e.exception))

    def test_one_cluster(self):
        X, _ = blobs()
        with self.assertRaisesRegex(coterie.InputError,
                                    "^job.clusters is 1, expected a whole number from 2 to 65536"):
            coterie.KMeans(1, parties=3).fit(X)

    def test_ways(self):
        X, _ = blobs()
        with self.assertRaisesRegex(coterie.InputError, "needs data"):
            coterie.KMeans(3).fit()
        with self.assertRaisesRegex(coterie.InputError, 'split is .cols.'):
            coterie.KMeans(3, split="cols").fit(X)
        with self.assertRaisesRegex(ValueError, "progress is 'yes'"):
            coterie.KMeans(3, progress="yes").fit(X)

    def test_a_deadline_leaves_no_process(self):
        X, _ = blobs()
        import coterie._program as program

        started, popen = [], program.subprocess.Popen
        try:
            program.subprocess.Popen = lambda *a, **k: started.append(popen(*a, **k)) or started[-1]
            with self.assertRaisesRegex(coterie.CoterieError, "not done after 0.001 s"):
                coterie.KMeans(3, parties=3, timeout=0.001).fit(X)
        finally:
            program.subprocess.Popen = popen
        self.assertTrue(started and all(p.poll() is not None for p in started))


class Warnings(unittest.TestCase):
    def given(self, fit):
        """Returns the result of fit() and its warnings, all of which must come from this file."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fit()
        found = [w for w in caught if issubclass(w.category, coterie.CoterieWarning)]
        self.assertEqual({w.filename for w in found} - {__file__}, set())
        return result, [w.message for w in found]

    def test_none_where_all_is_well(self):
        X, _ = blobs()
        model, found = self.given(lambda: coterie.KMeans(3, parties=3).fit(X))
        self.assertEqual([w.code for w in found if w.code], [])
        self.assertEqual(len(model.run_.warnings), 0)

    def test_no_clusters(self):
        X = np.random.default_rng(1).normal(size=(300, 200))
        _, found = self.given(lambda: coterie.KMeans(3, parties=2, random_state=1).fit_predict(X))
        low = [w for w in found if w.code == "silhouette_low"]
        self.assertEqual({w.who for w in low}, {"party-00", "party-01"})
        self.assertTrue(all(w.number < 0.05 for w in low))
        self.assertRegex(
            str(low[0]),
            r"^party-0\d: the silhouette of \d+ rows is 0\.0\d+ on average.* \(silhouette_low\)$")

    def test_a_constant_column(self):
        X, _ = blobs()
        table = pd.DataFrame({"a": X[:, 0], "same": 7.0, "b": X[:, 1], "c": X[:, 2]})
        model, found = self.given(lambda: coterie.KMeans(3, split="columns", parties=2).fit(table))
        constant = [w for w in found if w.code == "columns_constant"]
        self.assertEqual([w.number for w in constant], [1])
        self.assertIn('"same"', constant[0].what)
        rows = model.run_.warnings
        self.assertIn((constant[0].who, "columns_constant"),
                      list(zip(rows["process"], rows["code"])))

    def test_of_a_command(self):
        table = pd.DataFrame({"a": [1.0, 2.0, None, 4.0, 5.0], "b": [2.0, 3.0, 4.0, 5.0, 6.0]})
        _, found = self.given(lambda: coterie.prepare(table, missing="a=mean"))
        self.assertEqual([(w.who, w.code) for w in found], [("coterie.convert", "")])
        self.assertIn("1 of 5 values are missing", found[0].what)


class Notebooks(unittest.TestCase):
    def test_progress_on_a_terminal(self):
        X, _ = blobs()
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            coterie.KMeans(3, parties=3, progress=True).fit(X)
        self.assertEqual(said.getvalue().count("kmeans, 3 parties: keys, "), 1)
        self.assertRegex(said.getvalue(),
                         r"(?s)kmeans, 3 parties: offer, [\d.]+ s.*: kmeans, .*: done, [\d.]+ s")

    def test_silent_where_nobody_looks(self):
        X, _ = blobs()
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            coterie.KMeans(3, parties=3).fit(X)
        self.assertEqual(said.getvalue(), "")

    def test_what_is_left_of_a_run(self):
        X, y = blobs()
        model = coterie.KMeans(3, split="columns", parties=2).fit(X)
        run = model.run_
        self.assertEqual(set(run.phases["process"]), {"coordinator", "party-00", "party-01"})
        self.assertAlmostEqual(run.phases.query("process == 'coordinator'")["rounds"].sum(),
                               run.record["rounds"])
        sent = run.links.query("process == 'party-00'")["bytes_sent"].sum()
        received = run.links.query(
            "process == 'coordinator' and peer == 'party-00'")["bytes_received"].sum()
        self.assertEqual(sent, received)
        self.assertEqual(set(run.profile["process"]), {"party-00", "party-01"})
        report = model.report_
        self.assertIn("<h1>", report.html)
        self.assertIn("srcdoc", report._repr_html_())
        self.assertEqual(report.pictures, {})
        with tempfile.TemporaryDirectory() as scratch:
            self.assertEqual(report.save(scratch + "/r.html").read_text(), report.html)
            before = (run.path / "coordinator/run.json").read_bytes()
            (Path(scratch) / "truth.txt").write_text("".join(f"{k}\n" for k in y))
            self.assertIn('"evaluation":{"truth":', run.report(truth=scratch + "/truth.txt").html)
            self.assertEqual((run.path / "coordinator/run.json").read_bytes(), before)
        own = run.report("party-01")
        with tempfile.TemporaryDirectory() as scratch:
            self.assertIn(b"<circle",
                          own.pictures["picture"].save(scratch + "/points.svg").read_bytes())
        self.assertIn("iframe", own.pictures["picture"]._repr_html_())
        self.assertIn("principal components", own.html)
        with self.assertRaisesRegex(coterie.InputError,
                                    "'party-07' is none of coordinator, party-00, party-01"):
            run.report("party-07")
        with tempfile.TemporaryDirectory() as empty, self.assertRaisesRegex(
            coterie.InputError, "no run.json in it"):
            coterie.Run(empty)

    def test_copies(self):
        X, _ = blobs()
        model = coterie.KMeans(3, parties=2).fit(X)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(other.predict(X), model.labels_)
            self.assertEqual(other.run_.status, "done")
        self.assertFalse(hasattr(clone(model), "labels_"))


if __name__ == "__main__":
    unittest.main()
