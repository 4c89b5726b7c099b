"""Tests taking part in a real job, and submitting one: daemons over TLS."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

import federation
import coterie
from coterie import _federation

JOB = {"kind": "kmeans", "clusters": 3, "seed": 7}


def own_truth(f, name):
    return coterie.Data(f.data(name)).labels


class Stops(unittest.TestCase):
    def test_sigterm_leaves_nothing_behind(self):
        code = ("import sys, pathlib; sys.path.insert(0, sys.argv[1])\n"
                "from coterie._data import Folder\nfrom coterie._program import call\n"
                "f = Folder(prefix='coterie-run-'); (f.path / 'key').write_text('secret'); "
                "print(f.path, flush=True)\n"
                "import time; time.sleep(600)\n")
        with tempfile.TemporaryDirectory() as place:
            child = subprocess.Popen([sys.executable, "-c", code, str(federation.ROOT / "python")],
                                     stdout=subprocess.PIPE,
                                     text=True, env={**os.environ, "TMPDIR": place})
            with child.stdout:
                self.assertTrue(os.path.isdir(child.stdout.readline().strip()))
                child.terminate()
                self.assertEqual(child.wait(federation.PATIENCE_S), 143)
            self.assertEqual(os.listdir(place), [])


class TakesPart(unittest.TestCase):
    def test_as_a_party_of_its_configuration(self):
        with federation.rows(3) as f:
            f.coordinator(JOB)
            f.once(*f.names[1:])
            phases = []
            model = coterie.KMeans(3, party=f.config("party-00"), random_state=7, progress=lambda p,
                                   s: phases.append(p)).fit()
            self.assertEqual(f.ends("coordinator"), 0)
            self.assertEqual(adjusted_rand_score(own_truth(f, "party-00"), model.labels_), 1)
            self.assertEqual(len(model.labels_), 50)
            self.assertEqual(model.run_.record["role"], "party")
            self.assertIn("each party alone sees the clusters of its own rows", model.leaks_)
            self.assertIn("kmeans", phases)
            self.assertEqual(phases[-1], "done")
            self.assertIn("<svg", model.report_.html)
            np.testing.assert_array_equal(
                model.predict(np.load(f.data("party-00") / "features.npy")), model.labels_)

    def test_with_data_that_are_given(self):
        with federation.rows(3) as f:
            f.coordinator(JOB)
            f.once(*f.names[1:])
            X = np.load(f.data("party-00") / "features.npy")[::-1]
            model = coterie.KMeans(3, party=f.config("party-00"), random_state=7,
                                   out=f.path / "mine").fit(X)
            self.assertEqual(adjusted_rand_score(own_truth(f, "party-00")[::-1], model.labels_), 1)
            self.assertTrue((f.path / "mine/labels.csv").exists())

    def test_only_in_the_job_that_it_describes(self):
        with federation.rows(3) as f:
            f.coordinator({**JOB, "clusters": 4})
            f.once(*f.names[1:])
            with self.assertRaises(coterie.CoterieError) as e:
                coterie.KMeans(3, party=f.config("party-00"), random_state=7).fit()
            self.assertIn("agreed to another job: job.clusters: 3 here, 4 offered",
                          str(e.exception))
            self.assertEqual(e.exception.who, "party-00")
            self.assertEqual(e.exception.status, 2)

    def test_with_edges_that_are_given(self):
        with federation.ties(3, "edges", ["fedspectral", "fedspectral.exact"]) as f:
            f.coordinator({"kind": "fedspectral", "clusters": 3, "seed": 7})
            f.once(*f.names[1:])
            edges = pd.read_csv(f.data("party-00") / "edges.tsv", sep="\t", header=None)
            model = coterie.SpectralClustering(3, affinity="precomputed",
                                               party=f.config("party-00"), random_state=7)
            model.fit(edges)
            truth = dict(zip(coterie.Data(f.path / "pooled").ids, f.truth()))
            self.assertEqual(set(model.ids_), set(edges[0]) | set(edges[1]))
            self.assertGreater(adjusted_rand_score([truth[i] for i in model.ids_], model.labels_),
                               0.8)

    def test_with_vertices(self):
        with federation.ties(2, "vertices", ["fedwalk"]) as f:
            job = {"walks": 10, "length": 10, "window": 3}
            f.coordinator({"kind": "fedwalk", "seed": 7, **job})
            f.party("party-01", "--once")
            model = coterie.NodeEmbedding(party=f.config("party-00"), job=job,
                                          random_state=7).fit(coterie.Data(f.data("party-00")))
            self.assertEqual(model.ids_, coterie.Data(f.data("party-00")).ids)
            self.assertEqual(model.embedding_.shape, (len(model.ids_), 128))
            self.assertGreater(np.abs(model.embedding_).sum(), 0)

    def test_with_a_graph_and_columns(self):
        with federation.columns(2) as f:
            f.coordinator({"kind": "kcagc", "clusters": 3, "seed": 7, "filter": {"order": 3}})
            f.party("party-01", "--once")
            model = coterie.AttributedGraphClustering(3, order=3, party=f.config("party-00"),
                                                      random_state=7)
            model.fit(coterie.Data(f.data("party-00")))
            self.assertGreater(adjusted_rand_score(f.truth(), model.labels_), 0.8)

    def test_with_graphs(self):
        with federation.rows(2) as f:
            with self.assertRaisesRegex(coterie.InputError, "those that its configuration names"):
                coterie.GraphClustering(2, party=f.config("party-00")).fit([(2, [[0, 1]])])

    def test_no_configuration(self):
        with self.assertRaisesRegex(coterie.InputError, "party: nowhere.json is not there"):
            coterie.KMeans(3, party="nowhere.json").fit()

    def test_the_cause_is_of_this_job(self):
        with federation.rows(2) as f:
            f.coordinator({**JOB, "clusters": 140, "min_cluster": 3})
            f.party("party-01", "--once")
            with self.assertRaises(coterie.CoterieError) as e:
                coterie.KMeans(140, party=f.config("party-00"), random_state=7,
                               job={"min_cluster": 3}).fit()
            self.assertRegex(
                str(e.exception), "^party-00: coordinator says: only .* landmarks have 3 rows or "
                                  "more, for 140 clusters")
            # The party fails before the job, so run.json is still that of the earlier job.
            f.edit("party-00", heartbeat_s=0)
            with self.assertRaises(coterie.InputError) as e:
                coterie.KMeans(3, party=f.config("party-00"), random_state=7).fit()
            self.assertIn("heartbeat_s is 0, expected", str(e.exception))

    def test_a_deadline(self):
        with federation.rows(2) as f:
            f.coordinator(JOB)
            with self.assertRaises(coterie.CoterieError) as e:
                coterie.KMeans(3, party=f.config("party-00"), random_state=7, timeout=1).fit()
            self.assertEqual(e.exception.status, 3)
            self.assertIn("not done after 1 s", str(e.exception))


class Serves(unittest.TestCase):
    def test_submits_and_takes_part(self):
        with federation.rows(3) as f:
            f.serve(*f.names[1:])
            model = coterie.KMeans(3, party=f.config("party-00"),
                                   coordinator=f.config("coordinator"), random_state=7).fit()
            self.assertEqual(adjusted_rand_score(own_truth(f, "party-00"), model.labels_), 1)
            self.assertEqual(model.job_number_, 1)

    def test_a_party_that_runs(self):
        with federation.rows(3) as f:
            f.serve(*f.names)
            ids = set()
            for _ in range(3):  # from the second on, the directory has results of earlier jobs
                model = coterie.KMeans(3, party=f.config("party-00"),
                                       coordinator=f.config("coordinator"),
                                       random_state=7).fit()
                self.assertEqual(adjusted_rand_score(own_truth(f, "party-00"), model.labels_), 1)
                ids.add(model.run_.job_id)
            self.assertEqual(len(ids), 3)
            # fit() takes no earlier result for a new one
            with self.assertRaisesRegex(coterie.CoterieError,
                                        "has done a job of kind kmeans: not after 1 s"):
                coterie.KMeans(3, party=f.config("party-00"), random_state=7, timeout=1).fit()
            with self.assertRaisesRegex(
                coterie.InputError,
                "the party runs already, with the data that its configuration names"):
                coterie.KMeans(3, party=f.config("party-00")).fit(np.zeros((5, 6)))

    def test_a_job_that_somebody_else_submits(self):
        with federation.rows(2) as f:
            f.serve(*f.names)
            member = _federation.Party(f.config("party-00"), {"kind": "kmeans", "clusters": 3},
                                       None, None, False)
            (f.path / "job.json").write_text(json.dumps(JOB))
            federation.tool("job", "--config", f.config("coordinator"), "submit",
                            f.path / "job.json")
            run = member.wait(federation.PATIENCE_S)
            self.assertEqual((run.status, len(run.labels)), ("done", 75))

    def test_submits_alone(self):
        with federation.columns(2) as f:
            f.serve(*f.names)
            where = f.path / "out/coordinator/control.socket"
            model = coterie.AttributedGraphClustering(3, order=3, coordinator=where,
                                                      random_state=7).fit()
            self.assertGreater(adjusted_rand_score(f.truth(), model.labels_), 0.8)
            self.assertEqual(model.run_.record["role"], "coordinator")
            with self.assertRaisesRegex(coterie.InputError, "takes no data"):
                coterie.AttributedGraphClustering(3,
                                                  coordinator=where).fit(
                                                      np.zeros((5, 2)), edges=[[0, 1]])

    def test_submits_alone_what_is_the_parties_alone(self):
        with federation.rows(2) as f:
            f.serve(*f.names)
            model = coterie.KMeans(3, coordinator=f.config("coordinator"), random_state=7).fit()
            self.assertEqual(model.run_.status, "done")
            self.assertFalse(hasattr(model, "labels_"))
            self.assertIn("each party alone sees the clusters of its own rows", model.leaks_)

    def test_what_the_coordinator_warns_of(self):
        with federation.columns(2) as f:
            f.serve(*f.names)
            with self.assertWarns(coterie.CoterieWarning) as w:
                coterie.AttributedGraphClustering((2, 3), method="landmark",
                                                  coordinator=f.config("coordinator"),
                                                  random_state=7).fit()
            self.assertEqual((w.warning.code, w.warning.who), ("k_at_end", "coordinator"))
            self.assertEqual(w.filename, __file__)

    def test_submits_from_elsewhere(self):
        with federation.rows(2) as f:
            f.edit("coordinator", api={"listen": "127.0.0.1:0", "roles": {"anna": "submitter"}})
            f.serve(*f.names)
            anna = f.people("anna")
            phases = []
            model = coterie.KMeans(3, party=f.config("party-00"), coordinator=anna, random_state=7,
                                   progress=lambda phase, s: phases.append(phase)).fit()
            self.assertEqual(adjusted_rand_score(own_truth(f, "party-00"), model.labels_), 1)
            self.assertEqual(phases[-1], "done")
            shown = json.loads(federation.tool("job", "--config", anna, "show", "1", "--json"))
            self.assertEqual(shown["submitter"], "anna")
            os.rename(shown["directory"], f.path / "out/moved")
            with self.assertWarnsRegex(coterie.CoterieWarning,
                                       "no results of job .* are here: .* removed"):
                self.assertIsNone(model._take(_federation.hub_of(anna).results(shown, None)))
            with self.assertRaisesRegex(coterie.InputError, "the results of job 1 are not here"):
                model.report_

    def test_what_a_party_says_no_to(self):
        with federation.rows(3, jobs=["fedsc"]) as f:
            f.serve(*f.names)
            with self.assertRaises(coterie.CoterieError) as e:
                coterie.KMeans(3, coordinator=f.config("coordinator"), random_state=7).fit()
            self.assertEqual(e.exception.status, 2)
            self.assertRegex(str(e.exception),
                             r"party-0\d declined the job: its policy does not allow this job")

    def test_what_the_coordinator_says_no_to(self):
        with federation.rows(2) as f:
            f.serve()
            # The error names party-00, because that party has never connected.
            with self.assertRaisesRegex(coterie.InputError, "party-00"):
                coterie.KMeans(3, coordinator=f.config("coordinator")).fit()

    def test_nobody_answers(self):
        with federation.rows(2) as f:
            with self.assertRaises(coterie.CoterieError) as e:
                coterie.KMeans(3, coordinator=f.config("coordinator")).fit()
            self.assertIn(e.exception.status, (2, 4))
            self.assertIn("control.socket", str(e.exception))


if __name__ == "__main__":
    unittest.main()
