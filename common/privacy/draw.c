#include "common/privacy/draw.h"

#include <assert.h>
#include <string.h>

void draw_init(struct draw *d, const struct noise_source *source)
{
	d->source = source;
	d->left = 0;
	d->err = ERR_OK;
}

enum err draw_end(struct draw *d)
{
	explicit_bzero(d->word, sizeof(d->word));
	d->left = 0;
	return d->err;
}

uint64_t draw_u64(struct draw *d)
{
	if (!d->left) {
		if (!d->err)
			d->err = d->source->bytes(d->source->ctx, d->word, sizeof(d->word));
		if (d->err)
			return 0;
		d->left = DRAW_WORDS;
	}
	return d->word[--d->left];
}

double draw_unit(struct draw *d)
{
	return (double)(draw_u64(d) >> 11) * 0x1p-53;
}

double draw_unit_above(struct draw *d)
{
	return ((double)(draw_u64(d) >> 11) + 1) * 0x1p-53;
}

uint32_t draw_below(struct draw *d, uint32_t bound)
{
	uint32_t reject =
	    -bound % bound; /* 2^32 mod bound: that many low values come once too often */
	uint64_t wide;

	assert(bound > 0);
	do
		wide = (draw_u64(d) >> 32) * bound;
	while ((uint32_t)wide < reject && !d->err); /* Lemire 2019 */
	return (uint32_t)(wide >> 32);
}

static enum err from_rng(void *ctx, void *p, size_t n)
{
	for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
		uint64_t word = rng_u64(ctx);

		memcpy((char *)p + i, &word, n - i < sizeof(word) ? n - i : sizeof(word));
	}
	return ERR_OK;
}

struct noise_source draw_from_rng(struct rng *r)
{
	return (struct noise_source){ r, from_rng };
}
