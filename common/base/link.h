/* link.h -- statistics of the link to a peer. proto/ fills them in; run.json and the status API
 * (common/job/live.h) show them. */
#ifndef COMMON_BASE_LINK_H
#define COMMON_BASE_LINK_H

#include <stddef.h>
#include <stdint.h>

enum { LINK_TYPES_MAX = 64, LINK_NAME_MAX = 64, LINK_JOB_LEN = 32 };

/* How long and how often the thread that runs the job was blocked, since the previous call that
 * returned these values. */
struct link_times {
	double wait_s; /* blocked while the peers computed */
	double wire_s; /* blocked while bytes travelled */
	/* number of times that the thread sent messages and then blocked until one arrived */
	unsigned round_trips;
};

/* Messages of one type, and the bytes of their whole frames. */
struct link_type {
	unsigned number;
	const char *name; /* static */
	uint64_t messages_sent, messages_received, bytes_sent, bytes_received;
};

struct link_state {
	char peer[LINK_NAME_MAX + 1];
	char job[LINK_JOB_LEN + 1]; /* the job's id in hexadecimal digits; "": not known yet */
	double rtt_s;               /* smoothed round trip of the connection; < 0: not known */
	char congestion[16];        /* congestion control in effect; "": not known */
	unsigned reconnects;        /* number of lost connections that a new connection replaced */
	uint64_t resent;            /* bytes of frames that were sent again */
	size_t types;               /* number of types seen, including the link's own messages */
	struct link_type type[LINK_TYPES_MAX];
};

#endif
