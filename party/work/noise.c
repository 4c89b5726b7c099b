#include "party/work/noise.h"
#include "crypto/random.h"

static enum err from_csprng(void *ctx, void *p, size_t n)
{
	(void)ctx;
	return random_secret(p, n);
}

const struct noise_source *party_noise_source(void)
{
	static const struct noise_source source = { NULL, from_csprng };

	return &source;
}
