/* probe.h -- what a link really does: TCP round trip and goodput, between two hosts of a lab.
 *
 *     probe_measure (host 1) --- connect ---> probe_serve (host 0)
 *         one byte          --- 'p' ------->  the same byte back         round trip
 *         8 connections     --- 'b' ------->  zeros until it is closed   goodput
 */
#ifndef CLI_NETLAB_PROBE_H
#define CLI_NETLAB_PROBE_H

#include "common/base/err.h"

struct probe_result {
	double rtt_ms;       /* the median of a few */
	double goodput_mbit; /* TCP payload, over the last part of the transfer: slow start is over */
};

/* Answers, until it is killed, and its connections with it. ready_file is written when it listens.
 * ERR_INPUT. */
enum err probe_serve(const char *ready_file) MUST_CHECK;

/* Takes about 0.5 s plus 13 round trips. ERR_PEER: nobody answers, or not within 10 s. ERR_INPUT: address
 * is no IPv4 address. */
enum err probe_measure(const char *address, struct probe_result *r) MUST_CHECK;

#endif
