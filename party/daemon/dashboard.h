/* dashboard.h -- HTTP routes of a party besides common/http/dashboard.h:
 *
 * - /api/ledger?q=WORDS&before=N: rows, newest first, ROWS at a time; "next" continues the search
 * - /api/budgets: each coordinator's spending per data set, and the limits of the policy
 * - /api/offers: offers that wait for a user, with all that `coterie approve` shows
 * - POST /api/offers/ID: {"answer": "yes" | "no", "offer": HASH, "why": "", "days": 7}
 * - POST /api/results/ID, /api/results/ID/NAME?from=N: as GET at api.listen (party/daemon/api.h)
 *
 * A POST must contain the token in output/http.token. Only the party's user can read this file, and
 * the files of offers and results. */
#ifndef PARTY_DAEMON_DASHBOARD_H
#define PARTY_DAEMON_DASHBOARD_H

#include "common/http/dashboard.h"
#include "common/job/daemon.h"

/* Draws the token, writes it, and starts the dashboard. If the configuration has no dashboard, does
 * nothing. config is borrowed. ERR_JOB: the token could not be written; other errors: as
 * dashboard_start(). */
enum err party_dashboard_start(struct dashboard *w, const struct party_config *config) MUST_CHECK;
void party_dashboard_close(struct dashboard *w, const struct party_config *config);

/* Writes two members: "ledger" is the ledger's head, and "budgets" has limits and spending.
 * ERR_INPUT, ERR_JOB: the ledger cannot be read. */
enum err party_show_standing(const struct party_config *config, struct json *o) MUST_CHECK;

#endif
