/* probe.h -- what a link really does: TCP round trip and goodput, between two hosts of a lab.
 *
 *     probe_measure (host 1) ---- asks ----> probe_serve (host 0)
 *         1 connection       <-- a byte ---      round trip
 *         1 to 8             <-- zeros ----      goodput
 *
 * The zeros are paced to 103 % of what the link is said to carry: enough to fill it, too little to
 * overflow its queue, for what is measured is the link and not how TCP recovers.
 */
#ifndef LAB_NETLAB_PROBE_H
#define LAB_NETLAB_PROBE_H

#include "lab/netlab/link.h"
#include "common/base/err.h"

struct probe_result {
	double rtt_ms;       /* the median of a few */
	double goodput_mbit; /* TCP payload, over the last part: slow start is over */
};

/* Answers, until it is killed, and its connections with it. ready_file is written when it listens.
 * ERR_INPUT. */
enum err probe_serve(const char *ready_file) MUST_CHECK;

/* Takes as long as the stated link needs to be judged: about 0.8 s, up to 15 round trips for
 * a long fat one. ERR_PEER: nobody answers, or not within 10 s. ERR_INPUT: no IPv4 address. */
enum err probe_measure(const char *address, const struct link_speed *stated,
		       struct probe_result *r) MUST_CHECK;

#endif
