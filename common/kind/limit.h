/* limit.h -- how many parties a job may have. What a message may hold, and what stands on stacks, is as
 * large as they need. A build that only simulates may have more, with CFLAGS="-O2 -g
 * -DCOTERIE_PARTIES_MAX=1024" (scripts/bench many): without keys shared beforehand, whose markers of so
 * many parties would not fit into one frame (crypto/psk.h). */
#ifndef COMMON_KIND_LIMIT_H
#define COMMON_KIND_LIMIT_H

#ifndef COTERIE_PARTIES_MAX
#define COTERIE_PARTIES_MAX 256
#endif

enum { PARTIES_MAX = COTERIE_PARTIES_MAX };

#endif
