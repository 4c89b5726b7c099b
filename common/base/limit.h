/* limit.h -- maximum number of parties of a job. It bounds messages and arrays on the stack. A
 * build only for simulation can raise it with CFLAGS="-O2 -g -DCOTERIE_PARTIES_MAX=1024"
 * (scripts/bench many). Such a build cannot use pre-shared keys: the markers of so many parties
 * exceed a frame (crypto/psk.h). */
#ifndef COMMON_BASE_LIMIT_H
#define COMMON_BASE_LIMIT_H

#ifndef COTERIE_PARTIES_MAX
#define COTERIE_PARTIES_MAX 256
#endif

enum { PARTIES_MAX = COTERIE_PARTIES_MAX };

#endif
