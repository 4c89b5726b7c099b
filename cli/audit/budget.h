/* budget.h -- coterie ledger budget: what each data set has cost, and what is left of a party's bounds. */
#ifndef CLI_AUDIT_BUDGET_H
#define CLI_AUDIT_BUDGET_H

#include "common/job/daemon.h"
#include "crypto/ledger.h"

/* Prints it. config: the party's, whose bounds count; NULL: none are known, and eps is at `delta`. */
enum err budget_print(struct ledger *l, const struct party_config *config, double delta) MUST_CHECK;

#endif
