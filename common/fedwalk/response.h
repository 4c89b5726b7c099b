/* response.h -- FedWalk's private mode: each pair of vertices is reported once, by the device
 * of its lower vertex, by randomised response (Warner 1965). All that follows is made of the reports
 * alone, so a tie is eps-private in everything that is ever computed.
 *
 * On BlogCatalog (as in walk.h) embeddings from debiased reports reach .389/.250 at eps = 8,
 * .351/.202 at 6 and .279/.132 at 4.
 */
#ifndef COMMON_FEDWALK_RESPONSE_H
#define COMMON_FEDWALK_RESPONSE_H

#include "common/base/err.h"
#include "common/linalg/csr.h"
#include "common/privacy/noise.h"

#include <stddef.h>
#include <stdint.h>

/* The probability that a pair is reported wrongly: 1 / (1 + e^eps). */
double fedwalk_flip(double eps);

/* The report of vertex u about pairs (u, v), v > u: the v that are said to be neighbours, rising.
 * neighbour (degree of them, rising) may hold lower ones too, which are not looked at: they report
 * themselves. *report is owned by the caller, *count long. Pairs that are flipped are found by their
 * distances, so the cost is that of the report: O(degree + n / e^eps). ERR_INPUT: eps out of
 * [FEDWALK_RESPONSE_MIN, FEDWALK_RESPONSE_MAX]; what the source fails with. */
#define FEDWALK_RESPONSE_MIN 0.1
#define FEDWALK_RESPONSE_MAX 40.0
enum err fedwalk_report(const struct noise_source *source, double eps, size_t n, uint32_t u,
			const uint32_t *neighbour, size_t degree, uint32_t **report,
			size_t *count) MUST_CHECK;
/* Reported pairs to be expected of `edges` ties among n vertices: what memory they take is known
 * before the start (12 bytes each at the coordinator, twice). */
double fedwalk_reports_expected(double eps, size_t n, double edges);

/* The other way round: how many ties there seem to be, at least 0, if so many pairs were reported. */
double fedwalk_ties_expected(double eps, size_t n, double reported);

/* Weighs the reported pairs. g (n x n) has all of them, both ways, without values; its values are
 * made here: how likely a reported pair is a tie, given eps and how many ties both ends seem to have.
 * Pairs that are less likely than FEDWALK_TIE_LEAST are dropped; so g may lose entries. */
#define FEDWALK_TIE_LEAST 1e-3
void fedwalk_debias(struct csr *g, double eps, unsigned threads);

#endif
