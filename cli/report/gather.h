/* gather.h -- collects the data of a report, as JSON for its page.
 *
 *     {"page": "report", "software", "out", "alone", "thing", "things", "words", "stable",
 *      "missing": [{"subject", "text"}], "warnings": [{"code", "sentence", "names"}],
 *      "processes": [{"name", "leads", "run": run.json}], the coordinator first,
 *      "network": network.json, "profile", "profile-joint": text of these files,
 *      "points": {"of", "caption", "clusters", "total", "side", "xy": [x, y, ...], "label", "id",
 *                 and what explore.h and labels.csv add: "confidence"}}
 *
 * Absent data are omitted.
 */
#ifndef CLI_REPORT_GATHER_H
#define CLI_REPORT_GATHER_H

#include "cli/report/picture.h"
#include "cli/run/report_read.h"

struct report {
	struct run_dir runs;
	struct picture picture; /* its n is 0 if there is no picture */
	const char *picture_of; /* name of the party that has the points */
};

/* Moves the runs out of r->runs: each process's run is NULL afterwards. r->runs.missing gets notes
 * on missing data. Omits earlier attempts, paths of data and hashes of the ledger. */
struct json *report_gather(struct report *r);

#endif
