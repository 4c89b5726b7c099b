#include "proto/account.h"

#include <stdio.h>
#include <string.h>

void account_channel(struct record *r, struct channel *ch)
{
	struct channel_traffic t[64];
	size_t n = channel_traffic(ch, t, sizeof(t) / sizeof(*t));
	struct channel_link link;
	struct record_peer *p;

	for (size_t i = 0; i < n; i++) {
		struct record_traffic a = { .messages_sent = t[i].messages_sent,
					    .messages_received = t[i].messages_received,
					    .bytes_sent = t[i].bytes_sent,
					    .bytes_received = t[i].bytes_received };

		snprintf(a.peer, sizeof(a.peer), "%s", channel_peer(ch));
		snprintf(a.type, sizeof(a.type), "%s", msg_name(t[i].type));
		record_add_traffic(r, &a);
	}
	if (r->peers == sizeof(r->peer) / sizeof(*r->peer))
		return;
	channel_link(ch, &link);
	p = &r->peer[r->peers++];
	snprintf(p->name, sizeof(p->name), "%s", channel_peer(ch));
	p->rtt_ms = link.rtt_s < 0 ? -1 : 1e3 * link.rtt_s;
	snprintf(p->congestion, sizeof(p->congestion), "%s", link.congestion);
	p->reconnects = link.reconnects;
	p->resent = link.resent;
}

void account_step(struct record *r, struct post *p)
{
	struct channel_times t;

	post_times(p, &t);
	record_step(r, &(struct record_times){ t.wait_s, t.wire_s, t.round_trips });
}
