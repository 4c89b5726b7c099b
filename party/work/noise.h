/* noise.h -- where a party takes noise from. */
#ifndef PARTY_WORK_NOISE_H
#define PARTY_WORK_NOISE_H

#include "common/privacy/noise.h"
#include "party/work/work.h"

/* The CSPRNG, for fedsc_party_init(). Static. */
const struct noise_source *party_noise_source(void);

#endif
