/* gcc.h -- the coordinator's half of federated GCC. */
#ifndef SERVER_KCAGC_GCC_H
#define SERVER_KCAGC_GCC_H

#include "server/run/run.h"

enum err server_gcc(struct run *run, uint32_t *label) MUST_CHECK;

#endif
