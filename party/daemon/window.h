/* window.h -- what a party shows by HTTP besides common/http/window.h:
 *
 *     /api/ledger?q=WORDS&before=N      rows, the newest first, ROWS at a time; "next" is where the search goes on
 *     /api/budgets                      what each coordinator has had of each data, and what the policy allows
 *     /api/offers                       those that wait for a person, with all that `coterie approve` shows
 *     POST /api/offers/ID               {"answer": "yes" | "no", "offer": HASH, "why": "", "days": 7}
 *
 * The answer is what `coterie approve` would have written, and asks for as much: who may read output/http.token, which is for
 * the party's user alone, may answer, and nobody else.
 */
#ifndef PARTY_DAEMON_WINDOW_H
#define PARTY_DAEMON_WINDOW_H

#include "common/http/window.h"
#include "common/job/daemon.h"

/* Draws the token, writes it, and starts; without a window nothing happens. config is borrowed. ERR_JOB: the token could not
 * be written; or as window_start(). */
enum err party_window_start(struct window *w, const struct party_config *config) MUST_CHECK;
void party_window_close(struct window *w, const struct party_config *config);

/* How far its ledger reaches, as "ledger", and "budgets": limits and what was spent. ERR_INPUT, ERR_JOB: the ledger cannot be
 * read. */
enum err party_show_standing(const struct party_config *config, struct json *o) MUST_CHECK;

#endif
