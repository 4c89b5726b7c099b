/* machine.h -- memory and processors available to this process: the host's, or fewer if a
 * control group (container, systemd unit), the affinity mask or RLIMIT_AS limits them. */
#ifndef COMMON_BASE_MACHINE_H
#define COMMON_BASE_MACHINE_H

#include "common/base/err.h"

/* Returns the available memory in bytes, at least 1. The first call of this function or of
 * machine_cores() reads both values from the system; only RLIMIT_AS is read at each call. A daemon
 * calls one of them before its sandbox. */
double machine_memory(void);

/* Returns the number of processors, at least 1: the number in the affinity mask, or the quota of
 * the control groups (rounded up) if that is lower. */
unsigned machine_cores(void);

struct machine {
	double memory; /* bytes */
	unsigned cores;
};

/* Lowers *m to the limits of the control groups (version 1 or 2) that ROOT/proc/self/cgroup lists,
 * from the process's own group up to the root. root: "" except in tests. */
void machine_groups(const char *root, struct machine *m);

/* "116 MB", "4.0 GB": bytes in powers of 1000. */
struct size_text {
	char s[24];
};
struct size_text size_text(double bytes);

/* ERR_INPUT, with both numbers, if `what` at `where` (a file) needs more bytes than
 * machine_memory(). Call it before allocating. */
enum err machine_fits(const char *where, const char *what, double bytes) MUST_CHECK;

#endif
