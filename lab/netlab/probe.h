/* probe.h -- measures a link between two hosts of a lab: TCP round trip and goodput.
 *
 *     probe_measure (host 1) ---- asks ----> probe_serve (host 0)
 *         1 connection       <-- a byte ---      round trip
 *         1 to 8             <-- zeros ----      goodput
 *
 * The zeros are paced to 103 % of the link's stated rate. That fills the link without overflowing
 * its queue, because the link is to be measured, not TCP's recovery.
 */
#ifndef LAB_NETLAB_PROBE_H
#define LAB_NETLAB_PROBE_H

#include "lab/netlab/link.h"
#include "common/base/err.h"

struct probe_result {
	double rtt_ms;
	double goodput_mbit; /* TCP payload, over the last part, after slow start */
};

/* Answers until it is killed, which ends its connections, too. Writes ready_file once it listens.
 * ERR_INPUT. */
enum err probe_serve(const char *ready_file) MUST_CHECK;

/* Takes about 0.8 s, or up to 15 round trips for a fast and far link as stated. ERR_PEER: no
 * answer, or none within 10 s. ERR_INPUT: not an IPv4 address. */
enum err probe_measure(const char *address, const struct link_speed *stated,
		       struct probe_result *r) MUST_CHECK;

#endif
