#include "party/daemon/params.h"
#include "common/base/sort.h"
#include "crypto/hash.h"

#include <string.h>

/* Adds all initial parties, including those left out later. Then adds the left-out parties, in the
 * order in which they were left out. */
static void add_parties(struct sha256 *h, const struct work *work, uint32_t attempt)
{
	const char *name[PARTIES_MAX];
	size_t n = 0, left = 0;

	for (size_t l = 0; l < work->L; l++)
		name[n++] = work->name[l];
	for (size_t i = 0; i < work->lefts; i++)
		name[n++] = work->left[i].name;
	sort_texts(name, n);
	sha256_add_u32(h, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		sha256_add_text(h, name[i]);
	while (left < work->lefts && work->left[left].attempt <= attempt)
		left++;
	sha256_add_u32(h, (uint32_t)left);
	for (size_t i = 0; i < left; i++) {
		sha256_add_u32(h, work->left[i].attempt);
		sha256_add_text(h, work->left[i].name);
	}
}

static void params_hash_of(const struct work *work, uint32_t attempt,
			   uint8_t hash[static SECAGG_HASH_LEN])
{
	struct sha256 *h = sha256_new();

	sha256_add_text(h, "coterie parameters v5");
	sha256_add(h, work->job_hash, sizeof(work->job_hash));
	sha256_add_text(h, work->submitter);
	add_parties(h, work, attempt);
	sha256_add(h, work->coordinator, sizeof(work->coordinator));
	sha256_end(h, hash);
}

void params_make(struct work *work)
{
	params_hash_of(work, work->attempt, work->params_hash);
	params_hash_of(work, 0, work->began_hash);
}

void params_of_attempt(const struct work *work, uint32_t attempt,
		       uint8_t hash[static SECAGG_HASH_LEN])
{
	if (work->lefts && work->left[work->lefts - 1].attempt > attempt)
		params_hash_of(work, attempt, hash);
	else
		memcpy(hash, work->params_hash, SECAGG_HASH_LEN);
}
