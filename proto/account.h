/* account.h -- a channel's traffic and link into the record of a job. */
#ifndef PROTO_ACCOUNT_H
#define PROTO_ACCOUNT_H

#include "common/job/record.h"
#include "proto/channel.h"

void account_channel(struct record *r, struct channel *ch);
/* Ends the record's current step, with the times that the job thread waited since the last call. */
void account_step(struct record *r, struct post *p);

#endif
