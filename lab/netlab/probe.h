/* probe.h -- measures a link between two hosts of a lab: TCP round trip and goodput.
 *
 *     probe_measure (host 1) ---- asks ----> probe_serve (host 0)
 *         1 connection       <-- a byte ---      round trip
 *         1 to 8             <-- zeros ----      goodput
 *
 * The zeros are sent at 103 % of the link's stated rate. That fills the link without overflowing
 * its queue. After an overflow, TCP's recovery would be measured instead of the link.
 */
#ifndef LAB_NETLAB_PROBE_H
#define LAB_NETLAB_PROBE_H

#include "lab/netlab/link.h"
#include "common/base/err.h"

struct probe_result {
	double rtt_ms;
	/* Rate of TCP payload in the last part of the time, after slow start. */
	double goodput_mbit;
};

/* Answers requests until it is killed, which also ends its connections. Writes ready_file once it
 * listens. ERR_INPUT: it cannot listen. ERR_JOB: ready_file cannot be written. */
enum err probe_serve(const char *ready_file) MUST_CHECK;

/* Measures a link. Takes about 0.8 s; more for a slow link, which must carry at least 300 packets,
 * and up to 15 round trips for a fast link with a long delay. ERR_PEER: the host refuses, does not
 * answer within 10 s, or breaks off. ERR_INPUT: the address is not an IPv4 address. */
enum err probe_measure(const char *address, const struct link_speed *stated,
		       struct probe_result *r) MUST_CHECK;

#endif
