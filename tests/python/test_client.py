"""Tests jobs and results from another host, in a process without the programs and without numpy."""
import json
import shutil
import unittest

import numpy as np

import federation
from test_alone import without

import coterie

JOB = {"kind": "kmeans", "clusters": 3, "seed": 7}
BARE = ("numpy", "pandas", "scipy", "sklearn")


def bare(code):
    """Returns the output of a Python process without optional modules, which cannot start
    programs."""
    return without(BARE, code, COTERIE_BIN="/nowhere", PATH="/nowhere")


class Results(federation.Federation):
    """Two parties have rows; anna submits jobs, and reads results at party-00."""

    def __init__(self):
        super().__init__(
            2,
            "rows",
            ["kmeans"],
            ["--points", "--nodes", 150, "--features", 6, "--clusters", 3, "--apart", 12],
        )
        pki = self.path / "pki"
        federation.tool(
            "pki", "request", "--name", "bank-api", "--role", "coordinator", "--dir", pki
        )
        federation.tool("pki", "sign", "--days", 20, "--ca", pki, pki / "bank-api.csr")
        self.edit(
            "coordinator",
            api={"listen": "127.0.0.1:0", "roles": {"anna": "submitter", "vera": "viewer"}},
        )
        self.edit(
            "party-00",
            api={
                "listen": "127.0.0.1:0",
                "certificate": "pki/bank-api.crt",
                "key": "pki/bank-api.key",
                "roles": {"anna": "reader"},
            },
        )

    def anna(self):
        self.serve(*self.names)
        config = json.loads(self.people("anna").read_text())
        self._write("hub", config)
        self._write("anna", {**config, "party": f"bank-api@{self.endpoint('party-00')}"})
        return self.config("anna")


class Elsewhere(unittest.TestCase):
    def test_by_the_client_alone(self):
        with Results() as f:
            code = (
                f"import coterie\nclient = coterie.Client({str(f.anna())!r})\nnumber ="
                f" client.submit({JOB!r})\nclient.wait(number)\nrun = client.results(number,"
                " patience=20)\nprint(number, run.record['role'], run.status, len(run.rows()),"
                " sorted(run.rows()[0]), client.done(number))\nhub ="
                f" coterie.Client({str(f.config('hub'))!r})\nprint(hub.results(1).record['role'],"
                " [j['state'] for j in hub.jobs()], hub.status()['name'])"
            )
            lines = bare(code).splitlines()
            self.assertEqual(
                lines[0], "1 party done 75 ['confidence', 'id', 'label', 'process'] True"
            )
            self.assertEqual(lines[1], "coordinator ['done'] coordinator")

    def test_an_estimator(self):
        with Results() as f:
            model = coterie.KMeans(3, coordinator=f.anna(), random_state=7).fit()
            own = coterie.Run(next((f.path / "out/party-00").glob("job-*")))
            np.testing.assert_array_equal(model.labels_, own.labels["label"])
            self.assertEqual((model.run_.record["role"], len(model.cluster_centers_)), ("party", 3))
            self.assertIn("svg", model.report_.html)
            self.assertEqual(len(model.predict(model.cluster_centers_)), 3)
            alone = coterie.KMeans(3, coordinator=f.config("hub"), random_state=7).fit()
            self.assertEqual(alone.run_.record["role"], "coordinator")
            self.assertFalse(hasattr(alone, "labels_"))
            later = coterie.KMeans(3, coordinator=f.config("anna"), random_state=7).submit()
            other = coterie.KMeans(3, coordinator=f.config("anna"), random_state=7)
            other.job_number_ = later.job_number_
            np.testing.assert_array_equal(other.collect().labels_, later.collect().labels_)

    def test_what_is_refused(self):
        with Results() as f:
            client = coterie.Client(f.anna())
            number = client.submit(JOB)
            client.wait(number)
            vera = coterie.Client(f.people("vera"))
            job_id = client.show(number)["job_id"]
            party_api = json.loads(f.config("anna").read_text())["party"]
            for call, said in (
                (
                    lambda: vera.submit(JOB),
                    "submit needs the role submitter at coordinator, and vera has the role viewer",
                ),
                (
                    lambda: vera.results(number),
                    "results need the role reader, and vera has the role viewer",
                ),
                (lambda: client.results("0" * 32), "no results of job 0+ are here: .* removed"),
                (lambda: client.results(17), "there is no job 17"),
                (lambda: client.results("seventeen"), "is no job's id"),
                (lambda: client.submit({"kind": "kmean"}), "kmean"),
                (lambda: client.submit("/nowhere/job.json"), "/nowhere/job.json is not there"),
                (
                    lambda: coterie.Client(f.people("nina")).jobs(),
                    "certificate of nina has no role at coordinator: its operator can give it one",
                ),
                (
                    lambda: coterie.Client(f.config("nina"), party=party_api).results(job_id),
                    "certificate of nina has no role at party-00: its operator can give it one",
                ),
                (
                    lambda: coterie.Client(f.config("hub"), key=f.path / "pki/vera.key").jobs(),
                    "key values mismatch; they have to be PEM, the key that of the certificate",
                ),
                (
                    lambda: coterie.Client("hub:1", certificate="/nowhere/anna.crt").jobs(),
                    "/nowhere/anna.crt: this file cannot be read",
                ),
                (
                    lambda: coterie.Client("hub", certificate="anna.crt"),
                    "server is 'hub', expected the api.listen",
                ),
                (lambda: coterie.Client(f.config("party-00")), 'no member "server"'),
            ):
                with self.assertRaisesRegex(coterie.InputError, said):
                    call()
            hub = coterie.Client(f.config("hub"))
            shutil.rmtree(client.show(number)["directory"])
            client.results(number, patience=20)
            shutil.rmtree(f.path / f"out/party-00/job-{job_id}-1")
            for call in (lambda: hub.results(number), lambda: client.results(number)):
                with self.assertRaisesRegex(coterie.InputError, "removed .*submit it again"):
                    call()
            place = f.config("vera").read_text()
            (f.path / "wrong.json").write_text(place.replace("coordinator@", "hub@"))
            with self.assertRaisesRegex(
                coterie.CoterieError, "its certificate is refused .*bear the name hub"
            ):
                coterie.Client(f.path / "wrong.json").jobs()
            federation.tool("pki", "lab", "--parties", 1, "--out", f.path / "other")
            stranger = {
                **json.loads(place),
                "identity": {"certificate": "other/party-00.crt", "ca": "pki/ca.crt"},
            }
            (f.path / "stranger.json").write_text(json.dumps(stranger))
            with self.assertRaisesRegex(
                coterie.CoterieError,
                "unknown ca.*signed by that daemon's authority|does not answer",
            ):
                coterie.Client(f.path / "stranger.json").jobs()
            party = f.running.pop("party-00")
            party.terminate()
            party.wait()
            with self.assertRaisesRegex(
                coterie.CoterieError,
                "does not answer .*is the daemon running, is that its api.listen",
            ):
                client.results(number)


if __name__ == "__main__":
    unittest.main()
