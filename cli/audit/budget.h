/* budget.h -- coterie ledger budget: shows what each data set has spent, and the party's remaining
 * budgets. */
#ifndef CLI_AUDIT_BUDGET_H
#define CLI_AUDIT_BUDGET_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"

/* Prints the budgets. config: the party's configuration, which has the limits. config NULL: there
 * are no limits, and eps is given at `delta`. */
enum err budget_print(struct ledger *l, const struct party_config *config, double delta) MUST_CHECK;

#endif
