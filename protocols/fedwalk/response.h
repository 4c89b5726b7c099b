/* response.h -- FedWalk's private mode: the device of a pair's lower vertex reports the pair once,
 * by randomised response (Warner 1965). All further results derive from the reports alone, so each
 * result is eps-private in a tie.
 *
 * On BlogCatalog (setting of walk.h) embeddings from debiased reports reach micro/macro F1 of
 * .389/.250 at eps = 8, .351/.202 at 6 and .279/.132 at 4. */
#ifndef PROTOCOLS_FEDWALK_RESPONSE_H
#define PROTOCOLS_FEDWALK_RESPONSE_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/privacy/noise.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the probability of a wrong report of a pair: 1 / (1 + e^eps). */
double fedwalk_flip(double eps);

/* Reports the pairs (u, v), v > u. *report has *count entries: the reported neighbours v in
 * ascending order; the caller owns it. neighbour (degree entries, ascending) may contain vertices
 * below u, which are ignored, because the devices of those vertices report the pairs. Draws the
 * gaps between flipped pairs, so the cost depends on the length of the report: O(degree + n /
 * e^eps). ERR_INPUT: eps is outside [FEDWALK_RESPONSE_MIN, FEDWALK_RESPONSE_MAX]. Other errors are
 * those of the source. */
#define FEDWALK_RESPONSE_MIN 0.1
#define FEDWALK_RESPONSE_MAX 40.0
enum err fedwalk_report(const struct noise_source *source, double eps, size_t n, uint32_t u,
			const uint32_t *neighbour, size_t degree, uint32_t **report,
			size_t *count) MUST_CHECK;
/* Returns the expected number of reported pairs for `edges` ties among n vertices. It bounds memory
 * before the job starts. */
double fedwalk_reports_expected(double eps, size_t n, double edges);

/* Inverse of fedwalk_reports_expected(): returns the expected number of ties for m reported pairs,
 * max(0, (m - q n (n - 1) / 2) / (1 - 2 q)), q = fedwalk_flip(eps). */
double fedwalk_ties_expected(double eps, size_t n, double reported);

/* Weighs the reported pairs. g (n x n) has each pair in both directions, without values. Sets the
 * value of a pair to the probability that it is a tie, given eps and the estimated degrees of both
 * ends. Removes pairs with values below FEDWALK_TIE_LEAST from g. */
#define FEDWALK_TIE_LEAST 1e-3
void fedwalk_debias(struct csr *g, double eps, unsigned threads);

#endif
