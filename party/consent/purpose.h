/* purpose.h -- a message of a party in words, for its ledger. */
#ifndef PARTY_CONSENT_PURPOSE_H
#define PARTY_CONSENT_PURPOSE_H

#include "party/work/work.h"

enum { PURPOSE_MAX = 1024 };

/* Describes the message for the ledger; of MASKED, the members of its sum (work->sum). */
void purpose_of(const struct work *work, const struct msg *m, char text[static PURPOSE_MAX]);

/* Numbers made from data that it holds, masked ones too; 0 for keys, hashes, sentences, zeros. */
uint64_t purpose_words(const struct work *work, const struct msg *m);

#endif
